// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/hfsplus/check.hpp"

#include <algorithm>

#include "host/media/format/hfsplus/catalog_census.hpp"
#include "host/media/format/hfsplus/space.hpp"
#include "host/media/inspect/hfsplus_tree_walk.hpp"

namespace mediarig::media::hfsplus {
namespace {

constexpr std::uint32_t extents_id = 3, catalog_id = 4, bad_blocks_id = 5, allocation_id = 6, startup_id = 7,
                        attributes_id = 8;

class VolumeCheck {
public:
    VolumeCheck(const MediumReader& medium, Bytes start, Bytes length)
        : place_{.medium = medium, .start = start, .length = length} {}

    CheckOutcome run() {
        if (read_header()) {
            alternate_header();
            state();
            read_overflow();
            special_files();
            catalog();
            attributes();
            journal();
            left_overflow();
            allocation();
        }
        outcome_.problems = complaints_.listed();
        outcome_.unlisted = complaints_.unlisted();
        return std::move(outcome_);
    }

private:
    bool read_header() {
        const Bytes at = place_.start + hfs_plus_header_offset;
        const auto raw = place_.medium.read(at, hfs_plus_header_length);
        const auto header = raw ? parse_hfs_plus(*raw) : Result<HfsPlusHeader>(fail(raw.error()));
        if (!header) {
            complaints_.add("volume header at byte {}: {}", at.count, header.error().detail);
            return false;
        }
        header_ = *header;
        if (header_.block_size * header_.total_blocks > place_.length) {
            complaints_.add("volume header: totalBlocks is {}, of {} bytes each, the medium has {} bytes",
                            header_.total_blocks, header_.block_size.count, place_.length.count);
            return false;
        }
        place_.block_size = header_.block_size;
        place_.total_blocks = header_.total_blocks;
        outcome_.total_blocks = header_.total_blocks;
        return true;
    }

    /// Drivers update the alternate header when a special file moves or grows, not at each change of a count.
    void alternate_header() {
        const Bytes at = place_.start + place_.length - hfs_plus_header_offset;
        const auto raw = place_.medium.read(at, hfs_plus_header_length);
        const auto copy = raw ? parse_hfs_plus(*raw) : Result<HfsPlusHeader>(fail(raw.error()));
        if (!copy) return complaints_.add("alternate volume header at byte {}: {}", at.count, copy.error().detail);
        const auto same = [this](const char* field, const auto& theirs, const auto& ours) {
            if (theirs != ours) complaints_.add("alternate volume header: {} is not that of the volume header", field);
        };
        same("signature", copy->case_sensitive, header_.case_sensitive);
        same("createDate", copy->created, header_.created);
        same("blockSize", copy->block_size, header_.block_size);
        same("totalBlocks", copy->total_blocks, header_.total_blocks);
        same("journalInfoBlock", copy->journal_info_block, header_.journal_info_block);
        same("allocationFile", copy->allocation_file.extents, header_.allocation_file.extents);
        same("extentsFile", copy->extents_file.extents, header_.extents_file.extents);
        same("catalogFile", copy->catalog_file.extents, header_.catalog_file.extents);
        same("attributesFile", copy->attributes_file.extents, header_.attributes_file.extents);
        same("startupFile", copy->startup_file.extents, header_.startup_file.extents);
    }

    void state() {
        if (!header_.unmounted()) complaints_.add("volume header: attributes: the volume was not unmounted properly");
        if (header_.inconsistent())
            complaints_.add("volume header: attributes: a driver found the volume inconsistent");
        if (header_.next_allocation > header_.total_blocks)
            complaints_.add("volume header: nextAllocation is {}, there are {} blocks", header_.next_allocation,
                            header_.total_blocks);
    }

    /// Must run first, because the extents overflow file may contain extents of every other file.
    void read_overflow() {
        const std::string name = "extents overflow file";
        Overflow none;
        const auto extents =
            extents_of(header_.extents_file, {extents_id, ForkType::data}, name, place_, none, complaints_);
        space_.add({OwnerKind::data_fork, extents_id}, extents);
        const ForkReader fork(place_, extents);
        overflow_ = hfsplus::read_overflow(fork, complaints_);
    }

