// SPDX-License-Identifier: GPL-3.0-or-later
/// On whose behalf a privileged process works, and work done with that person's rights instead of its own.
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
    std::vector<gid_t> groups; ///< supplementary ones, ascending
    std::string name{};        ///< for messages; empty where the caller is this process itself
    [[nodiscard]] bool is_root() const { return user == 0; }
    bool operator==(const Caller&) const = default;
};

/// The user of PKEXEC_UID or SUDO_UID with the groups of the user database where this process was started by root, else
/// its own real identity. Fails with refused where such a variable names nobody whom this machine knows, or the two
/// name different users: then nothing may be done on anybody's behalf.
[[nodiscard]] Result<Caller> find_caller();

/// While it lives, the calling thread alone has the caller's effective identity: user, group, supplementary groups, and
/// no effective capability. Threads that it starts meanwhile inherit that; programs are not started then (spawn
/// refuses). Verified, not assumed. Does nothing where the thread has that identity already. The real and saved user
/// stay, so that the caller cannot signal this process; therefore a FUSE mount that only its owner may enter stays
/// closed for its owner, too.
class CallerRights {
public:
    /// Fails with no_permission; then the thread is as it was.
    [[nodiscard]] static Result<CallerRights> of(const Caller& caller);
    CallerRights(CallerRights&& other) noexcept;
    CallerRights& operator=(CallerRights&&) = delete;
    CallerRights(const CallerRights&) = delete;
    CallerRights& operator=(const CallerRights&) = delete;
    /// Gives the thread its own rights back, on the thread that took them; ends the process where that fails.
    ~CallerRights();

private:
    explicit CallerRights(Caller before, pid_t thread) : before_(std::move(before)), thread_(thread) {}
    Caller before_;
    pid_t thread_{}; ///< 0: nothing to give back
};

struct FoundFile {
    Descriptor descriptor;
    struct stat status {}; ///< of the descriptor
    std::string path;      ///< absolute, without links, as the kernel names the descriptor; not printable
};

/// What a path leads to, looked up with the rights of the caller and opened for nothing (O_PATH): no device, FIFO or
/// terminal notices. Links are followed, except those of /proc that lead into a process (/proc/PID/fd/N, /dev/stdin).
/// Fails with bad_request (absent, no such path), no_permission, io_failed.
[[nodiscard]] Result<FoundFile> find_as(const Caller& caller, const std::string& path);

/// Opens what was found, that very file, with the rights of the calling thread. `flags` as for open(2) without O_CREAT
/// and O_TRUNC. Waits for no FIFO, carrier or lease, and takes no terminal. Fails with no_permission, refused (another
/// process holds it back: a lease, an exclusive open, a running program), no_medium, io_failed.
[[nodiscard]] Result<FoundFile> reopen(const FoundFile& found, int flags);

/// The same with the rights of the caller.
[[nodiscard]] Result<FoundFile> reopen_as(const Caller& caller, const FoundFile& found, int flags);

/// find_as and reopen, both with the rights of the caller. `kind`: S_IFREG, S_IFBLK, S_IFCHR or S_IFDIR; another kind
/// is bad_request and is never opened.
[[nodiscard]] Result<FoundFile> open_as(const Caller& caller, const std::string& path, mode_t kind, int flags);

} // namespace mediarig::process
