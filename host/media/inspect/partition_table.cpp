// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/partition_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>
#include <string_view>

#include "host/media/format_options.hpp"
#include "host/media/inspect/contents.hpp"
#include "host/media/inspect/recognise.hpp"
#include "host/media/inspect/signature.hpp"

namespace mediarig::media {

namespace {

/// Linux follows 100 records.
constexpr std::size_t most_extended_records = 128;
constexpr std::uint32_t first_logical_number = 5;
constexpr std::uint8_t protective_type = 0xEE;

} // namespace

bool is_extended(std::uint8_t type) {
    return type == 0x05 || type == 0x0F || type == 0x85;
}

Result<Mbr> parse_mbr(Raw sector, Bytes at) {
    if (sector.size() < 512 || load_le<std::uint16_t>(sector, 510) != 0xAA55)
        return fail(Errc::bad_format, "BootSignature");
    return parse_mbr_entries(sector, at);
}

Mbr parse_mbr_entries(Raw sector, Bytes at) {
    Mbr mbr;
    for (std::uint32_t number = 1; number <= 4; ++number) {
        const Bytes within = mbr_entries + mbr_entry_length * (number - 1);
        const Raw raw = sector.subspan(within.count, mbr_entry_length.count);
        if (all_equal(raw, std::byte{0})) continue;
        const auto status = load_le<std::uint8_t>(raw, 0);
        const MbrEntry entry{.number = number,
                             .type = load_le<std::uint8_t>(raw, 4),
                             .active = status == 0x80,
                             .first = {load_le<std::uint32_t>(raw, 8)},
                             .sectors = load_le<std::uint32_t>(raw, 12),
                             .at = at + within};
        const auto defect = [&](const std::string& what, bool from_sector_0 = false) {
            mbr.defects.push_back({.what = fmt::format("entry {} (byte {}): {}", number, entry.at.count, what),
                                   .status = status != 0x00 && status != 0x80,
                                   .from_sector_0 = from_sector_0});
        };
        if (status != 0x00 && status != 0x80)
            defect(fmt::format("status {:#04x}, 0x00 or 0x80 expected", status));
        else if (entry.sectors == 0 && entry.type == 0)
            continue; // a deleted entry
        else if (entry.sectors == 0)
            defect(fmt::format("type {:#04x} without sectors", entry.type));
        else if (entry.first.index == 0)
            defect(fmt::format("type {:#04x} begins in sector 0", entry.type), true);
        else if (entry.type == 0)
            defect(fmt::format("type 0x00 with {} sectors from sector {} on", entry.sectors, entry.first.index));
        else
            mbr.entries.push_back(entry);
    }
    return mbr;
}

bool is_protective(const std::vector<MbrEntry>& entries) {
    const auto is_announcement = [](const MbrEntry& entry) { return entry.type == protective_type; };
    return std::ranges::any_of(
               entries, [&](const MbrEntry& entry) { return is_announcement(entry) && entry.first == Lba{1}; }) ||
           (!entries.empty() && std::ranges::all_of(entries, is_announcement));
}

namespace {

/// Follows the chain of records of one extended partition.
class ExtendedChain {
public:
    ExtendedChain(const MediumReader& medium, const MbrEntry& extended, Bytes sector, ChainReading reading,
                  LogicalPartitions& found)
        : medium_(medium), extended_(extended), sector_(sector), reading_(reading), found_(found) {}

    void follow() {
        waiting_.push_back(extended_.first);
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            const Lba record = waiting_[i];
            if (!seen_.insert(record.index).second) {
                note(record, "the chain of logical partitions returns to it");
                continue;
            }
            if (seen_.size() > most_extended_records)
                return note(record, fmt::format("the chain has more than {} records", most_extended_records));
            take(record);
        }
    }

private:
    [[nodiscard]] bool as_kernel() const { return reading_ == ChainReading::as_kernel; }

