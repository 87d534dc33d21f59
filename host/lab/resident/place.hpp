// SPDX-License-Identifier: GPL-3.0-or-later
/// Location of the resident lab: a private folder of the user with a lock and a control socket. The kernel releases the
/// lock when the lab's process ends for any reason.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "host/base/result.hpp"

namespace mediarig::lab {

struct LabPlace {
    std::filesystem::path folder;
    [[nodiscard]] std::filesystem::path lock() const { return folder / "lock"; }
    [[nodiscard]] std::filesystem::path control() const { return folder / "control"; }
};

/// Returns $MEDIARIG_LAB_DIR, else "mediarig-resident" in $XDG_RUNTIME_DIR, else "mediarig-resident-UID" in /tmp: one
/// lab per user unless the variable is set.
[[nodiscard]] LabPlace default_lab_place();

/// Returns the process that runs, starts or ends a lab there; nothing if absent.
[[nodiscard]] std::optional<pid_t> lab_process(const LabPlace& place);

/// Held by the process of the lab.
class LabPlaceLock {
public:
    /// Creates the folder for this user only and removes the remains of a killed lab. Fails with bad_request (a lab is
    /// already there; the path is too long for sockets), refused (the folder belongs to another user, or others can
    /// access it), no_permission, io_failed.
    [[nodiscard]] static Result<LabPlaceLock> begin(const LabPlace& place);

    LabPlaceLock(LabPlaceLock&& other) noexcept;
    LabPlaceLock& operator=(LabPlaceLock&&) = delete;
    LabPlaceLock(const LabPlaceLock&) = delete;
    LabPlaceLock& operator=(const LabPlaceLock&) = delete;
    /// Removes the folder.
    ~LabPlaceLock();

private:
    LabPlaceLock(LabPlace place, int lock) : place_(std::move(place)), lock_(lock) {}
    LabPlace place_;
    int lock_{-1};
};

} // namespace mediarig::lab
