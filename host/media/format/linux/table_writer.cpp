// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/table_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/media/claim/linux/kernel/node_lock.hpp"
#include "host/media/inspect/read_table.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;

const Tool writer{.program = "sfdisk", .package = "fdisk"};

/// sfdisk needs "c" for "0x0c".
std::string_view without_prefix(std::string_view type) {
    return type.starts_with("0x") ? type.substr(2) : type;
}

Result<void> compare(const TablePlan& plan, const PartitionTable& found, const std::string& node) {
    const auto unreadable = [&node](const std::string& why) {
        return fail(
            Errc::io_failed,
            fmt::format("{} does not contain the partition table that sfdisk wrote: {}; check the medium", node, why));
    };
    if (!found.problem.empty()) return unreadable(found.problem);
    if (found.scheme != name_of(plan.scheme)) return unreadable(fmt::format("scheme {}", found.scheme));
    if (found.partitions.size() != plan.partitions.size())
        return unreadable(fmt::format("{} partitions", found.partitions.size()));
    for (std::size_t i = 0; i < plan.partitions.size(); ++i) {
        const PlannedPartition& planned = plan.partitions[i];
        const ListedPartition& listed = found.partitions[i];
        const auto type = std::ranges::find(listed.parameters, "partition_type", &Parameters::value_type::first);
        if (listed.start != planned.start || listed.length != planned.length || type == listed.parameters.end() ||
            type->second != planned.type)
            return unreadable(
                fmt::format("partition {} of {} bytes at byte {}", i + 1, listed.length.count, listed.start.count));
    }
    return {};
}

} // namespace

std::string sfdisk_script(const TablePlan& plan) {
    const bool gpt = plan.scheme == TableScheme::gpt;
    std::string script = fmt::format("label: {}\nunit: sectors\n", gpt ? "gpt" : "dos");
    // This is the first usable sector of the GPT. Without it, sfdisk sets 1 MiB and refuses earlier partitions.
    if (gpt)
        script +=
            fmt::format("first-lba: {}\n", usable_range(TableScheme::gpt, {~0ULL}, plan.sector).first / plan.sector);
    for (const PlannedPartition& partition : plan.partitions) {
        script += fmt::format("start={}, size={}, type={}", partition.start / plan.sector,
                              partition.length / plan.sector, without_prefix(partition.type));
        if (!partition.name.empty()) script += fmt::format(", name=\"{}\"", partition.name);
        script += '\n';
    }
    return script;
}

std::vector<std::string> table_writer_lacks(const ToolSetting& setting) {
    return missing_of({writer}, setting);
}

Result<std::string> table_tool_version(const ToolSetting& setting) {
    return version_of(writer, "--version", setting);
}

Result<CreatedPartition> write_table(int descriptor, Bytes medium, const std::string& node, const TablePlan& plan,
                                     const ToolSetting& setting) {
    const auto version = table_tool_version(setting);
    if (!version) return fail(version.error());
    // sfdisk need not wipe or notify: signatures are already wiped, and the kernel rereads the table when a partition
    // is opened.
    const std::vector<std::string> arguments{"--quiet", "--no-reread", "--no-tell-kernel",
                                             "--wipe",  "never",       "--wipe-partitions",
                                             "never",   "--lock=no",   held_device};
    const auto finished = run_tool(writer, arguments, descriptor, setting, 5min, sfdisk_script(plan));
    if (!finished) return fail(finished.error());
    if (!finished->succeeded())
        return fail(Errc::io_failed, fmt::format("sfdisk failed on {} with {}", node, failure_of(*finished)));
    if (auto dropped = drop_cached(descriptor); !dropped) return fail(dropped.error());
    const auto found = read_partition_table({descriptor, medium}, plan.sector);
    if (!found) return fail(found.error());
    if (auto same = compare(plan, *found, node); !same) return fail(same.error());
    return CreatedPartition{.table = plan.scheme,
                            .number = static_cast<std::uint32_t>(plan.partitions.size()),
                            .start = plan.main().start,
                            .length = plan.main().length,
                            .tool = writer.program,
                            .tool_version = *version};
}

} // namespace mediarig::media
