// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/plant/pattern.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace mediarig::plant {

namespace {

constexpr std::array<std::string_view, 10> ordinals{"first", "second",  "third",  "fourth", "fifth",
                                                    "sixth", "seventh", "eighth", "ninth",  "tenth"};
constexpr std::array<std::string_view, 4> bins{"pass", "fail", "retest", "unknown"};
constexpr std::array<std::string_view, 2> axes{"x", "z"};

/// Description of the expected words, for a gap that does not match.
using Refusal = std::string;

std::optional<std::int64_t> integer(std::string_view word) {
    std::int64_t value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    // No sentence has a larger value, and sums of smaller ones cannot overflow.
    constexpr std::int64_t largest = 1'000'000;
    if (error != std::errc{} || end != word.data() + word.size() || value > largest || value < -largest) return {};
    return value;
}

template <std::size_t n>
std::optional<std::int64_t> one_of(std::string_view word, const std::array<std::string_view, n>& names) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) return {};
    return found - names.begin();
}

tl::expected<std::int64_t, Refusal> engraved(std::string_view word, std::uint8_t count, std::string_view what) {
    const auto value = integer(word);
    if (!value || *value < 1 || *value > count)
        return tl::unexpected("a " + std::string(what) + " from 1 to " + std::to_string(count));
    return *value - 1;
}

tl::expected<std::int64_t, Refusal> duration(std::string_view count, std::string_view unit) {
    const auto value = integer(count);
    if (value && *value >= 0 && unit == "ms") return *value * 1'000'000;
    if (value && *value >= 0 && unit == "s" && *value <= 100'000) return *value * 1'000'000'000;
    return tl::unexpected(Refusal("a time such as 300 ms or 2 s"));
}

/// Fills one gap and returns the number of words used.
tl::expected<std::size_t, Refusal> fill(std::string_view gap, std::span<const std::string_view> words, RigSize rig,
                                        Gaps& gaps) {
    const auto keep = [&](std::optional<std::int64_t> value, const char* wanted) -> tl::expected<std::size_t, Refusal> {
        if (!value) return tl::unexpected(Refusal(wanted));
        gaps.values.push_back(*value);
        return 1;
    };
    const auto check = [&](const tl::expected<std::int64_t, Refusal>& value,
                           std::size_t taken) -> tl::expected<std::size_t, Refusal> {
        if (!value) return tl::unexpected(value.error());
        gaps.values.push_back(*value);
        return taken;
    };
    const std::string_view word = words.front();
    if (gap == "<pocket>") return check(engraved(word, rig.pockets, "pocket"), 1);
    if (gap == "<port>") return check(engraved(word, rig.ports, "port"), 1);
    if (gap == "<time>") return check(duration(word, words.size() > 1 ? words[1] : ""), 2);
    if (gap == "<number>") return keep(integer(word), "a number");
    if (gap == "<count>") {
        const auto value = integer(word);
        return keep(value && *value >= 0 ? value : std::nullopt, "a number from 0");
    }
    if (gap == "<axis>") return keep(one_of(word, axes), "x or z");
    if (gap == "<nth>") return keep(one_of(word, ordinals), "first, second … tenth");
    if (gap == "<bin>") return keep(one_of(word, bins), "pass, fail, retest or unknown");
    gaps.names.emplace_back(word);
    return 1;
}

struct Attempt {
    std::size_t understood{}; ///< number of matching words
    std::string wanted;       ///< empty: the pattern matches
    Gaps gaps;
};

Attempt attempt(std::span<const std::string_view> words, std::string_view pattern, RigSize rig) {
    Attempt result;
    for (const std::string_view part : words_of(pattern)) {
        if (result.understood == words.size()) {
            result.wanted = part.front() == '<' ? std::string(part) : '"' + std::string(part) + '"';
            return result;
        }
        if (part.front() != '<') {
            if (words[result.understood] != part) {
                result.wanted = '"' + std::string(part) + '"';
                return result;
            }
            ++result.understood;
            continue;
        }
        const auto taken = fill(part, words.subspan(result.understood), rig, result.gaps);
        if (!taken) {
            result.wanted = taken.error();
            return result;
        }
        result.understood += *taken;
    }
    if (result.understood < words.size()) result.wanted = "the end of the sentence";
    return result;
}

/// Input files may contain arbitrary bytes: quote only printable characters, and few of them.
std::string in_quotes(std::span<const std::string_view> words) {
    std::string text;
    for (const std::string_view word : words) {
        if (!text.empty()) text += ' ';
        for (const char letter : word) text += letter >= ' ' && letter < 0x7F ? letter : '?';
    }
    constexpr std::size_t longest = 80;
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    return '"' + text + '"';
}

} // namespace

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    constexpr std::string_view blanks = " \t\r\n";
    for (std::size_t begin = text.find_first_not_of(blanks); begin != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        begin = text.find_first_not_of(blanks, end);
    }
    return words;
}

tl::expected<PatternMatch, std::string> fit(std::span<const std::string_view> words,
                                            std::span<const std::string_view> patterns, RigSize rig) {
    if (words.empty()) return tl::unexpected(std::string("the sentence has no words"));
    std::size_t furthest = 0;
    std::vector<std::string> wanted;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        Attempt tried = attempt(words, patterns[i], rig);
        if (tried.wanted.empty()) return PatternMatch{.pattern = i, .gaps = std::move(tried.gaps)};
        if (tried.understood > furthest) wanted.clear();
        if (tried.understood < furthest) continue;
        furthest = tried.understood;
        if (std::find(wanted.begin(), wanted.end(), tried.wanted) == wanted.end()) wanted.push_back(tried.wanted);
    }
    std::string choices;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        choices += (i == 0 ? "" : i + 1 == wanted.size() ? " or " : ", ") + wanted[i];
    const auto known = words.first(std::min(furthest, words.size()));
    const auto rest = words.subspan(known.size());
    const std::string found = rest.empty() ? "the sentence ends" : in_quotes(rest.first(1)) + " is found";
    if (known.empty()) return tl::unexpected(found + " where the sentence should begin with " + choices);
    return tl::unexpected("after " + in_quotes(known) + ", " + found + " where " + choices + " is expected");
}

} // namespace mediarig::plant
