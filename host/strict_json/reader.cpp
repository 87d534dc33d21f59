// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/strict_json/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/strict_json/amounts.hpp"
#include "host/strict_json/suggest.hpp"
#include "host/text.hpp"

namespace mediarig::strict_json {
namespace {

using nlohmann::json;

/// The value as the user wrote it, short.
std::string shown(const json& value) {
    if (value.is_object()) return "an object";
    if (value.is_array()) return value.empty() ? "an empty list" : "a list";
    if (value.is_string()) return fmt::format("\"{}\"", excerpt(value.get_ref<const std::string&>()));
    return excerpt(value.dump());
}

/// JSON does not tell 4096 from 4096.0; neither do we, up to where a double is exact.
std::optional<std::uint64_t> whole_number(const json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (value.is_number_integer()) return std::nullopt; // negative
    constexpr double exact_up_to = 9007199254740992.0;  // 2^53
    if (value.is_number_float()) {
        const auto number = value.get<double>();
        if (number >= 0 && number <= exact_up_to && std::floor(number) == number)
            return static_cast<std::uint64_t>(number);
    }
    return std::nullopt;
}

} // namespace

void Node::must_be(std::string_view what) const {
    complain(fmt::format("must be {}, is {}", what, shown(*value)));
}

Members::Members(const Node& node) : node_(node), readable_(node.value->is_object()) {
    if (!readable_) node_.must_be("an object");
}

std::optional<Node> Members::find(std::string_view name) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.push_back(name);
    if (!readable_) return std::nullopt;
    const auto found = node_.value->find(name);
    if (found == node_.value->end()) return std::nullopt;
    return Node{&*found, deeper(node_.pointer, name), node_.faults};
}

std::optional<Node> Members::need(std::string_view name, std::string_view why) {
    auto found = find(name);
    if (!found && readable_) node_.faults->add(deeper(node_.pointer, name), fmt::format("is missing; {}", why));
    return found;
}

void Members::refuse_unknown() const {
    if (!readable_) return;
    for (const auto& [name, value] : node_.value->items()) {
        if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
        node_.faults->add(deeper(node_.pointer, name), fmt::format("unknown member{}", hint(name, known_)));
    }
}

std::optional<bool> read_flag(const Node& node) {
    if (node.value->is_boolean()) return node.value->get<bool>();
    node.must_be("true or false");
    return std::nullopt;
}

std::optional<std::uint64_t> read_count(const Node& node, Range range) {
    const auto number = whole_number(*node.value);
    if (number && *number >= range.least && *number <= range.most) return number;
    node.must_be(fmt::format("a whole number from {} to {}", range.least, range.most));
    return std::nullopt;
}

std::optional<double> read_number(const Node& node) {
    if (node.value->is_number()) return node.value->get<double>();
    node.must_be("a number");
    return std::nullopt;
}

std::optional<Bytes> read_size(const Node& node) {
    if (node.value->is_string()) {
        const auto size = parse_size(node.value->get_ref<const std::string&>());
        if (size) return *size;
        node.complain(size.error());
        return std::nullopt;
    }
    const auto number = whole_number(*node.value);
    if (number && *number > 0 && *number <= largest_size.count) return Bytes{*number};
    node.must_be("a size: bytes, or a string such as \"32KiB\"");
    return std::nullopt;
}

std::optional<std::chrono::nanoseconds> read_seconds(const Node& node) {
    constexpr double least = 0.001, most = 1'000'000;
    if (node.value->is_number()) {
        const auto seconds = node.value->get<double>();
        if (seconds >= least && seconds <= most) return std::chrono::nanoseconds(std::llround(seconds * 1e9));
    }
    node.must_be("a number of seconds from 0.001 to 1000000");
    return std::nullopt;
}

std::optional<std::string> read_line(const Node& node, std::size_t most) {
    if (!node.value->is_string()) {
        node.must_be("text");
        return std::nullopt;
    }
    const auto& text = node.value->get_ref<const std::string&>();
    if (text.empty()) {
        node.complain("must not be empty");
    } else if (text.size() > most) {
        node.complain(fmt::format("is {} bytes long; at most {} are allowed", text.size(), most));
    } else if (!is_printable(text)) {
        node.complain("must be one line without control characters");
    } else {
        return text;
    }
    return std::nullopt;
}

std::optional<std::string> read_path(const Node& node) {
    constexpr std::size_t longest_path = 4095; // PATH_MAX of Linux, less its terminator
    if (node.value->is_string() && !node.value->get_ref<const std::string&>().starts_with('/')) {
        node.must_be("an absolute path");
        return std::nullopt;
    }
    return read_line(node, longest_path);
}

std::optional<std::vector<Node>> read_list(const Node& node, std::size_t most) {
    if (!node.value->is_array()) {
        node.must_be("a list");
        return std::nullopt;
    }
    if (node.value->size() > most) {
        node.complain(fmt::format("has {} entries; at most {} are allowed", node.value->size(), most));
        return std::nullopt;
    }
    std::vector<Node> nodes;
    nodes.reserve(node.value->size());
    for (std::size_t i = 0; i < node.value->size(); ++i)
        nodes.push_back({&(*node.value)[i], deeper(node.pointer, i), node.faults});
    return nodes;
}

std::optional<std::size_t> read_word(const Node& node, std::string_view what, std::span<const std::string_view> known) {
    if (!node.value->is_string()) {
        node.must_be(fmt::format("the name of a known {}", what));
        return std::nullopt;
    }
    const auto& word = node.value->get_ref<const std::string&>();
    if (const auto found = std::find(known.begin(), known.end(), word); found != known.end())
        return static_cast<std::size_t>(found - known.begin());
    node.complain(fmt::format("unknown {} \"{}\"{}", what, excerpt(word), hint(word, known)));
    return std::nullopt;
}

} // namespace mediarig::strict_json
