// SPDX-License-Identifier: GPL-3.0-or-later
/// The stretch of a medium that a sweep works on: a test file in a folder of its own, or the head of a raw device.
#pragma once

#include <memory>
#include <utility>

#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {

class TestSpan {
public:
    /// Opens it for `job` if `size` bytes fit. Fails with bad_request when they do not, on the medium (on a directory
    /// that is also a medium_full finding) or into one file.
    [[nodiscard]] static Result<TestSpan> open(const System& system, const JobSpec& job, const Target& target,
                                               Bytes size, Reporter& reporter);

    /// Needs not to be removed yet.
    [[nodiscard]] MediumFile& file() { return *file_; }
    /// Removes the test file and its folder; nothing to do on a raw device. The destructor does it too.
    [[nodiscard]] Result<void> remove();

private:
    TestSpan(std::unique_ptr<WorkFolder> folder, std::unique_ptr<MediumFile> file)
        : folder_(std::move(folder)), file_(std::move(file)) {}

    std::unique_ptr<WorkFolder> folder_; ///< null on a raw device
    std::unique_ptr<MediumFile> file_;   ///< null once removed
};

} // namespace mediarig::workload
