// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/hfsplus_tree_walk.hpp"

#include <array>

#include "host/media/inspect/hfsplus_bitmap.hpp"

namespace mediarig::media::hfsplus {
namespace {

class Walk {
public:
    Walk(const ForkReader& fork, const std::string& name, KeyKind keys, CheckErrors& errors, const OnRecord& on_record)
        : fork_(fork), name_(name), keys_(keys), complaints_(errors), on_record_(on_record) {}

    void run() {
        if (!read_header()) return;
        reached_.assign(tree_.total_nodes, false);
        reached_[0] = true;
        read_map();
        if (tree_.root != 0) visit(tree_.root, static_cast<std::uint8_t>(tree_.depth), {});
        check_ends();
        check_map();
    }

private:
    /// Last visited node of a height; the nodes of one height form a list.
    struct Level {
        std::uint32_t node{}, next{};
    };

    template <class... Values>
    void add_error(fmt::format_string<Values...> text, Values&&... values) {
        complaints_.add("{}: {}", name_, fmt::format(text, std::forward<Values>(values)...));
    }

    bool read_header() {
        const auto raw = fork_.read({}, 512_B);
        const auto header = raw ? parse_hfs_plus_tree(*raw) : Result<HfsPlusTree>(fail(raw.error()));
        if (!header) {
            add_error("header node: {}", header.error().detail);
            return false;
        }
        tree_ = *header;
        if (Bytes{tree_.node_size} * tree_.total_nodes > fork_.size()) {
            add_error("header node: totalNodes is {}, the file has space for {}", tree_.total_nodes,
                      fork_.size() / Bytes{tree_.node_size});
            return false;
        }
        return true;
    }

    std::optional<std::vector<std::byte>> read_node(std::uint32_t number) {
        auto raw = fork_.read(Bytes{tree_.node_size} * number, Bytes{tree_.node_size});
        if (raw) return std::move(*raw);
        add_error("node {}: {}", number, raw.error().detail);
        return std::nullopt;
    }

    /// Reads the map bits in the header node and in the map nodes linked from it.
    void read_map() {
        HfsPlusNodeKind expected = HfsPlusNodeKind::header;
        for (std::uint32_t number = 0; map_.size() * 8 < tree_.total_nodes;) {
            const auto raw = read_node(number);
            if (!raw) return;
            const auto node = parse_hfs_plus_node(*raw);
            if (!node || node->kind != expected) return add_error("node {}: is not a map node", number);
            const auto records = hfs_plus_records(*raw, node->records);
            if (!records || records->empty())
                return add_error("node {}: {}", number, records ? "numRecords" : records.error().detail);
            const Raw bits = records->back();
            map_.insert(map_.end(), bits.begin(), bits.end());
            expected = HfsPlusNodeKind::map;
            number = node->next;
            if (map_.size() * 8 >= tree_.total_nodes) break;
            if (number == 0 || number >= tree_.total_nodes || reached_[number])
                return add_error("the map of its nodes ends after {} of {}", map_.size() * 8, tree_.total_nodes);
            reached_[number] = true;
        }
    }

    /// `lower`: the key of this node in its parent; empty for the root.
    void visit(std::uint32_t number, std::uint8_t height, Raw lower) {
        if (number == 0 || number >= tree_.total_nodes) return add_error("a link leads to node {}", number);
        if (reached_[number]) return add_error("node {}: is reached a second time", number);
        reached_[number] = true;
        const auto raw = read_node(number);
        if (!raw) return;
        const auto node = parse_hfs_plus_node(*raw);
        if (!node) return add_error("node {}: {}", number, node.error().detail);
        if (node->kind != (height == 1 ? HfsPlusNodeKind::leaf : HfsPlusNodeKind::index))
            return add_error("node {}: kind is not that of height {}", number, height);
        if (node->height != height) return add_error("node {}: height is {}, not {}", number, node->height, height);
        check_links(number, *node);
        const auto records = hfs_plus_records(*raw, node->records);
        if (!records) return add_error("node {}: {}", number, records.error().detail);
        if (records->empty()) return add_error("node {}: numRecords is 0", number);
        for (std::size_t i = 0; i < records->size(); ++i)
            take(number, i, height, (*records)[i], i == 0 ? lower : Raw{});
    }

