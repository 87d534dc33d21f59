// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/hfsplus/catalog_census.hpp"

#include <algorithm>
#include <unordered_map>

#include "host/media/format/hfsplus/catalog_records.hpp"
#include "host/media/inspect/hfsplus_keys.hpp"

namespace mediarig::media::hfsplus {
namespace {

enum : std::uint16_t { census_folder_record = 1, census_file_record = 2, folder_thread = 3, file_thread = 4 };
constexpr std::size_t folder_length = 88, file_length = 248, thread_length = 10;
constexpr std::uint16_t has_folder_count = 0x10;

/// FNV-1a hash. Two different names have the same hash only by accident.
std::uint64_t hash_of(Raw name) {
    std::uint64_t hash = 0xCBF29CE484222325;
    for (const std::byte byte : name) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3;
    return hash;
}

bool is_named(Raw name, std::u16string_view wanted) {
    if (name.size() != wanted.size() * 2) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (load_be<std::uint16_t>(name, 2 * i) != wanted[i]) return false;
    return true;
}

std::string place_of(Raw key) {
    return fmt::format("'{}' in folder {}", text_from_utf16be(catalog_name(key)), catalog_parent(key));
}

} // namespace

void CatalogCensus::take(Raw key, Raw data, const OnFork& on_fork, CheckErrors& errors) {
    const std::uint16_t type = data.size() >= 2 ? load_be<std::uint16_t>(data, 0) : std::uint16_t{0};
    const std::size_t needed = type == census_folder_record ? folder_length
                               : type == census_file_record ? file_length
                                                            : thread_length;
    if (type < census_folder_record || type > file_thread) {
        errors.add("catalog file: the record of {} has the invalid type {}", place_of(key), type);
        return;
    }
    if (data.size() < needed) {
        errors.add("catalog file: the record of {} is too short for type {}: {} bytes, {} are needed", place_of(key),
                   type, data.size(), needed);
        return;
    }
    if (type == folder_thread || type == file_thread) {
        const std::size_t units = load_be<std::uint16_t>(data, 8);
        if (thread_length + 2 * units > data.size() || !catalog_name(key).empty()) {
            errors.add("catalog file: the thread of {} is malformed", catalog_parent(key));
            return;
        }
        threads_.push_back({.id = catalog_parent(key),
                            .parent = load_be<std::uint32_t>(data, 4),
                            .name_hash = hash_of(data.subspan(thread_length, 2 * units)),
                            .folder = type == folder_thread});
        return;
    }
    Item item{.id = load_be<std::uint32_t>(data, 8),
              .parent = catalog_parent(key),
              .name_hash = hash_of(catalog_name(key)),
              .folder = type == census_folder_record};
    if (!item.folder) return take_file(item, key, data, on_fork);
    item.valence = load_be<std::uint32_t>(data, 4);
    item.counts_folders = (load_be<std::uint16_t>(data, 2) & has_folder_count) != 0;
    item.folder_count = load_be<std::uint32_t>(data, 0x54);
    ++folders_;
    items_.push_back(item);
}

void CatalogCensus::take_file(Item item, Raw key, Raw data, const OnFork& on_fork) {
    ++files_;
    items_.push_back(item);
    const HfsPlusFork content = parse_hfs_plus_fork(data, 0x58);
    on_fork({item.id, ForkType::data}, content);
    on_fork({item.id, ForkType::resource}, parse_hfs_plus_fork(data, 0xA8));
    if (item.parent != root_folder_id) return;
    if (is_named(catalog_name(key), journal_file_name)) journal_ = content.extents[0];
    if (is_named(catalog_name(key), journal_info_file_name)) journal_info_ = content.extents[0];
}

void CatalogCensus::match_threads(CheckErrors& errors) const {
    auto thread = threads_.begin();
    for (const Item& item : items_) {
        for (; thread != threads_.end() && thread->id < item.id; ++thread)
            errors.add("catalog file: the thread of {} has no file or folder", thread->id);
        const char* kind = item.folder ? "folder" : "file";
        if (thread == threads_.end() || thread->id != item.id) {
            errors.add("catalog file: {} {} has no thread", kind, item.id);
            continue;
        }
        if (thread->parent != item.parent || thread->name_hash != item.name_hash || thread->folder != item.folder)
            errors.add("catalog file: the thread of {} {} names another place", kind, item.id);
        ++thread;
    }
    for (; thread != threads_.end(); ++thread)
        errors.add("catalog file: the thread of {} has no file or folder", thread->id);
}

void CatalogCensus::count_children(CheckErrors& errors) const {
    struct Children {
        std::uint32_t all{}, folders{};
        bool claimed{};
    };
    std::unordered_map<std::uint32_t, Children> children;
    for (const Item& item : items_) {
        Children& of_parent = children[item.parent];
        ++of_parent.all;
        if (item.folder) ++of_parent.folders;
    }
    for (const Item& item : items_) {
        if (!item.folder) continue;
        Children& own = children[item.id];
        own.claimed = true;
        if (own.all != item.valence)
            errors.add("catalog file: valence of folder {} is {}, it holds {}", item.id, item.valence, own.all);
        if (item.counts_folders && own.folders != item.folder_count)
            errors.add("catalog file: folderCount of folder {} is {}, it holds {}", item.id, item.folder_count,
                       own.folders);
    }
    for (const auto& [parent, found] : children)
        if (!found.claimed && parent != root_parent_id)
            errors.add("catalog file: {} in folder {}, which does not exist", found.all, parent);
    if (const auto top = children.find(root_parent_id);
        top == children.end() || top->second.all != 1 || top->second.folders != 1)
        errors.add("catalog file: there is not exactly one root folder");
}

void CatalogCensus::settle(const HfsPlusHeader& header, CheckErrors& errors) {
    std::ranges::sort(items_, {}, &Item::id);
    for (std::size_t i = 1; i < items_.size(); ++i)
        if (items_[i - 1].id == items_[i].id) errors.add("catalog file: ID {} is given twice", items_[i].id);
    // Threads are in the order of their IDs unless the tree is out of order, which has been reported already.
    std::ranges::stable_sort(threads_, {}, &Thread::id);
    match_threads(errors);
    count_children(errors);
    for (const Item& item : items_)
        if (item.id != root_folder_id && item.id < first_user_id)
            errors.add("catalog file: ID {} is a reserved one", item.id);

    const std::uint64_t folders = folders_ == 0 ? 0 : folders_ - 1;
    if (header.file_count != files_)
        errors.add("volume header: fileCount is {}, the catalog has {}", header.file_count, files_);
    if (header.folder_count != folders)
        errors.add("volume header: folderCount is {}, the catalog has {}", header.folder_count, folders);
    const bool reused = (header.attributes & HfsPlusHeader::catalog_ids_reused_bit) != 0;
    if (!reused && !items_.empty() && header.next_catalog_id <= items_.back().id)
        errors.add("volume header: nextCatalogID is {}, {} is in use", header.next_catalog_id, items_.back().id);
}

} // namespace mediarig::media::hfsplus