    std::vector<HfsPlusExtent> take_special(const HfsPlusFork& fork, std::uint32_t id, const std::string& name) {
        auto extents = extents_of(fork, {id, ForkType::data}, name, place_, overflow_, complaints_);
        space_.add({OwnerKind::data_fork, id}, extents);
        return extents;
    }

    void special_files() {
        allocation_ = take_special(header_.allocation_file, allocation_id, "allocation file");
        catalog_ = take_special(header_.catalog_file, catalog_id, "catalog file");
        attributes_ = take_special(header_.attributes_file, attributes_id, "attributes file");
        take_special(header_.startup_file, startup_id, "startup file");
        const auto blocks = [this](Bytes length) {
            return static_cast<std::uint32_t>((length.count + place_.block_size.count - 1) / place_.block_size.count);
        };
        const std::uint32_t head =
            std::min(blocks(hfs_plus_header_offset + hfs_plus_header_length), place_.total_blocks);
        const std::uint32_t tail = std::min(blocks(hfs_plus_header_offset), place_.total_blocks - head);
        space_.add({OwnerKind::volume_headers, 0},
                   {{.start = 0, .count = head}, {.start = place_.total_blocks - tail, .count = tail}});
    }

    void take_fork(const ForkName& name, const HfsPlusFork& fork, OwnerKind kind) {
        if (fork.total_blocks == 0 && fork.logical_size == 0_B && fork.extents[0].count == 0) return;
        const Owner owner{kind, name.file};
        space_.add(owner, extents_of(fork, name, text_of(owner), place_, overflow_, complaints_));
    }

    void catalog() {
        const ForkReader fork(place_, catalog_);
        constexpr std::uint8_t binary = 0xBC;
        const auto tree = tree_header(fork);
        const bool is_binary = header_.case_sensitive && tree && tree->key_compare == binary;
        if (tree && !is_binary && tree->key_compare != 0xCF)
            complaints_.add("catalog file: header node: keyCompareType is {:#x}", tree->key_compare);
        const auto on_fork = [this](const ForkName& name, const HfsPlusFork& content) {
            take_fork(name, content, name.type == ForkType::data ? OwnerKind::data_fork : OwnerKind::resource_fork);
        };
        walk_tree(fork, "catalog file", is_binary ? KeyKind::catalog_binary : KeyKind::catalog_ignoring_case,
                  complaints_, [&](Raw key, Raw data) { census_.take(key, data, on_fork, complaints_); });
        census_.settle(header_, complaints_);
        outcome_.files = census_.files();
        outcome_.folders = census_.folders() == 0 ? 0 : census_.folders() - 1;
    }

    void attributes() {
        if (attributes_.empty()) return;
        const ForkReader fork(place_, attributes_);
        walk_tree(fork, "attributes file", KeyKind::attributes, complaints_, [this](Raw key, Raw data) {
            constexpr std::uint32_t inline_data = 0x10, fork_data = 0x20, more_extents = 0x30;
            const std::uint32_t type = data.size() >= 8 ? load_be<std::uint32_t>(data, 0) : 0;
            const auto file = load_be<std::uint32_t>(key, 4);
            const std::size_t needed = type == fork_data ? 88 : type == more_extents ? 72 : 16;
            if ((type != inline_data && type != fork_data && type != more_extents) || data.size() < needed)
                return complaints_.add("attributes file: a record of file {} is malformed", file);
            if (type == inline_data) return;
            // The further extents of an attribute are in records of the attributes file, not in the overflow file.
            HfsPlusFork part;
            if (type == fork_data) part = parse_hfs_plus_fork(data, 8);
            for (std::size_t i = 0; type == more_extents && i < part.extents.size(); ++i)
                part.extents[i] = {.start = load_be<std::uint32_t>(data, 8 + 8 * i),
                                   .count = load_be<std::uint32_t>(data, 12 + 8 * i)};
            for (const HfsPlusExtent& extent : part.extents) {
                if (extent.count == 0) continue;
                if (extent.start >= place_.total_blocks || extent.count > place_.total_blocks - extent.start)
                    complaints_.add("attributes file: an extent of file {} is outside the volume", file);
                else
                    space_.add({OwnerKind::attribute, file}, {extent});
            }
        });
    }

