// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/cards/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "host/base/text.hpp"
#include "host/campaign/comparison/recorded_comparison.hpp"
#include "host/measure/comparison/ranking.hpp"
#include "host/measure/statistics.hpp"
#include "host/report/cards/card.hpp"
#include "host/report/figures/figures.hpp"
#include "host/report/figures/findings.hpp"
#include "host/report/text/metric_text.hpp"
#include "host/report/text/ranking_text.hpp"
#include "host/workload/metrics/metrics.hpp"

namespace mediarig::report {
namespace {

using measure::FindingKind, measure::Grade;
using suites::Metric, suites::Shape, suites::Value;
using workload::Access;
using Candidate = SummaryMaker::Candidate;

constexpr std::array summary_accesses{Access::sequential_read, Access::sequential_write, Access::random_read,
                                      Access::random_write};

// --- cause

std::string words_of_kind(FindingKind kind) {
    std::string text(measure::name_of(kind));
    std::ranges::replace(text, '_', ' ');
    return text;
}

std::string fault_cause(const measure::Finding& cause) {
    switch (cause.kind) {
        case FindingKind::data_damaged:
            return fmt::format("{} place{} damaged", cause.count, cause.count == 1 ? "" : "s");
        case FindingKind::check_failed:
            return "file system faulty";
        case FindingKind::write_refused:
            return "refuses writes";
        case FindingKind::io_error:
            return cause.count == 1 ? "1 I/O error" : fmt::format("{} I/O errors", cause.count);
        case FindingKind::medium_lost:
            return "removed or lost contact";
        case FindingKind::capacity_unclear:
            return "contradictory capacity";
        default:
            return words_of_kind(cause.kind);
    }
}

/// Returns "sequential write too slow" for the first limit of this grade.
std::string limit_cause(const measure::Verdict& verdict, Grade grade, std::string_view what) {
    const auto result = std::ranges::find(verdict.limits, grade, &measure::LimitResult::grade);
    if (result == verdict.limits.end()) return {};
    const auto metric = metrics::metric_from(result->limit.metric);
    return metric ? fmt::format("{} {}", text_for(metric->access), what) : "limit missed";
}

std::string first_of(std::initializer_list<std::string> texts) {
    for (const std::string& text : texts)
        if (!text.empty()) return text;
    return {};
}

std::string unjudged_cause(const store::DeviceView& device, store::CampaignState state) {
    if (is_placeholder(device.device) && !device.untested.empty()) return "not identified";
    switch (state) {
        case store::CampaignState::running:
            return "still running";
        case store::CampaignState::finished:
            return "not judged";
        case store::CampaignState::interrupted:
        case store::CampaignState::failed:
            break;
    }
    return "campaign not finished";
}

std::string cause_of(const store::DeviceView& device, store::CampaignState state) {
    if (!device.verdict) return unjudged_cause(device, state);
    const measure::Verdict& verdict = *device.verdict;
    const std::string fault = verdict.cause ? fault_cause(*verdict.cause) : "";
    switch (verdict.grade) {
        case Grade::fake:
            return "holds less than claimed";
        case Grade::fail:
            return first_of({fault, limit_cause(verdict, Grade::fail, "too slow"), "fault found"});
        case Grade::marginal:
            return first_of({limit_cause(verdict, Grade::marginal, "near limit"), "near a limit"});
        case Grade::inconclusive:
            return first_of({fault, verdict.untested ? "not fully tested" : "",
                             limit_cause(verdict, Grade::inconclusive, "not measured"), "not fully tested"});
        case Grade::formatted:
            return "only formatted";
        case Grade::measured:
            return "only rates measured";
        case Grade::sampled:
            return "only a part compared";
        case Grade::probed:
            return "capacity only probed";
        case Grade::pass:
            break;
    }
    if (verdict.limits.empty()) return "every byte compared";
    return verdict.limits.size() == 1 ? "limit met" : fmt::format("{} limits met", verdict.limits.size());
}

// --- rates

/// Returns true for a rate, or a count of random operations, of the access.
bool is_rate_of(const suites::Headline& headline, Access access) {
    const Metric& metric = headline.metric;
    if (metric.access != access) return false;
    if (metric.value == Value::mb_per_s || metric.value == Value::average_mb_per_s) return true;
    if (metric.value != Value::iops && metric.value != Value::ops_per_s) return false;
    // Suites with their own terms also count files and seeks.
    return suites::shape_of(metric.table) != Shape::named_views || headline.title.starts_with("random");
}

const suites::Headline* headline_of(const suites::Suite& suite, Access access) {
    const auto found = std::ranges::find_if(
        suite.headlines, [&](const suites::Headline& headline) { return is_rate_of(headline, access); });
    return found == suite.headlines.end() ? nullptr : &*found;
}

Candidate candidate_of(const std::string& suite, const Subject& subject, const Metric& metric) {
    return {.suite = suite,
            .format = subject.format,
            .table = std::string(metric.table),
            .access = metric.access,
            .block = {},
            .unit = std::string(unit_of(metric.value)),
            .average = metric.value == Value::average_mb_per_s,
            .passes = {}};
}

/// Returns the headline figure, and the rate at the largest measured block for suites that ran in part.
void add_candidates(std::vector<Candidate>& to, const Figures& figures, const std::string& suite,
                    const Subject& subject) {
    const suites::Suite* const known = suites::find_suite(suite);
    const std::vector<SweepRow> rows = figures.rows(suite);
    for (const Access access : summary_accesses) {
        if (const auto* headline = known != nullptr ? headline_of(*known, access) : nullptr)
            if (const auto& passes = figures.passes(subject, suite, headline->metric); !passes.empty()) {
                to.push_back(candidate_of(suite, subject, headline->metric));
                to.back().passes = passes;
            }
        for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
            const Shape shape = suites::shape_of(row->table);
            // An access that is named by its direction alone is sequential.
            if (shape == Shape::named_views || (shape == Shape::capacity && workload::random(access))) continue;
            const Metric metric{.table = row->table, .access = access, .block = row->block, .value = Value::mb_per_s};
            const auto& passes = figures.passes(subject, suite, metric);
            if (passes.empty()) continue;
            to.push_back(candidate_of(suite, subject, metric));
            to.back().block = row->block;
            to.back().passes = passes;
            break;
        }
    }
}

/// The choice of one column: a headline figure, or the rate at one block size.
struct ChosenColumn {
    Candidate like;

