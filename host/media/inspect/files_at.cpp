// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/files_at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "host/media/inspect/exfat.hpp"
#include "host/media/inspect/fat.hpp"
#include "host/media/inspect/hfsplus_tree_walk.hpp"

namespace mediarig::media {
namespace {

constexpr Bytes fat_part = 64_KiB, folder_piece = 64_KiB;
constexpr std::size_t folder_entry_size = 32;
/// A path of more folders is a loop.
constexpr std::size_t deepest_folder = 256;

/// The ranges, with the files that were found in them.
class RangeOwners {
public:
    explicit RangeOwners(std::span<const MediumRange> ranges) : ranges_(ranges), found_(ranges.size()) {}

    [[nodiscard]] bool touches(Bytes start, Bytes length) const {
        const std::size_t first = first_after(start);
        return first < ranges_.size() && ranges_[first].start < start + length;
    }
    void add(Bytes start, Bytes length, const std::string& path) {
        for (std::size_t i = first_after(start); i < ranges_.size() && ranges_[i].start < start + length; ++i) {
            FilesInRange& files = found_[i];
            if (std::ranges::find(files.paths, path) != files.paths.end()) continue;
            if (files.paths.size() < FilesInRange::most)
                files.paths.push_back(path);
            else
                ++files.more;
        }
    }
    [[nodiscard]] std::vector<FilesInRange> take() { return std::move(found_); }

private:
    /// The first range that ends after `at`.
    [[nodiscard]] std::size_t first_after(Bytes at) const {
        const auto first = std::ranges::partition_point(
            ranges_, [at](const MediumRange& range) { return range.start + range.length <= at; });
        return static_cast<std::size_t>(first - ranges_.begin());
    }

