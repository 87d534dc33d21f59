// SPDX-License-Identifier: GPL-3.0-or-later
/// Names of well-known partition types. Pure. Sources: UEFI specification, chapter 5; the usual list of MBR types;
/// Microsoft, CREATE_PARTITION_PARAMETERS; Apple, Technical Note TN2166; UAPI group, Discoverable Partitions
/// Specification.
#pragma once

#include <cstdint>
#include <string_view>

namespace mediarig::media {

/// "FAT32 (LBA)"; empty for an unknown type.
[[nodiscard]] std::string_view mbr_type_name(std::uint8_t type);
/// Takes a GUID in lower case. "Microsoft reserved"; empty for an unknown type.
[[nodiscard]] std::string_view gpt_type_name(std::string_view type);

} // namespace mediarig::media