    /// Takes the partitions of a record, and the records that it links.
    void take(Lba record) {
        const Bytes at = byte_offset(record, sector_);
        if (record.index >= medium_.size() / sector_) return note(record, "it is beyond the medium");
        const auto raw = medium_.read(at, 512_B);
        auto parsed = raw ? parse_mbr(*raw, at) : Result<Mbr>(fail(raw.error()));
        const bool is_signed = parsed.has_value();
        if (!parsed) {
            note(record, parsed.error().detail);
            if (!raw || as_kernel()) return;
            parsed = parse_mbr_entries(*raw, at);
        }
        for (const MbrDefect& defect : parsed->defects) note(record, defect.what);
        std::size_t links = 0;
        for (const MbrEntry& entry : parsed->entries) {
            if (is_extended(entry.type)) {
                // Linked records count from the start of the extended partition, partitions from their record.
                if (++links == 1 || !as_kernel()) waiting_.push_back({extended_.first.index + entry.first.index});
                continue;
            }
            MbrEntry logical = entry;
            logical.first = Lba{record.index + entry.first.index};
            // Linux ignores an entry outside the extended partition in the last two places, where OS/2 kept other data.
            if ((entry.number > 2 || !is_signed) && !is_inside(logical)) continue;
            logical.number = first_logical_number + static_cast<std::uint32_t>(found_.entries.size());
            found_.entries.push_back(logical);
        }
        if (links > 1) note(record, fmt::format("it links {} records: systems follow only the first", links));
    }

    [[nodiscard]] bool is_inside(const MbrEntry& logical) const {
        return logical.first >= extended_.first &&
               logical.first.index + logical.sectors <= extended_.first.index + extended_.sectors;
    }

    void note(Lba record, const std::string& what) {
        add_problem(found_.problem, fmt::format("extended boot record in sector {} (byte {}): {}", record.index,
                                                byte_offset(record, sector_).count, what));
    }

    const MediumReader& medium_;
    const MbrEntry& extended_;
    Bytes sector_;
    ChainReading reading_;
    LogicalPartitions& found_;
    std::vector<Lba> waiting_; ///< records to read, and those that were read
    std::set<std::uint64_t> seen_;
};

} // namespace

LogicalPartitions read_logical_partitions(const MediumReader& medium, const std::vector<MbrEntry>& mbr, Bytes sector,
                                          ChainReading reading) {
    LogicalPartitions found;
    for (const MbrEntry& entry : mbr)
        if (is_extended(entry.type)) ExtendedChain(medium, entry, sector, reading, found).follow();
    return found;
}

bool is_gpt(Raw sector) {
    return sector.size() >= 512 && std::memcmp(sector.data(), "EFI PART", 8) == 0;
}

Result<GptHeader> parse_gpt_header(Raw sector, Lba where) {
    if (!is_gpt(sector)) return fail(Errc::bad_format, "Signature");
    const auto size = load_le<std::uint32_t>(sector, 0x0C);
    if (size < 92 || size > sector.size()) return fail(Errc::bad_format, "HeaderSize");
    std::vector<std::byte> header(sector.begin(), sector.begin() + static_cast<std::ptrdiff_t>(size));
    std::fill_n(header.begin() + 0x10, 4, std::byte{0});
    if (crc32(header) != load_le<std::uint32_t>(sector, 0x10)) return fail(Errc::bad_format, "HeaderCRC32");

    GptHeader parsed{.mine = {load_le<std::uint64_t>(sector, 0x18)},
                     .alternate = {load_le<std::uint64_t>(sector, 0x20)},
                     .first_usable = {load_le<std::uint64_t>(sector, 0x28)},
                     .last_usable = {load_le<std::uint64_t>(sector, 0x30)},
                     .disk_guid = guid_text(sector.subspan(0x38, 16)),
                     .entries = {load_le<std::uint64_t>(sector, 0x48)},
                     .entry_count = load_le<std::uint32_t>(sector, 0x50),
                     .entry_size = load_le<std::uint32_t>(sector, 0x54),
                     .checksum = load_le<std::uint32_t>(sector, 0x10),
                     .entries_checksum = load_le<std::uint32_t>(sector, 0x58)};
    const auto expect = [&](const char* field, std::size_t at, std::uint32_t expected) {
        if (const auto value = load_le<std::uint32_t>(sector, at); value != expected)
            parsed.defects.push_back(fmt::format("{} is {:#x}, {:#x} expected", field, value, expected));
    };
    expect("Revision", 0x08, 0x00010000);
    expect("Reserved", 0x14, 0);
    if (parsed.mine != where) return fail(Errc::bad_format, "MyLBA");
    if (parsed.first_usable > parsed.last_usable) return fail(Errc::bad_format, "FirstUsableLBA and LastUsableLBA");
    if (parsed.entry_size < 128 || parsed.entry_size > 4096 || parsed.entry_size % 8 != 0)
        return fail(Errc::bad_format, "SizeOfPartitionEntry");
    if (parsed.entry_count > highest_partition) return fail(Errc::bad_format, "NumberOfPartitionEntries");
    return parsed;
}

