// SPDX-License-Identifier: GPL-3.0-or-later
/// Partition types for the file systems. Pure. Sources: the usual list of MBR types; UEFI specification, chapter 5;
/// Apple, Technical Note TN2166.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/units.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

/// In the form of the parameter partition_type: "0x07". Empty for APFS, which has no MBR type. FAT16 and FAT32 have one
/// type for partitions that CHS addresses reach (up to sector 16450560 of 512 bytes), and another type for longer
/// partitions.
[[nodiscard]] std::optional<std::string_view> mbr_type_of(FileSystem fs, Bytes start, Bytes length);
/// In the form of the parameter partition_type: lower case.
[[nodiscard]] std::string_view gpt_type_of(FileSystem fs);
inline constexpr std::string_view gpt_efi_system = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b";

} // namespace mediarig::media
