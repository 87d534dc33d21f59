// SPDX-License-Identifier: GPL-3.0-or-later
/// Partition tables: the four entries of an MBR, and both copies of a GPT. Trusts no byte. Source: UEFI specification,
/// chapter 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/inspect/load.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

struct MbrEntry {
    std::uint8_t number{1}; ///< 1..4: position in the table
    std::uint8_t type{};
    bool active{};
    Lba first;
    std::uint32_t sectors{};
    bool operator==(const MbrEntry&) const = default;
};

/// Used entries of a sector 0. A boot sector of FAT, exFAT or NTFS also ends with 55 AA, so check for those first.
/// Fails with bad_format: "BootSignature", or "entry N …" if the four entries are impossible.
[[nodiscard]] Result<std::vector<MbrEntry>> parse_mbr(Raw sector);
/// True if sector 0 has an entry of type EE, which announces a GPT.
[[nodiscard]] bool is_protective(const std::vector<MbrEntry>& entries);

struct GptHeader {
    Lba mine, alternate;
    Lba first_usable, last_usable;
    std::string disk_guid;
    Lba entries;
    std::uint32_t entry_count{};
    std::uint32_t entry_size{};
    std::uint32_t checksum{}, entries_checksum{};
    bool operator==(const GptHeader&) const = default;
    [[nodiscard]] Bytes entries_length() const { return {std::uint64_t{entry_count} * entry_size}; }
};

[[nodiscard]] bool is_gpt(Raw sector);
/// Parses a GPT header from the sector read at `where`. Fails with bad_format and names the field.
[[nodiscard]] Result<GptHeader> parse_gpt_header(Raw sector, Lba where);

struct GptEntry {
    std::uint32_t number{1}; ///< position in the table, from 1
    std::string type, guid;  ///< lower case, "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7"
    Lba first, last;         ///< inclusive
    std::string name;
    std::uint64_t attributes{};
    bool operator==(const GptEntry&) const = default;
};

/// Offset of the entries of an MBR, and length of one entry.
inline constexpr Bytes mbr_entries = 446_B, mbr_entry_length = 16_B;

/// Parses exactly `header.entries_length()` bytes. Fails with bad_format: wrong checksum, or an entry that ends before
/// it begins.
[[nodiscard]] Result<std::vector<GptEntry>> parse_gpt_entries(Raw entries, const GptHeader& header);

/// CRC-32 of IEEE 802.3, as GPT uses it.
[[nodiscard]] std::uint32_t crc32(Raw bytes);

struct GptCopy {
    GptHeader header;
    std::vector<GptEntry> entries;
};
/// Reads the copy whose header is in sector `where`. Fails with bad_format and io_failed; both errors name the sector.
[[nodiscard]] Result<GptCopy> read_gpt_copy(const MediumReader& medium, Lba where, Bytes sector);

struct GptCopies {
    Result<GptCopy> first, last;    ///< copies with headers in sector 1 and in the last sector
    std::optional<GptCopy> between; ///< if the last sector has no valid copy: the copy in the sector that the first
                                    ///< header names
    /// The valid backup copy; null if there is none.
    [[nodiscard]] const GptCopy* backup() const { return last ? &*last : between ? &*between : nullptr; }
    /// The copy that describes the partitions; null if no copy is valid.
    [[nodiscard]] const GptCopy* valid() const { return first ? &*first : backup(); }
};

/// True if a GPT header begins after one sector of this size.
[[nodiscard]] bool is_gpt_at(const MediumReader& medium, Bytes sector);

/// The structures of a medium that describe its partitions.
struct TableSectors {
    Result<std::vector<std::byte>> head; ///< sector 0
    Result<std::vector<MbrEntry>> mbr;   ///< entries of sector 0
    /// Unit of the GPT: the sector size of the medium, unless the GPT is at the position for the other sector size.
    Bytes gpt_sector;
    std::optional<GptCopies> gpt; ///< set if sector 0 announces a GPT, a header is present, or only the backup is left
};
/// `sector` is the sector size of the medium.
[[nodiscard]] TableSectors read_table_sectors(const MediumReader& medium, Bytes sector);

/// Positions of the partitions, limited to the size of the medium.
[[nodiscard]] VolumeSpan span_on(Bytes medium, const MbrEntry& entry, Bytes sector);
[[nodiscard]] VolumeSpan span_on(Bytes medium, const GptEntry& entry, Bytes sector);
/// False if the end of the entry exceeds 64 bits when it is counted in bytes.
[[nodiscard]] bool fits_into_bytes(const GptEntry& entry, Bytes sector);

/// Positions of all partitions, in the order of the table: those of the GPT if there is one, otherwise those of the
/// MBR, where an extended partition counts as one partition. Empty if there is no valid table, or if the table cannot
/// be read. A bare volume whose boot sector looks like a table may give meaningless spans.
[[nodiscard]] std::vector<VolumeSpan> partition_spans(const MediumReader& medium, Bytes sector);

} // namespace mediarig::media