Result<GptArray> parse_gpt_entries(Raw entries, const GptHeader& header) {
    if (entries.size() != header.entries_length().count || crc32(entries) != header.entries_checksum)
        return fail(Errc::bad_format, "PartitionEntryArrayCRC32");
    return parse_gpt_array(entries, header.entry_size);
}

GptArray parse_gpt_array(Raw entries, std::size_t entry_size) {
    GptArray used;
    for (std::size_t i = 0; i < entries.size() / entry_size; ++i) {
        const Raw raw = entries.subspan(i * entry_size, entry_size);
        if (all_equal(raw.first(16), std::byte{0})) continue;
        GptEntry entry{.number = static_cast<std::uint32_t>(i + 1),
                       .type = guid_text(raw.first(16)),
                       .guid = guid_text(raw.subspan(16, 16)),
                       .first = {load_le<std::uint64_t>(raw, 32)},
                       .last = {load_le<std::uint64_t>(raw, 40)},
                       .name = text_from_utf16(raw.subspan(56, 72)),
                       .attributes = load_le<std::uint64_t>(raw, 48)};
        if (entry.last < entry.first)
            used.defects.push_back(fmt::format("entry {} ends before it begins (EndingLBA)", i + 1));
        else
            used.entries.push_back(std::move(entry));
    }
    return used;
}

Result<GptCopy> read_gpt_copy(const MediumReader& medium, Lba where, Bytes sector) {
    const Bytes at = byte_offset(where, sector);
    const auto raw = medium.read(at, sector);
    if (!raw)
        return fail(raw.error().code, fmt::format("GPT header in sector {}: {}", where.index, raw.error().detail));
    const auto header = parse_gpt_header(*raw, where);
    const auto wrong = [&](const char* what, const std::string& detail) {
        return fail(Errc::bad_format, fmt::format("{} sector {} (byte {}): {}", what, where.index, at.count, detail));
    };
    if (!header) return wrong("GPT header in", header.error().detail);
    if (header->entries.index > medium.size() / sector) return wrong("GPT header in", "PartitionEntryLBA");
    const auto array = medium.read(byte_offset(header->entries, sector), header->entries_length());
    if (!array)
        return fail(array.error().code,
                    fmt::format("entries of the GPT of sector {}: {}", where.index, array.error().detail));
    auto entries = parse_gpt_entries(*array, *header);
    if (!entries) return wrong("GPT of", entries.error().detail);
    GptCopy copy{.header = *header, .entries = std::move(entries->entries), .defects = {}};
    const auto keep = [&](const std::vector<std::string>& defects) {
        for (const std::string& defect : defects)
            copy.defects.push_back(fmt::format("GPT of sector {} (byte {}): {}", where.index, at.count, defect));
    };
    keep(header->defects);
    keep(entries->defects);
    return copy;
}

namespace {

bool is_gpt_at(const MediumReader& medium, Bytes sector) {
    const auto raw = medium.read(sector, 512_B);
    return raw && is_gpt(*raw);
}

GptCopies read_gpt_copies(const MediumReader& medium, Bytes sector) {
    const Lba end{medium.size() / sector - 1};
    GptCopies copies{.first = read_gpt_copy(medium, Lba{1}, sector), .last = read_gpt_copy(medium, end, sector)};
    // After an image was restored to a larger medium, its backup GPT is not at the end.
    if (copies.first && !copies.last && copies.first->header.alternate < end)
        if (auto backup = read_gpt_copy(medium, copies.first->header.alternate, sector))
            copies.between = std::move(*backup);
    return copies;
}

VolumeSpan limited(Bytes medium, Bytes start, Bytes length, std::uint32_t number) {
    const Bytes from = std::min(start, medium);
    return {.start = from, .length = std::min(length, medium - from), .partition = number};
}

/// The sector size of the medium first, then the other units.
std::vector<Bytes> units_from(Bytes sector) {
    std::vector<Bytes> units{sector};
    for (const Bytes unit : sector_units)
        if (unit != sector) units.push_back(unit);
    return units;
}

/// Unit of a GPT: the one in which a header follows sector 0, otherwise the one with a valid backup.
Bytes gpt_unit(const MediumReader& medium, Bytes sector) {
    const std::vector<Bytes> units = units_from(sector);
    for (const Bytes unit : units)
        if (is_gpt_at(medium, unit)) return unit;
    for (const Bytes unit : units)
        if (medium.size() / unit > 2 && read_gpt_copy(medium, Lba{medium.size() / unit - 1}, unit)) return unit;
    return sector;
}

/// Decides which table counts. See TableSectors.
class TableDecision {
public:
    TableDecision(const MediumReader& medium, Bytes sector, TableSectors& found)
        : medium_(medium), sector_(sector), found_(found), bare_(contents_at({}, medium.size())) {}

