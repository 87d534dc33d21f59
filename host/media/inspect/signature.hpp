// SPDX-License-Identifier: GPL-3.0-or-later
/// Contents that are recognised but not parsed: other file systems, and encrypted volumes. Recognises only unambiguous
/// signatures. Pure; trusts no byte.
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
    Bytes at, length; ///< position of the signature, from the start of the volume
    bool encrypted{};
    bool operator==(const ContentSignature&) const = default;
};

/// Part of a volume that can contain a signature; the btrfs signature has the largest offset.
inline constexpr Bytes signature_excerpt = 68_KiB;
/// Positions after the first 4 KiB: MD, the four descriptors of optical media, and btrfs.
inline constexpr std::array<Bytes, 6> signature_places{4_KiB, 32_KiB, 34_KiB, 36_KiB, 38_KiB, 64_KiB};
/// Number of bytes read at each position; the btrfs signature is at offset 64.
inline constexpr Bytes signature_place_length = 80_B;

/// `head`: the beginning of a volume, up to signature_excerpt bytes. Returns all signatures, the decisive ones first.
[[nodiscard]] std::vector<ContentSignature> recognise_signatures(Raw head);
/// The first of recognise_signatures().
[[nodiscard]] std::optional<ContentSignature> recognise_signature(Raw head);

} // namespace mediarig::media
