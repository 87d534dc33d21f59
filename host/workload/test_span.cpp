// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/test_span.hpp"

#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <limits>

#include "host/workload/errno_error.hpp"

namespace mediarig::workload {

Result<Bytes> free_space(const Target& target) {
    struct statvfs info {};
    if (::fstatvfs(target.directory_fd, &info) != 0)
        return fail(error_from(errno, "ask for the free space of " + target.path));
    if (info.f_blocks == 0) return Bytes{std::numeric_limits<std::uint64_t>::max()};
    return Bytes{info.f_frsize} * info.f_bavail;
}

std::optional<Bytes> largest_file(std::uint64_t magic) {
    if (magic != MSDOS_SUPER_MAGIC) return std::nullopt;
    return Bytes{std::numeric_limits<std::uint32_t>::max()};
}

Result<TestSpan> TestSpan::open(const JobSpec& job, const Target& target, Bytes size, Reporter& reporter) {
    if (target.kind == Target::Kind::device) {
        auto file = MediumFile::reopen(target.device_fd, job.cache, job.sync);
        if (!file) return fail(file.error());
        const auto available = file->size();
        if (!available) return fail(available.error());
        if (size > *available)
            return fail(Errc::bad_request, "the test needs " + std::to_string(size.count) + " bytes; " + target.path +
                                               " has " + std::to_string(available->count) + ": ask for a smaller span");
        return TestSpan(std::nullopt, std::move(*file));
    }

    // The folder comes first: it clears away what a killed job left behind.
    auto folder = WorkFolder::create(target);
    if (!folder) return fail(folder.error());
    const auto available = free_space(target);
    if (!available) return fail(available.error());
    if (size > *available) {
        const std::string detail = "the test needs " + std::to_string(size.count) + " bytes; " + target.path +
                                   " has room for " + std::to_string(available->count);
        reporter.about_job(measure::Finding{.kind = measure::FindingKind::medium_full,
                                            .severity = measure::Severity::warning,
                                            .detail = detail,
                                            .offset = {}});
        return fail(Errc::bad_request, detail + ": make room or ask for a smaller span");
    }
    struct statfs info {};
    const bool known = ::fstatfs(folder->descriptor(), &info) == 0;
    const auto most = known ? largest_file(static_cast<std::uint64_t>(info.f_type)) : std::nullopt;
    if (most && size > *most)
        return fail(Errc::bad_request, "the test needs a file of " + std::to_string(size.count) + " bytes; FAT in " +
                                           target.path + " takes at most " + std::to_string(most->count) +
                                           " bytes a file: ask for a smaller span");
    auto file = MediumFile::create(folder->descriptor(), WorkFolder::span_file, job.cache, job.sync);
    if (!file) return fail(file.error());
    return TestSpan(std::move(*folder), std::move(*file));
}

Result<void> TestSpan::remove() {
    file_.reset(); // FUSE keeps a removed file under another name while it is open
    return folder_ ? folder_->remove() : Result<void>{};
}

} // namespace mediarig::workload
