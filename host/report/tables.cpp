// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "host/measure/scores.hpp"
#include "host/measure/statistics.hpp"
#include "host/metrics/metrics.hpp"
#include "host/report/caution.hpp"
#include "host/report/display_text.hpp"
#include "host/workload/names.hpp"

namespace mediarig::report {
namespace {

using workload::Access;

bool is_sweep_table(std::string_view table) {
    return table != "iops" && table != "sequential" && table != "verify";
}

std::size_t most_passes(const Figures& figures, std::string_view suite) {
    std::size_t most = 0;
    for (const Subject& subject : figures.subjects(suite))
        for (const SweepRow& row : figures.rows(suite))
            for (const Access access : figures.accesses(suite, row.table)) {
                const workload::CellSpec cell{
                    .id = {}, .table = row.table, .access = access, .block = row.block, .volume = {}, .time_limit = {}};
                most = std::max(most, figures.passes(subject, suite, metrics::stem_of(cell) + ".mb_per_s").size());
            }
    return most;
}

std::string passes_note(std::size_t passes) {
    if (passes < 2) return "One pass: its scatter is unknown.";
    return fmt::format("Mean of up to {} passes; ± is half the range of the passes.", passes);
}

/// `decimals`, as DiskTester prints it, and enough of them to see a small value at all.
FigureText small_figure_text(const std::vector<double>& passes, int decimals) {
    const double mean = measure::mean(passes).value_or(0);
    if (mean > 0 && mean < 1) return figure_text(passes, decimals + 2);
    return figure_text(passes, mean < 10 ? std::max(decimals, 1) : decimals);
}

/// Rows of block sizes, one block of columns per subject, the averages below.
std::optional<Table> sweep_table(const Figures& figures, const std::string& suite) {
    std::vector<SweepRow> rows = figures.rows(suite);
    std::erase_if(rows, [](const SweepRow& row) { return !is_sweep_table(row.table); });
    if (rows.empty()) return std::nullopt;

    std::set<Access> used;
    for (const SweepRow& row : rows)
        for (const Access access : figures.accesses(suite, row.table)) used.insert(access);
    const std::vector<Access> accesses(used.begin(), used.end());
    const std::vector<Subject> subjects = figures.subjects(suite);

    Table table{.title = suite_title(suite) + " block sizes, MB/s",
                .label_title = "Block",
                .notes = {passes_note(most_passes(figures, suite))},
                .blocks = {},
                .rows = {}};
    for (const Subject& subject : subjects) {
        TableBlock block{.title = subject.title, .device = subject.device, .columns = {}};
        for (const Access access : accesses) block.columns.emplace_back(column_title(access));
        table.blocks.push_back(std::move(block));
    }

    const auto add_row = [&](const std::string& label, RowKind kind, const auto& metric_of) {
        TableRow row{.label = label, .kind = kind, .cells = {}};
        bool any = false;
        for (const Subject& subject : subjects)
            for (const Access access : accesses) {
                const std::vector<double>& passes = figures.passes(subject, suite, metric_of(access));
                any = any || !passes.empty();
                row.cells.push_back(figure_text(passes, 3));
            }
        if (any) table.rows.push_back(std::move(row));
        return any;
    };
    const auto has_average = [&](const std::string& name) {
        return std::any_of(subjects.begin(), subjects.end(), [&](const Subject& subject) {
            return std::any_of(accesses.begin(), accesses.end(), [&](Access access) {
                return !figures
                            .passes(subject, suite,
                                    fmt::format("{}.{}.average_mb_per_s", name, workload::name_of(access)))
                            .empty();
            });
        });
    };
    for (const SweepRow& row : rows) {
        const bool summed_up = row.table != "standard" && has_average(row.table);
        add_row(block_title(row.block), summed_up ? RowKind::detail : RowKind::body,
                [&](Access access) { return stem(row.table, access, row.block) + ".mb_per_s"; });
    }
    const auto column = [](std::string_view name, std::string_view value) {
        return [=](Access access) { return fmt::format("{}.{}.{}", name, workload::name_of(access), value); };
    };
    if (add_row("Average", RowKind::summary, column("standard", "average_mb_per_s"))) {
        add_row("Time-wtd", RowKind::summary, column("standard", "time_weighted_mb_per_s"));
        table.notes.emplace_back(
            "Average: arithmetic mean of the rows 4 to 1024 KB, QuickBench-compatible. Time-wtd: harmonic mean, the "
            "rate "
            "of equal volumes at each size.");
    }
    const bool large = add_row("Lg Ave", RowKind::summary, column("large", "average_mb_per_s"));
    const bool extended = add_row("Ext Ave", RowKind::summary, column("extended", "average_mb_per_s"));
    if (large || extended) table.notes.emplace_back("Lg Ave: 2 to 10 MB. Ext Ave: 20 to 100 MB.");
    return table;
}

/// Rows of subjects, a block of columns per transfer size.
std::optional<Table> sequential_table(const Figures& figures, const std::string& suite) {
    std::vector<SweepRow> rows = figures.rows(suite);
    std::erase_if(rows, [](const SweepRow& row) { return row.table != "sequential"; });
    if (rows.empty()) return std::nullopt;
    Table table{.title = suite_title(suite) + " sequential, MB/s",
                .label_title = "",
                .notes = {passes_note(most_passes(figures, suite))},
                .blocks = {},
                .rows = {}};
    for (const SweepRow& row : rows)
        table.blocks.push_back({.title = block_title(row.block), .device = 0, .columns = {"Write", "Read"}});
    for (const Subject& subject : figures.subjects(suite)) {
        TableRow row{.label = subject.title, .kind = RowKind::body, .cells = {}};
        for (const SweepRow& size : rows)
            for (const Access access : {Access::sequential_write, Access::sequential_read})
                row.cells.push_back(
                    figure_text(figures.passes(subject, suite, stem(size.table, access, size.block) + ".mb_per_s"), 1));
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// The volume and transfer size of the first IOPS cell of a suite.
std::optional<workload::CellSpec> iops_cell(const store::CampaignView& campaign, const std::string& suite) {
    for (const store::DeviceView& device : campaign.devices)
        for (const store::PassView& pass : device.passes)
            for (const workload::CellResult& cell : pass.cells)
                if (pass.pass.job.suite == suite && cell.cell.table == "iops") return cell.cell;
    return std::nullopt;
}

bool any_cut_short(const store::CampaignView& campaign, const std::string& suite) {
    for (const store::DeviceView& device : campaign.devices)
        for (const store::PassView& pass : device.passes)
            for (const workload::CellResult& cell : pass.cells)
                if (pass.pass.job.suite == suite && cell.cell.table == "iops" && cell.end == workload::CellEnd::time)
                    return true;
    return false;
}

std::optional<Table> iops_table(const store::CampaignView& campaign, const Figures& figures, const std::string& suite) {
    const auto cell = iops_cell(campaign, suite);
    if (!cell) return std::nullopt;
    const bool published =
        cell->volume == measure::disktester_iops_volume && cell->block == measure::disktester_iops_block;
    Table table{.title = fmt::format("{} IOPS: {} MiB in operations of {}", suite_title(suite),
                                     cell->volume.count >> 20, block_title(cell->block)),
                .label_title = "",
                .notes = {"MB/s as DiskTester counts it: 1 MB = 2^20 bytes."},
                .blocks = {},
                .rows = {}};
    if (!published)
        table.notes.emplace_back("DiskTester's own volume is 256 MiB in operations of 8 KB: seconds do not compare.");
    if (any_cut_short(campaign, suite))
        table.notes.emplace_back("Some cells were ended by time: their seconds are those of the part that was moved.");
    std::vector<Access> accesses = figures.accesses(suite, "iops");
    std::reverse(accesses.begin(), accesses.end()); // write before read, as DiskTester prints it
    for (const Access access : accesses)
        table.blocks.push_back(
            {.title = std::string(text_for(access)), .device = 0, .columns = {"seconds", "MB/s", "ops/s"}});
    for (const Subject& subject : figures.subjects(suite)) {
        TableRow row{.label = subject.title, .kind = RowKind::body, .cells = {}};
        for (const Access access : accesses) {
            const std::string name = stem("iops", access, cell->block);
            std::vector<double> binary = figures.passes(subject, suite, name + ".mb_per_s");
            for (double& value : binary) value = Rate{value * 1e6}.mebibytes_per_second();
            row.cells.push_back(figure_text(figures.passes(subject, suite, name + ".seconds"), 1));
            row.cells.push_back(small_figure_text(binary, 1));
            row.cells.push_back(small_figure_text(figures.passes(subject, suite, name + ".ops_per_s"), 0));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string verdict_text(const workload::VerifyOutcome& outcome) {
    if (!outcome.verdict) return "–";
    if (outcome.fake) return fmt::format("FAKE, {}", workload::name_of(*outcome.fake));
    return std::string(workload::name_of(*outcome.verdict));
}

std::optional<Table> verify_table(const store::CampaignView& campaign, const Figures& figures,
                                  const std::string& suite) {
    const bool probed = suite == "capacity";
    Table table{
        .title = probed ? "True capacity: probed with few writes" : "Verify: written, read back, every byte compared",
        .label_title = "",
        .notes = {},
        .blocks = {{.title = "capacity",
                    .device = 0,
                    .columns = {"claimed", "written", probed ? "sampled good" : "good", "damaged", "really holds",
                                "verdict"}},
                   {.title = "MB/s", .device = 0, .columns = {"Write", "Read"}}},
        .rows = {}};
    for (const Subject& subject : figures.subjects(suite)) {
        std::optional<workload::VerifyOutcome> last;
        for (const store::PassView& pass : campaign.devices[subject.device].passes)
            if (pass.pass.job.suite == suite && pass.pass.format == subject.format && pass.end && pass.end->verify)
                last = pass.end->verify;
        TableRow row{.label = subject.title, .kind = RowKind::body, .cells = {}};
        if (last)
            for (const std::optional<Bytes> amount :
                 {std::optional(last->claimed), std::optional(last->written), std::optional(last->good),
                  std::optional(last->damaged_bytes), last->true_capacity})
                row.cells.push_back({amount ? size_text(*amount) : "–", {}});
        else
            row.cells.assign(5, {"–", {}});
        row.cells.push_back({last ? verdict_text(*last) : "–", {}});
        if (last && last->probe)
            table.notes.push_back(
                fmt::format("{}: a volatile cache of up to {} was assumed; {} read, {} rounds, {:.1f} s.",
                            subject.title, size_text(last->probe->assumed_cache), size_text(last->probe->read),
                            last->probe->rounds, std::chrono::duration<double>(last->probe->elapsed).count()));
        if (last && last->resumed_at)
            table.notes.push_back(
                fmt::format("{}: the reading was continued at {}; what is below was found good by an "
                            "earlier attempt.",
                            subject.title, size_text(*last->resumed_at)));
        row.cells.push_back(figure_text(figures.passes(subject, suite, "verify.write.mb_per_s"), 1));
        row.cells.push_back(figure_text(figures.passes(subject, suite, "verify.read.mb_per_s"), 1));
        table.rows.push_back(std::move(row));
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
        const std::string caution = caution_about(campaign, figures.subjects(suite));
        const auto keep = [&](std::optional<Table> table) {
            if (!table) return;
            table->caution = caution;
            tables.push_back(std::move(*table));
        };
        keep(sweep_table(figures, suite));
        keep(sequential_table(figures, suite));
        keep(iops_table(campaign, figures, suite));
        // What a medium holds does not hang on a driver.
        if (auto table = verify_table(campaign, figures, suite)) tables.push_back(std::move(*table));
    }
    return tables;
}

} // namespace mediarig::report
