// SPDX-License-Identifier: GPL-3.0-or-later
/// The files of a mix: equal ones in a work folder, or as many parts of a raw device.
#pragma once

#include <memory>
#include <vector>

#include "host/workload/reporter.hpp"
#include "host/workload/system.hpp"

namespace mediarig::workload {

class MixFiles {
public:
    /// Makes the files, empty. Fails with bad_request where they do not fit.
    [[nodiscard]] static Result<MixFiles> open(const System& system, const JobSpec& job, const Target& target,
                                               Reporter& reporter);

    struct Place {
        MediumFile* file;
        std::uint64_t offset; ///< in that file
    };
    /// Of a byte of file `index`.
    [[nodiscard]] Place at(std::uint32_t index, std::uint64_t offset) const {
        return raw() ? Place{files_.front().get(), index * size_.count + offset} : Place{files_[index].get(), offset};
    }
    /// Each once: one on a raw device.
    [[nodiscard]] const std::vector<std::unique_ptr<MediumFile>>& files() const { return files_; }
    /// What a flush of file `index` goes to: on a raw device the device, again for each.
    [[nodiscard]] const MediumFile& flushed(std::uint32_t index) const {
        return raw() ? *files_.front() : *files_[index];
    }
    /// How much of each of files() belongs to the mix.
    [[nodiscard]] Bytes length() const { return raw() ? size_ * count_ : size_; }

    /// Requests go to mappings of the files from now on, until unmap(). Fails with bad_request where the file system
    /// has none.
    [[nodiscard]] Result<void> map();
    void unmap();

    [[nodiscard]] Result<void> remove();

private:
    [[nodiscard]] bool raw() const { return !folder_; }

    std::unique_ptr<WorkFolder> folder_; ///< null on a raw device
    std::vector<std::unique_ptr<MediumFile>> files_;
    std::uint32_t count_{};
    Bytes size_;
};

} // namespace mediarig::workload
