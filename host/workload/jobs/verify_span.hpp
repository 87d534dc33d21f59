// SPDX-License-Identifier: GPL-3.0-or-later
/// The space that a verify job fills: the whole device, or files of 1 GiB in a private folder (FAT allows no file of 4
/// GiB, and with small files a damaged card loses less).
#pragma once

#include <memory>

#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {

class VerifySpan {
public:
    static constexpr Bytes piece{std::uint64_t{1} << 30};

    /// Fails with bad_request if the requested span does not fit or nothing fits. Offsets are relative to begin().
    [[nodiscard]] static Result<VerifySpan> open(const System& system, const JobSpec& job, const JobTarget& target,
                                                 Bytes unit, Reporter& reporter);

    [[nodiscard]] Bytes claimed() const { return claimed_; } ///< capacity offered by the medium or file system
    [[nodiscard]] Bytes size() const { return size_; }       ///< number of bytes to write
    [[nodiscard]] Bytes begin() const { return begin_; }     ///< of the span on a raw device; otherwise 0
    [[nodiscard]] bool raw() const { return !folder_; }

    /// The file that contains `offset`, created at its first use, and the offset in it. A chunk never crosses files.
    struct Place {
        MediumFile* file;
        std::uint64_t offset;
    };
    [[nodiscard]] Result<Place> at(std::uint64_t offset);
    /// Length of the part of the file at `offset` that belongs to the span.
    [[nodiscard]] Bytes length_at(std::uint64_t offset) const;
    [[nodiscard]] MediumFile& current() { return *file_; }
    /// Returns true if `offset` is the start of another file than the current one.
    [[nodiscard]] bool starts_file_at(std::uint64_t offset) const;

    [[nodiscard]] Result<void> remove();

private:
    VerifySpan() = default;

    std::unique_ptr<WorkFolder> folder_; ///< null on a raw device
    std::unique_ptr<MediumFile> file_;   ///< the current one
    std::uint64_t index_{};              ///< index of the current file
    std::uint64_t made_{};               ///< number of created files
    CachePolicy cache_{};
    SyncLevel sync_{};
    Bytes claimed_;
    Bytes size_;
    Bytes begin_;
    Bytes piece_; ///< a multiple of the chunk
};

} // namespace mediarig::workload
