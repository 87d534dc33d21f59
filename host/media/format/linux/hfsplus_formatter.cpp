// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/hfsplus_formatter.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "host/base/version.hpp"
#include "host/media/format/hfsplus/check.hpp"
#include "host/media/format/hfsplus/encode.hpp"
#include "host/media/format/hfsplus/volume_name.hpp"
#include "host/media/format/linux/format_target.hpp"
#include "host/media/format/linux/hfsplus_write.hpp"
#include "host/media/inspect/read_hfsplus.hpp"

namespace mediarig::media {
namespace {

constexpr const char* our_name = "mediarig";

Result<std::uint64_t> random_volume_id() {
    std::uint64_t id = 0;
    while (id == 0)
        if (::getrandom(&id, sizeof id, 0) != sizeof id)
            return fail(Errc::io_failed, fmt::format("cannot choose a volume identifier: {}", std::strerror(errno)));
    return id;
}

/// Error text if HFS+ cannot represent the time of this machine's clock; otherwise empty.
std::string beyond_clock() {
    const bool counted =
        hfsplus::counts_time(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
    return counted ? "" : fmt::format("{}: set this machine's clock", hfsplus::counted_time);
}

/// Arguments that reproduce the format.
std::vector<std::string> arguments_of(const FormatSpec& spec, const hfsplus::Layout& layout) {
    std::vector<std::string> arguments{"--fs", std::string(name_of(spec.fs)), "--cluster-size",
                                       std::to_string(layout.block_size.count)};
    if (layout.journal)
        arguments.insert(arguments.end(), {"--journal-size", std::to_string(layout.length_of(*layout.journal).count)});
    if (!spec.label.empty()) arguments.insert(arguments.end(), {"--label", spec.label});
    arguments.insert(arguments.end(), {"--volume-id", fmt::format("{:016x}", layout.options.volume_id)});
    return arguments;
}

/// Compares every structure: a worn-out or counterfeit medium may return other data or no data.
Result<HfsPlusVolume> read_back(const FormatTarget& target, const hfsplus::Layout& layout) {
    if (auto dropped = drop_cached(target); !dropped) return fail(dropped.error());
    const MediumReader reader(target.descriptor, target.length);
    const auto unreadable = [&target](const std::string& why) {
        return fail(Errc::io_failed,
                    fmt::format("{} does not contain the written data: {}; check the medium", target.node, why));
    };
    std::vector<hfsplus::Piece> pieces = hfsplus::structures(layout);
    std::ranges::move(hfsplus::volume_headers(layout), std::back_inserter(pieces));
    for (const hfsplus::Piece& piece : pieces) {
        const auto found = reader.read(piece.offset, Bytes{piece.bytes.size()});
        if (!found) return unreadable(found.error().detail);
        if (*found != piece.bytes)
            return unreadable(fmt::format("the {} at byte {} reads back differently", piece.what, piece.offset.count));
    }
    const auto volume = read_hfs_plus(reader, {}, target.length);
    if (!volume) return unreadable(volume.error().detail);
    if (!volume->problem.empty()) return unreadable(volume->problem);
    return *volume;
}

} // namespace

bool HfsPlusFormatter::handles(FileSystem fs) const {
    return fs == FileSystem::hfs_plus || fs == FileSystem::hfs_plus_journaled || fs == FileSystem::hfsx_journaled;
}

std::vector<std::string> HfsPlusFormatter::lacks() const {
    const std::string clock = beyond_clock();
    return clock.empty() ? std::vector<std::string>{} : std::vector{clock};
}

Result<hfsplus::Options> hfs_plus_options(const FormatSpec& spec) {
    if (const std::string member = foreign_member(spec); !member.empty())
        return fail(Errc::bad_request, fmt::format("{}: HFS+ does not support this option, leave it out", member));
    const bool journaled = spec.fs != FileSystem::hfs_plus;
    if (spec.journal_size && !journaled)
        return fail(Errc::bad_request,
                    "journal_size: HFS+ without a journal does not support this option, leave it out or choose hfs+j");
    if (const std::string clock = beyond_clock(); !clock.empty() && !spec.created) return fail(Errc::host_fault, clock);
    const std::optional<std::uint64_t> given = spec.volume_id;
    const Result<std::uint64_t> id = given ? Result<std::uint64_t>(*given) : random_volume_id();
    if (!id) return fail(id.error());
    hfsplus::Options options{
        .journal = journaled ? hfsplus::JournalMode::inside : hfsplus::JournalMode::none,
        .names = spec.fs == FileSystem::hfsx_journaled ? hfsplus::CaseSensitivity::case_sensitive
                                                       : hfsplus::CaseSensitivity::ignore_case,
        .created = spec.created.value_or(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())),
        .volume_id = *id,
        .block_size = spec.cluster_size,
        .journal_size = spec.journal_size};
    if (!spec.label.empty()) {
        const auto name = hfsplus::volume_name(spec.label);
        if (!name) return fail(name.error());
        options.name = *name;
    }
    return options;
}

Result<void> HfsPlusFormatter::prepare(const FormatSpec& spec, const FormatTarget& target) {
    const auto options = hfs_plus_options(spec);
    if (!options) return fail(options.error());
    const auto layout = hfsplus::plan_volume(target.length, {target.sector}, *options);
    if (!layout) return fail(layout.error());
    return {};
}

Result<FormatReport> HfsPlusFormatter::make(const FormatTarget& target, const FormatSpec& spec) {
    const auto options = hfs_plus_options(spec);
    if (!options) return fail(options.error());
    const auto layout = hfsplus::plan_volume(target.length, {target.sector}, *options);
    if (!layout) return fail(layout.error());
    const auto started = std::chrono::steady_clock::now();
    const auto written = hfsplus::write_volume(target.descriptor, *layout, cancel_);
    if (!written) return fail(Error{written.error().code, target.node + ": " + written.error().detail});
    const auto volume = read_back(target, *layout);
    if (!volume) return fail(volume.error());
    FormatReport report{.fs = spec.fs,
                        .tool = our_name,
                        .tool_version = version,
                        .arguments = arguments_of(spec, *layout),
                        .parameters = parameters_of(*volume),
                        .usable = volume->free(),
                        .elapsed = std::chrono::steady_clock::now() - started,
                        .partition = {}};
    report.parameters.emplace_back("cleared_bytes", std::to_string(written->cleared.count));
    report.parameters.emplace_back("written_bytes", std::to_string(written->pieces.count));
    return report;
}

Result<CheckReport> HfsPlusFormatter::check(const FormatTarget& target, FileSystem /*fs*/) {
    if (auto dropped = drop_cached(target); !dropped) return fail(dropped.error());
    const hfsplus::CheckOutcome outcome = hfsplus::check_volume({target.descriptor, target.length}, {}, target.length);
    return CheckReport{
        .tool = our_name, .tool_version = version, .clean = outcome.clean(), .said = hfsplus::lines_of(outcome)};
}

} // namespace mediarig::media
