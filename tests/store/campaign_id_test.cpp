// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/campaign_id.hpp"

#include <algorithm>
#include <set>

#include "tests/catch.hpp"

using namespace mediarig::store;
using std::chrono::nanoseconds;

TEST_CASE("new_campaign_id() reproduces the UUIDv7 example of RFC 9562") {
    // Appendix A.6: 2022-02-22 14:22:22.00 -05:00, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F. The fraction that gives
    // 0xCC3 is 3267/4096 of a millisecond.
    const TimePoint time(std::chrono::milliseconds(1'645'557'742'000) + nanoseconds(3267 * 1'000'000ull / 4096 + 1));
    CHECK(new_campaign_id(time, [] { return 0x18C4DC0C0C07398Full; }) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST_CASE("is_campaign_id() accepts only a complete id in lower case") {
    CHECK(is_campaign_id("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"));
    for (const char* text : {"", "c1", "017F22E2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
                             "../../etc/x-79b0-7cc3-98c4-dc0c0c073", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n"})
        CHECK_FALSE(is_campaign_id(text));
}

TEST_CASE("time_of_campaign_id() returns the milliseconds of an id") {
    CHECK(time_of_campaign_id("017f22e2-79b0-7cc3-98c4-dc0c0c07398f") ==
          TimePoint(std::chrono::milliseconds(1'645'557'742'000)));
    CHECK_FALSE(time_of_campaign_id("c1"));
}

TEST_CASE("campaign ids sort by time with a resolution of 250 ns") {
    std::string previous;
    std::uint64_t falling = ~std::uint64_t{0};
    for (std::int64_t ns = 0; ns < 3'000'000; ns += 250) {
        const std::string id = new_campaign_id(TimePoint(nanoseconds(1'732'000'000'999'000'000 + ns)),
                                               [&] { return falling -= 0x0123'4567'89AB'CDEF; });
        REQUIRE(id > previous);
        previous = id;
    }
}

TEST_CASE("campaign ids from random bits of the system have version 7 and variant 10, and do not repeat") {
    const std::string form = "xxxxxxxx-xxxx-7xxx-vxxx-xxxxxxxxxxxx";
    const auto fits = [&](const std::string& id) {
        return std::equal(id.begin(), id.end(), form.begin(), form.end(), [](char is, char wanted) {
            if (wanted == 'x') return std::string("0123456789abcdef").find(is) != std::string::npos;
            if (wanted == 'v') return std::string("89ab").find(is) != std::string::npos;
            return is == wanted;
        });
    };
    const RandomSource random = system_random();
    std::set<std::string> ids;
    for (int i = 0; i < 1000; ++i) {
        const std::string id = new_campaign_id(TimePoint(std::chrono::seconds(1'732'000'000)), random);
        REQUIRE(fits(id));
        ids.insert(id);
    }
    CHECK(ids.size() == 1000);
}
