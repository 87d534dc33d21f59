// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/time_text.hpp"

#include <cstdlib>
#include <ctime>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace std::chrono_literals;

namespace {

/// Sets the zone of this process; the destructor restores UTC, the zone of all tests (tests/main.cpp).
class Zone {
public:
    explicit Zone(const char* rule) { set(rule); }
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;
    ~Zone() { set("UTC"); }

private:
    static void set(const char* rule) {
        ::setenv("TZ", rule, 1);
        ::tzset();
    }
};

constexpr std::chrono::sys_seconds november{1'795'208'645s}; // 2026-11-20 21:04:05 UTC
constexpr std::chrono::sys_seconds july{1'783'029'845s};     // 2026-07-02 22:04:05 UTC

} // namespace

TEST_CASE("displayed times are local, with their zone") {
    const Zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
    CHECK(local_time_text(november) == "2026-11-20 22:04:05 CET");
    CHECK(local_time_text(november, TimePrecision::minute) == "2026-11-20 22:04 CET");
    CHECK(local_time_text(july) == "2026-07-03 00:04:05 CEST");
    CHECK(local_time_text(july, TimePrecision::day) == "2026-07-03");
}

TEST_CASE("a zone without a name is shown by its offset") {
    const Zone zone("<-03>3");
    CHECK(local_time_text(november) == "2026-11-20 18:04:05 -03");
}

TEST_CASE("records contain UTC in every zone") {
    const Zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
    CHECK(utc_time_text(november) == "2026-11-20 21:04:05 UTC");
    CHECK(utc_time_text(std::chrono::sys_time<std::chrono::nanoseconds>(-1ns)) == "1969-12-31 23:59:59 UTC");
}

TEST_CASE("a time of a broken clock has a text") {
    CHECK(local_time_text(std::chrono::sys_seconds::max()) == "@9223372036854775807");
    CHECK(utc_time_text(std::chrono::sys_seconds::max()) == "@9223372036854775807");
}
