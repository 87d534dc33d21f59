// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/json/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "host/base/json/suggest.hpp"
#include "host/base/text.hpp"

namespace mediarig::strict_json {

void Faults::add(std::string_view pointer, std::string_view reason) {
    ++count_;
    if (count_ > shown_at_most) return;
    lines_.push_back(fmt::format("{}: {}", pointer.empty() ? "/" : pointer, reason));
}

std::vector<std::string> Faults::take() {
    if (count_ > shown_at_most) lines_.push_back(fmt::format("/: … and {} more faults", count_ - shown_at_most));
    count_ = 0;
    return std::exchange(lines_, {});
}

std::string deeper(std::string_view pointer, std::string_view key) {
    std::string result(pointer);
    result += '/';
    for (const char c : excerpt(key)) {
        if (c == '~')
            result += "~0";
        else if (c == '/')
            result += "~1";
        else
            result += c;
    }
    return result;
}

std::string deeper(std::string_view pointer, std::size_t index) {
    return fmt::format("{}/{}", pointer, index);
}

std::string excerpt(std::string_view text, std::size_t limit) {
    const bool cut = text.size() > limit;
    if (cut) {
        // Do not cut in the middle of a UTF-8 sequence.
        while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
        text = text.substr(0, limit);
    }
    std::string line;
    for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    if (cut) line += "…";
    return line;
}

namespace {

using nlohmann::json;

/// The value in short form, as the user wrote it.
std::string shown(const json& value) {
    if (value.is_object()) return "an object";
    if (value.is_array()) return value.empty() ? "an empty list" : "a list";
    if (value.is_string()) return fmt::format("\"{}\"", excerpt(value.get_ref<const std::string&>()));
    return excerpt(value.dump());
}

/// JSON does not distinguish 4096 from 4096.0: accepts both, up to the largest integer that a double represents
/// exactly.
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
    constexpr std::size_t longest_path = 4095; // PATH_MAX of Linux, minus its terminator
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

namespace {

struct Unit {
    std::string_view name;
    std::uint64_t bytes;
};

constexpr std::array binary_units{
    Unit{"", 1},
    Unit{"B", 1},
    Unit{"KiB", std::uint64_t{1} << 10},
    Unit{"MiB", std::uint64_t{1} << 20},
    Unit{"GiB", std::uint64_t{1} << 30},
    Unit{"TiB", std::uint64_t{1} << 40},
};

/// The binary unit that the user probably meant by `word` ("MB", "M", "mib"); empty if `word` resembles no unit.
std::string_view meant_by(std::string_view word) {
    if (word.empty() || word.size() > 3) return {};
    const char first =
        word.front() >= 'a' && word.front() <= 'z' ? static_cast<char>(word.front() - 'a' + 'A') : word.front();
    if (word.size() > 1 && std::string_view("iIbB").find(word[1]) == std::string_view::npos) return {};
    for (const Unit& unit : binary_units)
        if (unit.name.size() == 3 && unit.name.front() == first) return unit.name;
    return {};
}

bool is_decimal(std::string_view unit) {
    return unit == "kB" || unit == "KB" || unit == "MB" || unit == "GB" || unit == "TB";
}

} // namespace

tl::expected<Bytes, std::string> parse_size(std::string_view text) {
    const auto refuse = [&](std::string_view why) {
        return tl::unexpected(fmt::format("\"{}\" {}", excerpt(text), why));
    };
    constexpr std::string_view form = "is not a size; use bytes (4096), or a whole number with KiB, MiB, GiB or TiB";

    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::result_out_of_range) return refuse("is too large; a size is at most 1 PiB");
    if (error != std::errc{}) return refuse(form);
    std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    if (unit.starts_with(' ')) {
        unit.remove_prefix(1);
        if (unit.empty()) return refuse(form);
    }
    if (number == 0 || text.front() == '0')
        return refuse("is not a size; it must be larger than 0, without leading zeros");

    for (const Unit& known : binary_units) {
        if (unit != known.name) continue;
        if (number > largest_size.count / known.bytes) return refuse("is too large; a size is at most 1 PiB");
        return Bytes{number * known.bytes};
    }
    if (const std::string_view meant = meant_by(unit); !meant.empty()) {
        const std::string_view why = is_decimal(unit) ? "has an ambiguous unit (1000 or 1024)" : "has an unknown unit";
        return refuse(fmt::format("{}; sizes are binary: use \"{}{}\"", why, number, meant));
    }
    return refuse(form);
}

} // namespace mediarig::strict_json
