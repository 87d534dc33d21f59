// SPDX-License-Identifier: GPL-3.0-or-later
/// Location of the resident lab: a private folder of the user with a lock and a control socket. The kernel releases the
/// lock when the lab's process ends for any reason.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "host/base/result.hpp"

namespace mediarig::lab {

struct LabPaths {
    std::filesystem::path folder;  ///< marked as made by mediarig; see owned_folder.hpp
    std::filesystem::path above{}; ///< parent of `folder` if it belongs to the user, else empty
    [[nodiscard]] std::filesystem::path lock() const { return folder / "lock"; }
    [[nodiscard]] std::filesystem::path control() const { return folder / "control"; }
};

/// "mediarig-lab" in $MEDIARIG_LAB_DIR, else "mediarig-resident" in $XDG_RUNTIME_DIR, else "mediarig-resident-UID" in
/// /tmp: one lab per user, unless MEDIARIG_LAB_DIR is set.
[[nodiscard]] LabPaths default_lab_place();

/// Returns the process that runs, starts or ends a lab there; nothing if there is no such process.
[[nodiscard]] std::optional<pid_t> lab_process(const LabPaths& place);

/// Lock of a lab's folder, held by the process of the lab.
class LabLock {
public:
    /// Makes the folder for this user alone, and the folder above it if that is missing; removes the files of a lab
    /// that was killed. Fails with bad_request (a lab is there already; the folder is too long for sockets), refused
    /// (it belongs to another user, others may enter it, it contains a file that no lab made), no_permission,
    /// io_failed.
    [[nodiscard]] static Result<LabLock> begin(const LabPaths& place);

    LabLock(LabLock&& other) noexcept;
    LabLock& operator=(LabLock&&) = delete;
    LabLock(const LabLock&) = delete;
    LabLock& operator=(const LabLock&) = delete;
    /// Removes the folder with the lab's own files.
    ~LabLock();

private:
    LabLock(LabPaths place, int lock, bool made_above)
        : place_(std::move(place)), lock_(lock), made_above_(made_above) {}
    LabPaths place_;
    int lock_{-1};
    bool made_above_{};
};

} // namespace mediarig::lab
