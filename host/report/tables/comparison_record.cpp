// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/tables/comparison_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "host/base/text.hpp"
#include "host/campaign/comparison/causes.hpp"
#include "host/campaign/comparison/comparison_text.hpp"
#include "host/plan/format_change.hpp"
#include "host/plan/names.hpp"
#include "host/plan/steps.hpp"
#include "host/report/figures/caveats.hpp"

namespace mediarig::report {
namespace {

namespace comparison = measure::comparison;

const media::FormatReport* made(const store::DeviceView& device, const std::string& format) {
    for (const store::PassView& pass : device.passes)
        if (pass.pass.format == format && pass.pass.formatted) return &*pass.pass.formatted;
    return nullptr;
}

std::string parameter(const media::FormatReport& report, std::string_view name) {
    for (const auto& [key, value] : report.parameters)
        if (key == name) return value;
    return "";
}

/// Returns the offset of the first cluster on the medium; nothing for formats without clusters.
std::optional<std::uint64_t> heap_of(const media::FormatReport& report) {
    std::string text = parameter(report, "cluster_heap_offset");
    if (text.empty()) text = parameter(report, "data_offset");
    std::uint64_t offset = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), offset).ec != std::errc() || text.empty())
        return std::nullopt;
    return offset + (report.partition ? report.partition->start.count : 0);
}

/// Returns "byte 2097152, a multiple of 2 MiB".
std::string alignment_text(std::uint64_t offset) {
    constexpr std::uint64_t largest = 1ULL << 30;
    std::uint64_t unit = 512;
    while (unit < largest && offset % (unit * 2) == 0) unit *= 2;
    return fmt::format("byte {}, a multiple of {}", offset, binary_size_text(Bytes{unit}));
}

/// The lowest and the highest offset at which test files of a format began on the medium, over all passes.
struct OffsetRange {
    std::uint64_t least{}, most{};
    bool operator==(const OffsetRange&) const = default;
};
std::optional<OffsetRange> file_places_of(const store::DeviceView& device, const std::string& format) {
    std::optional<OffsetRange> places;
    for (const store::PassView& view : device.passes) {
        if (view.pass.format != format) continue;
        const auto& mounted = view.pass.mounted;
        const std::uint64_t start = mounted && mounted->volume ? mounted->volume->start.count : 0;
        for (const workload::CellResult& cell : view.cells) {
            if (!cell.evidence.file_at) continue;
            const std::uint64_t at = start + cell.evidence.file_at->count;
            places =
                places ? OffsetRange{std::min(places->least, at), std::max(places->most, at)} : OffsetRange{at, at};
        }
    }
    return places;
}

std::string text_of(const OffsetRange& places) {
    if (places.least == places.most) return alignment_text(places.least);
    return fmt::format("bytes {} to {}", places.least, places.most);
}

