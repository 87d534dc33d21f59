// SPDX-License-Identifier: GPL-3.0-or-later
/// Comparisons as tables and as CSV.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/campaign/comparison/comparison_text.hpp"
#include "host/measure/comparison/lines/pair_result_json.hpp"
#include "host/measure/comparison/sentence.hpp"
#include "host/plan/names.hpp"
#include "host/report/tables/comparison_record.hpp"
#include "host/report/text/display_text.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::report {
namespace {

namespace comparison = measure::comparison;
using comparison::Look, comparison::PairResult;

std::string difference_text(const Look& look) {
    return look.has_interval() ? comparison::interval_text(look) : "–";
}

std::string rate_text(std::optional<double> bytes_per_second) {
    return bytes_per_second ? fmt::format("{:.2f}", *bytes_per_second / 1e6) : "–";
}

std::optional<double> rate_in(const comparison_campaign::Block& block, std::size_t format, std::size_t headline) {
    for (const comparison_campaign::FormatPass& pass : block.passes)
        if (pass.format == format && !pass.failed) return pass.headlines[headline];
    return std::nullopt;
}

/// With two formats the title names both.
std::string comparison_title(const store::CampaignView& campaign, const CampaignComparison& of,
                             const DeviceComparison& device, std::string_view what) {
    const std::string title = fmt::format("{}: {}", what, campaign.devices[device.device].device.name);
    return of.titles.size() == 2 ? fmt::format("{}, {}", title, comparison_campaign::pair_text(of.titles, 0, 1))
                                 : title;
}

/// Returns "random write", followed by the formats if the title does not name them.
std::string row_label(const CampaignComparison& of, std::string_view what, std::size_t first, std::size_t second) {
    return of.titles.size() == 2
               ? std::string(what)
               : fmt::format("{}, {}", what, comparison_campaign::pair_text(of.titles, first, second));
}

Table answer_table(const store::CampaignView& campaign, const CampaignComparison& of, const DeviceComparison& device) {
    Table table{
        .title = comparison_title(campaign, of, device, of.plan.compare->self_test ? "Self-test" : "Comparison"),
        .notes = device.notes,
        .blocks = {{"", device.device, {"difference"}},
                   {"", device.device, {"blocks", "overall p"}},
                   {"", device.device, {"said"}}}};
    for (const PairResult& pair_result : device.course.comparison.pair_results())
        table.rows.push_back(
            {.label = row_label(of, comparison_campaign::operation_text(pair_result, of.plan), pair_result.first,
                                pair_result.second),
             .kind = RowKind::body,
             .cells = {{difference_text(pair_result.look), {}},
                       {std::to_string(pair_result.look.blocks), {}},
                       {fmt::format("{:.2g}", pair_result.adjusted), {}},
                       {comparison::short_text_of(pair_result, device.course.comparison, of.titles), {}}}});
    return table;
}

std::string mark_of(const comparison_campaign::CellPairResult& cell, const CampaignComparison& of) {
    const std::size_t faster = cell.look.counts().value > 0 ? cell.first : cell.second;
    if (cell.mark.claim) return of.titles[faster] + " faster";
    return cell.mark.coloured ? "perhaps " + of.titles[faster] : "";
}

Table cells_table(const store::CampaignView& campaign, const CampaignComparison& of, const DeviceComparison& device) {
    Table table{.title = comparison_title(campaign, of, device, "Compared by cell"),
                .notes = {"A separate family: “faster” is claimed if Holm’s p over all of these cells is at most 5 %. "
                          "Of the cells with a “perhaps” one in ten may be chance (Benjamini and Hochberg). Rates are "
                          "geometric means in MB/s over the blocks that have both."},
                .blocks = {{"", device.device, {"difference"}},
                           {"", device.device, {"said"}},
                           {"", device.device, {"first", "second", "blocks"}}}};
    for (const comparison_campaign::CellPairResult& cell : device.cells)
        table.rows.push_back(
            {.label = row_label(of, fmt::format("{} {}", text_for(cell.cell.access), block_title(cell.cell.block)),
                                cell.first, cell.second),
             .kind = RowKind::body,
             .cells = {{difference_text(cell.look), {}},
                       {mark_of(cell, of), {}},
                       {rate_text(cell.first_rate), {}},
                       {rate_text(cell.second_rate), {}},
                       {std::to_string(cell.look.blocks), {}}}});
    return table;
}

std::string order_text(const comparison_campaign::Block& block, const CampaignComparison& of) {
    std::string text;
    for (const comparison_campaign::FormatPass& pass : block.passes)
        text += (text.empty() ? "" : ", ") + of.titles[pass.format];
    return text;
}

Table course_table(const store::CampaignView& campaign, const CampaignComparison& of, const DeviceComparison& device) {
    Table table{.title = comparison_title(campaign, of, device, "Course of the decision"),
                .label_title = "block",
                .notes = {"Rates of both formats in MB/s, and the result of the rule for the blocks up to this one."},
                .blocks = {{"", device.device, {"order"}}}};
    const auto& pair_results = device.course.comparison.pair_results();
    for (const PairResult& pair_result : pair_results)
        table.blocks.push_back({row_label(of, comparison_campaign::operation_text(pair_result, of.plan),
                                          pair_result.first, pair_result.second),
                                device.device,
                                {"first", "second", "difference", "decision"}});
    for (const comparison_campaign::Block& block : device.course.blocks) {
        TableRow row{
            .label = std::to_string(block.number), .kind = RowKind::body, .cells = {{order_text(block, of), {}}}};
        for (const PairResult& pair_result : block.pair_results) {
            row.cells.push_back({rate_text(rate_in(block, pair_result.first, pair_result.headline)), {}});
            row.cells.push_back({rate_text(rate_in(block, pair_result.second, pair_result.headline)), {}});
            row.cells.push_back({difference_text(pair_result.look), {}});
            row.cells.push_back({std::string(comparison::name_of(pair_result.verdict)), {}});
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string nine_digits(std::optional<double> value) {
    return value ? fmt::format("{:.9g}", *value) : std::string();
}

} // namespace

std::vector<Table> comparison_tables_of(const store::CampaignView& campaign) {
    std::vector<Table> tables;
    const auto of = comparison_of(campaign);
    if (!of) return tables;
    for (const DeviceComparison& device : of->devices) {
        if (device.course.blocks.empty()) continue;
        tables.push_back(answer_table(campaign, *of, device));
        if (!device.cells.empty()) tables.push_back(cells_table(campaign, *of, device));
        tables.push_back(course_table(campaign, *of, device));
    }
    return tables;
}

std::string render_comparison_csv(const store::CampaignView& campaign) {
    static const std::vector<std::string> header{
        "campaign", "device",     "device_key",  "operation",    "first",         "second",
        "block",    "first_mb_s", "second_mb_s", "first_failed", "second_failed", "blocks",
        "decision", "by",         "lo",          "hi",           "overall_p",     "adjusted_p"};
    std::string out = csv_row(header);
    const auto of = comparison_of(campaign);
    if (!of) return out;
    const std::vector<std::string> names = plan::format_names(of->plan);
    for (const DeviceComparison& device : of->devices) {
        const store::DeviceRecord& record = campaign.devices[device.device].device;
        for (const comparison_campaign::Block& block : device.course.blocks)
            for (const PairResult& pair_result : block.pair_results) {
                const auto rate = [&](std::size_t format) {
                    const auto bytes = rate_in(block, format, pair_result.headline);
                    return nine_digits(bytes ? std::optional(*bytes / 1e6) : std::nullopt);
                };
                const Look& look = pair_result.look;
                const auto ratio = [&](double logarithm) {
                    return look.has_interval() ? nine_digits(std::expm1(logarithm)) : "";
                };
                const auto failed = [&](std::size_t format) {
                    for (const comparison_campaign::FormatPass& pass : block.passes)
                        if (pass.format == format) return std::string(pass.failed ? "1" : "0");
                    return std::string();
                };
                const std::string fields[] = {campaign.campaign.id,
                                              record.name,
                                              record.key,
                                              std::string(comparison_campaign::operation_text(pair_result, of->plan)),
                                              names[pair_result.first],
                                              names[pair_result.second],
                                              std::to_string(block.number),
                                              rate(pair_result.first),
                                              rate(pair_result.second),
                                              failed(pair_result.first),
                                              failed(pair_result.second),
                                              std::to_string(look.blocks),
                                              std::string(comparison::name_of(pair_result.verdict)),
                                              ratio(look.counts().value),
                                              ratio(look.from()),
                                              ratio(look.to()),
                                              nine_digits(pair_result.overall_p),
                                              nine_digits(pair_result.adjusted)};
                out += csv_row(fields);
            }
    }
    return out;
}

namespace {

using nlohmann::json;

json block_json(const comparison_campaign::Block& block, const plan::Plan& plan,
                const std::vector<std::string>& names) {
    json passes = json::array();
    for (const comparison_campaign::FormatPass& pass : block.passes) {
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

/// Returns the decision after each block.
json history_json(const DeviceComparison& device, std::size_t index, const std::vector<std::string>& names) {
    json history = json::array();
    for (const comparison_campaign::Block& block : device.course.blocks) {
        json after = to_json(block.pair_results[index], device.course.comparison, names);
        after.erase("text");
        after["block"] = block.number;
        history.push_back(std::move(after));
    }
    return history;
}

json cell_json(const comparison_campaign::CellPairResult& cell, const std::vector<std::string>& names) {
    const auto ratio = [&](double logarithm) {
        return cell.look.has_interval() ? json(std::expm1(logarithm)) : json();
    };
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
    json formats = json::array(), pair_results = json::array(), blocks = json::array(), cells = json::array();
    for (std::size_t i = 0; i < names.size(); ++i) formats.push_back({{"format", names[i]}, {"title", of.titles[i]}});
    const auto& known = device.course.comparison.pair_results();
    for (std::size_t i = 0; i < known.size(); ++i) {
        json pair_result = to_json(known[i], device.course.comparison, of.titles);
        // Uses the same names as the other parts of the results; only the sentence is for display.
        pair_result.erase("failed");
        if (known[i].verdict == comparison::ComparisonVerdict::faster)
            pair_result["format"] = names[known[i].faster_format()];
        pair_result["first"] = names[known[i].first];
        pair_result["second"] = names[known[i].second];
        pair_result["failed_passes"] = {known[i].failures.first, known[i].failures.second};
        pair_result["operation"] = workload::name_of(of.plan.compare->headlines[known[i].headline]);
        pair_result["history"] = history_json(device, i, names);
        pair_results.push_back(std::move(pair_result));
    }
    for (const comparison_campaign::Block& block : device.course.blocks)
        blocks.push_back(block_json(block, of.plan, names));
    for (const comparison_campaign::CellPairResult& cell : device.cells) cells.push_back(cell_json(cell, names));
    return {{"formats", std::move(formats)},
            {"self_test", of.plan.compare->self_test},
            {"ended", device.course.comparison.ended()},
            {"pairs", std::move(pair_results)},
            {"blocks", std::move(blocks)},
            {"cells", std::move(cells)},
            {"caveat", device.caveat},
            {"notes", device.notes}};
}

} // namespace mediarig::report
