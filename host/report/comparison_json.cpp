// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/measure/comparison/lines/standing_json.hpp"
#include "host/plan/names.hpp"
#include "host/report/comparison_record.hpp"
#include "host/report/display_text.hpp"
#include "host/workload/names.hpp"

namespace mediarig::report {
namespace {

namespace comparison = measure::comparison;
using nlohmann::json;

json block_json(const trial::Block& block, const plan::Plan& plan, const std::vector<std::string>& names) {
    json passes = json::array();
    for (const trial::FormatPass& pass : block.passes) {
        json rates = json::object();
        for (std::size_t i = 0; i < pass.headlines.size(); ++i)
            rates[std::string(workload::name_of(plan.compare->headlines[i]))] =
                pass.headlines[i] ? json(*pass.headlines[i]) : json();
        json& out = passes.emplace_back(
            json{{"format", names[pass.format]}, {"bytes_per_second", std::move(rates)}, {"failed", pass.failed}});
        if (pass.failed) out["reason"] = pass.reason;
    }
    return {{"block", block.number}, {"whole", block.whole}, {"passes", std::move(passes)}};
}

/// What was decided after each block.
json history_json(const DeviceComparison& device, std::size_t index, const std::vector<std::string>& names) {
    json history = json::array();
    for (const trial::Block& block : device.course.blocks) {
        json after = to_json(block.standings[index], device.course.comparison, names);
        after.erase("text");
        after["block"] = block.number;
        history.push_back(std::move(after));
    }
    return history;
}

json cell_json(const trial::CellStanding& cell, const std::vector<std::string>& names) {
    const bool any = cell.look.blocks >= comparison::fewest_blocks && std::isfinite(cell.look.half_width);
    const auto ratio = [&](double logarithm) { return any ? json(std::expm1(logarithm)) : json(); };
    return {{"cell", cell.cell.key},
            {"first", names[cell.first]},
            {"second", names[cell.second]},
            {"first_bytes_per_second", cell.first_rate},
            {"second_bytes_per_second", cell.second_rate},
            {"blocks", cell.look.blocks},
            {"by", ratio(cell.look.counts().value)},
            {"lo", ratio(cell.look.from())},
            {"hi", ratio(cell.look.to())},
            {"holm_p", cell.mark.holm},
            {"false_discovery_rate", cell.mark.benjamini_hochberg},
            {"claim", cell.mark.claim},
            {"coloured", cell.mark.coloured}};
}

} // namespace

json to_json(const DeviceComparison& device, const CampaignComparison& of) {
    const std::vector<std::string> names = plan::format_names(of.plan);
    json formats = json::array(), standings = json::array(), blocks = json::array(), cells = json::array();
    for (std::size_t i = 0; i < names.size(); ++i) formats.push_back({{"format", names[i]}, {"title", of.titles[i]}});
    const auto& known = device.course.comparison.standings();
    for (std::size_t i = 0; i < known.size(); ++i) {
        json standing = to_json(known[i], device.course.comparison, of.titles);
        // Names that every other part of the results has; the sentence alone is for people.
        standing.erase("failed");
        if (known[i].verdict == comparison::Verdict::faster) standing["format"] = names[known[i].faster_format()];
        standing["first"] = names[known[i].first];
        standing["second"] = names[known[i].second];
        standing["failed_passes"] = {known[i].failures.first, known[i].failures.second};
        standing["operation"] = workload::name_of(of.plan.compare->headlines[known[i].headline]);
        standing["history"] = history_json(device, i, names);
        standings.push_back(std::move(standing));
    }
    for (const trial::Block& block : device.course.blocks) blocks.push_back(block_json(block, of.plan, names));
    for (const trial::CellStanding& cell : device.cells) cells.push_back(cell_json(cell, names));
    return {{"formats", std::move(formats)},
            {"self_test", of.plan.compare->self_test},
            {"ended", device.course.comparison.ended()},
            {"standings", std::move(standings)},
            {"blocks", std::move(blocks)},
            {"cells", std::move(cells)},
            {"caution", device.caution},
            {"notes", device.notes}};
}

} // namespace mediarig::report
