// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads partition tables: the four entries of an MBR with its logical partitions, both copies of a GPT, an Apple
/// partition map. Decides which of them counts. Trusts no byte. Source: UEFI specification, chapter 5; Linux,
/// block/partitions/msdos.c and efi.c.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/inspect/apple_map.hpp"
#include "host/media/inspect/load.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(PartitionScheme, std::uint8_t, none, mbr, gpt,
                              apm ///< Apple partition map
)

/// Offset of the entries of an MBR, and length of one entry.
inline constexpr Bytes mbr_entries = 446_B, mbr_entry_length = 16_B;
/// Units of sector numbers on known media. Readers try the sector size of the medium first.
inline constexpr std::array<Bytes, 4> sector_units{512_B, 4_KiB, 2_KiB, 1_KiB};

struct MbrEntry {
    std::uint32_t number{1}; ///< 1..4: position in the table; from 5 on: logical partitions
    std::uint8_t type{};
    bool active{};
    Lba first;
    std::uint32_t sectors{};
    Bytes at{mbr_entries}; ///< offset of the entry on the medium
    bool operator==(const MbrEntry&) const = default;
};

/// True for the types of an extended partition: 05, 0F and 85.
[[nodiscard]] bool is_extended(std::uint8_t type);

/// An entry that cannot describe a partition.
struct MbrDefect {
    std::string what;     ///< "entry 2 (byte 462): type 0x83 without sectors"
    bool status{};        ///< its status is neither 00 nor 80: the bytes may be boot code
    bool from_sector_0{}; ///< a valid status, and sectors from sector 0 on
    bool operator==(const MbrDefect&) const = default;
};

struct Mbr {
    std::vector<MbrEntry> entries; ///< valid entries, in the order of the table
    std::vector<MbrDefect> defects;
    bool operator==(const Mbr&) const = default;
};

/// Used entries of a sector 0 or of an extended boot record at byte `at`. One invalid entry does not affect the others.
/// A boot sector of FAT, exFAT or NTFS also ends with 55 AA. Fails with bad_format: "BootSignature".
[[nodiscard]] Result<Mbr> parse_mbr(Raw sector, Bytes at = {});
/// The same entries without a check of the signature 55 AA. Needs 512 bytes.
[[nodiscard]] Mbr parse_mbr_entries(Raw sector, Bytes at);
/// True if an entry of type EE that begins in sector 1, or entries of type EE alone, announce a GPT.
[[nodiscard]] bool is_protective(const std::vector<MbrEntry>& entries);

/// Partitions within the extended partitions of an MBR.
struct LogicalPartitions {
    std::vector<MbrEntry> entries; ///< with sector numbers of the medium, numbered from 5 on
    std::string problem;           ///< a chain that is damaged, has a loop, or is too long
};
enum class ChainReading : std::uint8_t {
    as_kernel, ///< up to the first damaged record; of several links, the first
    all_links, ///< also records without a signature and further links; entries of such records must be inside the
               ///< extended partition
};
[[nodiscard]] LogicalPartitions read_logical_partitions(const MediumReader& medium, const std::vector<MbrEntry>& mbr,
                                                        Bytes sector, ChainReading reading = ChainReading::as_kernel);

struct GptHeader {
    Lba mine, alternate;
    Lba first_usable, last_usable;
    std::string disk_guid;
    Lba entries;
    std::uint32_t entry_count{};
    std::uint32_t entry_size{};
    std::uint32_t checksum{}, entries_checksum{};
    std::vector<std::string> defects; ///< "Reserved is 0x1, 0x0 expected": fields that no driver needs
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

struct GptArray {
    std::vector<GptEntry> entries;    ///< entries that are used and valid
    std::vector<std::string> defects; ///< "entry 1 ends before it begins (EndingLBA)"
};
/// Parses exactly `header.entries_length()` bytes. One invalid entry does not affect the others. Fails with bad_format:
/// wrong checksum.
[[nodiscard]] Result<GptArray> parse_gpt_entries(Raw entries, const GptHeader& header);
/// The same entries without a check. `entry_size`: at least 128.
[[nodiscard]] GptArray parse_gpt_array(Raw entries, std::size_t entry_size);

/// CRC-32 of IEEE 802.3, as GPT uses it.
[[nodiscard]] std::uint32_t crc32(Raw bytes);

struct GptCopy {
    GptHeader header;
    std::vector<GptEntry> entries;
    std::vector<std::string> defects; ///< of header and entries, each with the sector and byte of the header
};
/// Reads the copy whose header is in sector `where`. Fails with bad_format and io_failed; both errors name the sector.
[[nodiscard]] Result<GptCopy> read_gpt_copy(const MediumReader& medium, Lba where, Bytes sector);

struct GptCopies {
    Result<GptCopy> first, last;    ///< copies with headers in sector 1 and in the last sector
    std::optional<GptCopy> between; ///< if the last sector has no valid copy: the copy in the sector that the first
                                    ///< header names
    /// The valid backup copy, or null.
    [[nodiscard]] const GptCopy* backup() const { return last ? &*last : between ? &*between : nullptr; }
    /// The copy that describes the partitions; null if no copy is valid.
    [[nodiscard]] const GptCopy* valid() const { return first ? &*first : backup(); }
};

/// The structures of a medium that describe its partitions. At most one scheme counts:
/// - A GPT counts if sector 0 announces it, or if there is no other valid table. Without a valid copy it is damaged.
/// - An MBR with a valid entry takes precedence over a GPT that it does not announce: the GPT is stale.
/// - A boot sector in sector 0 takes precedence over the table bytes in it, unless these are sound: each entry
///   is valid, is on the medium, and a volume begins at its start. An entry from sector 0 on describes the volume
///   itself.
/// - Other contents at the beginning of the medium count only without a partition on the medium, or if they are an
///   optical image that a partition contains.
struct TableSectors {
    Result<std::vector<std::byte>> head; ///< sector 0
    Result<Mbr> mbr;                     ///< entries of sector 0
    PartitionScheme scheme{PartitionScheme::none};
    Bytes unit; ///< unit of the sector numbers in the table; may differ from the sector size of the medium
    std::optional<GptCopies> gpt;             ///< set if the scheme is gpt
    std::optional<LogicalPartitions> logical; ///< set if the scheme is mbr
    std::optional<AppleMap> apple;            ///< set if the scheme is apm
};
/// `sector` is the sector size of the medium.
[[nodiscard]] TableSectors read_table_sectors(const MediumReader& medium, Bytes sector);

/// Positions of the partitions, limited to the size of the medium.
[[nodiscard]] VolumeSpan span_on(Bytes medium, const MbrEntry& entry, Bytes sector);
[[nodiscard]] VolumeSpan span_on(Bytes medium, const GptEntry& entry, Bytes sector);
[[nodiscard]] VolumeSpan span_on(Bytes medium, const AppleEntry& entry, Bytes block);
/// False if the end of the entry exceeds 64 bits when it is counted in bytes.
[[nodiscard]] bool fits_into_bytes(const GptEntry& entry, Bytes sector);

/// Positions of all partitions of the table that counts, in the order of the table. For an MBR, the extended partitions
/// are included, and the logical partitions follow at the end. Empty if there is no table, or if the table cannot be
/// read.
[[nodiscard]] std::vector<VolumeSpan> partition_spans(const MediumReader& medium, Bytes sector);

} // namespace mediarig::media
