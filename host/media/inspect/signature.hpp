// SPDX-License-Identifier: GPL-3.0-or-later
/// Contents that are recognised but not parsed: other file systems, and encrypted volumes. Recognises only unambiguous
/// signatures. Pure; trusts no byte.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {

/// Obstacle between a reader and the files.
enum class ContentBarrier : std::uint8_t {
    none,
    encrypted,
    possibly_encrypted, ///< only structures that are not parsed state whether the files are encrypted
    container,          ///< an image file in a format of an emulator or of macOS, not the contents of a medium
};

struct ContentSignature {
    std::string
        file_system; ///< "luks", "bitlocker", "core_storage", "ntfs", "ext4", "md_raid", "hfs", "iso9660", "qcow2", …
    Bytes at, length; ///< position of the signature, from the start of the volume
    ContentBarrier barrier{};
    bool operator==(const ContentSignature&) const = default;
};

/// "encrypted: luks by its signature at byte 0, its contents cannot be read". Empty without a barrier. `at`: position
/// on the medium.
[[nodiscard]] std::string barrier_text(const ContentSignature& signature, Bytes at);
/// True if barrier_text() returned `problem`: the contents cannot be read, and no damage was found.
[[nodiscard]] bool is_barrier_text(std::string_view problem);

/// Descriptors of optical images: 2048 bytes each, from this position on. Those of UDF follow those of ISO 9660.
inline constexpr Bytes optical_descriptors = 32_KiB, optical_descriptor = 2_KiB;
inline constexpr std::size_t most_optical_descriptors = 32;

/// Part of a volume that can contain a signature; the optical descriptors have the largest offset.
inline constexpr Bytes signature_excerpt = optical_descriptors + optical_descriptor * most_optical_descriptors;
/// Sizes of memory pages in Linux. A swap area begins with one page, and its signature is at the end of this page.
inline constexpr std::array<Bytes, 5> swap_pages{4_KiB, 8_KiB, 16_KiB, 32_KiB, 64_KiB};
/// Positions after the first 4 KiB, in ascending order: MD, swap areas of larger pages, and the descriptors of optical
/// media. That of btrfs, at 64 KiB, is also a position of a descriptor.
[[nodiscard]] const std::array<Bytes, swap_pages.size() + most_optical_descriptors>& signature_places();
/// Number of bytes read at each position; the btrfs signature is at offset 64.
inline constexpr Bytes signature_place_length = 80_B;

/// Length of the footer at the end of some container formats.
inline constexpr Bytes container_footer = 512_B;
/// Takes the last container_footer bytes of a file of `length` bytes. Accepts only a footer that fits this length,
/// because the contents of a medium may contain footers of image files.
[[nodiscard]] std::optional<ContentSignature> recognise_container_footer(Raw footer, Bytes length);

/// True for the header of a physical volume of Core Storage, which macOS before APFS uses for FileVault 2, encrypted
/// Time Machine media and Fusion drives. The header does not state whether the files are encrypted. Needs at least 512
/// bytes.
[[nodiscard]] bool is_core_storage(Raw head);

/// `head`: the beginning of a volume, up to signature_excerpt bytes. Returns all signatures, the decisive ones first.
[[nodiscard]] std::vector<ContentSignature> recognise_signatures(Raw head);
/// The first of recognise_signatures().
[[nodiscard]] std::optional<ContentSignature> recognise_signature(Raw head);

} // namespace mediarig::media
