// SPDX-License-Identifier: GPL-3.0-or-later
/// A private folder of a job, opened with openat2(2) and held by a lock.
#pragma once

#include <string>
#include <utility>

#include "host/base/descriptor.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"

namespace mediarig::workload {

/// Opens the directory of a path, for LinuxWorkFolder::create. Links in the path are followed once, with the rights of
/// the calling thread; their target is opened without following links. Fails with bad_request, no_permission,
/// io_failed.
[[nodiscard]] Result<Descriptor> open_directory(const std::string& path);

/// The maximum size of a file in bytes; empty if it exceeds the needs of all tests. `magic`: the type of the file
/// system from statfs(2). FAT stores the length in 32 bits (Microsoft's FAT specification, DIR_FileSize).
[[nodiscard]] std::optional<Bytes> largest_file_of(std::uint64_t magic);

class LinuxWorkFolder final : public WorkFolder {
public:
    /// Creates a new folder in the directory of `target`, which must be open. First removes folders of earlier jobs
    /// whose process was killed: folders that only this thread's user can write, whose lock is free, and that contain
    /// only job files. On a file system without modes any user can write in them and in the new folder.
    [[nodiscard]] static Result<LinuxWorkFolder> create(const JobTarget& target);
    ~LinuxWorkFolder() override;
    LinuxWorkFolder(LinuxWorkFolder&& other) noexcept = default;
    LinuxWorkFolder& operator=(LinuxWorkFolder&&) = delete;
    LinuxWorkFolder(const LinuxWorkFolder&) = delete;
    LinuxWorkFolder& operator=(const LinuxWorkFolder&) = delete;

    /// The path at creation, for messages.
    [[nodiscard]] const std::string& path() const { return path_; }
    /// Descriptor of the folder, open during the lifetime of this object. Files are created and opened through this
    /// descriptor.
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
    [[nodiscard]] bool open_to_others() const override { return open_to_others_; }
    [[nodiscard]] Result<void> remove() override;

private:
    LinuxWorkFolder(Descriptor parent, std::string name, Descriptor folder, std::string path, bool open_to_others)
        : parent_(std::move(parent)),
          folder_(std::move(folder)),
          name_(std::move(name)),
          path_(std::move(path)),
          open_to_others_(open_to_others) {}

    Descriptor parent_;
    Descriptor folder_; ///< holds the lock
    std::string name_;
    std::string path_;
    bool open_to_others_;
    bool removed_{};
};

} // namespace mediarig::workload
