// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/commands/lab_command.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/cli/facts.hpp"
#include "host/cli/text/text.hpp"
#include "host/lab/card/catalogue.hpp"
#include "host/lab/image/guest_image.hpp"
#include "host/lab/image/virtual_image.hpp"

namespace mediarig::cli {
namespace {

struct LabOptions {
    bool newest{};
    bool only_qemu{};
    Facts facts;
    bool quiet{};
};

int build(const Console& console, const LabOptions& options) {
    auto wanted = lab::default_image_options();
    if (options.newest) wanted.versions = lab::Versions::newest;
    const lab::Progress progress = [&](std::string_view line) {
        if (!options.quiet) console.err << line_of(line) << std::flush;
    };
    const auto image = lab::build_guest_image(wanted, progress);
    if (!image) return report(console, image.error());
    nlohmann::json facts = lab::to_json(image->manifest);
    std::string ready = line_of(fmt::format("guest image {} is ready in {}", image->key, image->folder.string()));
    if (!options.only_qemu) {
        const auto virtual_image = lab::build_virtual_image(wanted, progress);
        if (!virtual_image) return report(console, virtual_image.error());
        facts["virtual_time"] = {{"key", virtual_image->key}, {"apfs", virtual_image->apfs}};
        ready += line_of(fmt::format("guest image for virtual time {} is ready in {}", virtual_image->key,
                                     virtual_image->folder.string()));
    }
    return tell(console, options.facts, facts, [&] { console.out << ready; });
}

void print_packages(const Console& console, const lab::Manifest& manifest) {
    console.out
        << line_of("key     " + manifest.key)
        << line_of(fmt::format("kernel  {}, {}", manifest.selection.kernel_abi, size_text(manifest.kernel_size)))
        << line_of(fmt::format("initrd  {}, {} modules", size_text(manifest.initrd_size), manifest.modules.size()))
        << line_of("apfs    " +
                   (manifest.apfs.present ? manifest.apfs.module_version : "absent: " + manifest.apfs.absent_because))
        << line_of("agent   " + manifest.agent.version) << '\n';
    TextTable packages({"PACKAGE", "VERSION", "SUITE", "FOR"});
    for (const lab::Package& package : manifest.selection.packages)
        packages.add({package.name, package.version, package.suite, std::string(lab::name_of(package.use))});
    console.out << packages.text();
}

int info(const Console& console, const LabOptions& options) {
    const auto image = lab::find_guest_image(lab::default_image_options());
    if (!image) return report(console, image.error());
    return tell(console, options.facts, lab::to_json(image->manifest),
                [&] { print_packages(console, image->manifest); });
}

int cards(const Console& console, const LabOptions& options) {
    TextTable table({"CARD", "CLAIMS", "HOLDS", "DESCRIPTION"});
    nlohmann::json list = nlohmann::json::array();
    for (const lab::CatalogueEntry& entry : lab::catalogue()) {
        const auto card = lab::parse_card_config(entry.text);
        if (!card) return report(console, card.error());
        table.add({std::string(entry.name), size_text(card->claimed), size_text(card->real), card->description});
        list.push_back({{"name", entry.name},
                        {"claimed", card->claimed.count},
                        {"real", card->real.count},
                        {"description", card->description},
                        {"figures", card->figures}});
    }
    return tell(console, options.facts, {{"mediarig_cards", 1}, {"cards", list}},
                [&] { console.out << table.text(console.columns); });
}

} // namespace

void add_lab_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<LabOptions>();
    CLI::App* lab =
        app.add_subcommand("lab", "the virtual lab: emulated media with real drivers; needs no card and no root");
    lab->require_subcommand(1);
    const auto add = [&](const std::string& name, const std::string& what, auto run) {
        return add_facts_command(*lab, name, what, options, run, console, action);
    };
    CLI::App* command =
        add("build", "make the guests' images from packages, in the user's cache; the first build compiles a kernel",
            build);
    command->add_flag("--update", options->newest, "look for newer packages; needs the network");
    command->add_flag("--qemu", options->only_qemu,
                      "only the guest with USB and SD transport: no kernel for virtual time is built");
    add_quiet_option(*command, options->quiet);
    add("info", "the packages of the image, with versions", info);
    add("cards", "the card models that a plan's lab can name", cards);
    add_running_lab_commands(*lab, console, action);
}

} // namespace mediarig::cli
