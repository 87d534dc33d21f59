// SPDX-License-Identifier: GPL-3.0-or-later
/// Words of commands that are printed so that somebody types or copies them into a shell. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig {

/// Letters, digits and ". _ : / @ + -" alone: no shell reads anything else into it.
[[nodiscard]] bool is_plain_word(std::string_view text);

/// `text` in single quotes of sh, bash and zsh.
[[nodiscard]] std::string in_single_quotes(std::string_view text);
/// `text` as one word of a shell's command: as it is where it is plain, otherwise in single quotes.
[[nodiscard]] std::string shell_word(std::string_view text);

/// The words of a command that is written as shell_word() writes them, a blank between them; nothing where a shell
/// could read anything else into it.
[[nodiscard]] std::optional<std::vector<std::string>> shell_words(std::string_view command);

} // namespace mediarig
