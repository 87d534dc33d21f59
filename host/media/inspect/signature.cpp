// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/signature.hpp"

#include <array>
#include <cstring>
#include <string_view>

namespace mediarig::media {
namespace {

struct Magic {
    const char* file_system;
    std::size_t at;
    std::string_view bytes;
    bool encrypted{};
};

using namespace std::string_view_literals;
/// BitLocker first: its volumes look like NTFS, those on removable media like FAT32.
constexpr std::array magics{
    Magic{"luks", 0, "LUKS\xBA\xBE"sv, true},
    Magic{"bitlocker", 3, "-FVE-FS-"sv, true},
    Magic{"bitlocker", 424, "\x3B\xD6\x67\x49\x29\x2E\xD8\x4A\x83\x99\xF6\xA3\x39\xE3\xD0\x01"sv, true},
    Magic{"ntfs", 3, "NTFS    "sv},
    Magic{"refs", 3, "ReFS\0\0\0\0"sv},
    Magic{"xfs", 0, "XFSB"sv},
    Magic{"f2fs", 1024, "\x10\x20\xF5\xF2"sv},
    Magic{"lvm", 512, "LABELONE"sv},
    Magic{"swap", 4086, "SWAPSPACE2"sv},
    Magic{"btrfs", 0x10040, "_BHRfS_M"sv},
};
/// Descriptors of 2048 bytes from byte 32768 on: UDF tells itself behind those of ISO 9660.
constexpr std::size_t descriptors = 32768, descriptor = 2048, most_descriptors = 4;

bool holds(Raw head, std::size_t at, std::string_view bytes) {
    return head.size() >= at + bytes.size() && std::memcmp(head.data() + at, bytes.data(), bytes.size()) == 0;
}

std::optional<ContentSignature> ext(Raw head) {
    constexpr std::size_t magic_at = 0x438;
    if (head.size() < 2048 || load_le<std::uint16_t>(head, magic_at) != 0xEF53) return std::nullopt;
    // Two bytes are little: the block size, the revision and the counts have to make sense as well.
    if (load_le<std::uint32_t>(head, 0x418) > 6 || load_le<std::uint32_t>(head, 0x44C) > 1 ||
        load_le<std::uint32_t>(head, 0x400) == 0 || load_le<std::uint32_t>(head, 0x404) == 0)
        return std::nullopt;
    const bool journal = (load_le<std::uint32_t>(head, 0x45C) & 4) != 0;
    const bool extents = (load_le<std::uint32_t>(head, 0x460) & 0x40) != 0;
    return ContentSignature{.file_system = extents   ? "ext4"
                                           : journal ? "ext3"
                                                     : "ext2",
                            .at = {magic_at},
                            .length = 2_B};
}

void add_optical(Raw head, std::vector<ContentSignature>& found) {
    std::optional<ContentSignature> iso, udf;
    for (std::size_t i = 0; i < most_descriptors; ++i) {
        const std::size_t at = descriptors + i * descriptor + 1;
        if (!udf && (holds(head, at, "NSR02") || holds(head, at, "NSR03")))
            udf = {.file_system = "udf", .at = {at}, .length = 5_B};
        if (!iso && holds(head, at, "CD001")) iso = {.file_system = "iso9660", .at = {at}, .length = 5_B};
    }
    if (udf) found.push_back(*udf);
    if (iso) found.push_back(*iso);
}

} // namespace

std::vector<ContentSignature> recognise_signatures(Raw head) {
    std::vector<ContentSignature> found;
    for (const Magic& magic : magics)
        if (holds(head, magic.at, magic.bytes))
            found.push_back({.file_system = magic.file_system,
                             .at = {magic.at},
                             .length = {magic.bytes.size()},
                             .encrypted = magic.encrypted});
    if (auto superblock = ext(head)) found.push_back(*superblock);
    add_optical(head, found);
    return found;
}

std::optional<ContentSignature> recognise_signature(Raw head) {
    const std::vector<ContentSignature> found = recognise_signatures(head);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

} // namespace mediarig::media
