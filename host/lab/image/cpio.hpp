// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes the archive that the kernel unpacks as its first root folder. Pure: reads no file and needs no privilege,
/// since a device node is only a header. Source of the format: Linux,
/// Documentation/driver-api/early-userspace/buffer-format.rst ("newc").
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
    std::string data;     ///< content of a file; target of a link
    std::uint32_t device_major{};
    std::uint32_t device_minor{};
};

/// Writes the entries in the given order, a folder before its contents. Everything belongs to root and has no time, so
/// equal entries give equal bytes. Fails with bad_request: a name that is empty, absolute, duplicate, leads upwards or
/// into a folder without an earlier entry, or data over 4 GiB.
[[nodiscard]] Result<std::string> newc_archive(const std::vector<CpioEntry>& entries);

} // namespace mediarig::lab
