// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/work_span.hpp"

#include "host/workload/io/work_names.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {

Result<TestSpan> TestSpan::open(const System& system, const JobSpec& job, const JobTarget& target, Bytes size,
                                Reporter& reporter) {
    if (target.kind == JobTarget::Kind::device) {
        auto file = system.reopen(target.device_fd, job.cache, job.sync);
        if (!file) return fail(file.error());
        if (auto fits = check_device(**file, job.from + size, target.path); !fits) return fail(fits.error());
        return TestSpan(nullptr, std::move(*file));
    }

    if (job.from > 0_B)
        return fail(Errc::bad_request,
                    "a start position needs a bare device: a file system chooses the positions of its data");
    // Create the folder before the check of the free space: its creation removes the folders of killed jobs.
    auto folder = open_work_folder(system, target, reporter);
    if (!folder) return fail(folder.error());
    if (auto fits = check_free_space(**folder, size, size, target.path, reporter); !fits) return fail(fits.error());
    auto file = (*folder)->create_file(span_file, job.cache, job.sync);
    if (!file) return fail(file.error());
    return TestSpan(std::move(*folder), std::move(*file));
}

Result<void> TestSpan::remove() {
    file_.reset(); // FUSE keeps a removed file under another name while it is open
    return folder_ ? folder_->remove() : Result<void>{};
}

} // namespace mediarig::workload
