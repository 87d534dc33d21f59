// SPDX-License-Identifier: GPL-3.0-or-later
/// Contents that are named and not taken to pieces: other file systems, and what is encrypted. Only where the signature
/// is certain. Pure; trusts no byte.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {

struct ContentSignature {
    std::string
        file_system;  ///< "luks", "bitlocker", "ntfs", "refs", "ext4", "xfs", "btrfs", "md_raid", "hfs", "iso9660", …
    Bytes at, length; ///< of the signature, from the start of the volume
    bool encrypted{};
    bool operator==(const ContentSignature&) const = default;
};

/// What lies this far into a volume may be told by its signature: that of btrfs is the farthest.
inline constexpr Bytes signature_excerpt = 68_KiB;
/// Beyond the first 4 KiB: MD, the four descriptors of optical media, and btrfs.
inline constexpr std::array<Bytes, 6> signature_places{4_KiB, 32_KiB, 34_KiB, 36_KiB, 38_KiB, 64_KiB};
/// That of btrfs stands 64 bytes in.
inline constexpr Bytes signature_place_length = 80_B;

/// Takes the beginning of a volume, as much of signature_excerpt as there is. All that are there, those that decide
/// first.
[[nodiscard]] std::vector<ContentSignature> recognise_signatures(Raw head);
/// The first of them.
[[nodiscard]] std::optional<ContentSignature> recognise_signature(Raw head);

} // namespace mediarig::media
