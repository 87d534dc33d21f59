// SPDX-License-Identifier: GPL-3.0-or-later
/// Collects all faults of a text, so that one run reports all of them to the user.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"

namespace mediarig::strict_json {

class Faults {
public:
    static constexpr std::size_t shown_at_most = 100;

    /// `pointer` is a JSON pointer; the pointer to the whole text is shown as "/".
    void add(std::string_view pointer, std::string_view reason);
    [[nodiscard]] std::size_t count() const { return count_; }
    /// The first hundred faults in the order of detection, then the number of omitted faults.
    [[nodiscard]] std::vector<std::string> take();

private:
    std::vector<std::string> lines_;
    std::size_t count_{};
};

/// Extends `pointer` by one level, with the escapes of RFC 6901 ("~" and "/"). Truncates long keys and shows control
/// characters as "?".
[[nodiscard]] std::string deeper(std::string_view pointer, std::string_view key);
[[nodiscard]] std::string deeper(std::string_view pointer, std::size_t index);

/// Returns `text` on one line and at most `limit` bytes long, for a quotation in a message. Never splits a UTF-8
/// sequence.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t limit = 60);

/// Reader of typed values in a JSON tree: a value, its place, and the list that receives its faults. Each value of a
/// wrong type or range adds a fault. Cheap to copy; valid as long as the tree and the list of faults.
struct Node {
    const nlohmann::json* value;
    std::string pointer;
    Faults* faults;

    void complain(std::string_view reason) const { faults->add(pointer, reason); }
    /// Adds the fault "must be WHAT, is VALUE".
    void must_be(std::string_view what) const;
};

/// The members of an object. A member that the reader never requests is a fault.
class Members {
public:
    /// If `node` is not an object: adds a fault and has no members.
    explicit Members(const Node& node);
    /// Empty if the member is missing.
    [[nodiscard]] std::optional<Node> find(std::string_view name);
    /// Like find(), but a missing member is a fault: "is missing; WHY".
    [[nodiscard]] std::optional<Node> need(std::string_view name, std::string_view why);
    /// Adds a fault for each member that was not requested. Call this function last.
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

// Each function adds a fault and returns nothing if the value does not fit.
[[nodiscard]] std::optional<bool> read_flag(const Node& node);
[[nodiscard]] std::optional<std::uint64_t> read_count(const Node& node, Range range);
[[nodiscard]] std::optional<double> read_number(const Node& node);
/// A number of bytes, or a string in the format of parse_size().
[[nodiscard]] std::optional<Bytes> read_size(const Node& node);
/// A number of seconds, which may have a fraction: 0.001 … 1 000 000.
[[nodiscard]] std::optional<std::chrono::nanoseconds> read_seconds(const Node& node);
/// One line of text, 1 … `most` bytes, without control characters (see host/base/text.hpp).
[[nodiscard]] std::optional<std::string> read_line(const Node& node, std::size_t most);
/// An absolute path, at most 4095 bytes.
[[nodiscard]] std::optional<std::string> read_path(const Node& node);
/// The elements of a list with at most `most` elements. If the value is not a list or is too long: adds a fault and
/// returns nothing.
[[nodiscard]] std::optional<std::vector<Node>> read_list(const Node& node, std::size_t most);

/// The index of the word in `known`. `what`: the kind of words, e.g. "engine".
[[nodiscard]] std::optional<std::size_t> read_word(const Node& node, std::string_view what,
                                                   std::span<const std::string_view> known);
/// One value of the enumeration, read by its name.
template <Described Value>
[[nodiscard]] std::optional<Value> read_choice(const Node& node, std::string_view what) {
    const auto index = read_word(node, what, enumerator_names<Value>);
    return index ? std::optional(enumerators<Value>[*index].value) : std::nullopt;
}

/// Reads member `name` into `out` if it is present and valid.
template <class Out, class Read>
void take(Members& members, std::string_view name, Out& out, Read read) {
    if (const auto node = members.find(name))
        if (auto value = read(*node)) out = std::move(*value);
}

/// Sizes as users write them. Pure.
inline constexpr Bytes largest_size{std::uint64_t{1}
                                    << 50}; ///< 1 PiB: far above any medium, and the sums over a job stay below 2^64

/// Accepts "4096", "4096 B", "32KiB", "4 MiB", "2GiB", "1TiB": a whole number, at most one space, a binary unit.
/// Refuses decimal units ("4MB"): in this field rates are decimal and transfer sizes are binary, and a plan must be
/// unambiguous. The error is a reason for the user.
[[nodiscard]] tl::expected<Bytes, std::string> parse_size(std::string_view text);

} // namespace mediarig::strict_json
