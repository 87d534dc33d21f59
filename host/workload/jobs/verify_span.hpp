// SPDX-License-Identifier: GPL-3.0-or-later
/// The stretch that a verify job fills: the whole device, or files of 1 GiB in a folder of its own (FAT allows no file
/// of 4 GiB, and a damaged card loses fewer of them).
#pragma once

#include <memory>

#include "host/workload/io/system.hpp"

namespace mediarig::workload {

class VerifySpan {
public:
    static constexpr Bytes piece{std::uint64_t{1} << 30};

    /// Fails with bad_request where a wanted span does not fit or nothing fits.
    [[nodiscard]] static Result<VerifySpan> open(const System& system, const JobSpec& job, const Target& target,
                                                 Bytes unit);

    [[nodiscard]] Bytes claimed() const { return claimed_; } ///< what the medium or file system offers
    [[nodiscard]] Bytes size() const { return size_; }       ///< what will be written
    [[nodiscard]] bool raw() const { return !folder_; }

    /// The file that holds `offset`, made if it is the first time, and the place in it. Whole chunks lie in one file.
    struct Place {
        MediumFile* file;
        std::uint64_t offset;
    };
    [[nodiscard]] Result<Place> at(std::uint64_t offset);
    /// Length of the file that holds `offset`, as far as it belongs to the span.
    [[nodiscard]] Bytes length_at(std::uint64_t offset) const;
    [[nodiscard]] MediumFile& current() { return *file_; }
    /// True when `offset` begins another file than the current one.
    [[nodiscard]] bool changes_file_at(std::uint64_t offset) const;

    [[nodiscard]] Result<void> remove();

private:
    VerifySpan() = default;

    std::unique_ptr<WorkFolder> folder_; ///< null on a raw device
    std::unique_ptr<MediumFile> file_;   ///< the current one
    std::uint64_t index_{};              ///< of the current file
    std::uint64_t made_{};               ///< how many files there are
    CachePolicy cache_{};
    SyncLevel sync_{};
    Bytes claimed_;
    Bytes size_;
    Bytes piece_; ///< whole chunks
};

} // namespace mediarig::workload