    void decide() {
        if (!found_.head) {
            // The backup of a former GPT does not replace a volume that is still readable.
            if (gpt().first || (bare_.empty() && gpt().valid() != nullptr)) use_gpt();
            return;
        }
        const bool boot_sector = is_boot_sector(bare_);
        if (found_.mbr && is_protective(found_.mbr->entries)) {
            if (!boot_sector || gpt().valid() != nullptr) use_gpt();
            return;
        }
        if (mbr_counts(boot_sector)) return use_mbr();
        if (boot_sector) return;
        if (gpt().valid() != nullptr) return use_gpt();
        if (!is_optical(bare_) && (bare_.empty() || bare_ == "apple_partition_map" || has_driver_descriptor()))
            if (auto map = read_apple_map(medium_)) return use_apple(std::move(*map));
        // A sector 0 with the signature of an MBR and without entries is an empty table, unless a volume began there.
        const bool empty = found_.mbr && found_.mbr->defects.empty() && damage_of_boot_sector(*found_.head).empty();
        if (bare_.empty() && empty) use_mbr();
    }

private:
    std::string contents_at(Bytes start, Bytes length) const {
        const auto contents = recognise_contents(medium_, start, length);
        return contents ? contents->file_system : std::string();
    }
    static bool is_boot_sector(std::string_view contents) {
        return contents == "exfat" || contents == "ntfs" || is_fat(contents);
    }
    static bool is_optical(std::string_view contents) { return contents == "iso9660" || contents == "udf"; }

    [[nodiscard]] bool has_driver_descriptor() const { return holds(*found_.head, 0, "ER"); }

    GptCopies& gpt() {
        if (!gpt_) {
            gpt_unit_ = gpt_unit(medium_, sector_);
            gpt_ = read_gpt_copies(medium_, gpt_unit_);
        }
        return *gpt_;
    }

    [[nodiscard]] VolumeSpan span_of(const MbrEntry& entry, Bytes unit) const {
        return span_on(medium_.size(), entry, unit);
    }
    [[nodiscard]] bool is_inside(const MbrEntry& entry, Bytes unit) const {
        return span_of(entry, unit).length == unit * entry.sectors;
    }
    /// True if a volume, or the first record of an extended partition, begins at the start of the entry.
    [[nodiscard]] bool has_contents(const MbrEntry& entry, Bytes unit) const {
        const VolumeSpan span = span_of(entry, unit);
        if (span.length < 512_B) return false;
        if (!is_extended(entry.type)) return !contents_at(span.start, span.length).empty();
        const auto record = medium_.read(span.start, 512_B);
        return record && parse_mbr(*record).has_value();
    }

    /// Unit of the sector numbers in an MBR. This is the sector size of the medium, unless no partition then begins
    /// with a volume, and all partitions do with another unit.
    [[nodiscard]] Bytes mbr_unit() const {
        const std::vector<MbrEntry>& entries = found_.mbr->entries;
        const auto fits = [&](const MbrEntry& entry, Bytes unit) {
            return is_inside(entry, unit) && has_contents(entry, unit);
        };
        if (std::ranges::any_of(entries, [&](const MbrEntry& entry) { return has_contents(entry, sector_); }))
            return sector_;
        for (const Bytes unit : units_from(sector_))
            if (std::ranges::all_of(entries, [&](const MbrEntry& entry) { return fits(entry, unit); })) return unit;
        return sector_;
    }

    /// An optical image with an MBR: one partition contains the descriptors, and has no volume at its start.
    [[nodiscard]] bool is_hybrid(Bytes unit) const {
        if (!is_optical(bare_)) return false;
        return std::ranges::any_of(found_.mbr->entries, [&](const MbrEntry& entry) {
            const VolumeSpan span = span_of(entry, unit);
            return span.start <= optical_descriptors && span.start + span.length > optical_descriptors &&
                   contents_at(span.start, span.length).empty();
        });
    }

