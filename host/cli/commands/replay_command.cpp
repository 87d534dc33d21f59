// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/app/campaign_list.hpp"
#include "host/app/campaigns.hpp"
#include "host/base/json/json_text.hpp"
#include "host/campaign/comparison/comparison_text.hpp"
#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/text/text.hpp"

namespace mediarig::cli {
namespace {

struct ReplayOptions {
    std::string store, campaign;
    Facts facts;
};

/// One block of one device, decided again from its record.
struct ReplayedBlock {
    std::string device;
    std::uint32_t block{};
    std::vector<std::string> lines;
    std::string answer;
    nlohmann::json decisions;
    nlohmann::json recorded; ///< decisions recorded during the measurement; null if the journal contains no decisions

    [[nodiscard]] bool differs() const { return !recorded.is_null() && recorded != decisions; }
};

/// Journal key of the conclusion of a block; empty if the device has no pass.
std::string conclusion_key(const store::DeviceView& device, std::uint32_t block) {
    if (device.passes.empty()) return {};
    const auto pass = plan::StepKey::parse(device.passes.front().pass.id);
    if (!pass) return {};
    return plan::StepKey{.medium = pass->medium, .repeat = block, .what = std::string(plan::StepKey::conclusion)}
        .text();
}

nlohmann::json recorded_in(const app::Journal& journal, const std::string& key) {
    const auto line = journal.find(key);
    if (line == journal.end() || !comparison_campaign::is_decision_line(line->second.detail)) return {};
    return codec::read_json(line->second.detail);
}

std::vector<ReplayedBlock> replayed_blocks(const store::DeviceView& device, const plan::Plan& plan,
                                           const app::Journal& journal) {
    std::vector<ReplayedBlock> all;
    comparison_campaign::MediumRecords recorded{
        .passes = device.passes, .untested = device.untested, .closed = device.verdict.has_value()};
    const auto whole = comparison_campaign::course_of(plan, recorded);
    for (const comparison_campaign::Block& block : whole.blocks) {
        recorded.closed = device.verdict && block.number == whole.blocks.back().number;
        recorded.last = block.number;
        const comparison_campaign::Course course = comparison_campaign::course_of(plan, recorded);
        all.push_back({.device = device.device.name,
                       .block = block.number,
                       .lines = comparison_campaign::running_lines(course, plan),
                       .answer = comparison_campaign::answer_of(course, plan),
                       .decisions = codec::read_json(comparison_campaign::decisions_of(course, plan)),
                       .recorded = recorded_in(journal, conclusion_key(device, block.number))});
    }
    return all;
}

nlohmann::json replay_json(const std::vector<ReplayedBlock>& blocks) {
    nlohmann::json out = nlohmann::json::array();
    for (const ReplayedBlock& each : blocks)
        out.push_back({{"device", each.device},
                       {"block", each.block},
                       {"answer", each.answer},
                       {"decisions", each.decisions},
                       {"recorded", each.recorded},
                       {"same", !each.differs()}});
    return {{"mediarig_replay", 1}, {"blocks", std::move(out)}};
}

void print_replay(const Console& console, const std::vector<ReplayedBlock>& blocks) {
    for (const ReplayedBlock& each : blocks) {
        console.out << line_of(fmt::format("{}: block {}", each.device, each.block));
        for (const std::string& line : each.lines)
            console.out << (console.out_terminal ? paragraph(line, console.columns, 2) : line_of("  " + line));
        if (each.differs()) console.out << line_of("  the record differs: " + codec::json_line(each.recorded));
    }
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (i + 1 == blocks.size() || blocks[i + 1].device != blocks[i].device)
            console.out << line_of(fmt::format("{}: {}", blocks[i].device, blocks[i].answer));
}

int replay(const Console& console, const ReplayOptions& options) {
    const auto found = app::find_comparison(options.store, options.campaign);
    if (!found) return report(console, found.error());
    const auto view = app::load_campaign(options.store, found->id);
    if (!view) return report(console, view.error());
    const auto plan = comparison_campaign::compared_plan(view->campaign);
    if (!plan) return report(console, {Errc::bad_request, fmt::format("campaign {} has no comparison", found->id)});
    const auto journal = app::load_journal(options.store, view->campaign.id);
    if (!journal) return report(console, journal.error());
    std::vector<ReplayedBlock> blocks;
    for (const store::DeviceView& device : view->devices)
        for (ReplayedBlock& each : replayed_blocks(device, *plan, *journal)) blocks.push_back(std::move(each));
    const int failed = tell(console, options.facts, replay_json(blocks), [&] { print_replay(console, blocks); });
    if (failed != 0) return failed;
    const bool any_differs =
        std::any_of(blocks.begin(), blocks.end(), [](const ReplayedBlock& each) { return each.differs(); });
    return any_differs ? 1 : 0;
}

} // namespace

void add_replay_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<ReplayOptions>();
    CLI::App* command = app.add_subcommand(
        "replay", "decide a finished comparison again, block by block, and check that the decision is the same");
    command
        ->add_option("campaign,--campaign", options->campaign,
                     "number, name or id, or a device in the campaign, as 'mediarig campaigns' shows them; the last "
                     "comparison by "
                     "default")
        ->type_name("CAMPAIGN");
    add_json_option(*command, options->facts);
    add_store_option(*command, options->store);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return replay(console, *options); }; });
}

} // namespace mediarig::cli