    [[nodiscard]] bool is(const Candidate& each) const {
        return each.suite == like.suite && each.access == like.access && each.block == like.block &&
               (!like.block || each.table == like.table);
    }
};

bool is_capacity(const Candidate& candidate) {
    return suites::shape_of(candidate.table) == Shape::capacity;
}

/// Prefers headline figures, and otherwise the largest block.
std::vector<ChosenColumn> columns_from(const std::vector<const Candidate*>& candidates, const std::string& suite) {
    std::vector<ChosenColumn> columns;
    for (const Access access : summary_accesses) {
        const Candidate* best = nullptr;
        for (const Candidate* each : candidates) {
            if (each->suite != suite || each->access != access) continue;
            const bool better = best == nullptr || (best->block && (!each->block || *each->block > *best->block));
            if (better) best = each;
        }
        if (best != nullptr) columns.push_back({*best});
    }
    return columns;
}

/// Returns the columns of the first suite with headline figures, else of the first with rates. The rates of a test of
/// the capacity come last, because other suites measure rates better.
std::vector<ChosenColumn> chosen_columns(const std::vector<const Candidate*>& candidates) {
    const Candidate* source = nullptr;
    const auto rank = [](const Candidate& each) { return !each.block ? 0 : is_capacity(each) ? 2 : 1; };
    for (const Candidate* each : candidates)
        if (source == nullptr || rank(*each) < rank(*source)) source = each;
    return source == nullptr ? std::vector<ChosenColumn>() : columns_from(candidates, source->suite);
}

/// Returns "QuickBench averages, 2 passes", "QuickBench, blocks of 64 KB, 1 to 4 passes".
std::string source_text(const std::vector<ChosenColumn>& columns, const std::vector<SummaryRow>& rows) {
    if (columns.empty()) return {};
    std::size_t least = SIZE_MAX, most = 0;
    for (const SummaryRow& row : rows)
        for (const auto& format : row.figures)
            for (const SummaryFigure& figure : format)
                if (!figure.passes.empty()) {
                    least = std::min(least, figure.passes.size());
                    most = std::max(most, figure.passes.size());
                }
    const Candidate& first = columns.front().like;
    std::string text = suite_title(first.suite);
    const bool one_block =
        std::ranges::all_of(columns, [&](const ChosenColumn& column) { return column.like.block == first.block; });
    if (first.average) text += " averages";
    if (first.block && one_block && !is_capacity(first)) text += ", blocks of " + block_title(*first.block);
    return text + (least == most ? fmt::format(", {}", passes_text(most))
                                 : fmt::format(", {} to {}", least, passes_text(most)));
}

// --- ranking

/// Rates that are not above 0 have no logarithm, and so no rank.
bool can_be_ranked(const SummaryFigure& figure) {
    return !figure.passes.empty() && std::ranges::all_of(figure.passes, [](double rate) { return rate > 0; });
}

void mark_best_formats(SummaryRow& row, std::size_t columns) {
    for (std::size_t column = 0; column < columns; ++column) {
        std::vector<SummaryFigure*> figures;
        std::vector<std::vector<double>> rates;
        for (auto& format : row.figures)
            if (can_be_ranked(format[column])) {
                figures.push_back(&format[column]);
                rates.push_back(format[column].passes);
            }
        if (figures.size() < 2) continue;
        const auto ranking = measure::comparison::ranking_of(rates);
        const auto& fastest = ranking.groups.front().members;
        if (ranking.claims && fastest.size() == 1) figures[fastest.front()]->best = true;
    }
}

/// The columns by which media are ordered: the sequential ones if there are any.
std::vector<std::size_t> ranked_columns(const std::vector<SummaryColumn>& columns) {
    std::vector<std::size_t> sequential, random;
    for (std::size_t i = 0; i < columns.size(); ++i)
        (workload::random(columns[i].access) ? random : sequential).push_back(i);
    return sequential.empty() ? random : sequential;
}

bool is_fake(const SummaryRow& row) {
    return row.grade == Grade::fake;
}

/// Returns the format under which most media can be ranked.
std::size_t common_format(const ResultSummary& summary) {
    std::size_t best = 0, most = 0;
    for (std::size_t format = 0; format < summary.formats.size(); ++format) {
        const auto media = static_cast<std::size_t>(std::ranges::count_if(
            summary.rows, [&](const SummaryRow& row) { return !is_fake(row) && row.has_figures(format); }));
        if (media <= most) continue;
        best = format;
        most = media;
    }
    return best;
}

RankedOperation operation_of(const SummaryColumn& column, std::vector<RankedItem> items) {
    return ranked(std::string(text_for(column.access)), column.unit, std::move(items));
}

/// Up to this number of media, all pairs are compared.
constexpr std::size_t most_ranked = 100;

std::string ranking_of_media(const ResultSummary& summary) {
    const std::size_t format = common_format(summary);
    std::vector<RankedOperation> operations;
    for (const std::size_t column : ranked_columns(summary.columns)) {
        std::vector<RankedItem> items;
        for (const SummaryRow& row : summary.rows)
            if (!is_fake(row) && can_be_ranked(row.figures[format][column]))
                items.push_back({row.name, row.figures[format][column].passes});
        if (items.size() > most_ranked) return {};
        operations.push_back(operation_of(summary.columns[column], std::move(items)));
    }
    const std::string& name = summary.formats[format];
    std::string text = ranking_text(operations, is_raw(name) ? "" : " under " + format_title(name));
    if (text.empty()) return {};
    std::vector<std::string> fakes;
    for (const SummaryRow& row : summary.rows)
        if (is_fake(row) && row.has_figures(format)) fakes.push_back(row.name);
    constexpr std::size_t most_named = 3;
    if (fakes.size() > most_named) return text + fmt::format(" Not ranked: {} fakes.", fakes.size());
    return fakes.empty() ? text : text + fmt::format(" Not ranked, because fake: {}.", fmt::join(fakes, ", "));
}

std::string ranking_of_formats(const ResultSummary& summary, const SummaryRow& row) {
    std::vector<RankedOperation> operations;
    for (const std::size_t column : ranked_columns(summary.columns)) {
        std::vector<RankedItem> items;
        for (std::size_t format = 0; format < summary.formats.size(); ++format)
            if (can_be_ranked(row.figures[format][column]))
                items.push_back({format_title(summary.formats[format]), row.figures[format][column].passes});
        operations.push_back(operation_of(summary.columns[column], std::move(items)));
    }
    return ranking_text(operations, "");
}

std::string ranking_in(const ResultSummary& summary) {
    std::vector<const SummaryRow*> measured;
    for (const SummaryRow& row : summary.rows)
        for (std::size_t format = 0; format < summary.formats.size(); ++format)
            if (row.has_figures(format)) {
                measured.push_back(&row);
                break;
            }
    if (measured.empty()) return {};
    return measured.size() == 1 ? ranking_of_formats(summary, *measured.front()) : ranking_of_media(summary);
}

std::size_t warnings_in(const store::DeviceView& device, bool fake) {
    return static_cast<std::size_t>(std::ranges::count_if(findings_by_kind(device), [&](const FindingGroup& group) {
        const bool is_the_verdict = fake && group.kind() == FindingKind::capacity_missing;
        return group.worst.severity != measure::Severity::note && !is_the_verdict;
    }));
}

std::string genuine_text(const store::DeviceView& device, Genuineness what) {
    if (device.device.identity.transport == media::Transport::directory) return {};
    if (what == Genuineness::fake) return "fake";
    return what == Genuineness::proven ? "genuine" : "unproven";
}

} // namespace

