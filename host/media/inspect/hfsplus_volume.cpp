// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <bit>
#include <chrono>

#include "host/media/inspect/hfsplus.hpp"

namespace mediarig::media {
namespace {

constexpr std::uint16_t plus_signature = 0x482B; // "H+"
constexpr std::uint16_t x_signature = 0x4858;    // "HX"

} // namespace

bool is_hfs_plus(Raw header) {
    if (header.size() < hfs_plus_header_length.count) return false;
    const auto signature = load_be<std::uint16_t>(header, 0);
    const auto version = load_be<std::uint16_t>(header, 2);
    return (signature == plus_signature && version == 4) || (signature == x_signature && version == 5);
}

HfsPlusFork parse_hfs_plus_fork(Raw raw, std::size_t offset) {
    HfsPlusFork fork{.logical_size = {load_be<std::uint64_t>(raw, offset)},
                     .clump_size = load_be<std::uint32_t>(raw, offset + 8),
                     .total_blocks = load_be<std::uint32_t>(raw, offset + 12)};
    for (std::size_t i = 0; i < fork.extents.size(); ++i)
        fork.extents[i] = {.start = load_be<std::uint32_t>(raw, offset + 16 + 8 * i),
                           .count = load_be<std::uint32_t>(raw, offset + 20 + 8 * i)};
    return fork;
}

Result<HfsPlusHeader> parse_hfs_plus(Raw raw) {
    if (!is_hfs_plus(raw)) return fail(Errc::bad_format, "signature");
    const auto block_size = load_be<std::uint32_t>(raw, 0x28);
    if (block_size < 512 || !std::has_single_bit(block_size)) return fail(Errc::bad_format, "blockSize");
    HfsPlusHeader header{.case_sensitive = load_be<std::uint16_t>(raw, 0) == x_signature,
                         .version = load_be<std::uint16_t>(raw, 2),
                         .attributes = load_be<std::uint32_t>(raw, 4),
                         .last_mounted_by = text_from_utf8(raw.subspan(8, 4)),
                         .journal_info_block = load_be<std::uint32_t>(raw, 0x0C),
                         .created = load_be<std::uint32_t>(raw, 0x10),
                         .modified = load_be<std::uint32_t>(raw, 0x14),
                         .backed_up = load_be<std::uint32_t>(raw, 0x18),
                         .checked = load_be<std::uint32_t>(raw, 0x1C),
                         .file_count = load_be<std::uint32_t>(raw, 0x20),
                         .folder_count = load_be<std::uint32_t>(raw, 0x24),
                         .block_size = {block_size},
                         .total_blocks = load_be<std::uint32_t>(raw, 0x2C),
                         .free_blocks = load_be<std::uint32_t>(raw, 0x30),
                         .next_allocation = load_be<std::uint32_t>(raw, 0x34),
                         .resource_clump_size = load_be<std::uint32_t>(raw, 0x38),
                         .data_clump_size = load_be<std::uint32_t>(raw, 0x3C),
                         .next_catalog_id = load_be<std::uint32_t>(raw, 0x40),
                         .write_count = load_be<std::uint32_t>(raw, 0x44),
                         .encodings = load_be<std::uint64_t>(raw, 0x48),
                         .volume_id = load_be<std::uint64_t>(raw, 0x68),
                         .allocation_file = parse_hfs_plus_fork(raw, 0x70),
                         .extents_file = parse_hfs_plus_fork(raw, 0xC0),
                         .catalog_file = parse_hfs_plus_fork(raw, 0x110),
                         .attributes_file = parse_hfs_plus_fork(raw, 0x160),
                         .startup_file = parse_hfs_plus_fork(raw, 0x1B0)};
    if (header.total_blocks == 0) return fail(Errc::bad_format, "totalBlocks");
    if (header.journaled() && header.journal_info_block >= header.total_blocks)
        return fail(Errc::bad_format, "journalInfoBlock");
    return header;
}

std::string name_of(const HfsPlusHeader& header) {
    return std::string(header.case_sensitive ? "hfsx" : "hfs+") +
           (header.journaled() ? (header.case_sensitive ? "+j" : "j") : "");
}

HfsPlusJournalInfo parse_hfs_plus_journal_info(Raw block) {
    const auto flags = load_be<std::uint32_t>(block, 0);
    return {.in_volume = (flags & 1) != 0,
            .on_other_device = (flags & 2) != 0,
            .needs_init = (flags & 4) != 0,
            .offset = {load_be<std::uint64_t>(block, 0x24)},
            .size = {load_be<std::uint64_t>(block, 0x2C)},
            .external_uuid = text_from_utf8(block.subspan(0x34, 37))};
}

Result<HfsPlusJournal> parse_hfs_plus_journal(Raw raw) {
    constexpr std::uint32_t magic = 0x4A4E4C78;     // "JNLx"
    constexpr std::uint32_t old_magic = 0x4A484452; // "JHDR"
    const bool little = load_le<std::uint32_t>(raw, 4) == 0x12345678;
    if (!little && load_be<std::uint32_t>(raw, 4) != 0x12345678) return fail(Errc::bad_format, "endian");
    const auto load32 = [&](std::size_t at) {
        return little ? load_le<std::uint32_t>(raw, at) : load_be<std::uint32_t>(raw, at);
    };
    const auto load64 = [&](std::size_t at) {
        return little ? load_le<std::uint64_t>(raw, at) : load_be<std::uint64_t>(raw, at);
    };
    if (load32(0) != magic && load32(0) != old_magic) return fail(Errc::bad_format, "magic");
    if (load32(0x24) != hfs_plus_journal_checksum(raw)) return fail(Errc::bad_format, "checksum");
    if (load32(0x28) < 512 || !std::has_single_bit(load32(0x28))) return fail(Errc::bad_format, "jhdr_size");
    const HfsPlusJournal journal{.start = {load64(8)},
                                 .end = {load64(16)},
                                 .size = {load64(24)},
                                 .block_list_header = {load32(0x20)},
                                 .journal_header = {load32(0x28)},
                                 .checksum = load32(0x24),
                                 .little_endian = little};
    if (journal.start > journal.size || journal.end > journal.size) return fail(Errc::bad_format, "start and end");
    return journal;
}

std::string hfs_plus_date_text(std::uint32_t date) {
    if (date == 0) return "never";
    const std::chrono::sys_seconds when{std::chrono::seconds(std::int64_t{date} - hfs_plus_unix_epoch)};
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day calendar(day);
    const std::chrono::hh_mm_ss time(when - day);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(calendar.year()),
                       static_cast<unsigned>(calendar.month()), static_cast<unsigned>(calendar.day()),
                       time.hours().count(), time.minutes().count(), time.seconds().count());
}

std::string text_from_utf16be(Raw utf16) {
    std::vector<std::byte> swapped;
    swapped.reserve(utf16.size());
    for (std::size_t i = 0; i + 1 < utf16.size(); i += 2) {
        const bool nul = utf16[i] == std::byte{0} && utf16[i + 1] == std::byte{0};
        // The names of HFS+'s private folders begin with four NULs, which would end the text.
        swapped.push_back(nul ? std::byte{0xFD} : utf16[i + 1]);
        swapped.push_back(nul ? std::byte{0xFF} : utf16[i]);
    }
    return text_from_utf16(swapped);
}

} // namespace mediarig::media
