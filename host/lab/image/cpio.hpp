// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes the archive that the kernel unpacks as its first root folder. Pure: no file is read, no privilege is needed,
/// since a device node is only a header.
/// Source of the format: Linux, Documentation/driver-api/early-userspace/buffer-format.rst ("newc").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::lab {

/// The type bits of `CpioEntry::mode`, as in stat(2).
inline constexpr std::uint32_t cpio_folder = 0040000, cpio_file = 0100000, cpio_char = 0020000;

struct CpioEntry {
    std::string name;     ///< relative to the root folder: "dev/console"
    std::uint32_t mode{}; ///< type and permissions
    std::string data;     ///< of a file; the target of a link
    std::uint32_t device_major{};
    std::uint32_t device_minor{};
};

/// Entries in their order, a folder before what is in it; everything belongs to root and has no time, so that the same
/// entries give the same bytes. Fails with bad_request: a name that is empty, absolute, doubled, leads upwards or into
/// a folder that has no entry before it, or data over 4 GiB.
[[nodiscard]] Result<std::string> newc_archive(const std::vector<CpioEntry>& entries);

} // namespace mediarig::lab
