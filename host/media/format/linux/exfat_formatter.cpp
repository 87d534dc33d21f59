// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/exfat_formatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "host/base/text.hpp"
#include "host/media/format/layouts/system_layouts.hpp"
#include "host/media/format/linux/check_report.hpp"
#include "host/media/format/linux/exfat_touch.hpp"
#include "host/media/format/linux/format_target.hpp"
#include "host/media/format/linux/label.hpp"
#include "host/media/inspect/read_exfat.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;

const Tool exfat_maker{.program = "mkfs.exfat", .package = "exfatprogs"};
const Tool exfat_checker{.program = "fsck.exfat", .package = "exfatprogs"};

constexpr Bytes largest_cluster = 32_MiB; // exFAT specification, section 3.1.15
constexpr Bytes largest_boundary = 1_GiB;
constexpr std::uint64_t most_clusters = 0xFFFFFFF5;
constexpr Bytes upcase_table{5836}; // mkfs.exfat writes it compressed, as the specification recommends in section 7.2.5

std::vector<std::string> exfat_arguments(const FormatSpec& spec) {
    std::vector<std::string> arguments;
    if (spec.cluster_size) arguments.insert(arguments.end(), {"-c", std::to_string(spec.cluster_size->count)});
    if (spec.boundary) arguments.insert(arguments.end(), {"-b", std::to_string(spec.boundary->count)});
    if (!spec.label.empty()) arguments.insert(arguments.end(), {"-L", spec.label});
    arguments.emplace_back(held_device);
    return arguments;
}

/// mkfs.exfat counts the boundary from the start of the medium if it knows the partition's start, else from the start
/// of the volume (through a loop device).
bool on_boundary(Bytes offset, Bytes start, Bytes boundary) {
    return offset % boundary == 0_B || (start + offset) % boundary == 0_B;
}

/// Cluster size without -c. Source: mkfs.exfat(8), which gives the same sizes for Windows.
Bytes default_cluster(Bytes length) {
    return length <= 256_MiB ? 4_KiB : length <= 32_GiB ? 32_KiB : 128_KiB;
}

/// Layout that mkfs.exfat chooses, as offsets in the volume.
struct Layout {
    Bytes boundary, cluster;
    Bytes fat_offset, fat_length, heap;
};

/// `origin`: offset of the volume from the point from which the boundary is counted.
Layout lay_out(Bytes length, Bytes cluster, Bytes boundary, Bytes sector, Bytes origin) {
    const Bytes boot_regions = sector * (exfat_region_sectors * 2);
    const Bytes fat_offset = align_up(origin + boot_regions, boundary) - origin;
    const Bytes fat_length = align_up(Bytes{length / cluster * 4}, cluster);
    return {.boundary = boundary,
            .cluster = cluster,
            .fat_offset = fat_offset,
            .fat_length = fat_length,
            .heap = align_up(origin + fat_offset + fat_length, boundary) - origin};
}

Result<void> check_layout(const FormatSpec& spec, Bytes length, Bytes sector, const Layout& layout) {
    const Bytes cluster = layout.cluster;
    const std::uint64_t clusters = length > layout.heap ? (length - layout.heap) / cluster : 0;
    const Bytes bitmap = align_up(Bytes{std::max<std::uint64_t>(1, (clusters + 7) / 8)}, cluster);
    // Bitmap, up-case table, root directory, and one cluster for a file.
    const Bytes needed = layout.heap + bitmap + align_up(upcase_table, cluster) + cluster * 2;
    if (const SizeTexts sizes = size_texts(needed, length); length < needed)
        return fail(Errc::bad_request,
                    fmt::format("cluster size {} and boundary {} need a volume of at least {}, this one has {}",
                                cluster.count, layout.boundary.count, sizes.first, sizes.second));
    return spec.fat_length ? check_fat_length(*spec.fat_length, clusters, sector, layout.heap - layout.fat_offset)
                           : Result<void>{};
}

/// The values read back must equal the requested values; a counterfeit medium may return other data or no data.
Result<ExfatVolume> read_back_exfat(const FormatTarget& target, const FormatSpec& spec) {
    if (auto dropped = drop_cached(target); !dropped) return fail(dropped.error());
    const MediumReader reader(target.descriptor, target.length);
    const auto unreadable = [&target](const std::string& why) {
        return fail(
            Errc::io_failed,
            fmt::format("{} does not contain the data that mkfs.exfat wrote: {}; check the medium", target.node, why));
    };
    const auto volume = read_exfat(reader, {}, target.length);
    if (!volume) return unreadable(volume.error().detail);
    if (!volume->problem.empty()) return unreadable(volume->problem);
    const ExfatBoot& boot = volume->boot;
    if (spec.cluster_size && boot.cluster_size != *spec.cluster_size)
        return unreadable(fmt::format("cluster size {}", boot.cluster_size.count));
    if (!spec.label.empty() && volume->root->label != spec.label)
        return unreadable(fmt::format("label '{}'", volume->root->label.value_or("")));
    if (spec.boundary && (!on_boundary(boot.fat_offset, target.start, *spec.boundary) ||
                          !on_boundary(boot.heap_offset, target.start, *spec.boundary)))
        return unreadable(fmt::format("FAT at byte {} and cluster heap at byte {} of the volume", boot.fat_offset.count,
                                      boot.heap_offset.count));
    return *volume;
}

} // namespace

