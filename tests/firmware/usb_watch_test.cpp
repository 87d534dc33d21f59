// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/link/usb_watch.hpp"

#include "tests/catch.hpp"

using namespace mediarig::firmware;

namespace {

constexpr std::uint32_t tick = 500;

/// A controller that is polled each tick.
struct WatchedUsb {
    UsbWatch watch;
    UsbSight sight{.configured = true};
    std::uint32_t now_us{0xFFFF'0000}; // so that the time wraps
    bool frames = true;

    /// Returns the time from now in us until the controller is reported dead; 0 if this does not happen within the
    /// duration.
    std::uint32_t dead_within(std::uint32_t duration_us) {
        for (std::uint32_t passed = tick; passed <= duration_us; passed += tick) {
            now_us += tick;
            if (frames) sight.frame = static_cast<std::uint16_t>(now_us / 1000 & 0x7FF);
            if (watch.is_dead(now_us, sight)) return passed;
        }
        return 0;
    }
};

} // namespace

TEST_CASE("USB watch: a controller that receives frames is alive") {
    WatchedUsb usb;
    CHECK(usb.dead_within(10'000'000) == 0);
}

TEST_CASE("USB watch: a configured controller without frames for 20 ms is reported dead once") {
    WatchedUsb usb;
    REQUIRE(usb.dead_within(5'000) == 0);
    usb.frames = false;
    const auto after = usb.dead_within(1'000'000);
    CHECK(after >= UsbWatch::frames_missing_us - tick);
    CHECK(after <= UsbWatch::frames_missing_us + 2 * tick);
    usb.sight.configured = false; // state after the reset
    CHECK(usb.dead_within(10'000'000) == 0);
}

TEST_CASE("USB watch: an unconfigured or suspended controller without frames is not dead") {
    WatchedUsb usb;
    usb.frames = false;
    usb.sight.configured = false;
    CHECK(usb.dead_within(1'000'000) == 0);
    usb.sight = {.configured = true, .suspended = true};
    CHECK(usb.dead_within(1'000'000) == 0);
    // After wake-up the bus has the full time for the first frame.
    usb.sight.suspended = false;
    CHECK(usb.dead_within(UsbWatch::frames_missing_us - 2 * tick) == 0);
    usb.frames = true;
    CHECK(usb.dead_within(1'000'000) == 0);
}

TEST_CASE("USB watch: if the host writes but fetches no packet for two seconds, the controller is reported dead") {
    WatchedUsb usb;
    usb.sight.has_unfetched_packet = true;
    REQUIRE(usb.dead_within(1'000'000) == 0);
    ++usb.sight.out_packets;
    const auto after = usb.dead_within(5'000'000);
    CHECK(after >= UsbWatch::packet_waits_us);
    CHECK(after <= UsbWatch::packet_waits_us + 2 * tick);
}

TEST_CASE(
    "USB watch: the controller is alive if a silent host fetches no packet, or if a host writes without end and "
    "fetches packets") {
    WatchedUsb usb;
    usb.sight.has_unfetched_packet = true;
    CHECK(usb.dead_within(10'000'000) == 0);
    for (int i = 0; i < 100; ++i) {
        ++usb.sight.out_packets;
        ++usb.sight.in_packets; // the next packet is pending
        REQUIRE(usb.dead_within(1'000'000) == 0);
    }
}
