// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/hfsplus/catalog_records.hpp"

#include <algorithm>

#include "host/media/format/hfsplus/big_endian.hpp"
#include "host/media/inspect/hfsplus_tree.hpp"

namespace mediarig::media::hfsplus {
namespace {

constexpr std::uint16_t folder_record = 1, file_record = 2, folder_thread_record = 3, file_thread_record = 4;
constexpr std::uint16_t is_folder = 0x4000, is_file = 0x8000; // file types of POSIX

BigEndianBytes with_key(std::uint32_t parent, std::u16string_view name) {
    BigEndianBytes record;
    const auto length = static_cast<std::uint16_t>(name.size());
    record.add(static_cast<std::uint16_t>(6 + 2 * length)).add(parent).add(length).units(name);
    return record;
}

std::vector<std::byte> root_folder(const Options& options, std::uint32_t date) {
    const bool case_sensitive = options.names == CaseSensitivity::case_sensitive;
    const std::uint32_t files = options.journal == JournalMode::inside ? 2 : 0;
    // HFSX folders have a count of their subfolders; without the flag fsck_hfs reports the volume as corrupt.
    constexpr std::uint16_t has_folder_count = 0x10;
    BigEndianBytes record = with_key(root_parent_id, options.name);
    record.add(folder_record).add(case_sensitive ? has_folder_count : std::uint16_t{0});
    record.add(files).add(root_folder_id).add(date).add(date).zeros(12);
    const Ownership& root = options.root;
    // Permissions of 0 mean "not set"; the file type must then be 0 too.
    const auto mode = static_cast<std::uint16_t>(root.permissions != 0 ? is_folder | root.permissions : 0);
    record.add(root.user).add(root.group).zeros(2).add(mode).zeros(4);
    record.zeros(32).zeros(8); // Finder info; text encoding and folder count
    return record.bytes();
}

std::vector<std::byte> thread(std::uint32_t id, std::uint16_t kind, std::uint32_t parent, std::u16string_view name) {
    BigEndianBytes record = with_key(id, {});
    record.add(kind).zeros(2).add(parent).add(static_cast<std::uint16_t>(name.size())).units(name);
    return record.bytes();
}

struct JournalFile {
    std::uint32_t id;
    std::u16string_view name;
    HfsPlusExtent extent;
    std::uint32_t date;
};

std::vector<std::byte> hidden_file(const JournalFile& file, Bytes length) {
    constexpr std::uint16_t has_thread = 2, invisible_and_locked = 0x5000;
    BigEndianBytes record = with_key(root_folder_id, file.name);
    record.add(file_record).add(has_thread).zeros(4).add(file.id).add(file.date).add(file.date).zeros(12);
    record.zeros(10).add(is_file).add(std::uint32_t{1});                  // owner root, one link
    record.add(std::uint32_t{0x6A726E6C}).add(std::uint32_t{0x6866732B}); // 'jrnl' 'hfs+'
    record.add(invisible_and_locked).zeros(6 + 16 + 8);
    record.add(length.count).zeros(4).add(file.extent.count).add(file.extent.start).add(file.extent.count).zeros(56);
    record.zeros(80); // no resource fork
    return record.bytes();
}

} // namespace

std::vector<std::vector<std::byte>> catalog_records(const Layout& layout, std::uint32_t date) {
    const Options& options = layout.options;
    std::vector<std::vector<std::byte>> records{
        root_folder(options, date), thread(root_folder_id, folder_thread_record, root_parent_id, options.name)};
    if (!layout.journal) return records;
    // newfs_hfs sets the date of the journal to one second after that of the volume.
    const std::uint32_t later = std::max(date, date + 1);
    const JournalFile journal{first_user_id, journal_file_name, *layout.journal, later};
    const JournalFile info{first_user_id + 1, journal_info_file_name, *layout.journal_info, date};
    records.push_back(hidden_file(journal, layout.length_of(journal.extent)));
    records.push_back(hidden_file(info, layout.length_of(info.extent)));
    records.push_back(thread(journal.id, file_thread_record, root_folder_id, journal.name));
    records.push_back(thread(info.id, file_thread_record, root_folder_id, info.name));
    return records;
}

std::vector<std::byte> leaf_node(const std::vector<std::vector<std::byte>>& records, std::uint32_t node_size) {
    std::vector<std::byte> node(node_size);
    const std::span bytes(node);
    node[8] = std::byte{0xFF}; // kind: leaf
    node[9] = std::byte{1};
    store_be(bytes, 10, static_cast<std::uint16_t>(records.size()));
    std::size_t at = hfs_plus_node_descriptor_length, entry = node_size;
    for (const auto& record : records) {
        store_be(bytes, entry -= 2, static_cast<std::uint16_t>(at));
        std::ranges::copy(record, node.begin() + static_cast<std::ptrdiff_t>(at));
        at += record.size();
    }
    store_be(bytes, entry - 2, static_cast<std::uint16_t>(at));
    return node;
}

} // namespace mediarig::media::hfsplus
