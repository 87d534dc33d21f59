// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/idle/idle.hpp"

#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace std::chrono_literals;

namespace {

/// A device with a clock that advances only while the test sleeps: it works until `busy_until`, one sector per poll.
struct Device {
    std::chrono::nanoseconds now{}, busy_until{};
    TransferTotals moved{.read = 1_MiB, .written = 2_MiB};
    bool counts{true};

    Result<IdleReport> settled(const IdleTerms& terms = {}) {
        return wait_idle(
            [this]() -> std::optional<TransferTotals> {
                if (!counts) return std::nullopt;
                if (now < busy_until) moved.written += 512_B;
                return moved;
            },
            [this](std::chrono::nanoseconds time) { now += time; }, terms);
    }
};

} // namespace

TEST_CASE("a device without background work is quiet after one second") {
    Device device;
    const auto report = device.settled();
    REQUIRE(report);
    CHECK(*report == IdleReport{.counted = true, .silent = true, .waited = 1s});
    CHECK(text_of(*report) == "silent after 1.0 s, 0 B written and 0 B read in that time");
}

TEST_CASE("wait_idle waits for the background work of a format and counts its bytes") {
    Device device{.busy_until = 3s};
    const auto report = device.settled();
    REQUIRE(report);
    CHECK(report->silent);
    CHECK(report->waited >= 3900ms);
    CHECK(report->waited <= 4100ms);
    CHECK(report->written == Bytes{29 * 512});
    CHECK(report->read == 0_B);
}

TEST_CASE("wait_idle waits for a device that never becomes quiet only up to the limit") {
    Device device{.busy_until = 1h};
    const auto report = device.settled();
    REQUIRE(report);
    CHECK_FALSE(report->silent);
    CHECK(report->waited == 60s);
    CHECK_THAT(text_of(*report), ContainsSubstring("not silent after 60.0 s"));
}

TEST_CASE("wait_idle does not wait for a device without counters") {
    Device device{.counts = false};
    CHECK(*device.settled() == IdleReport{});
    CHECK(device.now == 0s);
    CHECK(text_of(IdleReport{}) == "the device has no transfer counters");
}

TEST_CASE("a wait for quiet can be cancelled") {
    Device device{.busy_until = 1h};
    const std::atomic<bool> cancel{true};
    CHECK(device.settled({.cancel = &cancel}).error().code == Errc::cancelled);
}

TEST_CASE("a report of a wait for quiet survives a round trip, and the error for an invalid report names the member") {
    const IdleReport report{.counted = true, .silent = true, .waited = 1500ms, .read = 4_KiB, .written = 8_KiB};
    CHECK(*idle_report_from_json(to_json(report)) == report);
    auto wrong = to_json(report);
    wrong["silent"] = 1;
    CHECK(idle_report_from_json(wrong).error().detail == "idle report.silent: must be true or false");
}
