// SPDX-License-Identifier: GPL-3.0-or-later
/// Words of commands that are printed for typing or copying into a shell. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig {

/// True if the text contains only letters, digits and ". _ : / @ + -": no shell gives these another meaning.
[[nodiscard]] bool is_plain_word(std::string_view text);

/// `text` in single quotes of sh, bash and zsh.
[[nodiscard]] std::string in_single_quotes(std::string_view text);
/// `text` as one word of a shell command: unchanged if it is plain, otherwise in single quotes.
[[nodiscard]] std::string shell_word(std::string_view text);

/// The words of a command in the format of shell_word(), separated by a blank. Returns nothing if a shell could
/// interpret the command differently.
[[nodiscard]] std::optional<std::vector<std::string>> shell_words(std::string_view command);

} // namespace mediarig
