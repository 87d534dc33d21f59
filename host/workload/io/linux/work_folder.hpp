// SPDX-License-Identifier: GPL-3.0-or-later
/// A folder of a job's own, held and walked by openat2(2) and its lock.
#pragma once

#include <string>
#include <utility>

#include "host/base/descriptor.hpp"
#include "host/workload/io/system.hpp"
#include "host/workload/jobs/job.hpp"

namespace mediarig::workload {

/// The directory of a path, for LinuxWorkFolder::create. Links in the path are followed once, with the rights of the
/// calling thread; what they lead to is opened without following any. Fails with bad_request, no_permission, io_failed.
[[nodiscard]] Result<Descriptor> open_directory(const std::string& path);

/// The most bytes that a file may have; nothing where that is more than any test asks for. `magic`: the type of the
/// file system as statfs(2) gives it. FAT keeps the length in 32 bits (Microsoft's FAT specification, DIR_FileSize).
[[nodiscard]] std::optional<Bytes> largest_file_of(std::uint64_t magic);

class LinuxWorkFolder final : public WorkFolder {
public:
    /// Makes a new folder in the directory of `target`, which must be open. First removes those that earlier jobs left
    /// behind because their process was killed: folders that only this thread's user may write in, whose lock nobody
    /// holds, and that hold nothing but files of jobs.
    [[nodiscard]] static Result<LinuxWorkFolder> create(const Target& target);
    ~LinuxWorkFolder() override;
    LinuxWorkFolder(LinuxWorkFolder&& other) noexcept = default;
    LinuxWorkFolder& operator=(LinuxWorkFolder&&) = delete;
    LinuxWorkFolder(const LinuxWorkFolder&) = delete;
    LinuxWorkFolder& operator=(const LinuxWorkFolder&) = delete;

    /// Where it was made, for messages.
    [[nodiscard]] const std::string& path() const { return path_; }
    /// Open as long as this lives; files are made and opened through it.
    [[nodiscard]] int descriptor() const { return folder_.get(); }

    [[nodiscard]] Result<std::unique_ptr<MediumFile>> create_file(const std::string& name, CachePolicy cache,
                                                                  SyncLevel sync) const override;
    [[nodiscard]] Result<std::unique_ptr<MediumFile>> open_file(const std::string& name, CachePolicy cache,
                                                                SyncLevel sync) const override;
    [[nodiscard]] Result<std::unique_ptr<FileTree>> tree() const override;
    [[nodiscard]] Result<Bytes> free_space() const override;
    [[nodiscard]] std::optional<std::uint64_t> free_entries() const override;
    [[nodiscard]] Bytes allocation_unit() const override;
    [[nodiscard]] std::optional<Bytes> largest_file() const override;
    [[nodiscard]] Result<void> remove() override;

private:
    LinuxWorkFolder(Descriptor parent, std::string name, Descriptor folder, std::string path)
        : parent_(std::move(parent)), folder_(std::move(folder)), name_(std::move(name)), path_(std::move(path)) {}

    Descriptor parent_;
    Descriptor folder_; ///< holds the lock
    std::string name_;
    std::string path_;
    bool removed_{};
};

} // namespace mediarig::workload
