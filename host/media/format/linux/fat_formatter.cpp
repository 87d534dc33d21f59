// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/fat_formatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "host/base/text.hpp"
#include "host/media/format/linux/check_report.hpp"
#include "host/media/format/linux/format_target.hpp"
#include "host/media/format/linux/label.hpp"
#include "host/media/inspect/fat.hpp"
#include "host/media/inspect/read_fat.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;

const Tool fat_maker{.program = "mkfs.fat", .package = "dosfstools"};
const Tool fat_checker{.program = "fsck.fat", .package = "dosfstools"};

constexpr std::uint64_t most_sectors = 0xFFFF'FFFF;
constexpr std::uint64_t most_cluster_sectors = 128; // BPB_SecPerClus, a power of two in one byte
constexpr Bytes largest_fat_cluster = 64_KiB;       // of the drivers of Windows, macOS and Linux, whatever the sector

const FatWidth& width_of(FileSystem fs) {
    return fat_width(name_of(fs));
}

/// mkfs.fat leaves a margin of two clusters between FAT12 and FAT16, because old drivers confused the two near the
/// limit.
std::uint64_t least_made(const FatWidth& width) {
    return width.bits == 16 ? width.least_clusters + 2 : width.least_clusters;
}

/// Minimum and maximum number of clusters of volumes that mkfs.fat makes.
struct Clusters {
    std::uint64_t least, most;
};

/// Number of clusters after the reserved sectors, the two FATs and the root directory. Rounds each of these up to a
/// multiple of `unit`; sizes are in sectors.
std::uint64_t clusters_behind(std::uint64_t sectors, std::uint64_t per_cluster, std::uint64_t reserved,
                              std::uint64_t root, Bytes sector, const FatWidth& width, std::uint64_t unit) {
    const auto whole = [unit](std::uint64_t count) { return (count + unit - 1) / unit * unit; };
    const std::uint64_t front = whole(reserved) + whole(root);
    if (sectors <= front) return 0;
    const std::uint64_t usable = sectors - front;
    // Each cluster takes bits / 4 bytes in both FATs together.
    const std::uint64_t most = usable * sector.count * 4 / (per_cluster * sector.count * 4 + width.bits);
    const std::uint64_t fats = 2 * whole((((most + 2) * width.bits + 7) / 8 + sector.count - 1) / sector.count);
    return usable > fats ? (usable - fats) / per_cluster : 0;
}

/// Unless the number of reserved sectors is given, mkfs.fat aligns all structures to clusters, and omits a partial
/// track at the end. The kernel invents the geometry, with tracks of up to 63 sectors.
Clusters clusters_in(Bytes length, Bytes cluster, Bytes sector, const FormatSpec& spec) {
    constexpr std::uint64_t longest_track = 63;
    const FatWidth& width = width_of(spec.fs);
    const std::uint64_t sectors = length / sector, per_cluster = cluster / sector;
    const std::uint64_t reserved = spec.reserved_sectors.value_or(width.bits == 32 ? 32 : 1);
    const std::uint64_t root = (width.root_entries * std::uint64_t{32} + sector.count - 1) / sector.count;
    const std::uint64_t most = clusters_behind(sectors, per_cluster, reserved, root, sector, width, 1);
    if (spec.reserved_sectors) return {most, most};
    const std::uint64_t whole_tracks = sectors > longest_track ? sectors - longest_track : 0;
    return {clusters_behind(whole_tracks, per_cluster, reserved, root, sector, width, per_cluster), most};
}

Bytes largest_cluster_on(Bytes sector) {
    return std::min(sector * most_cluster_sectors, largest_fat_cluster);
}

bool is_possible(const Clusters& clusters, const FatWidth& width) {
    return clusters.least >= least_made(width) && clusters.most <= width.most_clusters;
}

/// mkfs.fat starts with four sectors and tries only larger sizes; a small medium needs smaller clusters.
std::optional<Bytes> cluster_for(const FormatSpec& spec, Bytes length, Bytes sector) {
    for (const std::uint64_t sectors : {4, 8, 16, 32, 64, 128, 2, 1})
        if (sector * sectors <= largest_cluster_on(sector) &&
            is_possible(clusters_in(length, sector * sectors, sector, spec), width_of(spec.fs)))
            return sector * sectors;
    return std::nullopt;
}

Result<void> check_cluster(const FormatSpec& spec, Bytes length, Bytes sector, const FatWidth& width) {
    const Bytes cluster = *spec.cluster_size, largest = largest_cluster_on(sector);
    if (!std::has_single_bit(cluster.count) || cluster < sector || cluster > largest)
        return fail(Errc::bad_request, fmt::format("cluster size {}: {} on this medium takes powers of two from {} to "
                                                   "{}",
                                                   cluster.count, title_of(spec.fs), sector.count, largest.count));
    const Clusters clusters = clusters_in(length, cluster, sector, spec);
    if (is_possible(clusters, width)) return {};
    return fail(Errc::bad_request,
                fmt::format("cluster size {}: a medium of {} would have {} clusters, and mkfs.fat makes {} with "
                            "{} to {}; take another size",
                            cluster.count, size_text(length),
                            clusters.most > width.most_clusters ? clusters.most : clusters.least, title_of(spec.fs),
                            least_made(width), width.most_clusters));
}

