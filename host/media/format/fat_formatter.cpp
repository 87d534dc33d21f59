// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/fat_formatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "host/media/inspect/read_fat.hpp"
#include "host/media/text.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;

const Tool maker{.program = "mkfs.fat", .package = "dosfstools"};
const Tool checker{.program = "fsck.fat", .package = "dosfstools"};

constexpr std::size_t longest_label = 11;
constexpr std::size_t most_lines = 50;
constexpr std::uint64_t root_entries = 512; ///< of FAT12 and FAT16
constexpr std::uint64_t most_sectors = 0xFFFF'FFFF;

/// The count of clusters alone decides what a driver takes a volume for. Source: Microsoft, "FAT32 File System
/// Specification".
struct Width {
    FileSystem fs;
    unsigned bits;
    std::uint64_t least, most;    ///< clusters
    std::uint32_t least_reserved; ///< FAT32: up to the copies of boot sector and FSInfo
};
constexpr Width widths[] = {{FileSystem::fat12, 12, 1, 4084, 1},
                            {FileSystem::fat16, 16, 4085, 65524, 1},
                            {FileSystem::fat32, 32, 65525, 0x0FFFFFF4, 9}};

const Width& width_of(FileSystem fs) {
    const Width* const found = std::ranges::find(widths, fs, &Width::fs);
    return found == std::end(widths) ? widths[2] : *found;
}

/// What a label may hold on every system: the characters of a short name, which know no lower case.
bool is_label(const std::string& label) {
    constexpr std::string_view others = " !#$%&'()-@^_`{}~";
    return label.size() <= longest_label && !label.starts_with(' ') && !label.ends_with(' ') &&
           std::ranges::all_of(label, [&](char c) {
               return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || others.find(c) != std::string_view::npos;
           });
}

/// Clusters that fit behind the reserved sectors, the two FATs that they need, and the root directory.
std::uint64_t clusters_in(Bytes length, Bytes cluster, Bytes sector, std::uint64_t reserved, const Width& width) {
    const Bytes root = width.bits == 32 ? 0_B : Bytes{root_entries * 32};
    const Bytes front = sector * reserved + root;
    if (length <= front) return 0;
    const Bytes room = length - front;
    // Bytes that one cluster takes in both FATs: a fraction of bits / 4.
    const std::uint64_t most = room.count * 4 / (cluster.count * 4 + width.bits);
    const Bytes fats = align_up(Bytes{((most + 2) * width.bits + 7) / 8}, sector) * 2;
    return room > fats ? (room - fats) / cluster : 0;
}

Result<void> check_cluster(const FormatSpec& spec, Bytes length, Bytes sector, const Width& width) {
    const Bytes cluster = *spec.cluster_size, largest = sector * 128;
    if (!std::has_single_bit(cluster.count) || cluster < sector || cluster > largest)
        return fail(Errc::bad_request, fmt::format("cluster size {}: {} on this medium takes powers of two from {} to "
                                                   "{}",
                                                   cluster.count, title_of(spec.fs), sector.count, largest.count));
    const std::uint64_t clusters =
        clusters_in(length, cluster, sector, spec.reserved_sectors.value_or(width.least_reserved), width);
    if (clusters < width.least || clusters > width.most)
        return fail(Errc::bad_request,
                    fmt::format("cluster size {}: a medium of {} bytes would have {} clusters, and {} has {} to {}; "
                                "take another size",
                                cluster.count, length.count, clusters, title_of(spec.fs), width.least, width.most));
    return {};
}

std::vector<std::string> arguments_for(const Ground& ground, const FormatSpec& spec) {
    const Width& width = width_of(spec.fs);
    // -I: a device without partitions is meant; --mbr=no: and it gets no pretended table.
    std::vector<std::string> arguments{"-I", "--mbr=no", "-F", std::to_string(width.bits),
                                       "-f", "2",        "-S", std::to_string(ground.sector)};
    if (spec.cluster_size)
        arguments.insert(arguments.end(), {"-s", std::to_string(spec.cluster_size->count / ground.sector)});
    // -a: exactly so many, instead of what mkfs.fat aligns to.
    if (spec.reserved_sectors) arguments.insert(arguments.end(), {"-a", "-R", std::to_string(*spec.reserved_sectors)});
    if (width.bits != 32) arguments.insert(arguments.end(), {"-r", std::to_string(root_entries)});
    if (ground.start != 0_B)
        arguments.insert(arguments.end(), {"-h", std::to_string(ground.start / Bytes{ground.sector})});
    if (!spec.label.empty()) arguments.insert(arguments.end(), {"-n", spec.label});
    arguments.emplace_back(held_device);
    return arguments;
}

