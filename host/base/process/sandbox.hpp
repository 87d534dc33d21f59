// SPDX-License-Identifier: GPL-3.0-or-later
/// Permanently drops rights of a thread, and of all threads and programs that it starts later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::process {

/// A set of capabilities, one bit per number in linux/capability.h.
using Capabilities = std::uint64_t;
[[nodiscard]] constexpr Capabilities capability(int number) {
    return Capabilities{1} << number;
}

/// The rights of a started program. A program never has more rights than this process.
struct Sandbox {
    Capabilities capabilities{}; ///< the capabilities that the program keeps
    /// If the kernel has Landlock: the program can read files only below /usr, /lib, /bin, /sbin, /etc, /proc, /sys and
    /// next to the program, and write only through the descriptors that it inherits, by number or as /proc/self/fd/N.
    /// No mounts, no network, no signals to other processes.
    bool only_inherited_files{};
};

/// Keeps the capabilities `kept` of the calling thread, in all five sets, and prevents gains from set-user-id programs
/// and programs with file capabilities. The bounding set remains if the thread may not change it; with no_new_privs the
/// bounding set restores nothing. Fails with io_failed.
[[nodiscard]] Result<void> keep_capabilities(Capabilities kept);

/// Applies `sandbox` to the calling thread, before the thread starts the program at the absolute `path` with
/// `inherited` descriptors. Fails with io_failed.
[[nodiscard]] Result<void> enter_sandbox(const Sandbox& sandbox, const std::string& path,
                                         const std::vector<int>& inherited);

} // namespace mediarig::process
