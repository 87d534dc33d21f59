// SPDX-License-Identifier: GPL-3.0-or-later
/// What HFS+ and HFSX keep on a medium. Pure; trusts no byte: the medium may be worn or counterfeit. All numbers are
/// big endian, all block numbers count allocation blocks. Source: Apple, Technical Note TN1150 "HFS Plus Volume
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
    std::uint32_t start{}, count{}; ///< blocks; a count of 0 is an unused descriptor
    bool operator==(const HfsPlusExtent&) const = default;
};

using HfsPlusExtents = std::array<HfsPlusExtent, 8>;

/// HFSPlusForkData: where the bytes of a file lie, as far as eight extents tell it.
struct HfsPlusFork {
    Bytes logical_size;
    std::uint32_t clump_size{}; ///< bytes
    std::uint32_t total_blocks{};
    HfsPlusExtents extents{};
    bool operator==(const HfsPlusFork&) const = default;
};

/// HFSPlusVolumeHeader. Dates are seconds since 1904-01-01 00:00.
struct HfsPlusHeader {
    bool case_sensitive{}; ///< HFSX: may be, the catalog's keyCompareType decides
    std::uint16_t version{};
    std::uint32_t attributes{};
    std::string last_mounted_by; ///< "10.0", "HFSJ", "fsck", …
    std::uint32_t journal_info_block{};
    std::uint32_t created{}; ///< local time of whoever made it; the others are UTC
    std::uint32_t modified{}, backed_up{}, checked{};
    std::uint32_t file_count{}, folder_count{}; ///< the root folder is not counted
    Bytes block_size;
    std::uint32_t total_blocks{}, free_blocks{}, next_allocation{};
    std::uint32_t resource_clump_size{}, data_clump_size{}; ///< bytes
    std::uint32_t next_catalog_id{}, write_count{};
    std::uint64_t encodings{};
    std::uint64_t volume_id{}; ///< the last eight bytes of finderInfo; 0 = none
    HfsPlusFork allocation_file, extents_file, catalog_file, attributes_file, startup_file;
    bool operator==(const HfsPlusHeader&) const = default;

    static constexpr std::uint32_t unmounted_bit = 1u << 8;
    static constexpr std::uint32_t catalog_ids_reused_bit = 1u << 12;
    static constexpr std::uint32_t journaled_bit = 1u << 13;
    static constexpr std::uint32_t inconsistent_bit = 1u << 14;
    static constexpr std::uint32_t unused_nodes_zeroed_bit = 1u << 31;
    [[nodiscard]] bool unmounted() const { return (attributes & unmounted_bit) != 0; } ///< put away properly
    [[nodiscard]] bool journaled() const { return (attributes & journaled_bit) != 0; }
    [[nodiscard]] bool inconsistent() const { return (attributes & inconsistent_bit) != 0; }
};

/// The volume header lies this far into the volume; its copy lies this far before the end of the volume.
inline constexpr Bytes hfs_plus_header_offset = 1_KiB;
inline constexpr Bytes hfs_plus_header_length = 512_B;

/// A field in which the alternate header may not differ from the volume header.
struct HfsPlusDifference {
    std::string field;
    std::uint64_t offset{}; ///< in the header
    std::uint64_t here{}, alternate{};
    bool operator==(const HfsPlusDifference&) const = default;
};
/// Dates, counters and what a mount changes are left out: the copy is written when a special file moves or grows.
/// Both need at least 512 bytes.
[[nodiscard]] std::vector<HfsPlusDifference> hfs_plus_differences(Raw volume_header, Raw alternate);

[[nodiscard]] bool is_hfs_plus(Raw volume_header);
/// Needs at least 512 bytes. Fails with bad_format; the detail is the field's name.
[[nodiscard]] Result<HfsPlusHeader> parse_hfs_plus(Raw volume_header);
/// Needs at least 80 bytes at `offset`.
[[nodiscard]] HfsPlusFork parse_hfs_plus_fork(Raw raw, std::size_t offset);
/// "unmounted, journaled"; bits without a name in hexadecimal; "none" for 0.
[[nodiscard]] std::string hfs_plus_attributes_text(std::uint32_t attributes);
/// "hfs+", "hfs+j", "hfsx" or "hfsx+j".
[[nodiscard]] std::string name_of(const HfsPlusHeader& header);

/// JournalInfoBlock.
struct HfsPlusJournalInfo {
    bool in_volume{}, on_other_device{};
    bool needs_init{}; ///< nobody has written the journal's header yet: it is empty, whatever its bytes are
    Bytes offset, size;
    std::string external_uuid; ///< of a journal on another device
    bool operator==(const HfsPlusJournalInfo&) const = default;
};
/// Needs at least 180 bytes.
[[nodiscard]] HfsPlusJournalInfo parse_hfs_plus_journal_info(Raw block);

/// The journal's header is in the byte order of whoever made it.
struct HfsPlusJournal {
    Bytes start, end, size;                  ///< start == end: empty
    Bytes block_list_header, journal_header; ///< blhdr_size, jhdr_size
    std::uint32_t checksum{};
    bool little_endian{};
    bool operator==(const HfsPlusJournal&) const = default;
};
inline constexpr std::size_t hfs_plus_journal_header_length = 44;
/// Over the header with its checksum taken for zeros. Needs at least 44 bytes.
[[nodiscard]] std::uint32_t hfs_plus_journal_checksum(Raw header);
/// Needs at least 44 bytes. Fails with bad_format; the detail is the field's name.
[[nodiscard]] Result<HfsPlusJournal> parse_hfs_plus_journal(Raw header);

/// Seconds since 1904 at the Unix epoch.
inline constexpr std::uint32_t hfs_plus_unix_epoch = 2'082'844'800;
/// "2023-11-14 22:13:20"; "never" for 0.
[[nodiscard]] std::string hfs_plus_date_text(std::uint32_t date);
/// UTF-8 of UTF-16BE, all of it; a lone surrogate or a control character becomes U+FFFD.
[[nodiscard]] std::string text_from_utf16be(Raw utf16);

} // namespace mediarig::media