    std::span<const MediumRange> ranges_;
    std::vector<FilesInRange> found_;
};

/// Contiguous clusters.
struct ClusterRun {
    std::uint32_t first{}, count{};
};

/// The common part of FAT and exFAT: clusters and their chains. Positions are those on the medium.
struct ClusterSpace {
    Bytes fat, heap, cluster_size;
    std::uint32_t clusters{};
    unsigned bits{};
    std::uint32_t mask{0xFFFF'FFFF}; ///< the upper bits of an entry of FAT32 are reserved

    [[nodiscard]] bool has(std::uint32_t cluster) const { return cluster >= 2 && cluster - 2 < clusters; }
    [[nodiscard]] Bytes at(std::uint32_t cluster) const { return heap + cluster_size * (cluster - 2); }
};

struct FoundEntry {
    std::string name;
    std::uint32_t first{};
    Bytes length; ///< 0 for a folder of FAT
    bool folder{}, has_chain{true};
};

/// Reads the entries of a folder piece by piece.
class FolderParser {
public:
    virtual ~FolderParser() = default;
    /// Returns false at the end of the folder. Needs whole entries.
    virtual bool take(Raw entries, std::vector<FoundEntry>& found) = 0;
};

class ExfatFolder final : public FolderParser {
public:
    bool take(Raw entries, std::vector<FoundEntry>& found) override {
        for (std::size_t at = 0; at + folder_entry_size <= entries.size(); at += folder_entry_size) {
            const Raw entry = entries.subspan(at, folder_entry_size);
            const auto type = load_le<std::uint8_t>(entry, 0);
            if (type == 0) return false;
            if (type == 0x85) { // file
                left_ = load_le<std::uint8_t>(entry, 1);
                current_ = {.name = {}, .first = 0, .length = {}};
                current_.folder = (load_le<std::uint16_t>(entry, 4) & 0x10) != 0;
                name_.clear();
                continue;
            }
            if (left_ == 0) continue;
            if (type == 0xC0) { // stream extension
                current_.has_chain = (load_le<std::uint8_t>(entry, 1) & 2) == 0;
                units_ = load_le<std::uint8_t>(entry, 3);
                current_.first = load_le<std::uint32_t>(entry, 20);
                current_.length = {load_le<std::uint64_t>(entry, 24)};
            } else if (type == 0xC1) { // name
                const Raw part = entry.subspan(2, 30);
                name_.insert(name_.end(), part.begin(), part.end());
            }
            if (--left_ > 0) continue;
            name_.resize(std::min(name_.size(), 2 * units_));
            current_.name = text_from_utf16(name_);
            found.push_back(current_);
        }
        return true;
    }

private:
    unsigned left_{}; ///< secondary entries of the current set
    std::size_t units_{};
    std::vector<std::byte> name_;
    FoundEntry current_;
};

class FatFolder final : public FolderParser {
public:
    bool take(Raw entries, std::vector<FoundEntry>& found) override {
        for (std::size_t at = 0; at + folder_entry_size <= entries.size(); at += folder_entry_size) {
            const Raw entry = entries.subspan(at, folder_entry_size);
            const auto first = load_le<std::uint8_t>(entry, 0), attributes = load_le<std::uint8_t>(entry, 11);
            if (first == 0) return false;
            constexpr std::uint8_t deleted = 0xE5, long_name = 0x0F, label = 0x08, folder = 0x10;
            if (first != deleted && (attributes & 0x3F) == long_name) {
                take_part(entry, first);
                continue;
            }
            const std::string name = long_text_of(entry);
            parts_.clear();
            if (first == deleted || first == '.' || (attributes & label) != 0) continue;
            FoundEntry one{.name = name.empty() ? short_name(entry) : name, .first = 0, .length = {}};
            one.first = std::uint32_t{load_le<std::uint16_t>(entry, 20)} << 16 | load_le<std::uint16_t>(entry, 26);
            one.length = {load_le<std::uint32_t>(entry, 28)};
            one.folder = (attributes & folder) != 0;
            found.push_back(std::move(one));
        }
        return true;
    }

private:
    /// Adds a part of a long name. The folder contains the last part first.
    void take_part(Raw entry, std::uint8_t number) {
        constexpr std::uint8_t last = 0x40;
        if ((number & last) != 0) parts_.clear();
        checksum_ = load_le<std::uint8_t>(entry, 13);
        std::vector<std::byte> units;
        for (const auto& [at, length] : {std::pair{1, 10}, std::pair{14, 12}, std::pair{28, 4}}) {
            const Raw part = entry.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(length));
            units.insert(units.end(), part.begin(), part.end());
        }
        parts_.insert(parts_.begin(), units.begin(), units.end());
    }
    /// Empty without parts, or if they belong to another entry.
    [[nodiscard]] std::string long_text_of(Raw entry) const {
        std::uint8_t sum = 0;
        for (std::size_t i = 0; i < 11; ++i)
            sum = static_cast<std::uint8_t>(((sum & 1) << 7) + (sum >> 1) + load_le<std::uint8_t>(entry, i));
        return sum == checksum_ ? text_from_utf16(parts_) : std::string();
    }
    static std::string short_name(Raw entry) {
        const std::string base = fat_label_text(entry.subspan(0, 8)), extension = fat_label_text(entry.subspan(8, 3));
        return extension.empty() ? base : base + "." + extension;
    }

    std::vector<std::byte> parts_; ///< of the long name of the next entry
    std::uint8_t checksum_{};
};

class ClusterSearch {
public:
    ClusterSearch(const MediumReader& medium, const ClusterSpace& space, RangeOwners& owners)
        : medium_(medium),
          space_(space),
          owners_(owners),
          // A volume of arbitrary entries must not take hours.
          steps_left_(2 * std::uint64_t{space.clusters} + 65536) {}

