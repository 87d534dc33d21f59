// SPDX-License-Identifier: GPL-3.0-or-later
/// Who uses a file: what the kernel does with it, and which programs have it open.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "host/media/discovery.hpp"
#include "host/media/medium.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// Loop devices and what stands on them, swap, file systems mounted straight from it; texts call the file `name`.
/// Fails with io_failed where the machine's devices cannot be listed.
[[nodiscard]] Result<std::vector<Refusal>> kernel_uses_of(FileIdentity file, const std::string& name,
                                                          const OwnDevices& own);

/// Where a file system is mounted straight from a file that may be any of those on the file system `device`: the kernel
/// tells only the name that it was mounted by, which may be another file's by now. Empty where none is seen.
[[nodiscard]] std::string mounted_from_some_file_on(dev_t device);

/// Only for messages, of a file, under all its identities, that is known to be in use: "open in process 812 (sqlite3)",
/// "attached to loop3". Takes about 40 ms of processor time at most, and says so where that was not enough to look at
/// every process.
[[nodiscard]] std::string describe_users(const std::vector<FileIdentity>& file, const std::string& name);

} // namespace mediarig::media
