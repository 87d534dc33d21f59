// SPDX-License-Identifier: GPL-3.0-or-later
/// A folder of the job's own on the medium: gone when the job ends, whatever happened. Made, filled, emptied and
/// removed through descriptors, so that nothing else is touched where somebody exchanges names meanwhile.
#pragma once

#include <cstdint>
#include <string>

#include "host/descriptor.hpp"
#include "host/result.hpp"
#include "host/workload/job.hpp"

namespace mediarig::workload {

/// The directory of a path, for WorkFolder::create. Links in the path are followed once, with the rights of the calling
/// thread; what they lead to is opened without following any. Fails with bad_request, no_permission, io_failed.
[[nodiscard]] Result<Descriptor> open_directory(const std::string& path);

class WorkFolder {
public:
    static constexpr const char* prefix = "mediarig-work-";
    /// The names of the files that jobs make in such a folder; nothing else is ever removed.
    static constexpr const char* span_file = "span.bin";
    [[nodiscard]] static std::string piece_file(std::uint64_t index);

    /// Makes a new folder in the directory of `target`, which must be open. First removes those that earlier jobs left
    /// behind because their process was killed: folders that only this thread's user may write in, whose lock nobody
    /// holds, and that hold nothing but files of jobs.
    [[nodiscard]] static Result<WorkFolder> create(const Target& target);
    ~WorkFolder();
    WorkFolder(WorkFolder&& other) noexcept = default;
    WorkFolder& operator=(WorkFolder&&) = delete;
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    /// Where it was made, for messages.
    [[nodiscard]] const std::string& path() const { return path_; }
    /// Open as long as this lives; files are made and opened through it.
    [[nodiscard]] int descriptor() const { return folder_.get(); }
    /// Removes the job's files in it and the folder. Fails with io_failed where something else lies in it, or where its
    /// name has become that of something else, which then stays. Done again by the destructor if it failed.
    [[nodiscard]] Result<void> remove();

private:
    WorkFolder(Descriptor parent, std::string name, Descriptor folder, std::string path)
        : parent_(std::move(parent)), folder_(std::move(folder)), name_(std::move(name)), path_(std::move(path)) {}

    Descriptor parent_;
    Descriptor folder_; ///< holds the lock
    std::string name_;
    std::string path_;
    bool removed_{};
};

} // namespace mediarig::workload