Result<void> check_exfat_spec(const FormatSpec& spec, Bytes length, Bytes sector, Bytes start) {
    if (const std::string member = foreign_member(spec); !member.empty())
        return fail(Errc::bad_request, fmt::format("{}: exFAT does not support this option, leave it out", member));
    if (length < smallest_exfat) return fail(Errc::bad_request, too_small(length, "exFAT", smallest_exfat));
    const Bytes boundary = spec.boundary.value_or(usual_exfat_boundary);
    if (!std::has_single_bit(boundary.count) || boundary < sector || boundary > largest_boundary)
        return fail(Errc::bad_request,
                    fmt::format("boundary {}: exFAT on this medium takes powers of two from {} to {}", boundary.count,
                                sector.count, largest_boundary.count));
    if (spec.fat_length && *spec.fat_length % sector != 0_B)
        return fail(Errc::bad_request,
                    fmt::format("FAT length {}: choose a multiple of {} bytes, the sector size of this medium",
                                spec.fat_length->count, sector.count));
    if (auto valid = check_label(spec.fs, spec.label); !valid) return valid;
    const Bytes cluster = spec.cluster_size.value_or(default_cluster(length));
    if (!std::has_single_bit(cluster.count) || cluster < sector || cluster > largest_cluster)
        return fail(Errc::bad_request,
                    fmt::format("cluster size {}: exFAT on this medium takes powers of two from {} to {}",
                                cluster.count, sector.count, largest_cluster.count));
    if (length / cluster > most_clusters)
        return fail(Errc::bad_request,
                    fmt::format("cluster size {}: a medium of {} would have more than {} clusters, take a larger "
                                "size",
                                cluster.count, size_text(length), most_clusters));
    for (const Bytes origin : {0_B, start})
        if (auto fits = check_layout(spec, length, sector, lay_out(length, cluster, boundary, sector, origin)); !fits)
            return fits;
    return {};
}

std::vector<std::string> ExfatFormatter::lacks() const {
    return missing_of({exfat_maker, exfat_checker}, setting_);
}

Result<void> ExfatFormatter::prepare(const FormatSpec& spec, const FormatTarget& target) {
    if (auto possible = check_exfat_spec(spec, target.length, {target.sector}, target.start); !possible)
        return possible;
    const auto version = version_of(exfat_maker, "-V", setting_);
    if (!version) return fail(version.error());
    return {};
}

Result<FormatReport> ExfatFormatter::make(const FormatTarget& target, const FormatSpec& spec) {
    const auto version = version_of(exfat_maker, "-V", setting_);
    if (!version) return fail(version.error());
    const auto started = std::chrono::steady_clock::now();
    const std::vector<std::string> arguments = exfat_arguments(spec);
    const auto finished = run_tool(exfat_maker, arguments, target.descriptor, setting_, 10min);
    if (!finished) return fail(finished.error());
    if (!finished->succeeded())
        return fail(Errc::io_failed,
                    fmt::format("mkfs.exfat failed on {} with {}", target.node, failure_of(*finished)));
    auto volume = read_back_exfat(target, spec);
    if (!volume) return fail(volume.error());
    const ExfatTouch touch{.partition_offset = target.start, .fat_length = spec.fat_length};
    if (is_needed(touch, volume->boot)) {
        if (auto touched = patch_exfat(target, volume->boot, touch); !touched) return fail(touched.error());
        volume = read_back_exfat(target, spec);
        if (!volume) return fail(volume.error());
    }
    return FormatReport{.fs = FileSystem::exfat,
                        .tool = exfat_maker.program,
                        .tool_version = *version,
                        .arguments = arguments,
                        .parameters = parameters_of(*volume),
                        .usable = volume->free(),
                        .elapsed = std::chrono::steady_clock::now() - started,
                        .partition = {}};
}

Result<CheckReport> ExfatFormatter::check(const FormatTarget& target, FileSystem /*fs*/) {
    const auto version = version_of(exfat_checker, "-V", setting_);
    if (!version) return fail(version.error());
    if (auto dropped = drop_cached(target); !dropped) return fail(dropped.error());
    const auto finished = run_tool(exfat_checker, {"-n", held_device}, target.descriptor, setting_, 60min);
    if (!finished) return fail(finished.error());

    const auto volume = read_exfat({target.descriptor, target.length}, {}, target.length);
    const std::string problem = !volume                      ? volume.error().detail
                                : !volume->problem.empty()   ? volume->problem
                                : volume->boot.media_failure ? "MediaFailure is set: a driver met bad sectors"
                                : volume->boot.dirty ? "VolumeDirty is set: the volume was not unmounted properly"
                                                     : "";
    return report_of(exfat_checker, *version, *finished, problem);
}

} // namespace mediarig::media
