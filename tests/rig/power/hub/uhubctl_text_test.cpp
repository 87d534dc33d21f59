// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/hub/uhubctl_text.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::rig;

TEST_CASE("uhubctl text: a status of two hubs is parsed") {
    const auto hubs = parse_uhubctl(
        "Current status for hub 2-1.4 [05e3:0626, USB 3.20, 4 ports, ppps]\n"
        "  Port 1: 02a0 power 5gbps Rx.Detect\n"
        "  Port 2: 0203 power 5gbps U0 enable connect [05e3:0749]\n"
        "  Port 3: 0080 off\n"
        "Current status for hub 1 [1d6b:0002, USB 2.00, 14 ports, ganged]\n"
        "  Port 1: 0000 off\n"
        "  Port 2: 0503 power highspeed enable connect [05e3:0610, USB 2.10, 4 ports, ppps]\n"
        "  Port 3: 0108 power oc\n");
    REQUIRE(reason(hubs) == "success");
    REQUIRE(hubs->size() == 2);
    CHECK(hubs->at(0).location == "2-1.4");
    CHECK(hubs->at(0).ports == 4);
    CHECK(hubs->at(0).switching == PortSwitching::individual);
    CHECK_FALSE(hubs->at(0).after);
    CHECK(hubs->at(0).printed == std::vector<PrintedPort>{{1, 0x02a0, true, false, false},
                                                          {2, 0x0203, true, true, false},
                                                          {3, 0x0080, false, false, false}});
    CHECK(hubs->at(1).location == "1");
    CHECK(hubs->at(1).ports == 14);
    CHECK(hubs->at(1).switching == PortSwitching::ganged);
    CHECK(hubs->at(1).printed == std::vector<PrintedPort>{{1, 0x0000, false, false, false},
                                                          {2, 0x0503, true, true, false},
                                                          {3, 0x0108, true, false, true}});
}

TEST_CASE("uhubctl text: the status after a request is distinguished from the status before") {
    const auto hubs = parse_uhubctl(
        "Current status for hub 1-1 [05e3:0610, USB 2.10, 4 ports, nops]\n"
        "  Port 2: 0100 power\n"
        "Sent power off request\n"
        "New status for hub 1-1 [05e3:0610, USB 2.10, 4 ports, nops]\n"
        "  Port 2: 0000 off\n"
        "Resetting hub...\n"
        "Reset successful!\n");
    REQUIRE(reason(hubs) == "success");
    REQUIRE(hubs->size() == 2);
    CHECK_FALSE(hubs->at(0).after);
    CHECK(hubs->at(0).printed.at(0).powered);
    CHECK(hubs->at(1).after);
    CHECK_FALSE(hubs->at(1).printed.at(0).powered);
    CHECK(hubs->at(1).switching == PortSwitching::none);
}

TEST_CASE("uhubctl text: a port without power bit is unpowered, and words in a device's brackets are ignored") {
    const auto hubs = parse_uhubctl(
        "Current status for hub 1-1 [05e3:0610 power, 4 ports, ppps, USB]\n"
        "  Port 1: 0001 connect [1234:5678 power connect oc]\n");
    REQUIRE(reason(hubs) == "success");
    CHECK(hubs->at(0).switching == PortSwitching::unknown);
    CHECK(hubs->at(0).ports == 0);
    CHECK(hubs->at(0).printed == std::vector<PrintedPort>{{1, 1, false, true, false}});
}

TEST_CASE("uhubctl text: an output without hubs is parsed as an empty list") {
    CHECK(parse_uhubctl("")->empty());
    CHECK(parse_uhubctl("\n\nSent power off request")->empty());
}

TEST_CASE("uhubctl text: an invalid line is refused with its number") {
    struct Row {
        const char* text;
        const char* why;
    };
    const Row rows[] = {
        {"  Port 1: 0100 power\n", "uhubctl, line 1: a port of no hub: \"  Port 1: 0100 power\""},
        {"\nCurrent status for hub here [x]\n",
         "uhubctl, line 2: no status of a hub: \"Current status for hub here [x]\""},
        {"Current status for hub 1-1 [x\n", "uhubctl, line 1: no status of a hub: \"Current status for hub 1-1 [x\""},
        {"Current status for hub 1-1 [x]\n  Port 0: 0100 power\n",
         "uhubctl, line 2: no status of a port: \"  Port 0: 0100 power\""},
        {"Current status for hub 1-1 [x]\n  Port 1: 01000 power\n",
         "uhubctl, line 2: no status of a port: \"  Port 1: 01000 power\""},
        {"Current status for hub 1-1 [x]\n  Port one: 0100\n",
         "uhubctl, line 2: no status of a port: \"  Port one: 0100\""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto hubs = parse_uhubctl(row.text);
        REQUIRE_FALSE(hubs);
        CHECK(hubs.error().code == Errc::bad_format);
        CHECK(reason(hubs) == row.why);
    }
}