    /// Returns false if a part of the folders could not be read.
    template <class Parser>
    bool walk(std::optional<MediumRange> fixed_root, std::uint32_t root_cluster) {
        if (fixed_root) {
            owners_.add(fixed_root->start, fixed_root->length, "/");
            Parser parser;
            std::vector<FoundEntry> found;
            (void)read_part(fixed_root->start, fixed_root->length, parser, found);
            take(found, "/", 0);
        } else {
            folders_.push_back({.entry = {.name = {}, .first = root_cluster, .length = {}}, .path = "/", .depth = 0});
        }
        while (!folders_.empty() && steps_left_ > 0) {
            const Folder folder = std::move(folders_.back());
            folders_.pop_back();
            if (!seen_.insert(folder.entry.first).second) continue; // a loop
            Parser parser;
            std::vector<FoundEntry> found;
            const auto runs = runs_of(folder.entry);
            add(runs, folder.path);
            bool more = true;
            for (const ClusterRun& run : runs) {
                if (!more) break;
                more = read_part(space_.at(run.first), space_.cluster_size * run.count, parser, found);
            }
            take(found, folder.path, folder.depth);
        }
        return whole_ && steps_left_ > 0;
    }

private:
    struct Folder {
        FoundEntry entry;
        std::string path; ///< ends with '/'
        std::size_t depth{};
    };

    void add(const std::vector<ClusterRun>& runs, const std::string& path) {
        for (const ClusterRun& run : runs) owners_.add(space_.at(run.first), space_.cluster_size * run.count, path);
    }
    void take(std::vector<FoundEntry>& found, const std::string& path, std::size_t depth) {
        for (FoundEntry& entry : found) {
            const std::string own = path + entry.name;
            if (!space_.has(entry.first)) continue; // an empty file
            if (!entry.folder)
                add(runs_of(entry), own);
            else if (depth < deepest_folder)
                folders_.push_back({.entry = std::move(entry), .path = own + "/", .depth = depth + 1});
        }
    }
    /// Returns false at the end of the folder.
    bool read_part(Bytes at, Bytes length, FolderParser& parser, std::vector<FoundEntry>& found) {
        for (Bytes done{}; done < length; done += folder_piece) {
            const auto entries = medium_.read(at + done, std::min(folder_piece, length - done));
            if (!entries) {
                whole_ = false;
                continue;
            }
            if (!parser.take(*entries, found)) return false;
        }
        return true;
    }
    /// The clusters of a file, up to its length.
    std::vector<ClusterRun> runs_of(const FoundEntry& entry) {
        std::vector<ClusterRun> runs;
        const std::uint64_t size = space_.cluster_size.count;
        // A longer chain has a loop.
        const std::uint64_t most = entry.length == 0_B
                                       ? space_.clusters
                                       : std::min<std::uint64_t>(space_.clusters, (entry.length.count - 1) / size + 1);
        if (!space_.has(entry.first)) return runs;
        if (!entry.has_chain) {
            const std::uint64_t left = std::uint64_t{space_.clusters} + 2 - entry.first;
            runs.push_back({entry.first, static_cast<std::uint32_t>(std::min(most, left))});
            return runs;
        }
        std::uint32_t cluster = entry.first;
        for (std::uint64_t done = 0; done < most && space_.has(cluster) && steps_left_ > 0; ++done, --steps_left_) {
            if (!runs.empty() && runs.back().first + runs.back().count == cluster)
                ++runs.back().count;
            else
                runs.push_back({cluster, 1});
            cluster = next_of(cluster);
        }
        return runs;
    }
    /// A number outside the heap ends a chain. Returns 0 if the entry cannot be read.
    std::uint32_t next_of(std::uint32_t cluster) {
        const std::uint64_t bit = std::uint64_t{cluster} * space_.bits;
        std::uint32_t value = 0;
        const std::size_t bytes = space_.bits == 32 ? 4 : 2;
        for (std::size_t i = 0; i < bytes; ++i) {
            const auto byte = fat_byte({bit / 8 + i});
            if (!byte) {
                whole_ = false;
                return 0;
            }
            value |= std::to_integer<std::uint32_t>(*byte) << (8 * i);
        }
        if (space_.bits == 12) return bit % 8 == 0 ? value & 0xFFF : value >> 4;
        return value & space_.mask;
    }
    std::optional<std::byte> fat_byte(Bytes offset) {
        const Bytes from = align_down(offset, fat_part);
        auto kept = fat_.find(from);
        if (kept == fat_.end()) {
            // The end of a small FAT is followed by other structures, which do no harm here.
            const Bytes length = std::min(fat_part, medium_.size() - std::min(medium_.size(), space_.fat + from));
            auto piece = medium_.read(space_.fat + from, length);
            kept = fat_.emplace(from, piece ? std::move(*piece) : std::vector<std::byte>()).first;
        }
        const std::size_t index = (offset - from).count;
        if (index >= kept->second.size()) return std::nullopt;
        return kept->second[index];
    }

