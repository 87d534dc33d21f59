// SPDX-License-Identifier: GPL-3.0-or-later
/// Ports of USB hubs: tests whether a port cuts power, and switches ports.
#include "host/cli/commands/rig_command.hpp"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/facts.hpp"
#include "host/cli/text/text.hpp"
#include "host/rig/power/hub/hub_report.hpp"
#include "host/rig/power/hub/uhubctl.hpp"

namespace mediarig::cli {
namespace {

struct HubOptions {
    Facts facts;
    std::string port, program{"uhubctl"};
    unsigned cycles{3};
    unsigned hold_seconds{5};
    bool voltmeter{};
    std::string on_off;
};

/// Prompts on standard error: standard output is reserved for the facts.
std::optional<std::uint32_t> read_voltmeter(const Console& console, const std::string& request) {
    constexpr unsigned most_tries = 3;
    for (unsigned tries = 0; tries < most_tries; ++tries) {
        console.err << request << ": " << std::flush;
        const auto typed = typed_line(std::cin);
        if (!typed || typed->empty()) return std::nullopt;
        const bool digits = typed->size() <= 5 && typed->find_first_not_of("0123456789") == std::string::npos;
        if (digits) return static_cast<std::uint32_t>(std::stoul(*typed));
        console.err << "type whole millivolts, such as 35, or nothing if it cannot be measured\n";
    }
    return std::nullopt;
}

int qualify(const Console& console, const HubOptions& options) {
    const auto port = rig::usb_port(options.port);
    if (!port) return report(console, port.error());
    const auto in_use = disks_in_use();
    if (!in_use) return report(console, in_use.error());
    rig::HubSetup setup;
    setup.cycles = options.cycles;
    setup.stays_off_for = std::chrono::seconds(options.hold_seconds);
    if (options.voltmeter)
        setup.voltmeter = [&console](const std::string& request) { return read_voltmeter(console, request); };
    rig::Uhubctl uhubctl(options.program);
    const auto found = rig::qualify_hub_port(uhubctl, *port, setup, *in_use);
    if (!found) return report(console, found.error());
    const int failed = tell(console, options.facts, rig::to_json(*found), [&] { console.out << rig::text_of(*found); });
    if (failed != 0) return failed;
    return rig::faults_of(*found).empty() ? 0 : 1;
}

int switch_port(const Console& console, const HubOptions& options) {
    const bool on = options.on_off == "on";
    const auto port = rig::usb_port(options.port);
    if (!port) return report(console, port.error());
    if (!on) {
        const auto in_use = disks_in_use();
        if (!in_use) return report(console, in_use.error());
        if (auto free = rig::check_hub_is_free(*port, *in_use); !free) return report(console, free.error());
    }
    rig::Uhubctl uhubctl(options.program);
    const auto done = rig::power_hub_port(uhubctl, *port, on);
    if (!done) return report(console, done.error());
    return tell(console, options.facts, {{"mediarig_hub_power", 1}, {"port", options.port}, {"on", on}}, [&] {
        console.out << line_of(fmt::format("port {}: its hub reports that the port is {}{}", options.port,
                                           options.on_off,
                                           on ? "" : "; mediarig rig qualify-hub measures whether its supply is off"));
    });
}

} // namespace

void add_hub_commands(CLI::App& rig, Console& console, Action& action) {
    auto options = std::make_shared<HubOptions>();
    const auto add = [&](const std::string& name, const std::string& what, auto run) {
        CLI::App* command = add_facts_command(rig, name, what, options, run, console, action);
        command->add_option("PORT", options->port, "USB path of the device in the port: 1-1.4.2")->required();
        command->add_option("--uhubctl", options->program, "the program that switches ports")->capture_default_str();
        return command;
    };
    CLI::App* command = add("qualify-hub", "measure whether a port of a hub cuts power", qualify);
    command->add_option("--cycles", options->cycles, "number of times that the port is switched off and on")
        ->check(CLI::Range(1U, 1000U))
        ->capture_default_str();
    command->add_option("--hold", options->hold_seconds, "seconds of observation while the port is off")
        ->check(CLI::Range(0U, 3600U))
        ->capture_default_str();
    command->add_flag("--voltmeter", options->voltmeter, "ask for the port's voltage each time the port is off");
    command = add("hub-power", "switch a port of a hub on or off, both halves of a USB 3 hub", switch_port);
    command->add_option("STATE", options->on_off, "on or off")->required()->check(CLI::IsMember({"on", "off"}));
}

} // namespace mediarig::cli
