// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/exfat_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace mediarig::media {
namespace {

constexpr Bytes entry_length = 32_B;
constexpr Bytes fat_piece = 4_KiB, directory_piece = 64_KiB;
constexpr std::size_t most_defects = 8;

/// Clusters of one owner. Without a chain they are consecutive, and only the length gives their number.
struct Allocation {
    std::uint32_t first{};
    Bytes length;
    bool has_chain{};
};

class TreeWalk {
public:
    TreeWalk(const MediumReader& medium, Bytes start, const ExfatBoot& boot, Raw bitmap)
        : medium_(medium),
          start_(start),
          boot_(boot),
          bitmap_(bitmap),
          owned_(boot.cluster_count),
          // Limits the steps: a cluster with several owners is visited again, and a volume of arbitrary entries must
          // not take hours.
          steps_left_(2 * std::uint64_t{boot.cluster_count} + 65536) {}

    ExfatTree walk(const ExfatRoot& root) {
        own({.first = root.bitmap.first_cluster, .length = root.bitmap.length});
        if (root.upcase) own({.first = root.upcase->first_cluster, .length = root.upcase->length});
        folders_.push_back({.first = boot_.root_cluster, .length = {}, .has_chain = true});
        while (!folders_.empty() && tree_.complete) {
            const Allocation folder = folders_.back();
            folders_.pop_back();
            read_folder(folder);
        }
        if (tree_.complete) count_leaked();
        return std::move(tree_);
    }

    void give_up() { tree_.complete = false; }

private:
    static void add(ExfatClusters& found, std::uint32_t cluster) {
        if (found.count++ == 0 || cluster < found.first) found.first = cluster;
    }

    [[nodiscard]] bool is_marked(std::uint32_t cluster) const {
        const std::uint32_t bit = cluster - 2;
        return (std::to_integer<unsigned>(bitmap_[bit / 8]) >> (bit % 8) & 1u) != 0;
    }

    void defect(std::string text) {
        if (tree_.defects.size() < most_defects) tree_.defects.push_back(std::move(text));
    }

    /// Gives a cluster an owner. False if the cluster already had one.
    bool take(std::uint32_t cluster) {
        const std::uint32_t index = cluster - 2;
        if (owned_[index]) {
            add(tree_.shared, cluster);
            return false;
        }
        owned_[index] = true;
        if (!is_marked(cluster)) add(tree_.freed, cluster);
        return true;
    }

    /// Entry of the active FAT. Empty if it cannot be read, or if the read limit is reached: then the tree is not
    /// complete.
    std::optional<std::uint32_t> entry_of(std::uint32_t cluster) {
        const Bytes offset = Bytes{4} * std::uint64_t{cluster}, from = align_down(offset, fat_piece);
        auto kept = fat_.find(from);
        if (kept == fat_.end()) {
            const Bytes length = std::min(fat_piece, boot_.fat_length - from);
            if (!medium_.has_count_budget(length)) return give_up(), std::nullopt;
            auto piece = medium_.read(start_ + boot_.fat_entry_offset(0) + from, length);
            if (!piece) return give_up(), std::nullopt;
            kept = fat_.emplace(from, std::move(*piece)).first;
        }
        return load_le<std::uint32_t>(kept->second, (offset - from).count);
    }

    /// Gives all clusters of an allocation to one owner, and passes each cluster that had no owner to `visit`.
    template <class Visit>
    void own(const Allocation& allocation, Visit visit) {
        const std::uint64_t expected =
            (allocation.length.count + boot_.cluster_size.count - 1) / boot_.cluster_size.count;
        std::uint32_t cluster = allocation.first;
        for (std::uint64_t done = 0; allocation.has_chain || done < expected; ++done) {
            if (!boot_.holds_cluster(cluster))
                return defect(
                    fmt::format("the clusters from {} on: cluster {} is outside the heap", allocation.first, cluster));
            if (steps_left_-- == 0) return give_up();
            // If a chain reaches a cluster with an owner, it continues as the chain of that owner, or has a loop.
            if (take(cluster))
                visit(cluster);
            else if (allocation.has_chain)
                return;
            if (!allocation.has_chain) {
                ++cluster;
                continue;
            }
            const auto next = entry_of(cluster);
            if (!next) return;
            if (*next == exfat_end_of_chain) {
                // The length of the root directory is not recorded.
                if (expected != 0 && done + 1 != expected)
                    defect(fmt::format("the chain from cluster {} on ends after {} clusters, its length needs {}",
                                       allocation.first, done + 1, expected));
                return;
            }
            if (!boot_.holds_cluster(*next))
                return defect(fmt::format("FatEntry[{}] of the chain from cluster {} on is {:#010x}", cluster,
                                          allocation.first, *next));
            cluster = *next;
        }
    }
    void own(const Allocation& allocation) {
        own(allocation, [](std::uint32_t) {});
    }

