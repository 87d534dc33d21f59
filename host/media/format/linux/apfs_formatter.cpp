// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/apfs_formatter.hpp"

#include <fmt/format.h>

#include "host/base/text.hpp"
#include "host/media/format/linux/check_report.hpp"
#include "host/media/format/linux/format_target.hpp"
#include "host/media/format/linux/label.hpp"
#include "host/media/inspect/read_apfs.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;

const Tool apfs_maker{.program = "mkapfs", .package = "apfsprogs"};
const Tool apfs_checker{.program = "apfsck", .package = "apfsprogs"};

constexpr Bytes only_block_size = 4_KiB;

std::vector<std::string> apfs_arguments(const FormatSpec& spec) {
    std::vector<std::string> arguments;
    if (!spec.label.empty()) arguments.insert(arguments.end(), {"-L", spec.label});
    arguments.emplace_back(held_device);
    return arguments;
}

Result<ApfsContents> read_back_apfs(const FormatTarget& target, const FormatSpec& spec) {
    // mkapfs does not sync: until this point the file system may be only in this machine's memory.
    if (auto dropped = drop_cached(target); !dropped) return fail(dropped.error());
    const MediumReader reader(target.descriptor, target.length);
    const auto unreadable = [&target](const std::string& why) {
        return fail(Errc::io_failed, fmt::format("{} does not contain the data that mkapfs wrote: {}; check the medium",
                                                 target.node, why));
    };
    const auto contents = read_apfs(reader, {}, target.length);
    if (!contents) return unreadable(contents.error().detail);
    if (!contents->problem.empty()) return unreadable(contents->problem);
    if (contents->volumes.size() != 1) return unreadable(fmt::format("{} volumes", contents->volumes.size()));
    if (!spec.label.empty() && contents->volumes.front().name != spec.label)
        return unreadable(fmt::format("label '{}'", contents->volumes.front().name));
    return *contents;
}

} // namespace

Result<void> check_apfs_spec(const FormatSpec& spec, Bytes medium, const std::string& tool_version) {
    if (const std::string member = foreign_member(spec); !member.empty())
        return fail(Errc::bad_request, fmt::format("{}: APFS does not support this option, leave it out", member));
    if (medium < smallest_apfs) return fail(Errc::bad_request, too_small(medium, "APFS", smallest_apfs));
    if (const SizeTexts sizes = size_texts(medium, largest_apfs_of_mkapfs_0_1);
        tool_version == "0.1" && medium > largest_apfs_of_mkapfs_0_1)
        return fail(Errc::bad_request,
                    fmt::format("a medium of {} is too large: mkapfs 0.1 makes damaged containers above {}; "
                                "format it on a Mac, or install apfsprogs 0.2",
                                sizes.first, sizes.second));
    if (spec.cluster_size && *spec.cluster_size != only_block_size)
        return fail(Errc::bad_request,
                    fmt::format("cluster size {}: mkapfs makes blocks of {} bytes only, leave it out",
                                spec.cluster_size->count, only_block_size.count));
    return check_label(spec.fs, spec.label);
}

std::vector<std::string> ApfsFormatter::lacks() const {
    return missing_of({apfs_maker, apfs_checker}, setting_);
}

Result<void> ApfsFormatter::prepare(const FormatSpec& spec, const FormatTarget& target) {
    const auto version = version_of(apfs_maker, "-v", setting_);
    if (!version) return fail(version.error());
    return check_apfs_spec(spec, target.length, *version);
}

Result<FormatReport> ApfsFormatter::make(const FormatTarget& target, const FormatSpec& spec) {
    const auto version = version_of(apfs_maker, "-v", setting_);
    if (!version) return fail(version.error());
    const auto started = std::chrono::steady_clock::now();
    const std::vector<std::string> arguments = apfs_arguments(spec);
    const auto finished = run_tool(apfs_maker, arguments, target.descriptor, setting_, 10min);
    if (!finished) return fail(finished.error());
    if (!finished->succeeded())
        return fail(Errc::io_failed, fmt::format("mkapfs failed on {} with {}", target.node, failure_of(*finished)));
    const auto contents = read_back_apfs(target, spec);
    if (!contents) return fail(contents.error());
    return FormatReport{.fs = FileSystem::apfs,
                        .tool = apfs_maker.program,
                        .tool_version = *version,
                        .arguments = arguments,
                        .parameters = parameters_of(*contents),
                        .usable = contents->free(),
                        .elapsed = std::chrono::steady_clock::now() - started,
                        .partition = {}};
}

Result<CheckReport> ApfsFormatter::check(const FormatTarget& target, FileSystem /*fs*/) {
    const auto version = version_of(apfs_checker, "-v", setting_);
    if (!version) return fail(version.error());
    if (auto dropped = drop_cached(target); !dropped) return fail(dropped.error());
    // -c: also report an unclean unmount; -u: unknown features; -w: valid but unusual structures.
    const auto finished = run_tool(apfs_checker, {"-cuw", held_device}, target.descriptor, setting_, 60min);
    if (!finished) return fail(finished.error());
    return report_of(apfs_checker, *version, *finished, "");
}

} // namespace mediarig::media