bool SummaryRow::has_figures(std::size_t format) const {
    return format < figures.size() &&
           std::ranges::any_of(figures[format], [](const SummaryFigure& figure) { return !figure.passes.empty(); });
}

SummaryMaker::SummaryMaker(const store::CampaignView& outline)
    : order_(worst_first(outline)),
      counts_(counts_of(outline)),
      compares_formats_(comparison_campaign::compared_plan(outline.campaign).has_value()) {
    const Figures figures = Figures::verdict_figures(outline);
    for (std::size_t device = 0; device < outline.devices.size(); ++device) {
        const store::DeviceView& view = outline.devices[device];
        const auto grade = view.verdict ? std::optional(view.verdict->grade) : std::nullopt;
        media_.push_back(
            {.row = {.device = device,
                     .grade = grade,
                     .cause = cause_of(view, outline.campaign.state),
                     .name = view.device.name,
                     .size = view.device.identity.size == 0_B ? "" : medium_size_text(view.device.identity),
                     .genuine = grade == Grade::fake ? "fake" : "",
                     .warnings = {},
                     .figures = {}},
             .candidates = {},
             .formats = {}});
    }
    for (const std::string& suite : figures.suites())
        for (const Subject& subject : figures.subjects(suite)) {
            Medium& medium = media_[subject.device];
            add_candidates(medium.candidates, figures, suite, subject);
            if (std::ranges::find(medium.formats, subject.format) == medium.formats.end())
                medium.formats.push_back(subject.format);
        }
}

