// SPDX-License-Identifier: GPL-3.0-or-later
/// Recognises file systems without parsing them: the FAT family, NTFS. Pure; trusts no byte.
#pragma once

#include <string>

#include "host/media/inspect/load.hpp"

namespace mediarig::media {

/// "fat12", "fat16", "fat32" or "ntfs" for a boot sector, otherwise "". A FAT is recognised by its parameter block. If
/// the jump instruction or the signature is missing, the values of that block must agree. See FatBoot::bits for the
/// width.
[[nodiscard]] std::string recognise_boot_sector(Raw sector);

/// Field that prevents a driver from reading a boot sector of FAT, exFAT or NTFS: "BPB_SecPerClus", "FileSystemName".
/// Empty for a sector that is no boot sector of a volume, for example an MBR or zeros. Call it for a sector that
/// recognise_contents() does not recognise.
[[nodiscard]] std::string damage_of_boot_sector(Raw sector);

} // namespace mediarig::media
