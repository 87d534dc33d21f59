// SPDX-License-Identifier: GPL-3.0-or-later
/// Shows the load of this machine's USB controllers and the measured throughput of uplinks.
#include "host/cli/commands/rig_command.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "host/app/files/paths.hpp"
#include "host/app/files/uplink_file.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/text/text.hpp"
#include "host/rig/power/hub/controllers.hpp"

namespace mediarig::cli {
namespace {

using nlohmann::json;

struct UplinkOptions {
    Facts facts;
    std::string store;
};

std::string devices_text(const rig::UsbController& each) {
    return each.most_devices ? fmt::format("{} of {}", each.devices, *each.most_devices)
                             : fmt::format("{}", each.devices);
}

int show_uplinks(const Console& console, const UplinkOptions& options) {
    const auto controllers = rig::usb_controllers();
    if (!controllers) return report(console, controllers.error());
    const auto ceilings = app::load_ceilings(options.store);
    if (!ceilings) return report(console, ceilings.error());
    json facts{{"mediarig_uplinks", 1}, {"controllers", json::array()}, {"ceilings", json::array()}};
    TextTable table({"CONTROLLER", "DEVICES", "ENDPOINTS", "FREE FOR READERS"});
    bool full = false;
    for (const rig::UsbController& each : *controllers) {
        const unsigned free_space = rig::free_reader_count(each);
        full = full || free_space == 0;
        facts["controllers"].push_back({{"uplink", each.place},
                                        {"devices", each.devices},
                                        {"most_devices", each.most_devices ? json(*each.most_devices) : json()},
                                        {"endpoints", each.endpoints},
                                        {"usual_endpoints", rig::usual_endpoints},
                                        {"free_reader_count", free_space}});
        table.add({each.place, devices_text(each), fmt::format("{} of about {}", each.endpoints, rig::usual_endpoints),
                   fmt::format("{}", free_space)});
    }
    TextTable carried({"MEASURED ON", "MACHINE", "UPLINK", "MEDIA", "MB/S"});
    for (const uplink::Ceiling& each : *ceilings) {
        facts["ceilings"].push_back({{"machine", each.machine},
                                     {"uplink", each.uplink},
                                     {"bytes_per_second", each.bytes_per_second},
                                     {"media", each.media},
                                     {"measured_on", each.measured_on}});
        carried.add({each.measured_on, each.machine, each.uplink, fmt::format("{}", each.media),
                     fmt::format("{:.1f}", each.bytes_per_second / 1e6)});
    }
    const int failed = tell(console, options.facts, facts, [&] {
        console.out << (controllers->empty() ? "this machine has no USB controller\n" : table.text(console.columns));
        if (ceilings->empty())
            console.out << "\nNo uplink was measured: mediarig run PLAN --measure-uplinks\n";
        else
            console.out << '\n' << carried.text(console.columns);
    });
    if (failed != 0) return failed;
    return full ? 1 : 0;
}

} // namespace

void add_uplinks_command(CLI::App& rig, Console& console, Action& action) {
    auto options = std::make_shared<UplinkOptions>();
    CLI::App* command =
        add_facts_command(rig, "uplinks", "load of this machine's USB controllers and their measured total throughput",
                          options, show_uplinks, console, action);
    add_store_option(*command, options->store);
}

} // namespace mediarig::cli