void SummaryMaker::add(const store::CampaignView& campaign, std::size_t device) {
    const store::DeviceView& view = campaign.devices[device];
    Medium& medium = media_[device];
    const Capacity capacity = capacity_of(view);
    medium.row.cause = cause_of(view, campaign.campaign.state);
    // The same places as on the card.
    if (medium.row.grade == Grade::fail && view.verdict->cause &&
        view.verdict->cause->kind == FindingKind::data_damaged && capacity.what == Genuineness::damaged &&
        !capacity.outcome->damaged.empty())
        medium.row.cause = fault_cause({.kind = FindingKind::data_damaged,
                                        .severity = measure::Severity::fault,
                                        .detail = {},
                                        .count = capacity.outcome->damaged.size()});
    if (medium.row.grade == Grade::fake && capacity.what == Genuineness::fake)
        medium.row.cause = "holds " + size_text(capacity.outcome->true_capacity.value_or(capacity.outcome->good));
    medium.row.genuine = genuine_text(view, is_fake(medium.row) ? Genuineness::fake : capacity.what);
    medium.row.warnings = warnings_in(view, is_fake(medium.row));
    const Figures figures(campaign, {device});
    medium.candidates.clear();
    medium.formats.clear();
    for (const store::PassView& pass : view.passes)
        if (std::ranges::find(medium.formats, pass.pass.format) == medium.formats.end())
            medium.formats.push_back(pass.pass.format);
    for (const std::string& suite : figures.suites())
        for (const Subject& subject : figures.subjects(suite))
            add_candidates(medium.candidates, figures, suite, subject);
}