/// Returns true for parameters that always differ between two volumes.
bool names_one_volume(std::string_view name) {
    constexpr std::string_view parts[] = {"serial", "uuid",    "_id",      "label", "time",
                                          "date",   "created", "checksum", "crc"};
    return std::any_of(std::begin(parts), std::end(parts),
                       [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

/// Returns other properties that differ between the formats besides the compared one.
std::vector<std::string> confounded_by(const media::FormatReport& first, const media::FormatReport& second,
                                       const std::optional<OffsetRange>& first_files,
                                       const std::optional<OffsetRange>& second_files, const std::string& pair) {
    std::vector<std::string> lines;
    const auto from = heap_of(first), to = heap_of(second);
    if (from && to && *from != *to)
        lines.push_back(
            fmt::format("{}the measured data was at different places on the medium, so place cannot be separated from "
                        "format: clusters begin at {} and at {}.",
                        pair, alignment_text(*from), alignment_text(*to)));
    if (first_files && second_files && *first_files != *second_files)
        lines.push_back(
            fmt::format("{}the test file began at {} and at {}.", pair, text_of(*first_files), text_of(*second_files)));
    else if (first_files && second_files)
        lines.push_back(fmt::format("{}the test file began at the same place, {}.", pair, text_of(*first_files)));
    else if (!from || !to)
        lines.push_back(pair + "the driver chose the place of the test file on the medium, and the places may differ.");
    if (first.fs != second.fs) return lines; // parameters of different file systems are not comparable
    std::string changed;
    for (const auto& [name, value] : second.parameters) {
        const std::string before = parameter(first, name);
        if (before.empty() || before == value || names_one_volume(name)) continue;
        changed += fmt::format("{}{} {} → {}", changed.empty() ? "" : ", ", name, before, value);
    }
    if (!changed.empty()) lines.push_back(fmt::format("{}read back, the formats differ in {}.", pair, changed));
    if (first.tool != second.tool) lines.push_back(fmt::format("{}made by {} and {}.", pair, first.tool, second.tool));
    return lines;
}

/// Returns "block 5 was cut off …", "exFAT failed in block 7: …".
std::vector<std::string> gaps_of(const comparison_campaign::Course& course, const std::vector<std::string>& titles) {
    std::vector<std::string> lines;
    for (const comparison_campaign::Block& block : course.blocks) {
        if (!block.whole) lines.push_back(fmt::format("Block {} was cut off and does not count.", block.number));
        for (const comparison_campaign::FormatPass& pass : block.passes)
            if (pass.failed)
                lines.push_back(
                    fmt::format("{} failed in block {}: {}.", titles[pass.format], block.number, pass.reason));
    }
    return lines;
}

/// Returns the limits of the test by random orders, e.g. "3.2 of 100 random orders of 6 blocks, and 1.3 of more
/// blocks".
std::string limits_text(const comparison::Rule& rule) {
    const std::size_t fewest = rule.fewest_for_a_difference();
    const double first = rule.limit_of_randomised_p(fewest), last = rule.limit_of_randomised_p(comparison::most_blocks);
    std::string text = fmt::format("{:.2g} of 100 random orders of {} blocks", 100 * first, fewest);
    if (last < first) text += fmt::format(", and {:.2g} of more blocks,", 100 * last);
    return text;
}

std::string budget_text(const plan::Plan& plan, const comparison_campaign::Course& course) {
    const std::size_t blocks = course.comparison.blocks();
    const std::size_t looks = blocks < comparison::fewest_blocks ? 0 : blocks - comparison::fewest_blocks + 1;
    const std::size_t judged = course.comparison.pair_results().size();
    return fmt::format(
        "{}; {} measured, {} {}. Independent random orders of all blocks, drawn before the first pass (start value "
        "{}). Judged together: {} {}. A difference is claimed from {} blocks on, if its interval excludes 0 and at "
        "most {} give such a difference.",
        plan.compare->endless ? std::string("Without a budget of blocks")
                              : fmt::format("Budget: {} blocks, fixed before the first pass", plan.repeats),
        blocks, looks, looks == 1 ? "look" : "looks", plan.order.seed, judged,
        judged == 1 ? "comparison" : "comparisons", course.comparison.rule().fewest_for_a_difference(),
        limits_text(course.comparison.rule()));
}

/// Returns the reason why a comparison ended undecided; empty if it was decided or its blocks were used up.
std::string early_end(const plan::Plan& plan, const store::DeviceView& device,
                      const comparison_campaign::Course& course) {
    const auto& pair_results = course.comparison.pair_results();
    const bool any_left = std::any_of(pair_results.begin(), pair_results.end(), [](const comparison::PairResult& each) {
        return each.verdict == comparison::ComparisonVerdict::out_of_budget;
    });
    if (!any_left || course.comparison.blocks() >= plan.repeats) return {};
    const std::string after =
        fmt::format("The comparison ended after {} of {} blocks: ", course.comparison.blocks(), plan.repeats);
    if (!device.untested.empty())
        return after + "the decision is based on the valid blocks (" + plan::untested_text(device.untested.back()) +
               ").";
    return plan.time_budget ? after + fmt::format("the time budget of {} s was used up.", plan.time_budget->count())
                            : after + "it was abandoned.";
}

std::string caveat_for(const store::CampaignView& campaign, std::size_t device, const plan::Plan& plan) {
    std::vector<Subject> compared;
    for (const std::string& name : plan::format_names(plan)) compared.push_back({.device = device, .format = name});
    return caveat_about(campaign, compared);
}

DeviceComparison of_device(const store::CampaignView& campaign, std::size_t index, const CampaignComparison& of) {
    const store::DeviceView& device = campaign.devices[index];
    DeviceComparison out{
        .device = index,
        .course = comparison_campaign::course_of(
            of.plan, {.passes = device.passes, .untested = device.untested, .closed = device.verdict.has_value()})};
    out.cells = comparison_campaign::cells_of(out.course);
    out.sentences = comparison_campaign::sentences_of(out.course, of.plan);
    out.caveat = caveat_for(campaign, index, of.plan);
    out.notes.push_back(budget_text(of.plan, out.course));
    if (std::string early = early_end(of.plan, device, out.course); !early.empty())
        out.notes.push_back(std::move(early));
    for (std::string& gap : gaps_of(out.course, of.titles)) out.notes.push_back(std::move(gap));
    for (std::string& cause : comparison_campaign::causes_of(out.course, of.plan))
        out.notes.push_back(std::move(cause));
    for (std::string& note : condition_notes(of.plan, of.titles, device)) out.notes.push_back(std::move(note));
    if (of.plan.compare->self_test) return out;
    const std::vector<std::string> names = plan::format_names(of.plan);
    for (const comparison::PairResult& pair : out.course.comparison.pair_results()) {
        if (pair.headline != 0) continue;
        const auto *const first = made(device, names[pair.first]), *const second = made(device, names[pair.second]);
        if (first == nullptr || second == nullptr) continue;
        for (std::string& line : confounded_by(
                 *first, *second, file_places_of(device, names[pair.first]), file_places_of(device, names[pair.second]),
                 fmt::format("{} and {}: ", of.titles[pair.first], of.titles[pair.second])))
            out.notes.push_back(std::move(line));
    }
    return out;
}

} // namespace

std::optional<CampaignComparison> comparison_of(const store::CampaignView& campaign) {
    auto plan = comparison_campaign::compared_plan(campaign.campaign);
    if (!plan) return std::nullopt;
    CampaignComparison out{.plan = std::move(*plan), .titles = {}, .devices = {}};
    out.titles = comparison_campaign::titles_of(out.plan);
    for (std::size_t device = 0; device < campaign.devices.size(); ++device)
        out.devices.push_back(of_device(campaign, device, out));
    return out;
}

std::vector<std::string> comparison_answers_of(const store::CampaignView& campaign) {
    std::vector<std::string> lines;
    const auto comparison = comparison_of(campaign);
    if (!comparison) return lines;
    for (const DeviceComparison& device : comparison->devices) {
        const std::string& name = campaign.devices[device.device].device.name;
        for (const std::string& sentence : device.sentences) lines.push_back(fmt::format("{}: {}", name, sentence));
    }
    return lines;
}

} // namespace mediarig::report