    void take(std::uint32_t number, std::size_t index, std::uint8_t height, Raw record, Raw lower) {
        if (!has_key(keys_, record) || key_size(record) > std::size_t{2} + tree_.max_key_length)
            return add_error("node {}: the key of record {} is malformed", number, index);
        const Raw key = record.first(key_size(record)), data = record.subspan(key_size(record));
        if (!lower.empty() && compare(keys_, key, lower) == KeyOrder::less)
            add_error("node {}: its first key comes before the key in its parent", number);
        if (!last_key_.empty() && out_of_order(key)) add_error("node {}: record {} is out of order", number, index);
        if (height == 1) {
            last_key_.assign(key.begin(), key.end());
            ++leaf_records_;
            on_record_(key, data);
        } else if (data.size() < 4) {
            add_error("node {}: record {} is too short", number, index);
        } else {
            visit(load_be<std::uint32_t>(data, 0), static_cast<std::uint8_t>(height - 1), key);
        }
    }

    /// True if `key` is not greater than all previous leaf records.
    [[nodiscard]] bool out_of_order(Raw key) const {
        const KeyOrder found = compare(keys_, last_key_, key);
        return found == KeyOrder::equal || found == KeyOrder::greater;
    }

    void check_links(std::uint32_t number, const HfsPlusNode& node) {
        Level& level = levels_.at(node.height);
        if (node.previous != level.node)
            add_error("node {}: bLink is {}, the node before it is {}", number, node.previous, level.node);
        if (level.node == 0) {
            if (node.height == 1 && number != tree_.first_leaf)
                add_error("header node: firstLeafNode is {}, the first leaf is {}", tree_.first_leaf, number);
        } else if (level.next != number) {
            add_error("node {}: fLink is {}, the node after it is {}", level.node, level.next, number);
        }
        level = {.node = number, .next = node.next};
    }

    void check_ends() {
        for (const Level& level : levels_)
            if (level.next != 0) add_error("node {}: fLink is {}, there is no node after it", level.node, level.next);
        if (levels_[1].node == 0 && tree_.first_leaf != 0)
            add_error("header node: firstLeafNode is {}, there is no leaf", tree_.first_leaf);
        if (levels_[1].node != tree_.last_leaf)
            add_error("header node: lastLeafNode is {}, the last leaf is {}", tree_.last_leaf, levels_[1].node);
        if (leaf_records_ != tree_.leaf_records)
            add_error("header node: leafRecords is {}, the leaves have {}", tree_.leaf_records, leaf_records_);
    }

    void check_map() {
        if (map_.size() * 8 < tree_.total_nodes) return;
        std::uint32_t free = 0;
        for (std::uint32_t node = 0; node < tree_.total_nodes; ++node) {
            const bool marked = bit(map_, node);
            if (!marked) ++free;
            if (marked != reached_[node])
                add_error("node {}: is {}", node,
                          marked ? "marked used and not part of the tree" : "part of the tree and marked free");
        }
        if (free != tree_.free_nodes) add_error("header node: freeNodes is {}, its map has {}", tree_.free_nodes, free);
    }

    const ForkReader& fork_;
    const std::string& name_;
    KeyKind keys_;
    CheckErrors& complaints_;
    const OnRecord& on_record_;
    HfsPlusTree tree_;
    std::vector<bool> reached_;
    std::vector<std::byte> map_;
    std::array<Level, 17> levels_{}; ///< levels by height; the header has at most 16
    std::vector<std::byte> last_key_;
    std::uint32_t leaf_records_{};
};

} // namespace

void walk_tree(const ForkReader& fork, const std::string& name, KeyKind keys, CheckErrors& errors,
               const OnRecord& on_record) {
    Walk(fork, name, keys, errors, on_record).run();
}

Overflow read_overflow(const ForkReader& extents_file, CheckErrors& errors) {
    constexpr std::size_t eight_extents = 64;
    const std::string name = "extents overflow file";
    Overflow overflow;
    walk_tree(extents_file, name, KeyKind::extents, errors, [&](Raw key, Raw data) {
        const auto type = load_be<std::uint8_t>(key, 2);
        if (data.size() < eight_extents || (type != 0 && type != 0xFF))
            return errors.add("{}: the record of file {} is malformed", name, load_be<std::uint32_t>(key, 4));
        HfsPlusExtents record;
        for (std::size_t i = 0; i < record.size(); ++i)
            record[i] = {.start = load_be<std::uint32_t>(data, 8 * i),
                         .count = load_be<std::uint32_t>(data, 8 * i + 4)};
        overflow[{load_be<std::uint32_t>(key, 4), static_cast<ForkType>(type)}].emplace(load_be<std::uint32_t>(key, 8),
                                                                                        record);
    });
    return overflow;
}

std::optional<HfsPlusTree> tree_header(const ForkReader& fork) {
    const auto raw = fork.read({}, 512_B);
    if (!raw) return std::nullopt;
    const auto header = parse_hfs_plus_tree(*raw);
    if (!header) return std::nullopt;
    return *header;
}

} // namespace mediarig::media::hfsplus
