// SPDX-License-Identifier: GPL-3.0-or-later
/// Performs mount(2) in this process for a started program: the program needs no right to mount, and the mount appears
/// in the mount namespace of this process. Source: seccomp_unotify(2); needs Linux 5.9.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig::process {

/// Makes mount(2) block in the calling thread, and in the programs that it starts, until this process answers the call
/// through the returned descriptor. After that descriptor is closed, mount(2) fails with ENOSYS. fsopen(2) always fails
/// with ENOSYS, so that libraries use mount(2). The thread must have no_new_privs set. Fails with io_failed.
[[nodiscard]] Result<Descriptor> intercept_mounts();

/// A blocked call of mount(2).
struct MountRequest {
    std::uint64_t id{};
    pid_t process{};
    unsigned long flags{};
    std::string options; ///< argument `data` of mount(2); empty if it cannot be read
};

/// Waits for the next blocked mount(2). Empty if the calling process no longer waits for an answer.
[[nodiscard]] std::optional<MountRequest> receive_mount(int listener);

/// Replaces descriptor `number` of the blocked process with a copy of `ours`. Returns false if that process no longer
/// waits.
[[nodiscard]] bool replace_descriptor(int listener, const MountRequest& request, int ours, int number);

/// Makes mount(2) return: success for 0, otherwise failure with this errno. Returns false if the calling process no
/// longer waits.
[[nodiscard]] bool answer_mount(int listener, const MountRequest& request, int error);

} // namespace mediarig::process
