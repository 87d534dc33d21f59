// SPDX-License-Identifier: GPL-3.0-or-later
/// A folder of the job's own on the medium: gone when the job ends, whatever happened.
#pragma once

#include <string>

#include "host/result.hpp"

namespace mediarig::workload {

class WorkFolder {
public:
    static constexpr const char* prefix = "mediarig-work-";

    /// Makes a new folder in `directory`. First removes those that earlier jobs left behind because their process was
    /// killed: a folder whose lock nobody holds has no owner.
    [[nodiscard]] static Result<WorkFolder> create(const std::string& directory);
    ~WorkFolder();
    WorkFolder(WorkFolder&& other) noexcept;
    WorkFolder& operator=(WorkFolder&&) = delete;
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    /// Removes the files in it and the folder. Done again by the destructor if it failed.
    [[nodiscard]] Result<void> remove();

private:
    WorkFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

    std::string path_; ///< empty once removed or moved from
    int lock_;
};

} // namespace mediarig::workload