    const MediumReader& medium_;
    const ClusterSpace space_;
    RangeOwners& owners_;
    std::uint64_t steps_left_;
    std::vector<Folder> folders_;
    std::set<std::uint32_t> seen_;
    std::map<Bytes, std::vector<std::byte>> fat_;
    bool whole_{true};
};

/// Returns false if not all files are known.
bool search_exfat(const MediumReader& medium, Bytes start, RangeOwners& owners) {
    const auto sector = medium.read(start, 512_B);
    const auto boot = sector ? parse_exfat_boot(*sector) : Result<ExfatBoot>(fail(sector.error()));
    if (!boot) return false;
    const ClusterSpace space{.fat = start + boot->fat_entry_offset(0),
                             .heap = start + boot->heap_offset,
                             .cluster_size = boot->cluster_size,
                             .clusters = boot->cluster_count,
                             .bits = 32};
    return ClusterSearch(medium, space, owners).walk<ExfatFolder>(std::nullopt, boot->root_cluster);
}

bool search_fat(const MediumReader& medium, Bytes start, RangeOwners& owners) {
    const auto sector = medium.read(start, 512_B);
    const auto boot = sector ? parse_fat_boot(*sector) : Result<FatBoot>(fail(sector.error()));
    if (!boot) return false;
    const ClusterSpace space{.fat = start + boot->fat_offset() + boot->fat_length() * boot->active_fat(),
                             .heap = start + boot->data_offset(),
                             .cluster_size = boot->cluster_size,
                             .clusters = boot->cluster_count,
                             .bits = boot->bits,
                             .mask = 0x0FFF'FFFF};
    std::optional<MediumRange> root;
    if (boot->bits != 32)
        root = MediumRange{.start = start + boot->root_offset(),
                           .length = Bytes{std::uint64_t{boot->root_entries} * folder_entry_size}};
    return ClusterSearch(medium, space, owners).walk<FatFolder>(root, boot->root_cluster);
}

/// Files in the ranges, and all folders, which give their paths.
class HfsPlusSearch {
public:
    HfsPlusSearch(const MediumReader& medium, Bytes start, Bytes length, const HfsPlusHeader& header,
                  RangeOwners& owners)
        : place_{medium, start, length, header.block_size, header.total_blocks}, header_(header), owners_(owners) {}

    bool walk() {
        using namespace hfsplus;
        constexpr std::uint32_t extents_id = 3, catalog_id = 4;
        Overflow none;
        const ForkReader extents(place_, extents_of(header_.extents_file, {extents_id, ForkType::data},
                                                    "extents overflow file", place_, none, errors_));
        overflow_ = read_overflow(extents, errors_);
        const ForkReader catalog(place_, extents_of(header_.catalog_file, {catalog_id, ForkType::data}, "catalog file",
                                                    place_, overflow_, errors_));
        constexpr std::uint8_t binary = 0xBC;
        const auto tree = tree_header(catalog);
        if (!tree) return false;
        walk_tree(catalog, "catalog file",
                  tree->key_compare == binary ? KeyKind::catalog_binary : KeyKind::catalog_ignoring_case, errors_,
                  [this](Raw key, Raw data) { take(key, data); });
        for (const auto& [path, extent] : found_)
            owners_.add(place_.start + place_.block_size * extent.start, place_.block_size * extent.count,
                        path_of(path));
        return errors_.none();
    }

private:
    struct Name {
        std::uint32_t parent{};
        std::string text;
    };

    void take(Raw key, Raw data) {
        using namespace hfsplus;
        constexpr std::uint16_t folder = 1, file = 2;
        constexpr std::size_t folder_size = 88, file_size = 248, data_fork = 88, resource_fork = 168;
        if (data.size() < folder_size) return;
        const auto type = load_be<std::uint16_t>(data, 0);
        const auto id = load_be<std::uint32_t>(data, 8);
        const auto name = [&] { return Name{catalog_parent(key), text_from_utf16be(catalog_name(key))}; };
        if (type == folder) folders_[id] = name();
        if (type != file || data.size() < file_size) return;
        for (const auto& [at, fork] :
             {std::pair{data_fork, ForkType::data}, std::pair{resource_fork, ForkType::resource}})
            for (const HfsPlusExtent& extent :
                 extents_of(parse_hfs_plus_fork(data, at), {id, fork}, "a file", place_, overflow_, errors_))
                if (owners_.touches(place_.start + place_.block_size * extent.start, place_.block_size * extent.count))
                    found_.emplace_back(name(), extent);
    }
    [[nodiscard]] std::string path_of(const Name& name) const {
        constexpr std::uint32_t root = 2;
        std::string path = "/" + name.text;
        std::uint32_t parent = name.parent;
        for (std::size_t depth = 0; parent != root && depth < deepest_folder; ++depth) {
            const auto folder = folders_.find(parent);
            if (folder == folders_.end()) break;
            path = "/" + folder->second.text + path;
            parent = folder->second.parent;
        }
        return path;
    }

    const hfsplus::VolumeLocation place_;
    const HfsPlusHeader& header_;
    RangeOwners& owners_;
    hfsplus::CheckErrors errors_;
    hfsplus::Overflow overflow_;
    std::map<std::uint32_t, Name> folders_;
    std::vector<std::pair<Name, HfsPlusExtent>> found_;
};

bool search_hfs_plus(const MediumReader& medium, Bytes start, Bytes length, RangeOwners& owners) {
    const auto raw = medium.read(start + hfs_plus_header_offset, hfs_plus_header_length);
    const auto header = raw ? parse_hfs_plus(*raw) : Result<HfsPlusHeader>(fail(raw.error()));
    return header && HfsPlusSearch(medium, start, length, *header, owners).walk();
}

} // namespace

FileSearch files_at(const MediumReader& medium, const InspectReport& report, std::span<const MediumRange> ranges) {
    RangeOwners owners(ranges);
    FileSearch search;
    for (const InspectedVolume& volume : report.volumes) {
        if (!owners.touches(volume.start, volume.length)) continue;
        const std::string_view fs = volume.file_system;
        bool whole = false;
        if (fs == "exfat") {
            whole = search_exfat(medium, volume.start, owners);
        } else if (fs.starts_with("fat")) {
            whole = search_fat(medium, volume.start, owners);
        } else if (fs.starts_with("hfs+") || fs.starts_with("hfsx")) {
            whole = search_hfs_plus(medium, volume.start, volume.length, owners);
        } else {
            search.gaps.push_back(fmt::format("{}: the files of this file system are not named",
                                              fs.empty() ? std::string_view("unknown contents") : fs));
            continue;
        }
        if (!whole) search.gaps.push_back(fmt::format("{}: not all of its folders could be read", fs));
    }
    search.ranges = owners.take();
    return search;
}

} // namespace mediarig::media
