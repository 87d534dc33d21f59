// SPDX-License-Identifier: GPL-3.0-or-later
/// Rights given up for good: by a thread, and by all threads and programs that it starts later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::process {

/// A set of capabilities, one bit for each number of linux/capability.h.
using Capabilities = std::uint64_t;
[[nodiscard]] constexpr Capabilities capability(int number) {
    return Capabilities{1} << number;
}

/// What a started program may do, at most what this process may.
struct Sandbox {
    Capabilities capabilities{}; ///< those that it keeps
    /// Where the kernel has Landlock: files are read below /usr, /lib, /bin, /sbin, /etc, /proc, /sys and beside the
    /// program, and written through the descriptors that it inherits, by number or as /proc/self/fd/N, and nowhere
    /// else; no mounts, no network, no signals to others.
    bool only_inherited_files{};
};

/// Keeps `kept` of what the calling thread has, in all five sets, and gains nothing by starting set-user-id programs or
/// such with file capabilities. The bounding set stays where the thread may not change it; without new privileges it
/// gives nothing back. Fails with io_failed.
[[nodiscard]] Result<void> keep_capabilities(Capabilities kept);

/// Enters `sandbox` with the calling thread, to start the program at the absolute `path` with `inherited` descriptors.
/// Fails with io_failed.
[[nodiscard]] Result<void> enter_sandbox(const Sandbox& sandbox, const std::string& path,
                                         const std::vector<int>& inherited);

} // namespace mediarig::process
