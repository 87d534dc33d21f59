// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/hub/hub_qualification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

namespace mediarig::rig {
namespace {

using std::chrono::steady_clock;

milliseconds since(steady_clock::time_point start) {
    return std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
}

std::vector<std::string> hubs_of(const std::vector<UsbPort>& ports) {
    std::set<std::string> hubs;
    for (const UsbPort& port : ports) hubs.insert(port.hub);
    return {hubs.begin(), hubs.end()};
}

/// Switches every half, even if an earlier one failed: a port with one half on is worse than a port that is on.
Result<void> set_all(PortSwitch& ports, const std::vector<UsbPort>& halves, bool on) {
    Result<void> done;
    for (const UsbPort& half : halves)
        if (auto set = ports.set(half, on); !set && done) done = set;
    return done;
}

class Measurement {
public:
    Measurement(PortSwitch& ports, HubQualification& found, const HubSetup& setup)
        : ports_(ports), found_(found), setup_(setup) {
        hubs_ = hubs_of(found.halves);
    }

    [[nodiscard]] Result<std::vector<UsbDevice>> devices() const { return usb_devices_below(hubs_); }

    [[nodiscard]] Result<HubCycle> cycle() {
        const auto before = devices();
        if (!before) return fail(before.error());
        HubCycle result;
        auto measured = measure_off(*before, result);
        const auto switched = steady_clock::now();
        auto on = set_all(ports_, found_.halves, true);
        if (!measured) return fail(std::move(measured.error()));
        if (!on) return fail(std::move(on.error()));
        auto back = wait_for_return(*before, result, switched);
        if (!back) return fail(std::move(back.error()));
        return result;
    }

private:
    [[nodiscard]] bool is_here(const UsbDevice& device) const {
        return std::ranges::any_of(found_.halves, [&](const UsbPort& half) { return is_at(device, half); });
    }
    [[nodiscard]] bool is_there(const std::vector<UsbDevice>& list) const {
        return std::ranges::any_of(
            list, [&](const UsbDevice& each) { return is_here(each) && same_usb_device(each, found_.device); });
    }
    /// True if the hub reports every half as off.
    [[nodiscard]] Result<bool> is_reported_off() {
        for (const UsbPort& half : found_.halves) {
            const auto state = ports_.state(half);
            if (!state) return fail(state.error());
            if (state->powered) return false;
        }
        return true;
    }
    void pause() const { std::this_thread::sleep_for(setup_.poll_interval); }

    [[nodiscard]] Result<void> measure_off(const std::vector<UsbDevice>& before, HubCycle& result) {
        const auto start = steady_clock::now();
        if (auto off = set_all(ports_, found_.halves, false); !off) return off;
        const auto told = is_reported_off();
        if (!told) return fail(told.error());
        result.reported_off = *told;
        for (;;) {
            const auto now = devices();
            if (!now) return fail(now.error());
            if (!is_there(*now)) {
                result.vanished = since(start);
                break;
            }
            if (since(start) > setup_.vanishes_within) break;
            pause();
        }
        if (setup_.voltmeter)
            result.millivolts = setup_.voltmeter(fmt::format("the voltage at port {} now, in mV", found_.port.path()));
        return watch(before, result);
    }

    /// Some hubs restore power without a request, and a driver may request it.
    [[nodiscard]] Result<void> watch(const std::vector<UsbDevice>& before, HubCycle& result) {
        const auto start = steady_clock::now();
        std::set<std::string> gone;
        do {
            const auto now = devices();
            if (!now) return fail(now.error());
            for (const UsbDevice& each : before)
                if (!is_here(each) && std::ranges::find(*now, each.path, &UsbDevice::path) == now->end())
                    gone.insert(each.path);
            const auto told = is_reported_off();
            if (!told) return fail(told.error());
            const bool powered_again = result.reported_off && !*told;
            const bool seen_again = result.vanished && is_there(*now);
            if (!result.came_back && (powered_again || seen_again)) result.came_back = since(start);
            pause();
        } while (since(start) < setup_.stays_off_for);
        result.neighbours.assign(gone.begin(), gone.end());
        return {};
    }

    [[nodiscard]] Result<void> wait_for_return(const std::vector<UsbDevice>& before, HubCycle& result,
                                               steady_clock::time_point start) {
        for (;;) {
            const auto now = devices();
            if (!now) return fail(now.error());
            const bool neighbours_back = std::ranges::all_of(before, [&](const UsbDevice& each) {
                return is_here(each) || std::ranges::count(*now, each.path, &UsbDevice::path) > 0;
            });
            if (is_there(*now) && !result.returned) result.returned = since(start);
            if (result.returned && neighbours_back) return {};
            if (since(start) > setup_.returns_within) return {};
            pause();
        }
    }

