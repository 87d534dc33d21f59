// SPDX-License-Identifier: GPL-3.0-or-later
/// The user on whose behalf a privileged process works, and operations with the rights of that user.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig::process {

struct Caller {
    uid_t user{};
    gid_t group{};
    std::vector<gid_t> groups; ///< supplementary groups, ascending
    std::string name{};        ///< for messages; empty if the caller is this process itself
    [[nodiscard]] bool is_root() const { return user == 0; }
    bool operator==(const Caller&) const = default;
};

/// Returns the user of PKEXEC_UID or SUDO_UID, with the groups of the user database, if root started this process;
/// otherwise the real identity of this process. Fails with refused if such a variable names an unknown user, or if the
/// two variables name different users: then nothing may be done on behalf of any user.
[[nodiscard]] Result<Caller> find_caller();

/// While this object exists, only the calling thread has the caller's effective identity: user, group, supplementary
/// groups, and no effective capability. Threads that this thread starts inherit the identity; programs cannot be
/// started (spawn() refuses). The identity is verified. Does nothing if the thread already has that identity. The real
/// and saved user do not change, so the caller cannot signal this process. Therefore a FUSE mount that only its owner
/// may enter is inaccessible even to that owner.
class CallerRights {
public:
    /// Fails with no_permission; the thread is then unchanged.
    [[nodiscard]] static Result<CallerRights> of(const Caller& caller);
    CallerRights(CallerRights&& other) noexcept;
    CallerRights& operator=(CallerRights&&) = delete;
    CallerRights(const CallerRights&) = delete;
    CallerRights& operator=(const CallerRights&) = delete;
    /// Restores the rights that the thread had before. Must run on the same thread. Aborts the process on failure.
    ~CallerRights();

private:
    explicit CallerRights(Caller before, pid_t thread) : before_(std::move(before)), thread_(thread) {}
    Caller before_;
    pid_t thread_{}; ///< 0: nothing to restore
};

struct FoundFile {
    Descriptor descriptor;
    struct stat status {}; ///< status of the descriptor
    std::string path;      ///< absolute, without links, from the kernel's name of the descriptor; not printable
};

/// Looks up a path with the rights of the caller and opens it with O_PATH, which no device, FIFO or terminal notices.
/// Links are followed, except those of /proc that lead into a process (/proc/PID/fd/N, /dev/stdin). Fails with
/// bad_request (missing, no such path), no_permission, io_failed.
[[nodiscard]] Result<FoundFile> find_as(const Caller& caller, const std::string& path);

/// Opens exactly the found file with the rights of the calling thread. `flags` as for open(2) without O_CREAT and
/// O_TRUNC. Does not wait for a FIFO, a carrier or a lease, and acquires no controlling terminal.
/// Fails with no_permission, refused (another process blocks it: a lease, an exclusive open, a running program),
/// no_medium, io_failed.
[[nodiscard]] Result<FoundFile> reopen(const FoundFile& found, int flags);

/// Like reopen(), with the rights of the caller.
[[nodiscard]] Result<FoundFile> reopen_as(const Caller& caller, const FoundFile& found, int flags);

/// Calls find_as() and reopen(), both with the rights of the caller. `kind`: S_IFREG, S_IFBLK, S_IFCHR or S_IFDIR; a
/// file of another kind is never opened and gives bad_request.
[[nodiscard]] Result<FoundFile> open_as(const Caller& caller, const std::string& path, mode_t kind, int flags);

} // namespace mediarig::process
