// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/medium_format.hpp"

#include <fmt/format.h>

#include "host/media/claim/linux/kernel/node_lock.hpp"
#include "host/media/format/linux/format_target.hpp"
#include "host/media/format/linux/table_writer.hpp"
#include "host/media/format/linux/wipe.hpp"
#include "host/media/format/partition/linux/find_volume.hpp"
#include "host/media/format/partition/linux/medium_view.hpp"

namespace mediarig::media {
namespace {

/// A Mac's EFI partition: an empty FAT32 with clusters of one sector.
const FormatSpec efi_volume{.fs = FileSystem::fat32, .cluster_size = 512_B, .label = "EFI"};

/// A partition of the plan and its file system.
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

/// After the first write no error may be `refused` or `bad_request`: those codes promise an unchanged medium.
Error after_erasing(Error error, const std::string& node) {
    const bool cancelled = error.code == Errc::cancelled;
    if (error.code != Errc::refused && error.code != Errc::bad_request && !cancelled) return error;
    return {cancelled ? Errc::cancelled : Errc::io_failed,
            fmt::format("{}; {} is already erased: format it again", error.detail, node)};
}

FormatTarget planned(const ErasableMedium& medium, const PlannedPartition& partition) {
    return {.descriptor = -1,
            .start = partition.start,
            .length = partition.length,
            .sector = medium.medium().logical_sector,
            .node = medium.medium().node};
}

/// Uses a separate device, since the claim holds the medium exclusively and most tools also open their device
/// exclusively.
Result<FormatReport> make_in_span(const ErasableMedium& medium, Formatter& formatter, const FormatSpec& spec,
                                  const VolumeSpan& span, const ViewAccess& access) {
    auto view = open_view(medium, span.start, span.length, access);
    if (!view) return fail(view.error());
    auto made = formatter.make(format_target(medium, *view), spec);
    if (auto detached = view->detach(); made && !detached) return fail(detached.error());
    return made;
}

/// Values that are decided before the first write.
struct FormatDecisions {
    TablePlan plan;
    std::vector<Content> contents;
};

Result<FormatDecisions> prepare_table(const ErasableMedium& medium, Formatter& main, const Formatters& formatters,
                                      const FormatSpec& spec, const ToolSetting& setting, const ViewAccess& access) {
    const auto plan = plan_table(*spec.partition, spec.fs, medium.medium().size, Bytes{medium.medium().logical_sector});
    if (!plan) return fail(plan.error());
    auto contents = contents_of(*plan, main, spec, formatters);
    if (!contents) return fail(contents.error());
    for (const Content& content : *contents)
        if (auto possible = content.formatter->prepare(content.spec, planned(medium, content.partition)); !possible)
            return fail(possible.error());
    if (const auto version = table_tool_version(setting); !version) return fail(version.error());
    if (auto possible = check_view(medium, plan->main().start, plan->main().length, access); !possible)
        return fail(possible.error());
    return FormatDecisions{*plan, std::move(*contents)};
}

Result<CreatedPartition> write_table_through_view(const ErasableMedium& medium, const TablePlan& plan,
                                                  const ToolSetting& setting, const ViewAccess& access) {
    auto view = open_view(medium, {}, medium.medium().size, access);
    if (!view) return fail(view.error());
    auto partition = write_table(view->descriptor(), medium.medium().size, medium.medium().node, plan, setting);
    if (auto detached = view->detach(); partition && !detached) return fail(detached.error());
    // The table was written through the node of the view, so the page cache of the medium's own node still has the old
    // table.
    if (auto dropped = drop_cached(medium.descriptor()); partition && !dropped) return fail(dropped.error());
    return partition;
}

Result<FormatReport> make_with_table(ErasableMedium& medium, Discovery& discovery, const FormatDecisions& prepared,
                                     const ToolSetting& setting, const ViewAccess& access) {
    if (auto checked = medium.recheck(discovery); !checked) return fail(checked.error());
    auto partition = write_table_through_view(medium, prepared.plan, setting, access);
    if (!partition) return fail(partition.error());
    FormatReport report;
    for (const Content& content : prepared.contents) {
        auto made = make_in_span(medium, *content.formatter, content.spec,
                                 {.start = content.partition.start, .length = content.partition.length}, access);
        if (!made) return fail(made.error());
        report = std::move(*made);
    }
    report.partition = std::move(*partition);
    return report;
}

Result<FormatReport> format_with_table(ErasableMedium& medium, Discovery& discovery, Formatter& main,
                                       const Formatters& formatters, const FormatSpec& spec, const ToolSetting& setting,
                                       const ViewAccess& access) {
    const auto prepared = prepare_table(medium, main, formatters, spec, setting, access);
    if (!prepared) return fail(prepared.error());
    std::vector<VolumeSpan> volumes;
    for (const PlannedPartition& partition : prepared->plan.partitions)
        volumes.push_back({partition.start, partition.length});
    if (auto wiped = wipe_signatures(medium, discovery, volumes); !wiped) return fail(wiped.error());
    auto report = make_with_table(medium, discovery, *prepared, setting, access);
    // The cached data of the medium is older than the writes through the partition's device.
    const auto dropped = medium.descriptor() < 0 ? Result<void>{} : drop_cached(medium.descriptor());
    if (!report) return fail(after_erasing(report.error(), medium.medium().node));
    if (!dropped) return fail(dropped.error());
    return report;
}

Result<FormatReport> format_whole(ErasableMedium& medium, Discovery& discovery, Formatter& formatter,
                                  const FormatSpec& spec, const ViewAccess& access) {
    if (auto possible = formatter.prepare(spec, whole(medium)); !possible) return fail(possible.error());
    const VolumeSpan span = whole_of(medium);
    if (auto possible = check_view(medium, span.start, span.length, access); !possible) return fail(possible.error());
    if (auto wiped = wipe_signatures(medium, discovery); !wiped) return fail(wiped.error());
    const std::string node = medium.medium().node;
    if (auto checked = medium.recheck(discovery); !checked) return fail(after_erasing(checked.error(), node));
    auto report = make_in_span(medium, formatter, spec, span, access);
    // Later readers must see the new contents. If dropping the cache fails here, it fails again for those readers.
    if (medium.descriptor() >= 0) (void)drop_cached(medium.descriptor());
    return report ? std::move(report) : fail(after_erasing(report.error(), node));
}

} // namespace

FormatTarget format_target(const ErasableMedium& medium, const MediumView& view) {
    return {.descriptor = view.descriptor(),
            .start = view.start(),
            .length = view.length(),
            .sector = medium.medium().logical_sector,
            .node = medium.medium().node,
            .medium_descriptor = medium.descriptor()};
}

Result<FormatReport> format_medium(ErasableMedium& medium, Discovery& discovery, const Formatters& formatters,
                                   const FormatSpec& spec, const ToolSetting& setting, const ViewAccess& access) {
    const auto started = std::chrono::steady_clock::now();
    const auto formatter = select_formatter(formatters, spec.fs);
    if (!formatter) return fail(formatter.error());
    auto report = spec.partition ? format_with_table(medium, discovery, **formatter, formatters, spec, setting, access)
                                 : format_whole(medium, discovery, **formatter, spec, access);
    if (report) report->elapsed = std::chrono::steady_clock::now() - started;
    return report;
}

} // namespace mediarig::media
