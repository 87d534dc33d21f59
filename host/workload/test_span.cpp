// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/test_span.hpp"

namespace mediarig::workload {

Result<TestSpan> TestSpan::open(const System& system, const JobSpec& job, const Target& target, Bytes size,
                                Reporter& reporter) {
    if (target.kind == Target::Kind::device) {
        auto file = system.reopen(target.device_fd, job.cache, job.sync);
        if (!file) return fail(file.error());
        const auto available = (*file)->size();
        if (!available) return fail(available.error());
        if (size > *available)
            return fail(Errc::bad_request, "the test needs " + std::to_string(size.count) + " bytes; " + target.path +
                                               " has " + std::to_string(available->count) + ": ask for a smaller span");
        return TestSpan(nullptr, std::move(*file));
    }

    // The folder comes first: it clears away what a killed job left behind.
    auto folder = system.make_work_folder(target);
    if (!folder) return fail(folder.error());
    const auto available = (*folder)->free_space();
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
    const auto most = (*folder)->largest_file();
    if (most && size > *most)
        return fail(Errc::bad_request, "the test needs a file of " + std::to_string(size.count) + " bytes; FAT in " +
                                           target.path + " takes at most " + std::to_string(most->count) +
                                           " bytes a file: ask for a smaller span");
    auto file = (*folder)->create_file(WorkFolder::span_file, job.cache, job.sync);
    if (!file) return fail(file.error());
    return TestSpan(std::move(*folder), std::move(*file));
}

Result<void> TestSpan::remove() {
    file_.reset(); // FUSE keeps a removed file under another name while it is open
    return folder_ ? folder_->remove() : Result<void>{};
}

} // namespace mediarig::workload