Result<FatVolume> read_back(const Ground& ground, const FormatSpec& spec) {
    // mkfs.fat does not sync: until here the file system may be in this machine's memory alone.
    if (auto dropped = drop_cached(ground.descriptor); !dropped) return fail(dropped.error());
    const auto unreadable = [&ground](const std::string& why) {
        return fail(Errc::io_failed,
                    fmt::format("{} does not hold what mkfs.fat wrote: {}; check the medium", ground.node, why));
    };
    const auto volume = read_fat({ground.descriptor, ground.length}, {}, ground.length);
    if (!volume) return unreadable(volume.error().detail);
    if (!volume->problem.empty()) return unreadable(volume->problem);
    const FatBoot& boot = volume->boot;
    if (boot.bits != width_of(spec.fs).bits) return unreadable(fmt::format("FAT{}", boot.bits));
    if (spec.cluster_size && boot.cluster_size != *spec.cluster_size)
        return unreadable(fmt::format("cluster size {}", boot.cluster_size.count));
    if (spec.reserved_sectors && boot.reserved_sectors != *spec.reserved_sectors)
        return unreadable(fmt::format("{} reserved sectors", boot.reserved_sectors));
    if (!spec.label.empty() && volume->root_label != spec.label)
        return unreadable(fmt::format("label '{}'", volume->root_label.value_or("")));
    return *volume;
}

} // namespace

Result<void> check_fat_spec(const FormatSpec& spec, Bytes length, Bytes sector) {
    const std::string_view title = title_of(spec.fs);
    if (const std::string member = foreign_member(spec); !member.empty())
        return fail(Errc::bad_request, fmt::format("{}: {} takes none, leave it out", member, title));
    if (!is_label(spec.label))
        return fail(Errc::bad_request, fmt::format("the label '{}': {} takes at most {} of A-Z, 0-9, space and "
                                                   "!#$%&'()-@^_`{{}}~",
                                                   printable(spec.label), title, longest_label));
    const Width& width = width_of(spec.fs);
    if (spec.reserved_sectors && (*spec.reserved_sectors < width.least_reserved || *spec.reserved_sectors > 0xFFFF))
        return fail(Errc::bad_request, fmt::format("{} reserved sectors: {} takes {} to 65535", *spec.reserved_sectors,
                                                   title, width.least_reserved));
    if (length / sector > most_sectors)
        return fail(
            Errc::bad_request,
            fmt::format("a medium of {} bytes is too large for {}: it counts sectors in 32 bits", length.count, title));
    if (spec.cluster_size) return check_cluster(spec, length, sector, width);
    // Without a size mkfs.fat looks for one that fits, from one sector to 128.
    const std::uint64_t reserved = spec.reserved_sectors.value_or(width.bits == 32 ? 32 : 1);
    if (clusters_in(length, sector, sector, reserved, width) < width.least ||
        clusters_in(length, sector * 128, sector, reserved, width) > width.most)
        return fail(Errc::bad_request,
                    fmt::format("a medium of {} bytes is too {} for {}: it has {} to {} clusters of {} to {} bytes",
                                length.count, length / sector < width.least + reserved * 2 ? "small" : "large", title,
                                width.least, width.most, sector.count, sector.count * 128));
    return {};
}

bool FatFormatter::handles(FileSystem fs) const {
    return fs == FileSystem::fat32 || fs == FileSystem::fat16 || fs == FileSystem::fat12;
}

Result<void> FatFormatter::prepare(const FormatSpec& spec, Bytes length, std::uint32_t sector) {
    if (auto possible = check_fat_spec(spec, length, {sector}); !possible) return possible;
    const auto version = version_of(maker, "--help", setting_);
    if (!version) return fail(version.error());
    return {};
}

Result<FormatReport> FatFormatter::make(const Ground& ground, const FormatSpec& spec) {
    const auto version = version_of(maker, "--help", setting_);
    if (!version) return fail(version.error());
    const auto started = std::chrono::steady_clock::now();
    const std::vector<std::string> arguments = arguments_for(ground, spec);
    const auto finished = run_tool(maker, arguments, ground.descriptor, setting_, 30min);
    if (!finished) return fail(finished.error());
    if (!finished->succeeded())
        return fail(Errc::io_failed, fmt::format("mkfs.fat failed on {} with {}", ground.node, failure_of(*finished)));
    const auto volume = read_back(ground, spec);
    if (!volume) return fail(volume.error());
    return FormatReport{.fs = spec.fs,
                        .tool = maker.program,
                        .tool_version = *version,
                        .arguments = arguments,
                        .parameters = parameters_of(*volume),
                        .usable = volume->free(),
                        .elapsed = std::chrono::steady_clock::now() - started,
                        .partition = {}};
}

Result<CheckReport> FatFormatter::check(const Ground& ground, FileSystem /*fs*/) {
    if (auto dropped = drop_cached(ground.descriptor); !dropped) return fail(dropped.error());
    const auto finished = run_tool(checker, {"-n", held_device}, ground.descriptor, setting_, 60min);
    if (!finished) return fail(finished.error());
    CheckReport report{.tool = checker.program,
                       .tool_version = version_in(*finished),
                       .clean = finished->succeeded(),
                       .said = lines_of(*finished, most_lines - 1)};
    if (!finished->succeeded()) report.said.push_back("fsck.fat ended with " + process::ending_of(*finished));
    const auto volume = read_fat({ground.descriptor, ground.length}, {}, ground.length);
    const std::string problem = !volume                                        ? volume.error().detail
                                : !volume->problem.empty()                     ? volume->problem
                                : volume->head && !volume->head->no_hard_error ? "a driver met bad sectors"
                                : volume->head && !volume->head->clean         ? "the volume was not unmounted properly"
                                                                               : "";
    if (!problem.empty()) {
        report.clean = false;
        if (report.said.size() == most_lines) report.said.pop_back();
        report.said.push_back(problem);
    }
    return report;
}

} // namespace mediarig::media