ResultSummary SummaryMaker::finish(std::size_t media) const {
    std::vector<const Candidate*> candidates;
    for (const Medium& medium : media_)
        for (const Candidate& each : medium.candidates) candidates.push_back(&each);
    const std::vector<ChosenColumn> columns = chosen_columns(candidates);
    ResultSummary summary{.source = {}, .columns = {}, .formats = {}, .rows = {}, .ranking = {}, .counts = {}};
    for (const ChosenColumn& column : columns)
        summary.columns.push_back({.access = column.like.access, .unit = column.like.unit});
    const auto is_shown = [&](const Candidate& each) {
        return std::ranges::any_of(columns, [&](const ChosenColumn& column) { return column.is(each); });
    };
    for (const Medium& medium : media_)
        for (const std::string& format : medium.formats) {
            const bool known = std::ranges::find(summary.formats, format) != summary.formats.end();
            const bool shown = std::ranges::any_of(
                medium.candidates, [&](const Candidate& each) { return each.format == format && is_shown(each); });
            if (!known && shown) summary.formats.push_back(format);
        }
    std::ranges::stable_partition(summary.formats, [](const std::string& format) { return !is_raw(format); });
    for (const std::size_t device : order_) {
        const Medium& medium = media_[device];
        SummaryRow row = medium.row;
        row.figures.assign(summary.formats.size(), std::vector<SummaryFigure>(columns.size()));
        for (const Candidate& each : medium.candidates)
            for (std::size_t column = 0; column < columns.size(); ++column)
                if (columns[column].is(each)) {
                    const auto format = std::ranges::find(summary.formats, each.format) - summary.formats.begin();
                    row.figures[static_cast<std::size_t>(format)][column].passes = each.passes;
                }
        // A campaign that compares formats decides by its own rule, which the number of its passes depends on.
        if (!compares_formats_) mark_best_formats(row, columns.size());
        summary.rows.push_back(std::move(row));
    }
    summary.source = source_text(columns, summary.rows);
    if (!compares_formats_) summary.ranking = ranking_in(summary);
    const std::size_t all = std::max(media, media_.size());
    if (all > 1) summary.counts = counts_text(counts_, all);
    return summary;
}

ResultSummary summary_of(const store::CampaignView& campaign, std::size_t media) {
    SummaryMaker maker(campaign);
    for (std::size_t device = 0; device < campaign.devices.size(); ++device) maker.add(campaign, device);
    return maker.finish(media);
}

std::string text_of(const SummaryFigure& figure) {
    const auto mean = measure::mean(figure.passes);
    return mean ? three_digits(*mean) : "–";
}

std::string counts_text(const std::vector<GradeCount>& counts, std::size_t media) {
    std::vector<std::string> texts;
    std::size_t judged = 0;
    for (const GradeCount& count : counts) {
        if (!count.grade) continue;
        judged += count.devices;
        texts.insert(texts.begin(), fmt::format("{} {}", count.devices, grade_text(count.grade)));
    }
    std::string text =
        judged == media ? fmt::format("{} media", media) : fmt::format("{} of {} media judged", judged, media);
    return texts.empty() ? text : text + fmt::format(": {}", fmt::join(texts, ", "));
}

// --- CSV

std::string render_summary_csv(const ResultSummary& summary) {
    std::vector<std::string> head{"device", "verdict", "cause", "size", "genuine", "warnings", "format", "source"};
    constexpr std::array names{"sequential_read", "sequential_write", "random_read", "random_write"};
    for (const char* name : names) {
        head.emplace_back(name);
        head.push_back(fmt::format("{}_unit", name));
        head.push_back(fmt::format("{}_best", name));
    }
    std::string out = csv_row(head);
    for (const SummaryRow& row : summary.rows) {
        const std::vector<std::string> of_medium{row.name,    row.grade ? grade_text(row.grade) : "",
                                                 row.cause,   row.size,
                                                 row.genuine, row.warnings ? std::to_string(*row.warnings) : ""};
        bool any = false;
        for (std::size_t format = 0; format <= summary.formats.size(); ++format) {
            // A medium without figures has one row.
            const bool measured = row.has_figures(format);
            if (!measured && (any || format < summary.formats.size())) continue;
            any = true;
            std::vector<std::string> cells = of_medium;
            cells.push_back(measured ? summary.formats[format] : "");
            cells.push_back(measured ? summary.source : "");
            for (const Access access : summary_accesses) {
                const auto column = static_cast<std::size_t>(
                    std::ranges::find(summary.columns, access, &SummaryColumn::access) - summary.columns.begin());
                const bool has =
                    measured && column < summary.columns.size() && !row.figures[format][column].passes.empty();
                cells.push_back(has ? fmt::format("{:.6g}", *measure::mean(row.figures[format][column].passes)) : "");
                cells.push_back(has ? summary.columns[column].unit : "");
                cells.push_back(has ? (row.figures[format][column].best ? "1" : "0") : "");
            }
            out += csv_row(cells);
        }
    }
    return out;
}

Result<std::string> render_summary_csv(store::CampaignView&& outline, const LoadDevice& load) {
    SummaryMaker maker(outline);
    for (std::size_t device = 0; device < outline.devices.size(); ++device) {
        if (auto loaded = load(outline.devices[device]); !loaded) return fail(loaded.error());
        maker.add(outline, device);
        forget(outline.devices[device]);
    }
    return render_summary_csv(maker.finish(0));
}

} // namespace mediarig::report
