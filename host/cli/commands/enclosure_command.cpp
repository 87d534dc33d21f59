// SPDX-License-Identifier: GPL-3.0-or-later
/// Thunderbolt and USB4 enclosures, and the mains plugs that power them.
#include "host/cli/commands/rig_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/app/files/paths.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/text/text.hpp"
#include "host/rig/port/detachment_json.hpp"
#include "host/rig/power/enclosure/detach_sequence.hpp"
#include "host/rig/power/plug/mains_plug.hpp"

namespace mediarig::cli {
namespace {

using nlohmann::json;

struct EnclosureOptions {
    Facts facts;
    std::string id, plug, what;
    std::vector<std::string> disks;
};

int list_enclosures(const Console& console, const EnclosureOptions& options) {
    const auto found = rig::find_enclosures();
    if (!found) return report(console, found.error());
    json list = json::array();
    TextTable table({"ID", "AT", "ENCLOSURE", "AUTHORIZED", "CAN BE DEAUTHORIZED"});
    for (const rig::Enclosure& each : *found) {
        list.push_back({{"unique_id", each.unique_id},
                        {"at", each.name},
                        {"vendor", each.vendor},
                        {"device", each.device},
                        {"authorized", each.authorized},
                        {"generation", each.generation ? json(*each.generation) : json()},
                        {"deauthorizes", each.domain.deauthorizes}});
        table.add({each.unique_id, each.name, each.vendor + " " + each.device, each.authorized != 0 ? "yes" : "no",
                   each.domain.deauthorizes ? "yes" : "no"});
    }
    return tell(console, options.facts, {{"mediarig_enclosures", 1}, {"enclosures", list}}, [&] {
        if (found->empty())
            console.out << "no Thunderbolt or USB4 enclosure is plugged in\n";
        else
            console.out << table.text(console.columns);
    });
}

/// Accepts "/dev/nvme1n1" and "nvme1n1".
std::string kernel_name(const std::string& disk) {
    constexpr std::string_view folder = "/dev/";
    return disk.starts_with(folder) ? disk.substr(folder.size()) : disk;
}

Result<void> ask_person(const Console& console, const std::string& request) {
    console.err << line_of(request + ", then press Enter") << std::flush;
    if (typed_line(std::cin)) return {};
    return fail(Errc::cancelled, "no answer: standard input has ended");
}

Result<void> quiesce(const std::vector<std::string>& disks) {
    const auto in_use = disks_in_use();
    if (!in_use) return fail(in_use.error());
    for (const std::string& disk : disks)
        if (const auto why = (*in_use)(disk))
            return fail(Errc::refused, fmt::format("/dev/{} is in use ({}): unmount it", disk, *why));
    ::sync();
    return {};
}

int cycle(const Console& console, const EnclosureOptions& options) {
    const auto all = rig::find_enclosures();
    if (!all) return report(console, all.error());
    const auto enclosure = rig::choose_enclosure(*all, options.id);
    if (!enclosure) return report(console, enclosure.error());
    std::optional<rig::MainsPlug> plug;
    if (!options.plug.empty()) {
        const auto address = rig::plug_address(options.plug);
        if (!address) return report(console, address.error());
        auto connected = rig::MainsPlug::connect(*address, {.brokers = app::broker_file()});
        if (!connected) return report(console, connected.error());
        plug.emplace(std::move(*connected));
    }
    rig::EnclosureActions hands;
    for (const std::string& disk : options.disks) hands.disks.push_back(kernel_name(disk));
    hands.quiesce = [&] { return quiesce(hands.disks); };
    hands.plug = [&](bool on) { return plug->set(on); };
    hands.person = [&](const std::string& request) { return ask_person(console, request); };
    hands.tell = [&](rig::EnclosureStep step) {
        console.err << line_of(std::string(rig::name_of(step))) << std::flush;
    };
    const auto done =
        rig::cycle_enclosure(*enclosure, plug ? rig::EnclosureSupply::plug : rig::EnclosureSupply::person, hands);
    if (!done) return report(console, done.error());
    const json found{
        {"mediarig_enclosure_cycle", 1}, {"unique_id", enclosure->unique_id}, {"detachment", rig::to_json(*done)}};
    return tell(console, options.facts, found, [&] { console.out << line_of(rig::text_of(*done)); });
}

int use_plug(const Console& console, const EnclosureOptions& options) {
    const auto address = rig::plug_address(options.plug);
    if (!address) return report(console, address.error());
    auto plug = rig::MainsPlug::connect(*address, {.brokers = app::broker_file()});
    if (!plug) return report(console, plug.error());
    const auto watts = options.what == "read" ? plug->watts() : plug->set(options.what == "on");
    if (!watts) return report(console, watts.error());
    return tell(console, options.facts, {{"mediarig_plug", 1}, {"plug", address->text()}, {"watts", *watts}},
                [&] { console.out << line_of(fmt::format("{}: {:.1f} W", address->text(), *watts)); });
}

} // namespace

void add_enclosure_commands(CLI::App& rig, Console& console, Action& action) {
    auto options = std::make_shared<EnclosureOptions>();
    const auto add = [&](const std::string& name, const std::string& what, auto run) {
        return add_facts_command(rig, name, what, options, run, console, action);
    };
    const std::string plug_form = "KIND:TOPIC@BROKER[:PORT], with the kind tasmota, shelly1 or shelly2";
    add("enclosures", "the Thunderbolt and USB4 enclosures that are plugged in", list_enclosures);
    CLI::App* command =
        add("cycle-enclosure", "disconnect an enclosure from this machine and reconnect the same one", cycle);
    command->add_option("ID", options->id, "id from mediarig rig enclosures, or its beginning")->required();
    command->add_option("--disk", options->disks, "each disk in the enclosure, such as /dev/nvme1n1")->required();
    command->add_option(
        "--plug", options->plug,
        "the mains plug that powers the enclosure: " + plug_form + "; without a plug the operator pulls the cable");
    command = add("plug", "switch or read a mains plug and check its power reading", use_plug);
    command->add_option("PLUG", options->plug, plug_form)->required();
    command->add_option("WHAT", options->what, "on, off or read")
        ->required()
        ->check(CLI::IsMember({"on", "off", "read"}));
}

} // namespace mediarig::cli
