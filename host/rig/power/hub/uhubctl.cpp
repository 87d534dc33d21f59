// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/hub/uhubctl.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/base/process/run_process.hpp"

namespace mediarig::rig {
namespace {

/// A control transfer to a hung hub takes 5 s, and uhubctl tries several times.
constexpr std::chrono::seconds hub_patience{30};

} // namespace

Result<std::vector<PrintedHub>> Uhubctl::call(const UsbPort& half, std::vector<std::string> more) {
    // -N: no strings of devices. -e: only this hub, so that each half is addressed by its own location.
    std::vector<std::string> arguments{"-N", "-e", "-l", half.hub, "-p", fmt::format("{}", half.number)};
    for (std::string& argument : more) arguments.push_back(std::move(argument));
    process::Command command{.program = program_, .arguments = std::move(arguments)};
    command.time_limit = hub_patience;
    auto finished = process::run_process(command);
    if (!finished && finished.error().code == Errc::no_driver)
        return fail(
            Errc::no_driver,
            fmt::format("{}, which switches the ports of hubs, is missing: install the package uhubctl", program_));
    if (!finished && finished.error().code == Errc::timed_out)
        return fail(Errc::timed_out,
                    fmt::format("{} did not end within {} s: a process may hold the device on port {} open, or the hub "
                                "does not respond; unplug the hub and plug it in again",
                                program_, hub_patience.count(), half.path()));
    if (!finished) return fail(std::move(finished.error()));
    if (finished->err.find("permission problems") != std::string::npos)
        return fail(Errc::no_permission, fmt::format("{} may not open hub {}: run this as root, or install the udev "
                                                     "rules that uhubctl's documentation names",
                                                     program_, half.hub));
    if (finished->err.find("No compatible devices detected") != std::string::npos)
        return fail(Errc::bad_request, fmt::format("hub {} does not switch its ports individually, according to {}: "
                                                   "use another hub; uhubctl's documentation lists some",
                                                   half.hub, program_));
    // The exit status is 0 in this case too.
    if (finished->err.find("Failed to control port power") != std::string::npos)
        return fail(Errc::io_failed, fmt::format("{}: hub {} refused to switch port {}: {}", program_, half.hub,
                                                 half.number, process::first_words(*finished)));
    if (!finished->succeeded())
        return fail(Errc::io_failed, fmt::format("{}: {}: {}", program_, process::ending_of(*finished),
                                                 process::first_words(*finished)));
    return parse_uhubctl(finished->out);
}

Result<HubPortState> Uhubctl::state(const UsbPort& half) {
    const auto hubs = call(half, {});
    if (!hubs) return fail(hubs.error());
    for (const PrintedHub& hub : *hubs)
        for (const PrintedPort& port : hub.printed)
            if (hub.location == half.hub && port.number == half.number)
                return HubPortState{.powered = port.powered, .connected = port.connected, .switching = hub.switching};
    return fail(Errc::bad_request,
                fmt::format("{} reports nothing about port {} of hub {}: check that the hub has this port", program_,
                            half.number, half.hub));
}

Result<void> Uhubctl::set(const UsbPort& half, bool on) {
    const auto hubs = call(half, {"-a", on ? "on" : "off"});
    if (!hubs) return fail(hubs.error());
    return {};
}

} // namespace mediarig::rig
