// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/json/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mediarig::strict_json {
namespace {

std::string lower_case(std::string_view word) {
    std::string lower(word);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

} // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Three rows of the usual table are sufficient: a swap refers only to the row two above.
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, above);
        std::swap(above, row);
    }
    return above[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
    constexpr std::size_t longest_word = 40; // limits the work for hostile input; longer typing errors are not expected
    constexpr std::size_t least_beginning = 3;
    if (word.empty() || word.size() > longest_word) return {};
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string_view candidate : known) {
        const std::size_t distance = edit_distance(lower_case(word), lower_case(candidate));
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    if (!best.empty() || word.size() < least_beginning) return best;
    const auto begun = std::ranges::find_if(known, [beginning = lower_case(word)](std::string_view candidate) {
        return lower_case(candidate).starts_with(beginning);
    });
    return begun == known.end() ? best : *begun;
}

std::string hint(std::string_view word, std::span<const std::string_view> known) {
    if (const auto near = nearest(word, known); !near.empty()) return fmt::format("; did you mean \"{}\"?", near);
    std::string list;
    for (const std::string_view name : known) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", name);
    return fmt::format("; expected one of {}", list);
}

} // namespace mediarig::strict_json