std::vector<std::string> fat_arguments(const FormatTarget& target, const FormatSpec& spec) {
    const FatWidth& width = width_of(spec.fs);
    // -I: format the device without partitions; --mbr=no: write no fake partition table.
    std::vector<std::string> arguments{"-I", "--mbr=no", "-F", std::to_string(width.bits),
                                       "-f", "2",        "-S", std::to_string(target.sector)};
    auto cluster = spec.cluster_size;
    if (!cluster && width.bits != 32) cluster = cluster_for(spec, target.length, {target.sector});
    if (cluster) arguments.insert(arguments.end(), {"-s", std::to_string(cluster->count / target.sector)});
    // -a: use the exact number, without alignment.
    if (spec.reserved_sectors) arguments.insert(arguments.end(), {"-a", "-R", std::to_string(*spec.reserved_sectors)});
    if (width.bits != 32) arguments.insert(arguments.end(), {"-r", std::to_string(width.root_entries)});
    if (target.start != 0_B)
        arguments.insert(arguments.end(), {"-h", std::to_string(target.start / Bytes{target.sector})});
    if (!spec.label.empty()) arguments.insert(arguments.end(), {"-n", spec.label});
    arguments.emplace_back(held_device);
    return arguments;
}

Result<FatVolume> read_back_fat(const FormatTarget& target, const FormatSpec& spec) {
    // mkfs.fat does not sync: until this point the file system may be only in this machine's memory.
    if (auto dropped = drop_cached(target); !dropped) return fail(dropped.error());
    const auto unreadable = [&target](const std::string& why) {
        return fail(
            Errc::io_failed,
            fmt::format("{} does not contain the data that mkfs.fat wrote: {}; check the medium", target.node, why));
    };
    const auto volume = read_fat({target.descriptor, target.length}, {}, target.length);
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
        return fail(Errc::bad_request, fmt::format("{}: {} does not support this option, leave it out", member, title));
    if (auto valid = check_label(spec.fs, spec.label); !valid) return valid;
    const FatWidth& width = width_of(spec.fs);
    if (spec.reserved_sectors && (*spec.reserved_sectors < width.least_reserved || *spec.reserved_sectors > 0xFFFF))
        return fail(Errc::bad_request, fmt::format("{} reserved sectors: {} takes {} to 65535", *spec.reserved_sectors,
                                                   title, width.least_reserved));
    if (length / sector > most_sectors)
        return fail(Errc::bad_request,
                    fmt::format("a medium of {} is too large for {}, which counts sectors in 32 bits",
                                size_text(length), title));
    if (spec.cluster_size) return check_cluster(spec, length, sector, width);
    // For FAT32 on small volumes mkfs.fat uses one sector for each cluster.
    const bool possible =
        width.bits == 32 ? clusters_in(length, sector, sector, spec).least >= width.least_clusters &&
                               clusters_in(length, largest_cluster_on(sector), sector, spec).most <= width.most_clusters
                         : cluster_for(spec, length, sector).has_value();
    if (possible) return {};
    const bool small = clusters_in(length, sector, sector, spec).least < least_made(width);
    return fail(Errc::bad_request,
                fmt::format("a medium of {} is too {} for {}: mkfs.fat makes it with {} to {} clusters of {} to "
                            "{} bytes",
                            size_text(length), small ? "small" : "large", title, least_made(width), width.most_clusters,
                            sector.count, largest_cluster_on(sector).count));
}

bool FatFormatter::handles(FileSystem fs) const {
    return fs == FileSystem::fat32 || fs == FileSystem::fat16 || fs == FileSystem::fat12;
}

std::vector<std::string> FatFormatter::lacks() const {
    return missing_of({fat_maker, fat_checker}, setting_);
}

Result<void> FatFormatter::prepare(const FormatSpec& spec, const FormatTarget& target) {
    if (auto possible = check_fat_spec(spec, target.length, {target.sector}); !possible) return possible;
    const auto version = version_of(fat_maker, "--help", setting_);
    if (!version) return fail(version.error());
    return {};
}

Result<FormatReport> FatFormatter::make(const FormatTarget& target, const FormatSpec& spec) {
    const auto version = version_of(fat_maker, "--help", setting_);
    if (!version) return fail(version.error());
    const auto started = std::chrono::steady_clock::now();
    const std::vector<std::string> arguments = fat_arguments(target, spec);
    const auto finished = run_tool(fat_maker, arguments, target.descriptor, setting_, 30min);
    if (!finished) return fail(finished.error());
    if (!finished->succeeded())
        return fail(Errc::io_failed, fmt::format("mkfs.fat failed on {} with {}", target.node, failure_of(*finished)));
    const auto volume = read_back_fat(target, spec);
    if (!volume) return fail(volume.error());
    return FormatReport{.fs = spec.fs,
                        .tool = fat_maker.program,
                        .tool_version = *version,
                        .arguments = arguments,
                        .parameters = parameters_of(*volume),
                        .usable = volume->free(),
                        .elapsed = std::chrono::steady_clock::now() - started,
                        .partition = {}};
}

Result<CheckReport> FatFormatter::check(const FormatTarget& target, FileSystem /*fs*/) {
    if (auto dropped = drop_cached(target); !dropped) return fail(dropped.error());
    const auto finished = run_tool(fat_checker, {"-n", held_device}, target.descriptor, setting_, 60min);
    if (!finished) return fail(finished.error());
    const auto volume = read_fat({target.descriptor, target.length}, {}, target.length);
    const std::string problem = !volume                                        ? volume.error().detail
                                : !volume->problem.empty()                     ? volume->problem
                                : volume->head && !volume->head->no_hard_error ? "a driver met bad sectors"
                                : volume->head && !volume->head->clean         ? "the volume was not unmounted properly"
                                                                               : "";
    return report_of(fat_checker, version_in(*finished), *finished, problem);
}

} // namespace mediarig::media
