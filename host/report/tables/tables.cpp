// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/tables/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "host/measure/statistics.hpp"
#include "host/report/figures/caveats.hpp"
#include "host/report/published/tables.hpp"
#include "host/report/text/display_text.hpp"
#include "host/workload/metrics/metrics.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::report {
namespace {

using suites::Shape, suites::Value;
using workload::Access;

suites::Metric rate_of(const SweepRow& row, Access access) {
    return {.table = row.table, .access = access, .block = row.block, .value = suites::Value::mb_per_s};
}

/// `decimals` as DiskTester prints them, and more for small values.
FigureText small_figure_text(const std::vector<double>& passes, int decimals) {
    const double mean = measure::mean(passes).value_or(0);
    if (mean > 0 && mean < 1) return figure_text(passes, decimals + 2);
    return figure_text(passes, mean < 10 ? std::max(decimals, 1) : decimals);
}

std::string_view why_nothing(workload::CellEnd end) {
    switch (end) {
        case workload::CellEnd::time:
            return "the time limit ended it before the first operation was complete";
        case workload::CellEnd::error:
            return "it failed";
        case workload::CellEnd::cancelled:
            return "it was interrupted";
        case workload::CellEnd::volume:
            break;
    }
    return "nothing was moved";
}

/// Returns the reasons for empty cells, a line for each reason: "–: random write 8 KB (exFAT): the time limit ended it
/// …".
std::vector<std::string> empty_cells(const store::CampaignView& campaign, const Figures& figures,
                                     const std::string& suite) {
    std::map<std::string_view, std::vector<std::string>> by_reason;
    for (const Subject& subject : figures.subjects(suite))
        for (const store::PassView& pass : campaign.devices[subject.device].passes) {
            if (pass.pass.job.suite != suite || pass.pass.format != subject.format) continue;
            for (const workload::CellResult& cell : pass.cells) {
                const SweepRow row{.table = cell.cell.table, .block = cell.cell.block};
                if (suites::shape_of(row.table) != Shape::block_sizes || metrics::counts(cell) ||
                    !figures.passes(subject, suite, rate_of(row, cell.cell.access)).empty())
                    continue;
                std::vector<std::string>& cells = by_reason[why_nothing(cell.end)];
                std::string title =
                    fmt::format("{} {} ({})", text_for(cell.cell.access), block_title(cell.cell.block), subject.title);
                if (std::ranges::find(cells, title) == cells.end()) cells.push_back(std::move(title));
            }
        }
    std::vector<std::string> lines;
    constexpr std::size_t most = 3;
    for (auto& [reason, cells] : by_reason) {
        const std::size_t more = cells.size() - std::min(cells.size(), most);
        cells.resize(cells.size() - more);
        lines.push_back(fmt::format("–: {}{}: {}.", fmt::join(cells, ", "),
                                    more > 0 ? fmt::format(" and {} more", more) : "", reason));
    }
    return lines;
}

/// Returns rates of 10^6 bytes per second in 2^20 bytes per second.
std::vector<double> in_mebibytes(std::vector<double> passes) {
    for (double& value : passes) value = Rate{value * 1e6}.mebibytes_per_second();
    return passes;
}

enum class Megabyte : std::uint8_t { decimal, binary };

/// Rows of block sizes, one block of columns per subject, the averages below.
std::optional<Table> sweep_table(const store::CampaignView& campaign, const Figures& figures, const std::string& suite,
                                 Megabyte unit = Megabyte::decimal) {
    std::vector<SweepRow> rows = figures.rows(suite);
    std::erase_if(rows, [](const SweepRow& row) { return suites::shape_of(row.table) != Shape::block_sizes; });
    if (rows.empty()) return std::nullopt;

    std::set<Access> used;
    for (const SweepRow& row : rows)
        for (const Access access : figures.accesses(suite, row.table)) used.insert(access);
    const std::vector<Access> accesses(used.begin(), used.end());
    const std::vector<Subject> subjects = figures.subjects(suite);

    Table table{.title = suite_title(suite) + " block sizes, MB/s", .label_title = "Block"};
    for (const Subject& subject : subjects) {
        TableBlock block{.title = subject.title, .device = subject.device};
        for (const Access access : accesses) block.columns.emplace_back(column_title(access));
        table.blocks.push_back(std::move(block));
    }

    const auto add_row = [&](const std::string& label, RowKind kind, const auto& metric_of) {
        TableRow row{.label = label, .kind = kind};
        bool any = false;
        for (const Subject& subject : subjects)
            for (const Access access : accesses) {
                const std::vector<double>& passes = figures.passes(subject, suite, metric_of(access));
                any = any || !passes.empty();
                row.cells.push_back(figure_text(unit == Megabyte::binary ? in_mebibytes(passes) : passes, 3));
            }
        if (any) table.rows.push_back(std::move(row));
        return any;
    };
    const auto column = [](const suites::SuiteTable& of, Value value) {
        return [&of, value](Access access) {
            return suites::Metric{.table = of.name, .access = access, .block = {}, .value = value};
        };
    };
    const auto has_average = [&](const suites::SuiteTable& of) {
        const auto metric_of = column(of, Value::average_mb_per_s);
        return std::any_of(subjects.begin(), subjects.end(), [&](const Subject& subject) {
            return std::any_of(accesses.begin(), accesses.end(), [&](Access access) {
                return !figures.passes(subject, suite, metric_of(access)).empty();
            });
        });
    };
    for (const SweepRow& row : rows) {
        const suites::SuiteTable* known = suites::find_table(row.table);
        const bool summed_up = known != nullptr && known->rows_are_details && has_average(*known);
        add_row(block_title(row.block), summed_up ? RowKind::detail : RowKind::body,
                [&](Access access) { return rate_of(row, access); });
    }
    table.notes = empty_cells(campaign, figures, suite);
    const suites::Suite* known = suites::find_suite(suite);
    if (known == nullptr) return table;
    if (!known->megabyte.empty()) table.notes.emplace_back(known->megabyte);
    for (const suites::SuiteTable& of : known->tables) {
        if (of.average.empty()) continue;
        if (!add_row(std::string(of.average), RowKind::summary, column(of, Value::average_mb_per_s))) continue;
        if (!of.time_weighted.empty())
            add_row(std::string(of.time_weighted), RowKind::summary, column(of, Value::time_weighted_mb_per_s));
        if (std::find(table.notes.begin(), table.notes.end(), of.note) == table.notes.end())
            table.notes.emplace_back(of.note);
    }
    return table;
}

/// Rows of subjects, one block of columns per transfer size.
std::optional<Table> sequential_table(const Figures& figures, const std::string& suite) {
    std::vector<SweepRow> rows = figures.rows(suite);
    std::erase_if(rows, [](const SweepRow& row) { return suites::shape_of(row.table) != Shape::transfer_sizes; });
    if (rows.empty()) return std::nullopt;
    Table table{.title = suite_title(suite) + " sequential, MB/s"};
    for (const SweepRow& row : rows)
        table.blocks.push_back({.title = block_title(row.block), .device = 0, .columns = {"Write", "Read"}});
    if (const suites::Suite* known = suites::find_suite(suite); known != nullptr && !known->megabyte.empty())
        table.notes.emplace_back(known->megabyte);
    for (const Subject& subject : figures.subjects(suite)) {
        TableRow row{.label = subject.title, .kind = RowKind::body};
        for (const SweepRow& size : rows)
            for (const Access access : {Access::sequential_write, Access::sequential_read})
                row.cells.push_back(figure_text(figures.passes(subject, suite, rate_of(size, access)), 1));
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// Returns the cells of a suite whose table has this shape.
std::vector<const workload::CellResult*> cells_of(const store::CampaignView& campaign, const std::string& suite,
                                                  Shape shape) {
    std::vector<const workload::CellResult*> cells;
    for (const store::DeviceView& device : campaign.devices)
        for (const store::PassView& pass : device.passes)
            for (const workload::CellResult& cell : pass.cells)
                if (pass.pass.job.suite == suite && suites::shape_of(cell.cell.table) == shape) cells.push_back(&cell);
    return cells;
}

std::optional<Table> operations_table(const store::CampaignView& campaign, const Figures& figures,
                                      const std::string& suite) {
    const auto cells = cells_of(campaign, suite, Shape::operations);
    if (cells.empty()) return std::nullopt;
    const workload::CellSpec& cell = cells.front()->cell;
    const suites::SuiteTable& published = *suites::find_table(cell.table);
    const std::string title = suite_title(suite);
    Table table{.title = fmt::format("{} IOPS: {} MiB in operations of {}", title, cell.volume.count >> 20,
                                     block_title(cell.block)),
                .notes = {fmt::format("MiB/s: 2^20 bytes per second, which {} prints as MB/s.", title)}};
    if (cell.volume != published.full.volume || cell.block != published.sizes.first)
        table.notes.push_back(fmt::format("{} itself moves {} MiB in operations of {}: seconds are not comparable.",
                                          title, published.full.volume.count >> 20,
                                          block_title(published.sizes.first)));
    if (std::ranges::any_of(cells, [](const auto* each) { return each->end == workload::CellEnd::time; }))
        table.notes.emplace_back(
            "Some cells hit their time limit: their seconds cover only the part that was transferred.");
    std::vector<Access> accesses = figures.accesses(suite, cell.table);
    std::reverse(accesses.begin(), accesses.end()); // write before read, as DiskTester prints it
    for (const Access access : accesses)
        table.blocks.push_back(
            {.title = std::string(text_for(access)), .device = 0, .columns = {"seconds", "MiB/s", "ops/s"}});
    for (const Subject& subject : figures.subjects(suite)) {
        TableRow row{.label = subject.title, .kind = RowKind::body};
        for (const Access access : accesses) {
            const auto passes = [&](Value value) {
                return figures.passes(subject, suite,
                                      {.table = cell.table, .access = access, .block = cell.block, .value = value});
            };
            row.cells.push_back(figure_text(passes(Value::seconds), 1));
            row.cells.push_back(small_figure_text(in_mebibytes(passes(Value::mb_per_s)), 1));
            row.cells.push_back(small_figure_text(passes(Value::ops_per_s), 0));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// Returns the deviations of the suite from its protocol, each once.
std::vector<std::string> departures_of(const store::CampaignView& campaign, const std::string& suite) {
    std::vector<std::string> all;
    for (const store::DeviceView& device : campaign.devices)
        for (const store::PassView& pass : device.passes) {
            if (pass.pass.job.suite != suite) continue;
            for (std::string& each : suites::less_than_published(pass.pass.job))
                if (std::ranges::find(all, each) == all.end()) all.push_back(std::move(each));
        }
    return all;
}

std::string verdict_text(const workload::VerifyOutcome& outcome) {
    if (!outcome.verdict) return "–";
    if (outcome.fake) return fmt::format("FAKE, {}", workload::name_of(*outcome.fake));
    return std::string(workload::name_of(*outcome.verdict));
}

std::vector<const store::PassView*> passes_of(const store::CampaignView& campaign, const Subject& subject,
                                              const std::string& suite) {
    std::vector<const store::PassView*> passes;
    for (const store::PassView& pass : campaign.devices[subject.device].passes)
        if (pass.pass.job.suite == suite && pass.pass.format == subject.format) passes.push_back(&pass);
    return passes;
}

/// Returns the figures of one pass.
suites::MetricLookup figures_of(const store::PassView& pass) {
    return [measured = metrics::metrics_of(pass.pass.job.suite, pass.pass.format, pass.cells)](
               const suites::Metric& metric) -> std::optional<double> {
        const auto found = std::ranges::find(measured, metrics::name_of(metric), &measure::MetricValues::metric);
        return found == measured.end() ? std::nullopt : measure::mean(found->values);
    };
}

/// Returns "1 pass: the scatter is unknown.", or the number of passes of each subject: "exFAT: 2 passes, raw: 1 pass.".
std::string note_on_passes(const store::CampaignView& campaign, const std::vector<Subject>& subjects,
                           const std::string& suite) {
    std::vector<std::string> lines;
    std::set<std::size_t> counts;
    for (const Subject& subject : subjects) {
        const auto passes = passes_of(campaign, subject, suite);
        const auto count = static_cast<std::size_t>(
            std::ranges::count_if(passes, [](const store::PassView* pass) { return !pass->cells.empty(); }));
        counts.insert(count);
        lines.push_back(fmt::format("{}: {}", subject.title, passes_text(count)));
    }
    if (counts == std::set<std::size_t>{1}) return "1 pass: the scatter is unknown.";
    return counts.size() == 1 ? passes_text(*counts.begin()) + "." : fmt::format("{}.", fmt::join(lines, ", "));
}

/// Returns a figure of several passes: equal texts once, numbers of one unit with their scatter. Passes without the
/// figure do not count.
FigureText merged_text(std::vector<std::string> passes) {
    const std::string none = passes.empty() ? "–" : passes.front();
    std::erase_if(passes, [](const std::string& text) { return text.empty() || text == "–"; });
    if (passes.empty()) return {none, {}};
    std::vector<double> values;
    std::set<std::string_view> units;
    std::vector<std::string> distinct;
    for (const std::string& text : passes) {
        if (std::ranges::find(distinct, text) == distinct.end()) distinct.push_back(text);
        double value = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc{}) continue;
        values.push_back(value);
        units.emplace(rest, end);
    }
    if (distinct.size() == 1) return {distinct.front(), {}};
    if (values.size() < passes.size() || units.size() > 1) return {fmt::format("{}", fmt::join(distinct, ", ")), {}};
    FigureText figure = figure_text(values, 0);
    (figure.spread.empty() ? figure.value : figure.spread) += *units.begin();
    return figure;
}

/// The view of a pass with the number of the pass, from 1.
struct PassTable {
    std::size_t pass{};
    suites::View view;
};

/// Returns the text of one cell in each pass that has it.
std::vector<std::string> cell_texts(const std::vector<PassTable>& passes, const std::string& label,
                                    const std::string& column) {
    std::vector<std::string> texts;
    for (const PassTable& pass : passes) {
        const auto row = std::ranges::find(pass.view.rows, label, &suites::View::Row::label);
        const auto title = std::ranges::find(pass.view.columns, column);
        if (row != pass.view.rows.end() && title != pass.view.columns.end())
            texts.push_back(row->cells[static_cast<std::size_t>(title - pass.view.columns.begin())]);
    }
    return texts;
}

/// Requires at least one pass.
Table merged_views(const std::vector<PassTable>& passes, const Subject& subject) {
    const auto add_new = [](std::vector<std::string>& list, const std::string& text) {
        if (std::ranges::find(list, text) == list.end()) list.push_back(text);
    };
    std::vector<std::string> columns, labels, notes;
    for (const PassTable& pass : passes) {
        for (const std::string& column : pass.view.columns) add_new(columns, column);
        for (const suites::View::Row& row : pass.view.rows) add_new(labels, row.label);
        for (const std::string& note : pass.view.notes) add_new(notes, note);
    }
    Table table{.title = passes.front().view.title};
    for (const std::string& label : labels) {
        TableRow row{.label = label, .kind = RowKind::body};
        for (const std::string& column : columns) row.cells.push_back(merged_text(cell_texts(passes, label, column)));
        table.rows.push_back(std::move(row));
    }
    for (const std::string& note : notes) {
        const auto has_note = [&](const PassTable& pass) {
            return std::ranges::find(pass.view.notes, note) != pass.view.notes.end();
        };
        if (std::ranges::all_of(passes, has_note))
            table.notes.push_back(note);
        else
            for (const PassTable& pass : passes)
                if (has_note(pass)) table.notes.push_back(fmt::format("Pass {}: {}", pass.pass, note));
    }
    table.blocks = {{.title = subject.title, .device = subject.device, .columns = std::move(columns)}};
    return table;
}

/// Returns the suite's own view of its figures (suites::Suite::view) on one device under one format.
std::optional<Table> view_of(const store::CampaignView& campaign, const Figures& figures, const Subject& subject,
                             const std::string& suite) {
    const suites::Suite* const known = suites::find_suite(suite);
    if (known == nullptr || known->view == nullptr) return std::nullopt;
    const bool by_process = served_by_process(campaign.devices[subject.device], subject.format);
    std::vector<PassTable> views;
    std::size_t number = 0;
    suites::DeviceResults all{
        .value_of = [&](const suites::Metric& metric) { return measure::mean(figures.passes(subject, suite, metric)); },
        .passes = {},
        .job = job_of(campaign, subject, suite),
        .served_by_process = by_process};
    for (const store::PassView* pass : passes_of(campaign, subject, suite)) {
        ++number;
        all.passes.emplace_back(pass->cells);
        if (known->view_of_all_passes) continue;
        if (auto view = known->view({.value_of = figures_of(*pass),
                                     .passes = {pass->cells},
                                     .job = &pass->pass.job,
                                     .served_by_process = by_process}))
            views.push_back({number, std::move(*view)});
    }
    if (known->view_of_all_passes)
        if (auto view = known->view(all)) views.push_back({number, std::move(*view)});
    if (views.empty()) return std::nullopt;
    return merged_views(views, subject);
}

std::optional<Table> verify_table(const store::CampaignView& campaign, const Figures& figures,
                                  const std::string& suite) {
    const std::vector<Subject> subjects = figures.subjects(suite);
    // All passes of a suite in a campaign have the same kind of job.
    const workload::JobSpec* const job = job_of(campaign, subjects.front(), suite);
    const bool probed = job && job->as<workload::ProbeJob>();
    if (!probed && !(job && job->as<workload::VerifyJob>())) return std::nullopt;
    const suites::Suite* known = suites::find_suite(suite);
    const std::string_view table_of_rates = known && !known->tables.empty() ? known->tables.front().name : "";
    Table table{
        .title = probed ? "True capacity, by a quick probe" : "Verify: written, read back, every byte compared",
        .blocks = {{.title = "capacity",
                    .device = 0,
                    .columns = {"claimed", "written", probed ? "sampled good" : "good", "damaged", "holds", "verdict"}},
                   {.title = "MB/s", .device = 0, .columns = {"Write", "Read"}}}};
    for (const Subject& subject : subjects) {
        const auto passes = passes_of(campaign, subject, suite);
        for (std::size_t i = 0; i < passes.size(); ++i) {
            const auto outcome = passes[i]->end ? passes[i]->end->verify : std::nullopt;
            // The free space of a directory's file system is not a claimed capacity.
            std::optional<Bytes> claimed;
            if (outcome && campaign.devices[subject.device].device.identity.transport != media::Transport::directory)
                claimed = outcome->claimed;
            const std::string title =
                passes.size() > 1 ? fmt::format("{}, pass {}", subject.title, i + 1) : subject.title;
            TableRow row{.label = title, .kind = RowKind::body};
            if (outcome)
                for (const std::optional<Bytes> amount :
                     {claimed, std::optional(outcome->written), std::optional(outcome->good),
                      std::optional(outcome->damaged_bytes), outcome->true_capacity})
                    row.cells.push_back({amount ? size_text(*amount) : "–", {}});
            else
                row.cells.assign(5, {"–", {}});
            row.cells.push_back({outcome ? verdict_text(*outcome) : "–", {}});
            if (outcome && outcome->probe)
                table.notes.push_back(
                    fmt::format("{}: a volatile cache of up to {} was assumed; {} read, {}, {:.1f} s.", title,
                                size_text(outcome->probe->assumed_cache), size_text(outcome->probe->read),
                                rounds_text(outcome->probe->rounds),
                                std::chrono::duration<double>(outcome->probe->elapsed).count()));
            if (outcome && outcome->restored)
                table.notes.push_back(outcome->restored->lost == 0
                                          ? fmt::format("{}: the content of {} places, {}, was restored and compared.",
                                                        title, outcome->restored->places,
                                                        size_text(outcome->restored->bytes))
                                          : fmt::format("{}: {} sectors did not accept their former content.", title,
                                                        outcome->restored->lost));
            if (outcome && outcome->resumed_at)
                table.notes.push_back(
                    fmt::format("{}: reading was resumed at {}; an earlier attempt verified the data before it.", title,
                                size_text(*outcome->resumed_at)));
            const suites::MetricLookup value_of = figures_of(*passes[i]);
            for (const Access access : {Access::sequential_write, Access::sequential_read}) {
                const auto rate =
                    value_of({.table = table_of_rates, .access = access, .block = {}, .value = Value::mb_per_s});
                row.cells.push_back(figure_text(rate ? std::vector{*rate} : std::vector<double>(), 1));
            }
            table.rows.push_back(std::move(row));
        }
    }
    const bool verified = std::any_of(table.rows.begin(), table.rows.end(), [](const TableRow& row) {
        return std::any_of(row.cells.begin(), row.cells.end(), [](const TableCell& c) { return c.value != "–"; });
    });
    if (!verified) return std::nullopt;
    return table;
}

} // namespace

std::vector<Table> tables_of(const store::CampaignView& campaign, const Figures& figures) {
    std::vector<Table> tables;
    for (const std::string& suite : figures.suites()) {
        const std::vector<Subject> subjects = figures.subjects(suite);
        const std::string caveat = caveat_about(campaign, subjects);
        const std::vector<std::string> departures = departures_of(campaign, suite);
        const auto keep = [&](std::optional<Table> table, const std::string& passes) {
            if (!table) return;
            table->caveat = caveat;
            table->notes.push_back(passes);
            table->notes.insert(table->notes.end(), departures.begin(), departures.end());
            tables.push_back(std::move(*table));
        };
        const std::string passes = note_on_passes(campaign, subjects, suite);
        keep(sweep_table(campaign, figures, suite), passes);
        keep(sequential_table(figures, suite), passes);
        keep(operations_table(campaign, figures, suite), passes);
        for (const Subject& subject : subjects)
            keep(view_of(campaign, figures, subject, suite), note_on_passes(campaign, {subject}, suite));
        // The capacity of a medium does not depend on a driver.
        if (auto table = verify_table(campaign, figures, suite)) tables.push_back(std::move(*table));
    }
    return tables;
}

void remove_repeated_caveats(std::vector<Table>& tables) {
    std::set<std::string> said;
    for (Table& table : tables)
        if (!table.caveat.empty() && !said.insert(table.caveat).second) table.caveat.clear();
}

const workload::JobSpec* job_of(const store::CampaignView& campaign, const Subject& subject, const std::string& suite) {
    for (const store::PassView& pass : campaign.devices[subject.device].passes)
        if (pass.pass.job.suite == suite && pass.pass.format == subject.format) return &pass.pass.job;
    return nullptr;
}

bool served_by_process(const store::DeviceView& device, const std::string& format) {
    return std::ranges::any_of(device.passes, [&](const store::PassView& pass) {
        if (pass.pass.format != format) return false;
        if (pass.pass.mounted) return pass.pass.mounted->driver.ends_with("fuse");
        // For a folder given by the user, this finding is the only source about limits of its driver; each mount
        // reports the limits once.
        return std::ranges::any_of(pass.findings, [](const auto& found) {
            return found.cell.empty() && found.kind == measure::FindingKind::driver_limit;
        });
    });
}

namespace {

std::string printed(double value, int decimals) {
    if (std::isnan(value)) return "–";
    return std::isinf(value) ? "+++++" : fmt::format("{:.{}f}", value, decimals);
}

/// Number of decimals that the table prints; 0 for a column with a separate unit and whole numbers.
int decimals_of(const published::PublishedTable& known, std::size_t column) {
    const bool whole = known.unit.empty() && std::ranges::all_of(known.rows, [&](const published::Row& row) {
                           const double value = row.values[column];
                           return !std::isfinite(value) || value == std::floor(value);
                       });
    return whole ? 0 : known.decimals;
}

Table published_table(const published::PublishedTable& known) {
    // Two tables may have the same tool and device: the name distinguishes them, and 'mediarig published show' accepts
    // it.
    Table table{.title = fmt::format("Published: {} ({}): {}", known.tool, known.name, known.device),
                .label_title = known.unit,
                .notes = {fmt::format("Source: {}. Host: {}.", known.source, known.host),
                          fmt::format("Before a comparison: {}.", known.differs)},
                .blocks = {{.title = known.format, .device = 0, .columns = known.columns}}};
    if (!known.scores.empty())
        table.notes.insert(table.notes.begin(),
                           fmt::format("Score for writes {:.0f}, for reads {:.0f}.", known.scores[0], known.scores[1]));
    for (const published::Row& row : known.rows) {
        TableRow drawn{.label = row.label, .kind = RowKind::body};
        for (std::size_t i = 0; i < known.columns.size(); ++i)
            drawn.cells.push_back({printed(row.values[i], decimals_of(known, i)), {}});
        table.rows.push_back(std::move(drawn));
    }
    return table;
}

/// Returns the figures of sweeps in rows of one format each, as DiskTester publishes them: "exFAT, 256 KB", "exFAT,
/// write".
std::vector<Table> tables_by_format(const Figures& figures, const std::string& suite) {
    Table rates, operations;
    for (const Subject& subject : figures.subjects(suite)) {
        const auto passes = [&](const SweepRow& row, Access access, Value value) {
            return figures.passes(subject, suite,
                                  {.table = row.table, .access = access, .block = row.block, .value = value});
        };
        const std::string format = format_title(subject.format);
        for (const SweepRow& row : figures.rows(suite)) {
            if (suites::shape_of(row.table) == Shape::transfer_sizes) {
                TableRow line{.label = fmt::format("{}, {}", format, block_title(row.block))};
                for (const Access access : {Access::sequential_write, Access::sequential_read})
                    line.cells.push_back(figure_text(in_mebibytes(passes(row, access, Value::mb_per_s)), 1));
                rates.rows.push_back(std::move(line));
            } else if (suites::shape_of(row.table) == Shape::operations) {
                for (const Access access : {Access::random_write, Access::random_read})
                    operations.rows.push_back(
                        {.label = fmt::format("{}, {}", format, workload::writes(access) ? "write" : "read"),
                         .cells = {figure_text(passes(row, access, Value::seconds), 1),
                                   small_figure_text(in_mebibytes(passes(row, access, Value::mb_per_s)), 1),
                                   small_figure_text(passes(row, access, Value::ops_per_s), 0)}});
            }
        }
    }
    rates.blocks = {{.title = "all formats", .columns = {"write", "read"}}};
    operations.blocks = {{.title = "all formats", .columns = {"seconds", "MiB/s", "ops/s"}}};
    return {rates, operations};
}

/// Returns the measured tables whose rows and columns have the names and units of published ones.
std::vector<Table> tables_like_published(const store::CampaignView& campaign, const Figures& figures,
                                         const std::string& suite) {
    std::vector<Table> tables = tables_by_format(figures, suite);
    if (auto sweep = sweep_table(campaign, figures, suite, Megabyte::binary)) tables.push_back(std::move(*sweep));
    for (const Subject& subject : figures.subjects(suite))
        if (auto view = view_of(campaign, figures, subject, suite)) tables.push_back(std::move(*view));
    return tables;
}

/// A larger number of measured blocks would hide the published block.
constexpr std::size_t most_measured_blocks = 4;

/// Adds the measured figures of the same cells before the published ones: rows with the same label, columns with the
/// same title or, if the published columns are formats, with the unit of the table.
void add_measured(Table& table, const published::PublishedTable& known, const std::vector<Table>& measured) {
    std::vector<TableBlock> blocks;
    std::vector<std::vector<TableCell>> cells(table.rows.size());
    for (const Table& own : measured) {
        std::size_t first = 0; // index of the first cell of the block
        for (const TableBlock& block : own.blocks) {
            TableBlock same{.title = "measured, " + block.title};
            std::vector<std::size_t> places;
            for (std::size_t i = 0; i < block.columns.size(); ++i)
                if (block.columns[i] == known.unit ||
                    std::ranges::find(known.columns, block.columns[i]) != known.columns.end()) {
                    same.columns.push_back(block.columns[i]);
                    places.push_back(first + i);
                }
            first += block.columns.size();
            const auto row_of = [&](const TableRow& row) {
                return std::ranges::find(own.rows, row.label, &TableRow::label);
            };
            const bool any =
                std::ranges::any_of(table.rows, [&](const TableRow& row) { return row_of(row) != own.rows.end(); });
            if (places.empty() || !any || blocks.size() == most_measured_blocks) continue;
            for (std::size_t i = 0; i < table.rows.size(); ++i) {
                const auto row = row_of(table.rows[i]);
                for (const std::size_t place : places)
                    cells[i].push_back(row == own.rows.end() ? TableCell{"–", {}} : row->cells[place]);
            }
            blocks.push_back(std::move(same));
        }
    }
    if (blocks.empty()) return;
    for (std::size_t i = 0; i < table.rows.size(); ++i)
        table.rows[i].cells.insert(table.rows[i].cells.begin(), cells[i].begin(), cells[i].end());
    table.blocks.front().title = "published, " + table.blocks.front().title;
    table.blocks.insert(table.blocks.begin(), blocks.begin(), blocks.end());
}

} // namespace

std::vector<Table> published_tables_of(const store::CampaignView& campaign, const Figures& figures) {
    std::vector<Table> tables;
    for (const std::string& suite : figures.suites()) {
        const std::vector<Table> measured = tables_like_published(campaign, figures, suite);
        for (const published::PublishedTable& known : published::all_tables()) {
            if (known.suite != suite) continue;
            tables.push_back(published_table(known));
            add_measured(tables.back(), known, measured);
        }
    }
    return tables;
}

} // namespace mediarig::report