    [[nodiscard]] bool mbr_counts(bool boot_sector) {
        if (!found_.mbr || found_.mbr->entries.empty()) return false;
        const auto& [entries, defects] = *found_.mbr;
        unit_ = mbr_unit();
        const Bytes unit = unit_;
        const auto inside = [&](const MbrEntry& entry) { return is_inside(entry, unit); };
        const auto begins_a_volume = [&](const MbrEntry& entry) { return has_contents(entry, unit); };
        if (boot_sector)
            return defects.empty() && std::ranges::all_of(entries, inside) &&
                   std::ranges::all_of(entries, begins_a_volume);
        const bool doubtful = !bare_.empty() || std::ranges::any_of(defects, &MbrDefect::status);
        if (!doubtful) {
            // Entries beyond the medium do not hide a valid GPT.
            return std::ranges::any_of(entries,
                                       [&](const MbrEntry& entry) { return span_of(entry, unit).length > 0_B; }) ||
                   gpt().valid() == nullptr;
        }
        if (!bare_.empty() && (std::ranges::any_of(defects, &MbrDefect::from_sector_0) || is_hybrid(unit)))
            return false;
        return std::ranges::any_of(entries, inside) || std::ranges::any_of(entries, begins_a_volume);
    }

    void use_gpt() {
        found_.scheme = PartitionScheme::gpt;
        found_.gpt = std::move(gpt());
        found_.unit = gpt_unit_;
    }
    void use_mbr() {
        found_.scheme = PartitionScheme::mbr;
        found_.unit = unit_;
        found_.logical = read_logical_partitions(medium_, found_.mbr->entries, unit_);
    }
    void use_apple(AppleMap map) {
        found_.scheme = PartitionScheme::apm;
        found_.unit = map.block;
        found_.apple = std::move(map);
    }

    const MediumReader& medium_;
    Bytes sector_, unit_{sector_}, gpt_unit_{sector_};
    TableSectors& found_;
    std::string bare_; ///< name of the contents that begin in sector 0; empty if unknown
    std::optional<GptCopies> gpt_;
};

} // namespace

TableSectors read_table_sectors(const MediumReader& medium, Bytes sector) {
    constexpr Bytes sector_0 = 512_B;
    TableSectors found{.head = medium.read({}, std::min(medium.size(), 4_KiB)),
                       .mbr = {},
                       .unit = sector,
                       .gpt = {},
                       .logical = {},
                       .apple = {}};
    // Requests the same ranges as recognise_contents(), so that an unreadable range is reported only once.
    if (!found.head) found.head = medium.read({}, sector_0);
    if (found.head) {
        found.head->resize(sector_0.count);
        found.mbr = parse_mbr(*found.head);
    } else {
        found.mbr = fail(found.head.error());
    }
    TableDecision(medium, sector, found).decide();
    return found;
}

VolumeSpan span_on(Bytes medium, const MbrEntry& entry, Bytes sector) {
    return limited(medium, byte_offset(entry.first, sector), sector * entry.sectors, entry.number);
}

VolumeSpan span_on(Bytes medium, const GptEntry& entry, Bytes sector) {
    if (fits_into_bytes(entry, sector))
        return limited(medium, byte_offset(entry.first, sector), sector * (entry.last.index - entry.first.index + 1),
                       entry.number);
    // Only the end of the partition is too large; the start may be on the medium.
    const Lba first = std::min(entry.first, Lba{medium / sector});
    return limited(medium, byte_offset(first, sector), medium, entry.number);
}

bool fits_into_bytes(const GptEntry& entry, Bytes sector) {
    return entry.last.index < Bytes{std::numeric_limits<std::uint64_t>::max()} / sector;
}

VolumeSpan span_on(Bytes medium, const AppleEntry& entry, Bytes block) {
    return limited(medium, block * entry.first, block * entry.blocks, entry.number);
}

std::vector<VolumeSpan> partition_spans(const MediumReader& medium, Bytes sector) {
    const TableSectors found = read_table_sectors(medium, sector);
    std::vector<VolumeSpan> spans;
    const auto add = [&](const auto& entries) {
        for (const auto& entry : entries) spans.push_back(span_on(medium.size(), entry, found.unit));
    };
    switch (found.scheme) {
        case PartitionScheme::none:
            break;
        case PartitionScheme::mbr:
            add(found.mbr->entries);
            add(found.logical->entries);
            break;
        case PartitionScheme::gpt:
            if (const GptCopy* const valid = found.gpt->valid()) add(valid->entries);
            break;
        case PartitionScheme::apm:
            add(found.apple->entries);
            break;
    }
    return spans;
}

} // namespace mediarig::media