    PortSwitch& ports_;
    HubQualification& found_;
    const HubSetup& setup_;
    std::vector<std::string> hubs_;
};

/// Returns the device used to measure the port.
Result<UsbDevice> device_on(const UsbPort& port, const std::vector<UsbPort>& halves,
                            const std::vector<UsbDevice>& devices) {
    for (const UsbPort& half : halves)
        for (const UsbDevice& device : devices) {
            if (device.path != half.path()) continue;
            if (device.hub)
                return fail(Errc::bad_request,
                            fmt::format("port {} carries another hub ({}:{}): name a port of that hub", port.path(),
                                        device.vendor, device.product));
            return device;
        }
    return fail(Errc::bad_request, fmt::format("nothing is plugged into port {}: plug in a device that takes its power "
                                               "from the port, such as a card reader, and try again",
                                               port.path()));
}

} // namespace

Result<void> check_hub_is_free(const UsbPort& port, const DiskUse& in_use) {
    const auto halves = halves_of(port);
    if (!halves) return fail(halves.error());
    const auto devices = usb_devices_below(hubs_of(*halves));
    if (!devices) return fail(devices.error());
    for (const UsbDevice& device : *devices)
        for (const std::string& disk : device.disks)
            if (const auto why = in_use(disk))
                return fail(Errc::refused,
                            fmt::format("/dev/{} is on the hub of port {} and is in use ({}): unmount it, or plug it "
                                        "in elsewhere; a hub may switch more ports than requested",
                                        disk, port.path(), *why));
    return {};
}

Result<void> power_hub_port(PortSwitch& ports, const UsbPort& port, bool on) {
    const auto halves = halves_of(port);
    if (!halves) return fail(halves.error());
    if (auto done = set_all(ports, *halves, on); !done) return done;
    for (const UsbPort& half : *halves) {
        const auto state = ports.state(half);
        if (!state) return fail(state.error());
        if (state->powered != on)
            return fail(Errc::rig_fault,
                        fmt::format("hub {} reports that port {} is {} after it was switched {}: use another hub, or "
                                    "test it with mediarig rig qualify-hub {}",
                                    half.hub, half.number, on ? "off" : "on", on ? "on" : "off", port.path()));
    }
    return {};
}

Result<HubQualification> qualify_hub_port(PortSwitch& ports, const UsbPort& port, const HubSetup& setup,
                                          const DiskUse& in_use) {
    auto halves = halves_of(port);
    if (!halves) return fail(std::move(halves.error()));
    HubQualification found{
        .port = port, .halves = std::move(*halves), .device = {}, .switching = PortSwitching::unknown, .cycles = {}};
    Measurement measurement(ports, found, setup);
    const auto devices = measurement.devices();
    if (!devices) return fail(devices.error());
    auto device = device_on(port, found.halves, *devices);
    if (!device) return fail(std::move(device.error()));
    found.device = std::move(*device);
    if (auto free = check_hub_is_free(port, in_use); !free) return fail(std::move(free.error()));
    const auto state = ports.state(port);
    if (!state) return fail(state.error());
    found.switching = state->switching;
    if (found.switching == PortSwitching::ganged || found.switching == PortSwitching::none)
        return fail(
            Errc::bad_request,
            fmt::format("hub {} reports that it switches {}: use a hub that switches its ports individually", port.hub,
                        found.switching == PortSwitching::ganged ? "all its ports together" : "no port at all"));
    for (unsigned number = 0; number < setup.cycles; ++number) {
        auto cycle = measurement.cycle();
        if (!cycle) return fail(std::move(cycle.error()));
        found.cycles.push_back(std::move(*cycle));
        // A lost device cannot be measured again.
        if (!found.cycles.back().returned) break;
    }
    return found;
}

std::vector<std::string> faults_of(const HubQualification& qualification) {
    std::vector<std::string> faults;
    const auto add = [&](const std::string& fault) {
        if (std::ranges::find(faults, fault) == faults.end()) faults.push_back(fault);
    };
    for (const HubCycle& cycle : qualification.cycles) {
        if (!cycle.reported_off) add("the hub reports that the port is still on after it was switched off");
        if (!cycle.vanished) add("the device stays while the port is off: the port does not separate it");
        if (cycle.came_back) add("the port switches on again without a command");
        if (cycle.millivolts && *cycle.millivolts >= dead_millivolts)
            add("the port keeps its voltage while it is off: only data is cut");
        for (const std::string& neighbour : cycle.neighbours)
            add(fmt::format("{} loses its port too: the hub switches ports together", neighbour));
        if (!cycle.returned) add("the device does not return after the port was switched on");
    }
    if (qualification.cycles.empty()) add("the port was not switched");
    return faults;
}

Detachment detachment_of(const HubQualification& qualification) {
    const std::string by = fmt::format("uhubctl, port {}", qualification.port.path());
    std::optional<Detachment> least;
    for (const HubCycle& cycle : qualification.cycles) {
        // A device that returned early was not off for long enough.
        Evidence evidence{.vanished = cycle.vanished.has_value() && !cycle.came_back, .supply = {}, .plug_watts = {}};
        if (cycle.millivolts && !cycle.came_back)
            evidence.supply =
                SupplyReading{.lowest_millivolts = *cycle.millivolts, .fall = std::nullopt, .ramp = std::nullopt};
        const Detachment one(DetachLevel::supply_cut, std::move(evidence), by);
        if (!least || one.reached() < least->reached()) least = one;
    }
    return least.value_or(Detachment(DetachLevel::supply_cut, {}, by));
}

} // namespace mediarig::rig