    void journal() {
        if (!header_.journaled()) return;
        const auto raw = place_.medium.read(place_.start + place_.block_size * header_.journal_info_block, 180_B);
        if (!raw) return complaints_.add("journal info block: {}", raw.error().detail);
        const HfsPlusJournalInfo info = parse_hfs_plus_journal_info(*raw);
        if (!info.in_volume) {
            if (!info.on_other_device) complaints_.add("journal info block: flags name no place for the journal");
            return;
        }
        if (info.offset > place_.length || info.size > place_.length - info.offset || info.size < 512_B)
            return complaints_.add("journal info block: {} bytes at byte {} are outside the volume", info.size.count,
                                   info.offset.count);
        // A Mac compares the two offsets at mount and ignores the journal if they differ.
        const auto extent = census_.journal();
        if (!extent || place_.block_size * extent->start != info.offset)
            complaints_.add("journal info block: offset is not that of the file .journal");
        const auto block = census_.journal_info();
        if (!block || block->start != header_.journal_info_block)
            complaints_.add("volume header: journalInfoBlock is not that of the file .journal_info_block");
        if (info.needs_init) return;
        const auto start = place_.medium.read(place_.start + info.offset, Bytes{hfs_plus_journal_header_length});
        const auto journal = start ? parse_hfs_plus_journal(*start) : Result<HfsPlusJournal>(fail(start.error()));
        if (!journal) return complaints_.add("journal header: {}", journal.error().detail);
        if (journal->size != info.size)
            complaints_.add("journal header: size is {}, the journal info block has {}", journal->size.count,
                            info.size.count);
        if (journal->start != journal->end)
            complaints_.add("journal: contains changes that were not replayed; a Mac replays them at the next mount");
    }

    /// Reports the overflow extents that belong to no file. The list of bad blocks has extents only in the overflow
    /// file.
    void left_overflow() {
        if (const auto bad = overflow_.find({bad_blocks_id, ForkType::data}); bad != overflow_.end()) {
            HfsPlusFork fork;
            for (const auto& [first, extents] : bad->second)
                for (const HfsPlusExtent& extent : extents) fork.total_blocks += extent.count;
            const auto first = bad->second.find(0);
            if (first != bad->second.end()) {
                fork.extents = first->second;
                bad->second.erase(first);
            }
            space_.add({OwnerKind::bad_blocks, bad_blocks_id},
                       extents_of(fork, {bad_blocks_id, ForkType::data}, "bad blocks", place_, overflow_, complaints_));
        }
        for (const auto& [name, records] : overflow_)
            complaints_.add(
                "extents overflow file: {} of {} {} not part of it",
                records.size() == 1 ? "a record" : fmt::format("{} records", records.size()),
                text_of({name.type == ForkType::data ? OwnerKind::data_fork : OwnerKind::resource_fork, name.file}),
                records.size() == 1 ? "is" : "are");
    }

    void allocation() {
        const ForkReader fork(place_, allocation_);
        outcome_.used_blocks = space_.settle(fork, place_, complaints_);
        const std::uint64_t free = place_.total_blocks - outcome_.used_blocks;
        if (free != header_.free_blocks)
            complaints_.add("volume header: freeBlocks is {}, the allocation file has {}", header_.free_blocks, free);
    }

    VolumeLocation place_;
    HfsPlusHeader header_;
    CheckErrors complaints_;
    Overflow overflow_;
    Space space_;
    CatalogCensus census_;
    std::vector<HfsPlusExtent> allocation_, catalog_, attributes_;
    CheckOutcome outcome_;
};

} // namespace

CheckOutcome check_volume(const MediumReader& medium, Bytes start, Bytes length) {
    return VolumeCheck(medium, start, length).run();
}

std::vector<std::string> lines_of(const CheckOutcome& outcome) {
    if (outcome.clean())
        return {fmt::format("{} files and {} folders in {} of {} blocks: all structures are consistent", outcome.files,
                            outcome.folders, outcome.used_blocks, outcome.total_blocks)};
    std::vector<std::string> lines = outcome.problems;
    if (outcome.unlisted != 0) lines.push_back(fmt::format("and {} more", outcome.unlisted));
    return lines;
}

} // namespace mediarig::media::hfsplus
