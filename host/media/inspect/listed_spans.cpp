// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/listed_spans.hpp"

#include <algorithm>

#include "host/media/inspect/apple_map.hpp"
#include "host/media/inspect/partition_table.hpp"

namespace mediarig::media {
namespace {

/// Array of a GPT without a valid header: 128 entries of 128 bytes, which every known formatter makes.
constexpr std::size_t usual_entry_size = 128;
constexpr Bytes usual_array{128 * usual_entry_size};

class SpanCollection {
public:
    explicit SpanCollection(const MediumReader& medium) : medium_(medium) {}

    void table_that_counts(Bytes sector) {
        for (const VolumeSpan& span : partition_spans(medium_, sector)) add(found_.declared, span);
        const TableSectors table = read_table_sectors(medium_, sector);
        if (table.scheme != PartitionScheme::gpt || !table.mbr) return;
        constexpr std::uint8_t protective = 0xEE;
        for (const MbrEntry& entry : table.mbr->entries)
            if (entry.type != protective) add(found_.declared, span_on(medium_.size(), entry, table.unit));
    }

    void gpt(Bytes unit) {
        const std::uint64_t sectors = medium_.size() / unit;
        if (sectors < 3) return;
        const Lba last{sectors - 1};
        for (const Lba header : {Lba{1}, last}) {
            const auto copy = read_gpt_copy(medium_, header, unit);
            if (copy) declare(*copy, unit);
            if (copy && copy->header.alternate != last && copy->header.alternate != Lba{1})
                if (const auto other = read_gpt_copy(medium_, copy->header.alternate, unit)) declare(*other, unit);
            if (!copy) array_of_damaged(header, unit);
        }
        array_at(unit * 2, unit);
        if (byte_offset(last, unit) > usual_array) array_at(byte_offset(last, unit) - usual_array, unit);
    }

    void mbr(Bytes unit) {
        const auto sector = medium_.read({}, 512_B);
        if (!sector) return;
        const Mbr table = parse_mbr_entries(*sector, {});
        for (const MbrEntry& entry : table.entries) add_possible(entry, unit);
        for (const MbrEntry& entry :
             read_logical_partitions(medium_, table.entries, unit, ChainReading::all_links).entries)
            add_possible(entry, unit);
    }

    void apple() {
        if (const auto map = read_apple_map(medium_))
            for (const AppleEntry& entry : map->entries)
                add(found_.possible, span_on(medium_.size(), entry, map->block));
    }

    ListedSpans take() { return std::move(found_); }

private:
    void declare(const GptCopy& copy, Bytes unit) {
        for (const GptEntry& entry : copy.entries) add(found_.declared, span_on(medium_.size(), entry, unit));
    }

    /// The array that a damaged header names.
    void array_of_damaged(Lba header, Bytes unit) {
        constexpr std::size_t entries_at = 0x48;
        const auto raw = medium_.read(byte_offset(header, unit), 512_B);
        if (!raw || !is_gpt(*raw)) return;
        const Lba array{load_le<std::uint64_t>(*raw, entries_at)};
        if (array.index < medium_.size() / unit) array_at(byte_offset(array, unit), unit);
    }

    /// Takes only entries within the medium, because the bytes may be anything.
    void array_at(Bytes at, Bytes unit) {
        const auto raw = medium_.read(at, std::min(usual_array, medium_.size() - at));
        if (!raw) return;
        for (const GptEntry& entry : parse_gpt_array(*raw, usual_entry_size).entries)
            if (entry.last.index < medium_.size() / unit) add(found_.possible, span_on(medium_.size(), entry, unit));
    }

    void add_possible(const MbrEntry& entry, Bytes unit) { add(found_.possible, span_on(medium_.size(), entry, unit)); }

    void add(std::vector<VolumeSpan>& to, const VolumeSpan& span) {
        const auto same = [&](const VolumeSpan& each) {
            return each.start == span.start && each.length == span.length;
        };
        if (span.length == 0_B || std::ranges::any_of(found_.declared, same) ||
            std::ranges::any_of(found_.possible, same))
            return;
        to.push_back(span);
    }

    const MediumReader& medium_;
    ListedSpans found_;
};

} // namespace

ListedSpans spans_of_all_tables(const MediumReader& medium) {
    SpanCollection spans(medium);
    // Declared spans first: a span that a valid table lists is not only possible.
    for (const Bytes sector : {512_B, 4_KiB}) spans.table_that_counts(sector);
    for (const Bytes unit : sector_units) spans.gpt(unit);
    for (const Bytes unit : sector_units) spans.mbr(unit);
    spans.apple();
    return spans.take();
}

} // namespace mediarig::media
