// SPDX-License-Identifier: GPL-3.0-or-later
/// The space that a sweep uses: a test file in a private folder, or the start of a raw device.
#pragma once

#include <memory>
#include <utility>

#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {

class TestSpan {
public:
    /// Opens the space for `job` if `size` bytes fit. Fails with bad_request if they do not fit on the medium (for a
    /// directory also a medium_full finding) or into one file.
    [[nodiscard]] static Result<TestSpan> open(const System& system, const JobSpec& job, const JobTarget& target,
                                               Bytes size, Reporter& reporter);

    /// Must not be called after remove().
    [[nodiscard]] MediumFile& file() { return *file_; }
    /// Removes the test file and its folder; does nothing on a raw device. The destructor also calls it.
    [[nodiscard]] Result<void> remove();

private:
    TestSpan(std::unique_ptr<WorkFolder> folder, std::unique_ptr<MediumFile> file)
        : folder_(std::move(folder)), file_(std::move(file)) {}

    std::unique_ptr<WorkFolder> folder_; ///< null on a raw device
    std::unique_ptr<MediumFile> file_;   ///< null after remove()
};

} // namespace mediarig::workload
