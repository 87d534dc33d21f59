// SPDX-License-Identifier: GPL-3.0-or-later
/// Qualification of ports of hubs with real faults: they report false states, switch several ports at once, and power
/// up again.
#include <algorithm>

#include "tests/rig/power/hub/hub_machine.hpp"

using namespace mediarig;
using namespace mediarig::rig;

namespace {

using Faults = std::vector<std::string>;

const UsbPort port_two{"1-1", 2};

std::optional<std::string> never_in_use(const std::string&) {
    return std::nullopt;
}

/// Short timeouts for events that do not happen.
HubSetup quick() {
    HubSetup setup;
    setup.cycles = 2;
    setup.vanishes_within = milliseconds(300);
    setup.returns_within = milliseconds(5'000);
    setup.stays_off_for = milliseconds(1);
    setup.poll_interval = milliseconds(5);
    return setup;
}

struct Bench {
    HubMachine machine;
    Bench() {
        machine.plug_reader(1, "R1");
        machine.plug_reader(2, "R2");
    }
    Result<HubQualification> qualify(const HubSetup& setup = quick()) {
        machine.save();
        Uhubctl uhubctl(machine.program());
        return qualify_hub_port(uhubctl, port_two, setup, never_in_use);
    }
    Faults faults(const HubSetup& setup = quick()) {
        const auto found = qualify(setup);
        REQUIRE(reason(found) == "success");
        return faults_of(*found);
    }
    [[nodiscard]] bool asked(const std::string& call) const {
        const auto calls = machine.saved().at("calls");
        return std::find(calls.begin(), calls.end(), call) != calls.end();
    }
};

HubSetup measured(std::uint32_t millivolts) {
    HubSetup setup = quick();
    setup.voltmeter = [millivolts](const std::string&) { return std::optional(millivolts); };
    return setup;
}

} // namespace

TEST_CASE(
    "a port that separates only its own device qualifies, and only a measured voltage proves that the supply was cut") {
    Bench bench;
    const auto found = bench.qualify();
    REQUIRE(reason(found) == "success");
    CHECK(faults_of(*found).empty());
    CHECK(found->device.serial == "R2");
    CHECK(found->halves == std::vector<UsbPort>{{"1-1", 2}, {"2-1", 2}});
    CHECK(found->cycles.size() == 2);
    CHECK(detachment_of(*found).reached() == DetachLevel::port_disabled);
    // Both halves are switched, each by its own path.
    for (const char* call :
         {"-N -e -l 1-1 -p 2 -a off", "-N -e -l 2-1 -p 2 -a off", "-N -e -l 1-1 -p 2 -a on", "-N -e -l 2-1 -p 2 -a on"})
        CHECK(bench.asked(call));

    Bench again;
    const auto cut = again.qualify(measured(20));
    REQUIRE(reason(cut) == "success");
    CHECK(faults_of(*cut).empty());
    CHECK(detachment_of(*cut).reached() == DetachLevel::supply_cut);
    const auto json = to_json(*cut);
    CHECK(json.at("qualified") == true);
    CHECK(json.at("halves") == nlohmann::json{"1-1.2", "2-1.2"});
    CHECK(json.at("cycles").at(0).at("millivolts") == 20);
    CHECK_THAT(text_of(*cut), ContainsSubstring("  proven: supply cut (level 4): 20 mV at the lowest\n"));
    CHECK_THAT(text_of(*cut), ContainsSubstring("  the port qualifies\n"));
}

TEST_CASE("a hub that drops data and keeps the voltage does not qualify") {
    Bench bench;
    const auto found = bench.qualify(measured(4980));
    REQUIRE(reason(found) == "success");
    CHECK(faults_of(*found) == Faults{"the port keeps its voltage while it is off: only data is cut"});
    CHECK(detachment_of(*found).reached() == DetachLevel::port_disabled);
    CHECK(to_json(*found).at("qualified") == false);
}

TEST_CASE("a hub that reports a false port state is detected by the device on the port") {
    Bench bench;
    bench.machine.state["trouble"]["keeps_data"] = {2};
    CHECK(bench.faults() == Faults{"the device stays while the port is off: the port does not separate it"});
}

TEST_CASE("a hub that ignores the request reports its port as still on") {
    Bench bench;
    bench.machine.state["trouble"]["ignores"] = {2};
    CHECK(bench.faults() == Faults{"the hub reports that the port is still on after it was switched off",
                                   "the device stays while the port is off: the port does not separate it"});
}

TEST_CASE("a hub that switches ports in groups does not qualify, because it also disconnects a neighbour") {
    Bench bench;
    bench.machine.state["trouble"]["batch"] = {{"2", {1, 2}}};
    CHECK(bench.faults() == Faults{"2-1.1 loses its port too: the hub switches ports together"});
}

TEST_CASE("a port that powers up again does not prove that its device was separated") {
    Bench bench;
    bench.machine.state["trouble"]["repowers_after"] = 3;
    HubSetup setup = measured(20);
    setup.stays_off_for = milliseconds(2'000);
    setup.cycles = 1;
    const auto found = bench.qualify(setup);
    REQUIRE(reason(found) == "success");
    CHECK(faults_of(*found) == Faults{"the port switches on again without a command"});
    CHECK(detachment_of(*found).reached() == DetachLevel::released);
}

TEST_CASE("a device that does not return ends the measurement") {
    Bench bench;
    bench.machine.state["trouble"]["loses"] = {2};
    HubSetup setup = quick();
    setup.returns_within = milliseconds(200);
    const auto found = bench.qualify(setup);
    REQUIRE(reason(found) == "success");
    CHECK(found->cycles.size() == 1);
    CHECK(faults_of(*found) == Faults{"the device does not return after the port was switched on"});
}

TEST_CASE("a missing permission of hub or user is reported in one line") {
    Bench stalled;
    stalled.machine.state["trouble"]["refuses"] = {2};
    CHECK_THAT(reason(stalled.qualify()), ContainsSubstring("hub 1-1 refused to switch port 2: Failed to control"));
    Bench locked;
    locked.machine.state["trouble"]["permission"] = true;
    CHECK_THAT(reason(locked.qualify()), ContainsSubstring("may not open hub 1-1: run this as root"));
    Bench deaf;
    deaf.machine.state["hubs"]["1-1"]["switching"] = "ganged";
    CHECK_THAT(reason(deaf.qualify()), ContainsSubstring("hub 1-1 does not switch its ports individually"));
    Bench missing;
    missing.machine.save();
    Uhubctl none(missing.machine.program() + "-is-not-here");
    const auto refused = qualify_hub_port(none, port_two, quick(), never_in_use);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::no_driver);
    CHECK_THAT(reason(refused), ContainsSubstring("is missing: install the package uhubctl"));
}

TEST_CASE("switching a port switches both halves and verifies each") {
    Bench bench;
    bench.machine.save();
    Uhubctl uhubctl(bench.machine.program());
    REQUIRE(reason(power_hub_port(uhubctl, port_two, false)) == "success");
    for (const char* hub : {"1-1", "2-1"})
        CHECK(bench.machine.saved().at("hubs").at(hub).at("on") == nlohmann::json{1, 3, 4});
    CHECK(usb_devices_below({"1-1", "2-1"})->size() == 1);
    REQUIRE(reason(power_hub_port(uhubctl, port_two, true)) == "success");
    CHECK(usb_devices_below({"1-1", "2-1"})->size() == 2);

    Bench deaf;
    deaf.machine.state["trouble"]["ignores"] = {2};
    deaf.machine.save();
    Uhubctl other(deaf.machine.program());
    CHECK(reason(power_hub_port(other, port_two, false)) ==
          "hub 1-1 reports that port 2 is on after it was switched off: use another hub, or test it with mediarig rig "
          "qualify-hub 1-1.2");
}

TEST_CASE("neither an empty port nor a port with a hub is switched") {
    HubMachine machine;
    machine.save();
    Uhubctl uhubctl(machine.program());
    CHECK(reason(qualify_hub_port(uhubctl, port_two, quick(), never_in_use)) ==
          "nothing is plugged into port 1-1.2: plug in a device that takes its power from the port, such as a card "
          "reader, and try again");
    machine.plug_hub(2);
    CHECK(reason(qualify_hub_port(uhubctl, port_two, quick(), never_in_use)) ==
          "port 1-1.2 carries another hub (05e3:0610): name a port of that hub");
    CHECK_FALSE(machine.saved().contains("calls"));
}

TEST_CASE("a disk in use at any port of the hub prevents the switching of all its ports") {
    HubMachine machine;
    machine.plug_reader(1, "R1");
    machine.plug_reader(2, "R2");
    machine.add_disk(1, "sdb");
    machine.save();
    Uhubctl uhubctl(machine.program());
    const auto refused = qualify_hub_port(uhubctl, port_two, quick(), [](const std::string& disk) {
        return disk == "sdb" ? std::optional<std::string>("partition sdb1 is mounted on /mnt") : std::nullopt;
    });
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::refused);
    CHECK_THAT(
        reason(refused),
        ContainsSubstring("/dev/sdb is on the hub of port 1-1.2 and is in use (partition sdb1 is mounted on /mnt)"));
    CHECK_FALSE(machine.saved().contains("calls"));
}
