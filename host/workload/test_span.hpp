// SPDX-License-Identifier: GPL-3.0-or-later
/// The stretch of a medium that a sweep works on: a test file in a folder of its own, or the head of a raw device.
#pragma once

#include <optional>

#include "host/workload/medium_file.hpp"
#include "host/workload/reporter.hpp"
#include "host/workload/work_folder.hpp"

namespace mediarig::workload {

/// Free space of the file system of the open directory of `target`, as an ordinary user may use it; the largest number
/// where the file system has no size of its own.
[[nodiscard]] Result<Bytes> free_space(const Target& target);

/// The most bytes that a file may have; nothing where that is more than any test asks for. `magic`: the type of the
/// file system as statfs(2) gives it. FAT keeps the length in 32 bits (Microsoft's FAT specification, DIR_FileSize).
[[nodiscard]] std::optional<Bytes> largest_file(std::uint64_t magic);

class TestSpan {
public:
    /// Opens it for `job` if `size` bytes fit. Fails with bad_request when they do not, on the medium (on a directory
    /// that is also a medium_full finding) or into one file.
    [[nodiscard]] static Result<TestSpan> open(const JobSpec& job, const Target& target, Bytes size,
                                               Reporter& reporter);

    /// Needs not to be removed yet.
    [[nodiscard]] MediumFile& file() { return *file_; }
    /// Removes the test file and its folder; nothing to do on a raw device. The destructor does it too.
    [[nodiscard]] Result<void> remove();

private:
    TestSpan(std::optional<WorkFolder> folder, MediumFile file) : folder_(std::move(folder)), file_(std::move(file)) {}

    std::optional<WorkFolder> folder_;
    std::optional<MediumFile> file_;
};

} // namespace mediarig::workload
