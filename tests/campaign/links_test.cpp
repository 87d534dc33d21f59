// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/resources/transfers.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using campaign::links_of;

TEST_CASE("links_of() returns the USB link, the bus of the SD slot, both or nothing") {
    media::Medium medium;
    CHECK(links_of(medium).empty());
    medium.sd.emplace(); // registers read by a nest, or debugfs not readable: the bus is unknown
    CHECK(links_of(medium).empty());
    medium.sd->bus_timing = "sd uhs DDR50";
    medium.sd->bus_clock_hz = 50'000'000;
    medium.sd->bus_width = 4;
    REQUIRE(links_of(medium).size() == 1);
    CHECK(links_of(medium)[0].name == "an SD bus of 4 lines at 50 MHz (sd uhs DDR50)");
    CHECK(links_of(medium)[0].ceiling->megabytes_per_second() == 50);
    CHECK_FALSE(links_of(medium)[0].usb);
    medium.usb.emplace().speed_mbit = 480;
    REQUIRE(links_of(medium).size() == 2);
    CHECK(links_of(medium)[0].usb);
    CHECK(links_of(medium)[0].name == "a USB link of 480 Mbit/s");
}
