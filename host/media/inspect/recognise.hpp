// SPDX-License-Identifier: GPL-3.0-or-later
/// File systems that are told apart but not taken to pieces: the FAT family, NTFS. Pure; trusts no byte.
#pragma once

#include <string>

#include "host/media/inspect/load.hpp"

namespace mediarig::media {

/// "fat12", "fat16", "fat32" or "ntfs" for a boot sector that says so consistently, else "".
/// The FAT's width follows from the count of clusters alone (ECMA-107 and Microsoft's FAT specification).
[[nodiscard]] std::string recognise_boot_sector(Raw sector);

} // namespace mediarig::media
