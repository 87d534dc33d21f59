// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/shell_word.hpp"

#include <algorithm>

#include "host/base/text.hpp"

namespace mediarig {
namespace {

constexpr std::string_view escaped_quote = "'\\''";

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._:/@+-").find(c) != std::string_view::npos;
}

/// Removes the first word from `text` and returns it.
std::optional<std::string> take_word(std::string_view& text) {
    std::string word;
    if (!text.starts_with('\'')) {
        const auto end = std::ranges::find_if_not(text, is_plain);
        word.assign(text.begin(), end);
        text.remove_prefix(word.size());
        return word.empty() ? std::nullopt : std::optional(word);
    }
    text.remove_prefix(1);
    while (!text.empty()) {
        if (text.starts_with(escaped_quote)) {
            word += '\'';
            text.remove_prefix(escaped_quote.size());
            continue;
        }
        const char next = text.front();
        text.remove_prefix(1);
        if (next == '\'') return word;
        word += next;
    }
    return std::nullopt;
}

} // namespace

bool is_plain_word(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_plain);
}

std::string in_single_quotes(std::string_view text) {
    std::string word = "'";
    for (const char c : text)
        if (c == '\'')
            word += escaped_quote;
        else
            word += c;
    return word + '\'';
}

std::string shell_word(std::string_view text) {
    return is_plain_word(text) ? std::string(text) : in_single_quotes(text);
}

std::optional<std::vector<std::string>> shell_words(std::string_view command) {
    // Characters that change the text direction would make the displayed command differ from the copied command.
    if (!is_printable(command)) return std::nullopt;
    std::vector<std::string> words;
    while (!command.empty()) {
        if (!words.empty()) {
            if (!command.starts_with(' ')) return std::nullopt;
            command.remove_prefix(1);
        }
        auto word = take_word(command);
        if (!word) return std::nullopt;
        words.push_back(std::move(*word));
    }
    return words;
}

} // namespace mediarig