    void read_folder(const Allocation& folder) {
        std::vector<std::uint32_t> clusters;
        own(folder, [&clusters](std::uint32_t cluster) { clusters.push_back(cluster); });
        const Bytes part = std::min(boot_.cluster_size, directory_piece);
        attributes_ = 0;
        set_.clear();
        for (const std::uint32_t cluster : clusters)
            for (Bytes done{}; done < boot_.cluster_size; done += part) {
                const Bytes at = start_ + boot_.cluster_offset(cluster) + done;
                if (!medium_.has_count_budget(part)) return give_up();
                const auto entries = medium_.read(at, part);
                if (!entries) return give_up();
                if (!take_entries(*entries, at)) return end_set();
            }
        end_set();
    }

    /// False at the end of the folder.
    bool take_entries(Raw entries, Bytes on_medium) {
        for (std::size_t at = 0; at + entry_length.count <= entries.size(); at += entry_length.count) {
            const Raw entry = entries.subspan(at, entry_length.count);
            const auto type = load_le<std::uint8_t>(entry, 0);
            constexpr std::uint8_t in_use = 0x80;
            if (type == 0) return false;
            add_to_set(type, entry, on_medium + Bytes{at});
            if ((type & in_use) != 0) take_entry(type, entry);
        }
        return true;
    }

    /// Section 6.3: a set consists of a file entry and the number of secondary entries that it states.
    void add_to_set(std::uint8_t type, Raw entry, Bytes at) {
        constexpr std::uint8_t file = 0x85, secondary = 0xC0;
        if (!set_.empty() && (type & secondary) != secondary) end_set();
        if (set_.empty()) {
            if (type != file) return;
            set_at_ = at;
        }
        set_.insert(set_.end(), entry.begin(), entry.end());
        if (set_.size() == set_length()) end_set();
    }
    /// Needs a set with its file entry.
    [[nodiscard]] std::size_t set_length() const {
        return (1 + std::to_integer<std::size_t>(set_[1])) * entry_length.count;
    }
    void end_set() {
        if (set_.empty()) return;
        if (set_.size() != set_length() || exfat_set_checksum(set_) != load_le<std::uint16_t>(set_, 2))
            if (tree_.damaged_sets++ == 0) tree_.first_damaged_set = set_at_;
        set_.clear();
    }

    /// Section 6.2.1: types of entries in use.
    void take_entry(std::uint8_t type, Raw entry) {
        switch (type) {
            case 0x81: // allocation bitmap, up-case table, label, GUID: described by the root directory
            case 0x82:
            case 0x83:
            case 0xA0:
            case 0xC1: // name
            case 0xE0: // vendor extension, without clusters
                break;
            case 0x85: // file
                attributes_ = load_le<std::uint16_t>(entry, 4);
                break;
            case 0xC0: // stream extension
            case 0xE1: // vendor allocation
                take_allocation(entry, type == 0xC0);
                break;
            default:
                give_up();
        }
    }

    void take_allocation(Raw entry, bool of_file) {
        constexpr std::uint8_t no_chain = 2;
        constexpr std::uint16_t is_folder = 0x10;
        const Allocation allocation{.first = load_le<std::uint32_t>(entry, 20),
                                    .length = {load_le<std::uint64_t>(entry, 24)},
                                    .has_chain = (load_le<std::uint8_t>(entry, 1) & no_chain) == 0};
        if (allocation.first == 0) return;
        if (allocation.length > boot_.cluster_size * boot_.cluster_count)
            return defect(fmt::format("the clusters from {} on: a length of {} bytes exceeds the heap",
                                      allocation.first, allocation.length.count));
        if (of_file && (attributes_ & is_folder) != 0)
            folders_.push_back(allocation);
        else
            own(allocation);
    }

    void count_leaked() {
        constexpr std::uint32_t bits = 8;
        for (std::uint32_t cluster = 2; boot_.holds_cluster(cluster); ++cluster) {
            const std::uint32_t index = cluster - 2;
            if (index % bits == 0 && bitmap_[index / bits] == std::byte{0}) {
                cluster += bits - 1;
                continue;
            }
            if (owned_[index] || !is_marked(cluster)) continue;
            const auto entry = entry_of(cluster);
            if (!entry) {
                tree_.leaked = {};
                return;
            }
            if (*entry != exfat_bad_cluster) add(tree_.leaked, cluster);
        }
    }

    const MediumReader& medium_;
    Bytes start_;
    const ExfatBoot& boot_;
    Raw bitmap_;
    std::vector<bool> owned_;
    std::uint64_t steps_left_;
    std::vector<Allocation> folders_;
    std::map<Bytes, std::vector<std::byte>> fat_;
    std::uint16_t attributes_{}; ///< attributes of the last file entry
    std::vector<std::byte> set_; ///< entries of the current set; empty between sets
    Bytes set_at_;               ///< offset of the current set on the medium
    ExfatTree tree_{.complete = true,
                    .leaked = {},
                    .freed = {},
                    .shared = {},
                    .defects = {},
                    .damaged_sets = 0,
                    .first_damaged_set = {}};
};

} // namespace

ExfatTree compare_exfat_tree(const MediumReader& medium, Bytes start, const ExfatBoot& boot, const ExfatRoot& root,
                             Raw bitmap) {
    if (boot.number_of_fats != 1 || bitmap.size() < (std::uint64_t{boot.cluster_count} + 7) / 8) return {};
    return TreeWalk(medium, start, boot, bitmap).walk(root);
}

} // namespace mediarig::media
