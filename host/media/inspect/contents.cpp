// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/contents.hpp"

#include <algorithm>

#include "host/media/format_options.hpp"
#include "host/media/inspect/apfs.hpp"
#include "host/media/inspect/exfat.hpp"
#include "host/media/inspect/hfsplus.hpp"
#include "host/media/inspect/recognise.hpp"
#include "host/media/inspect/superblock_copies.hpp"

namespace mediarig::media {
namespace {

/// The first 4 KiB, with zeros for unreadable sectors. Enough to recognise the contents; the readers read and report
/// these bytes again.
Result<std::vector<std::byte>> readable_head(const MediumReader& medium, Bytes start) {
    auto head = medium.read(start, 4_KiB);
    if (head || head.error().code != Errc::io_failed) return head;
    std::vector<std::byte> patched;
    bool any = false;
    for (Bytes done{}; done < 4_KiB; done += 512_B) {
        const auto sector = medium.read(start + done, 512_B);
        any = any || sector.has_value();
        patched.resize((done + 512_B).count);
        if (sector) std::ranges::copy(*sector, patched.begin() + static_cast<std::ptrdiff_t>(done.count));
    }
    if (!any) return head;
    return patched;
}

/// Bytes at the positions of signatures with larger offsets, with zeros for all other bytes. Reads only these
/// positions, because a medium may have a thousand partitions with unknown contents.
Result<std::vector<std::byte>> far_signatures(const MediumReader& medium, Bytes start, Bytes length) {
    std::vector<std::byte> excerpt(std::min(length, signature_excerpt).count);
    for (const Bytes at : signature_places()) {
        if (length < at + signature_place_length) break;
        const auto piece = medium.read(start + at, signature_place_length);
        if (!piece) return fail(piece.error());
        std::ranges::copy(*piece, excerpt.begin() + static_cast<std::ptrdiff_t>(at.count));
    }
    return excerpt;
}

RecognisedContents by_signature(ContentSignature signature) {
    RecognisedContents contents{.file_system = signature.file_system, .signature = {}};
    contents.signature = std::move(signature);
    return contents;
}

/// MD superblock before the end of a volume, versions 0.90 and 1.0; `at` is its position on the medium.
std::optional<ContentSignature> raid_member(const MediumReader& medium, Bytes end) {
    const auto member = [&](Bytes at, bool (*is_superblock)(Raw)) -> std::optional<ContentSignature> {
        constexpr Bytes magic = 8_B;
        if (at == 0_B) return std::nullopt;
        const auto raw = medium.read(at, magic);
        if (!raw || !is_superblock(*raw)) return std::nullopt;
        return ContentSignature{.file_system = "md_raid", .at = at, .length = magic};
    };
    auto found = member(md_superblock_before(end), is_md_superblock);
    return found ? found : member(old_md_superblock_before(end), is_old_md_superblock);
}

} // namespace

Result<RecognisedContents> recognise_contents(const MediumReader& medium, Bytes start, Bytes length) {
    if (length < 4_KiB) return RecognisedContents{};
    const auto head = readable_head(medium, start);
    if (!head) return fail(head.error().code, "the beginning of the volume: " + head.error().detail);
    const auto named = [](std::string name) {
        return RecognisedContents{.file_system = std::move(name), .signature = {}};
    };
    if (is_exfat(*head)) return named("exfat");
    if (is_apfs(*head)) return named("apfs");
    if (is_hfs_plus(Raw(*head).subspan(hfs_plus_header_offset.count))) return named("hfs+");
    // An encrypted volume may look like FAT or NTFS. The magic of an earlier format may survive after a FAT boot
    // sector.
    auto near = recognise_signature(*head);
    if (near && (near->barrier == ContentBarrier::encrypted || near->barrier == ContentBarrier::possibly_encrypted))
        return by_signature(std::move(*near));
    if (std::string boot = recognise_boot_sector(*head); is_fat(boot)) return named(std::move(boot));
    if (near) return by_signature(std::move(*near));
    const auto more = far_signatures(medium, start, length);
    if (!more) return fail(more.error().code, "signatures in the volume: " + more.error().detail);
    if (auto far = recognise_signature(*more)) return by_signature(std::move(*far));
    if (auto member = raid_member(medium, start + length)) {
        member->at = member->at - start;
        return by_signature(std::move(*member));
    }
    return RecognisedContents{};
}

std::optional<ContentSignature> recognise_container(const MediumReader& medium) {
    if (medium.size() < container_footer) return std::nullopt;
    const auto footer = medium.read(medium.size() - container_footer, container_footer);
    return footer ? recognise_container_footer(*footer, medium.size()) : std::nullopt;
}

} // namespace mediarig::media
