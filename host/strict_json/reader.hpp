// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads typed values out of a JSON tree; whatever does not fit becomes a fault that names the place.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/units.hpp"
#include "host/names.hpp"
#include "host/strict_json/faults.hpp"

namespace mediarig::strict_json {

/// A value, where it stands, and where to complain about it. Cheap to copy; valid as long as the tree and the faults.
struct Node {
    const nlohmann::json* value;
    std::string pointer;
    Faults* faults;

    void complain(std::string_view reason) const { faults->add(pointer, reason); }
    /// "must be WHAT, is VALUE"
    void must_be(std::string_view what) const;
};

/// The members of an object: those that were asked for are known, all others are faults.
class Members {
public:
    /// Complains if `node` is no object, and has no members then.
    explicit Members(const Node& node);
    /// Nothing if the member is not there.
    [[nodiscard]] std::optional<Node> find(std::string_view name);
    /// Like find, but a missing member is a fault: "is missing; WHY".
    [[nodiscard]] std::optional<Node> need(std::string_view name, std::string_view why);
    /// Complains about each member nobody asked for. Call it last.
    void refuse_unknown() const;
    [[nodiscard]] bool readable() const { return readable_; }

private:
    Node node_;
    bool readable_;
    std::vector<std::string_view> known_;
};

struct Range {
    std::uint64_t least{}, most{};
};

// Each returns nothing after having complained.
[[nodiscard]] std::optional<bool> read_flag(const Node& node);
[[nodiscard]] std::optional<std::uint64_t> read_count(const Node& node, Range range);
[[nodiscard]] std::optional<double> read_number(const Node& node);
/// A number of bytes, or a string as parse_size() takes it.
[[nodiscard]] std::optional<Bytes> read_size(const Node& node);
/// Seconds, also fractions: 0.001 … 1 000 000.
[[nodiscard]] std::optional<std::chrono::nanoseconds> read_seconds(const Node& node);
/// One line of text, 1 … `most` bytes, without controls (see host/text.hpp).
[[nodiscard]] std::optional<std::string> read_line(const Node& node, std::size_t most);
/// An absolute path, at most 4095 bytes.
[[nodiscard]] std::optional<std::string> read_path(const Node& node);
/// The elements of a list of at most `most`; complains and gives none if it is no list or too long.
[[nodiscard]] std::optional<std::vector<Node>> read_list(const Node& node, std::size_t most);

/// The index of the word in `known`. `what` is what the words name: "engine".
[[nodiscard]] std::optional<std::size_t> read_word(const Node& node, std::string_view what,
                                                   std::span<const std::string_view> known);
/// One of `values`, each known by its name_of().
template <class Value, std::size_t size>
[[nodiscard]] std::optional<Value> read_choice(const Node& node, std::string_view what,
                                               const std::array<Value, size>& values) {
    std::array<std::string_view, size> names;
    for (std::size_t i = 0; i < size; ++i) names[i] = name_of(values[i]);
    const auto index = read_word(node, what, names);
    return index ? std::optional<Value>(values[*index]) : std::nullopt;
}

/// The same of values with a list of names.
template <class Value, std::size_t size>
[[nodiscard]] std::optional<Value> read_choice(const Node& node, std::string_view what,
                                               const std::array<Name<Value>, size>& values) {
    std::array<std::string_view, size> names;
    for (std::size_t i = 0; i < size; ++i) names[i] = values[i].name;
    const auto index = read_word(node, what, names);
    return index ? std::optional<Value>(values[*index].value) : std::nullopt;
}

/// Reads member `name` into `out` if it is there and fits.
template <class Out, class Read>
void take(Members& members, std::string_view name, Out& out, Read read) {
    if (const auto node = members.find(name))
        if (auto value = read(*node)) out = std::move(*value);
}

} // namespace mediarig::strict_json
