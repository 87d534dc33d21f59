// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/medium_format.hpp"

#include <unistd.h>

#include "host/media/format/table_writer.hpp"
#include "host/media/format/wipe.hpp"
#include "host/media/inspect/medium_reader.hpp"
#include "host/media/partition/partition_view.hpp"

namespace mediarig::media {
namespace {

/// What a Mac's EFI partition holds: an empty FAT32 with clusters of one sector.
const FormatSpec efi_volume{.fs = FileSystem::fat32, .cluster_size = 512_B, .label = "EFI"};

/// Each partition of the plan with what goes into it.
struct Content {
    PlannedPartition partition;
    Formatter* formatter{};
    FormatSpec spec;
};

Result<std::vector<Content>> contents_of(const TablePlan& plan, Formatter& main, const FormatSpec& spec,
                                         const Formatters& formatters) {
    std::vector<Content> contents;
    for (std::size_t i = 0; i + 1 < plan.partitions.size(); ++i) {
        const auto formatter = select_formatter(formatters, efi_volume.fs);
        if (!formatter) return fail(formatter.error());
        contents.push_back({plan.partitions[i], *formatter, efi_volume});
    }
    contents.push_back({plan.main(), &main, spec});
    return contents;
}

Result<FormatReport> make_in_partition(const ErasableMedium& medium, const Content& content) {
    auto view = open_partition(medium, content.partition.start, content.partition.length);
    if (!view) return fail(view.error());
    const Ground ground{.descriptor = view->descriptor(),
                        .start = view->start(),
                        .length = view->length(),
                        .sector = medium.medium().logical_sector,
                        .node = view->node()};
    auto made = content.formatter->make(ground, content.spec);
    if (auto given_back = view->give_back(); made && !given_back) return fail(given_back.error());
    return made;
}

Result<FormatReport> format_with_table(ErasableMedium& medium, Discovery& discovery, Formatter& main,
                                       const Formatters& formatters, const FormatSpec& spec,
                                       const ToolSetting& setting) {
    const Bytes size = medium.medium().size, sector{medium.medium().logical_sector};
    const auto plan = plan_table(*spec.partition, spec.fs, size, sector);
    if (!plan) return fail(plan.error());
    const auto contents = contents_of(*plan, main, spec, formatters);
    if (!contents) return fail(contents.error());
    for (const Content& content : *contents)
        if (auto possible =
                content.formatter->prepare(content.spec, content.partition.length, medium.medium().logical_sector);
            !possible)
            return fail(possible.error());
    if (const auto version = table_tool_version(setting); !version) return fail(version.error());

    std::vector<WipedSpan> volumes;
    for (const PlannedPartition& partition : plan->partitions) volumes.push_back({partition.start, partition.length});
    if (auto wiped = wipe_signatures(medium, discovery, volumes); !wiped) return fail(wiped.error());
    if (auto checked = medium.recheck(discovery); !checked) return fail(checked.error());
    auto partition = write_table(medium.descriptor(), size, medium.medium().node, *plan, setting);
    if (!partition) return fail(partition.error());
    FormatReport report;
    for (const Content& content : *contents) {
        auto made = make_in_partition(medium, content);
        if (!made) return fail(made.error());
        report = std::move(*made);
    }
    // What was read of the medium before is not what the partition's device has written since.
    if (auto dropped = drop_cached(medium.descriptor()); !dropped) return fail(dropped.error());
    report.partition = std::move(*partition);
    return report;
}

} // namespace

Ground whole(const ErasableMedium& medium) {
    return {.descriptor = medium.descriptor(),
            .start = {},
            .length = medium.medium().size,
            .sector = medium.medium().logical_sector,
            .node = medium.medium().node};
}

Result<FormatReport> format_medium(ErasableMedium& medium, Discovery& discovery, const Formatters& formatters,
                                   const FormatSpec& spec, const ToolSetting& setting) {
    const auto started = std::chrono::steady_clock::now();
    const auto formatter = select_formatter(formatters, spec.fs);
    if (!formatter) return fail(formatter.error());
    auto report = [&]() -> Result<FormatReport> {
        if (spec.partition) return format_with_table(medium, discovery, **formatter, formatters, spec, setting);
        const Medium& is = medium.medium();
        if (auto possible = (*formatter)->prepare(spec, is.size, is.logical_sector); !possible)
            return fail(possible.error());
        if (auto wiped = wipe_signatures(medium, discovery); !wiped) return fail(wiped.error());
        if (auto checked = medium.recheck(discovery); !checked) return fail(checked.error());
        return (*formatter)->make(whole(medium), spec);
    }();
    if (report) report->elapsed = std::chrono::steady_clock::now() - started;
    return report;
}

} // namespace mediarig::media
