// SPDX-License-Identifier: GPL-3.0-or-later
/// Private folder of one mount: "/run/mediarig-PID-RANDOM" with the mount point in it, inaccessible to other users. If
/// this process is killed, a guard unmounts the volume and removes the folder.
#pragma once

#include <optional>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/media/mount/linux/unmount_guard.hpp"

namespace mediarig::media {

class RunFolder {
public:
    RunFolder(RunFolder&& other) noexcept;
    RunFolder& operator=(RunFolder&&) = delete;
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;
    ~RunFolder(); ///< removes the folder; requires that nothing is mounted in it

    [[nodiscard]] std::string mount_point() const { return path_ + "/volume"; }
    /// Names the FUSE driver that is about to mount `device` here; `pipe`: FuseDriver::pipe().
    void has_driver(ino_t pipe, int device) const {
        if (guard_) guard_->has_driver(pipe, device);
    }

private:
    friend Result<RunFolder> make_run_folder(const std::string&);
    explicit RunFolder(std::string path) : path_(std::move(path)) {}
    std::string path_; ///< empty after a move
    std::optional<UnmountGuard> guard_;
    Descriptor lock_; ///< BSD lock of the folder: shows that its owner is alive, in any PID namespace
};

/// Makes a folder with mode 0700, and `run_directory` if only its parent exists. Fails with no_permission, io_failed.
[[nodiscard]] Result<RunFolder> make_run_folder(const std::string& run_directory);

/// Unmounts and removes the folders of ended processes in `run_directory`. Best effort: folders in use stay.
void remove_stale_folders(const std::string& run_directory);

} // namespace mediarig::media
