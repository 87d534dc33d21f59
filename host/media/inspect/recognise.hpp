// SPDX-License-Identifier: GPL-3.0-or-later
/// Recognises file systems without parsing them: the FAT family, NTFS. Pure; trusts no byte.
#pragma once

#include <string>

#include "host/media/inspect/load.hpp"

namespace mediarig::media {

/// "fat12", "fat16", "fat32" or "ntfs" for a consistent boot sector, otherwise "". The FAT width depends only on the
/// number of clusters (ECMA-107 and Microsoft's FAT specification).
[[nodiscard]] std::string recognise_boot_sector(Raw sector);

} // namespace mediarig::media
