// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/exfat_formatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "host/media/format/label.hpp"
#include "host/media/format/wipe.hpp"
#include "host/media/inspect/read_exfat.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;

const Tool maker{.program = "mkfs.exfat", .package = "exfatprogs"};
const Tool checker{.program = "fsck.exfat", .package = "exfatprogs"};

constexpr Bytes largest_cluster = 32_MiB; // exFAT specification, section 3.1.15
constexpr std::uint64_t most_clusters = 0xFFFFFFF5;
constexpr std::size_t longest_label = 11; // section 7.3.2, in UTF-16 units
constexpr std::size_t most_lines = 50;

std::vector<std::string> arguments_for(const FormatSpec& spec) {
    std::vector<std::string> arguments;
    if (spec.cluster_size) arguments.insert(arguments.end(), {"-c", std::to_string(spec.cluster_size->count)});
    if (!spec.label.empty()) arguments.insert(arguments.end(), {"-L", spec.label});
    arguments.emplace_back(held_device);
    return arguments;
}

/// What the medium answers has to be what was asked for; a counterfeit may hold something else or nothing.
Result<ExfatVolume> read_back(const ErasableMedium& medium, const FormatSpec& spec) {
    if (auto dropped = drop_cached(medium.descriptor()); !dropped) return fail(dropped.error());
    const MediumReader reader(medium.descriptor(), medium.medium().size);
    const auto unreadable = [&medium](const std::string& why) {
        return fail(Errc::io_failed, fmt::format("{} does not hold what mkfs.exfat wrote: {}; check the medium",
                                                 medium.medium().node, why));
    };
    const auto volume = read_exfat(reader, {}, medium.medium().size);
    if (!volume) return unreadable(volume.error().detail);
    if (!volume->problem.empty()) return unreadable(volume->problem);
    if (spec.cluster_size && volume->boot.cluster_size != *spec.cluster_size)
        return unreadable(fmt::format("cluster size {}", volume->boot.cluster_size.count));
    if (!spec.label.empty() && volume->root->label != spec.label)
        return unreadable(fmt::format("label '{}'", volume->root->label.value_or("")));
    return *volume;
}

} // namespace

Result<void> check_exfat_spec(const FormatSpec& spec, Bytes medium, Bytes sector) {
    if (const std::string member = hfs_plus_member(spec); !member.empty())
        return fail(Errc::bad_request, fmt::format("{}: exFAT takes none, leave it out", member));
    if (medium < smallest_exfat)
        return fail(Errc::bad_request,
                    fmt::format("a medium of {} bytes is too small for exFAT: at least {} are needed", medium.count,
                                smallest_exfat.count));
    const auto label_length = utf16_length(spec.label);
    if (!label_length)
        return fail(Errc::bad_request, "the label is not UTF-8 text without control characters: choose another one");
    if (*label_length > longest_label)
        return fail(Errc::bad_request, fmt::format("the label '{}' has {} characters: exFAT takes at most {}",
                                                   spec.label, *label_length, longest_label));
    if (!spec.cluster_size) return {};
    const Bytes cluster = *spec.cluster_size;
    if (!std::has_single_bit(cluster.count) || cluster < sector || cluster > largest_cluster)
        return fail(Errc::bad_request,
                    fmt::format("cluster size {}: exFAT on this medium takes powers of two from {} to {}",
                                cluster.count, sector.count, largest_cluster.count));
    if (medium / cluster > most_clusters)
        return fail(Errc::bad_request,
                    fmt::format("cluster size {}: a medium of {} bytes would have more than {} clusters, take a larger "
                                "size",
                                cluster.count, medium.count, most_clusters));
    // Boot regions up to the first boundary, a FAT of at least one cluster up to the next one, then bitmap, up-case
    // table, root directory and one cluster for a file.
    const Bytes needed = 1_MiB + align_up(cluster, 1_MiB) + cluster * 4;
    if (medium < needed)
        return fail(Errc::bad_request,
                    fmt::format("cluster size {} needs a medium of at least {} bytes, this one has {}", cluster.count,
                                needed.count, medium.count));
    return {};
}

Result<FormatReport> ExfatFormatter::format(ErasableMedium& medium, Discovery& discovery, const FormatSpec& spec) {
    if (auto possible = check_exfat_spec(spec, medium.medium().size, {medium.medium().logical_sector}); !possible)
        return fail(possible.error());
    // Asked for its version first: a missing tool must show before anything is wiped.
    const auto version = version_of(maker, "-V", setting_);
    if (!version) return fail(version.error());

    const auto started = std::chrono::steady_clock::now();
    if (auto wiped = wipe_signatures(medium, discovery); !wiped) return fail(wiped.error());
    if (auto checked = medium.recheck(discovery); !checked) return fail(checked.error());
    const std::vector<std::string> arguments = arguments_for(spec);
    const auto finished = run_tool(maker, arguments, medium.descriptor(), setting_, 10min);
    if (!finished) return fail(finished.error());
    if (!finished->succeeded())
        return fail(Errc::io_failed,
                    fmt::format("mkfs.exfat failed on {} with {}", medium.medium().node, failure_of(*finished)));
    const auto volume = read_back(medium, spec);
    if (!volume) return fail(volume.error());
    return FormatReport{.fs = FileSystem::exfat,
                        .tool = maker.program,
                        .tool_version = *version,
                        .arguments = arguments,
                        .parameters = parameters_of(*volume),
                        .usable = volume->free(),
                        .elapsed = std::chrono::steady_clock::now() - started};
}

Result<CheckReport> ExfatFormatter::check(const ErasableMedium& medium, FileSystem /*fs*/) {
    const auto version = version_of(checker, "-V", setting_);
    if (!version) return fail(version.error());
    if (auto dropped = drop_cached(medium.descriptor()); !dropped) return fail(dropped.error());
    const auto finished = run_tool(checker, {"-n", held_device}, medium.descriptor(), setting_, 60min);
    if (!finished) return fail(finished.error());

    CheckReport report{.tool = checker.program,
                       .tool_version = *version,
                       .clean = finished->succeeded(),
                       .said = lines_of(*finished, most_lines - 1)};
    if (!finished->succeeded()) report.said.push_back("fsck.exfat ended with " + process::ending_of(*finished));
    const auto volume = read_exfat({medium.descriptor(), medium.medium().size}, {}, medium.medium().size);
    const std::string problem = !volume                      ? volume.error().detail
                                : !volume->problem.empty()   ? volume->problem
                                : volume->boot.media_failure ? "MediaFailure is set: a driver met bad sectors"
                                : volume->boot.dirty ? "VolumeDirty is set: the volume was not unmounted properly"
                                                     : "";
    if (!problem.empty()) {
        report.clean = false;
        if (report.said.size() == most_lines) report.said.pop_back();
        report.said.push_back(problem);
    }
    return report;
}

} // namespace mediarig::media
