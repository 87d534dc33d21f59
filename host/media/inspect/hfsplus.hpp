// SPDX-License-Identifier: GPL-3.0-or-later
/// Structures of HFS+ and HFSX. Pure; trusts no byte: the medium may be worn or counterfeit. All numbers are
/// big-endian; all block numbers count allocation blocks. Source: Apple, Technical Note TN1150 "HFS Plus Volume
/// Format".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {

struct HfsPlusExtent {
    std::uint32_t start{}, count{}; ///< blocks; a count of 0 marks an unused descriptor
    bool operator==(const HfsPlusExtent&) const = default;
};

using HfsPlusExtents = std::array<HfsPlusExtent, 8>;

/// HFSPlusForkData: position of the bytes of a file, up to eight extents.
struct HfsPlusFork {
    Bytes logical_size;
    std::uint32_t clump_size{}; ///< bytes
    std::uint32_t total_blocks{};
    HfsPlusExtents extents{};
    bool operator==(const HfsPlusFork&) const = default;
};

/// HFSPlusVolumeHeader. Dates are seconds since 1904-01-01 00:00.
struct HfsPlusHeader {
    bool case_sensitive{}; ///< possible on HFSX only; the catalog's keyCompareType decides
    std::uint16_t version{};
    std::uint32_t attributes{};
    std::string last_mounted_by; ///< "10.0", "HFSJ", "fsck", …
    std::uint32_t journal_info_block{};
    std::uint32_t created{}; ///< local time of the formatter; the other dates are UTC
    std::uint32_t modified{}, backed_up{}, checked{};
    std::uint32_t file_count{}, folder_count{}; ///< without the root folder
    Bytes block_size;
    std::uint32_t total_blocks{}, free_blocks{}, next_allocation{};
    std::uint32_t resource_clump_size{}, data_clump_size{}; ///< bytes
    std::uint32_t next_catalog_id{}, write_count{};
    std::uint64_t encodings{};
    std::uint64_t volume_id{}; ///< last eight bytes of finderInfo; 0 if the volume has no identifier
    HfsPlusFork allocation_file, extents_file, catalog_file, attributes_file, startup_file;
    bool operator==(const HfsPlusHeader&) const = default;

    static constexpr std::uint32_t unmounted_bit = 1u << 8;
    static constexpr std::uint32_t catalog_ids_reused_bit = 1u << 12;
    static constexpr std::uint32_t journaled_bit = 1u << 13;
    static constexpr std::uint32_t inconsistent_bit = 1u << 14;
    static constexpr std::uint32_t unused_nodes_zeroed_bit = 1u << 31;
    [[nodiscard]] bool unmounted() const { return (attributes & unmounted_bit) != 0; } ///< true after a clean unmount
    [[nodiscard]] bool journaled() const { return (attributes & journaled_bit) != 0; }
    [[nodiscard]] bool inconsistent() const { return (attributes & inconsistent_bit) != 0; }
};

/// Offset of the volume header from the start of the volume, and offset of its copy from the end.
inline constexpr Bytes hfs_plus_header_offset = 1_KiB;
inline constexpr Bytes hfs_plus_header_length = 512_B;

/// A field that must be equal in the alternate header but differs.
struct HfsPlusDifference {
    std::string field;
    std::uint64_t offset{}; ///< offset in the header
    std::uint64_t here{}, alternate{};
    bool operator==(const HfsPlusDifference&) const = default;
};
/// Compares both headers, except dates, counters and fields that a mount changes: drivers write the copy only when a
/// special file moves or grows. Both need at least 512 bytes.
[[nodiscard]] std::vector<HfsPlusDifference> hfs_plus_differences(Raw volume_header, Raw alternate);

[[nodiscard]] bool is_hfs_plus(Raw volume_header);
/// Parses a volume header. Needs at least 512 bytes. Fails with bad_format; the detail is the field name.
[[nodiscard]] Result<HfsPlusHeader> parse_hfs_plus(Raw volume_header);
/// Parses fork data. Needs at least 80 bytes at `offset`.
[[nodiscard]] HfsPlusFork parse_hfs_plus_fork(Raw raw, std::size_t offset);
/// Names of the set attribute bits: "unmounted, journaled"; bits without a name in hexadecimal; "none" for 0.
[[nodiscard]] std::string hfs_plus_attributes_text(std::uint32_t attributes);
/// Name of the variant: "hfs+", "hfs+j", "hfsx" or "hfsx+j".
[[nodiscard]] std::string name_of(const HfsPlusHeader& header);

/// JournalInfoBlock.
struct HfsPlusJournalInfo {
    bool in_volume{}, on_other_device{};
    bool needs_init{}; ///< the journal header is not written yet, so the journal is empty, whatever its bytes
    Bytes offset, size;
    std::string external_uuid; ///< UUID of a journal on another device
    bool operator==(const HfsPlusJournalInfo&) const = default;
};
/// Parses a journal info block. Needs at least 180 bytes.
[[nodiscard]] HfsPlusJournalInfo parse_hfs_plus_journal_info(Raw block);

/// Journal header, in the byte order of the machine that created it.
struct HfsPlusJournal {
    Bytes start, end, size;                  ///< start == end if the journal is empty
    Bytes block_list_header, journal_header; ///< blhdr_size, jhdr_size
    std::uint32_t checksum{};
    bool little_endian{};
    bool operator==(const HfsPlusJournal&) const = default;
};
inline constexpr std::size_t hfs_plus_journal_header_length = 44;
/// Checksum of the header; the checksum field counts as zeros. Needs at least 44 bytes.
[[nodiscard]] std::uint32_t hfs_plus_journal_checksum(Raw header);
/// Parses a journal header. Needs at least 44 bytes. Fails with bad_format; the detail is the field name.
[[nodiscard]] Result<HfsPlusJournal> parse_hfs_plus_journal(Raw header);

/// The Unix epoch in seconds since 1904.
inline constexpr std::uint32_t hfs_plus_unix_epoch = 2'082'844'800;
/// Text of a date: "2023-11-14 22:13:20"; "never" for 0.
[[nodiscard]] std::string hfs_plus_date_text(std::uint32_t date);
/// Converts all of a UTF-16BE text to UTF-8; a lone surrogate or a control character becomes U+FFFD.
[[nodiscard]] std::string text_from_utf16be(Raw utf16);

} // namespace mediarig::media
