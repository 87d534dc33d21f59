// SPDX-License-Identifier: GPL-3.0-or-later
/// mount(2) of a started program, carried out by this process: the program needs no right to mount, and the mount
/// appears in the mount namespace of this process. Source: seccomp_unotify(2); needs Linux 5.9.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig::process {

/// From now on mount(2) of the calling thread, and of the programs that it starts, blocks until it is answered through
/// the returned descriptor; after that is closed, it fails with ENOSYS. fsopen(2) fails with ENOSYS at once, so that
/// libraries use mount(2). The thread must have no_new_privs set. Fails with io_failed.
[[nodiscard]] Result<Descriptor> intercept_mounts();

/// A blocked mount(2).
struct MountRequest {
    std::uint64_t id{};
    pid_t process{};
    unsigned long flags{};
    std::string options; ///< the text in `data`, as the file system gets it; empty if it cannot be read
};

/// Waits for the next one. Nothing if the process no longer waits for an answer.
[[nodiscard]] std::optional<MountRequest> receive_mount(int listener);

/// Replaces descriptor `number` of the blocked process with a copy of `ours`. False if the process no longer waits.
[[nodiscard]] bool replace_descriptor(int listener, const MountRequest& request, int ours, int number);

/// Lets mount(2) return: success for 0, else failure with this errno. False if the process no longer waits.
[[nodiscard]] bool answer_mount(int listener, const MountRequest& request, int error);

} // namespace mediarig::process
