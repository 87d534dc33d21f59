// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/word_limits.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "host/base/text.hpp"

namespace mediarig::process {
namespace {

constexpr std::size_t shown = 40; ///< printed bytes of a word that is too long

std::string beginning_of(std::string_view word) {
    return valid_utf8(word.substr(0, shown)) + (word.size() > shown ? "…" : "");
}

bool is_read(std::string_view name) {
    return name.starts_with("MEDIARIG_") || name.starts_with("XDG_") || name == "HOME" || name == "TMPDIR";
}

} // namespace

Result<void> check_arguments(int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word.size() > longest_word)
            return fail(Errc::bad_request,
                        fmt::format("the argument '{}' is {} bytes long; at most {} are allowed: shorten it, or give a "
                                    "long script on standard input",
                                    beginning_of(word), word.size(), longest_word));
        if (valid_utf8(word) != word)
            return fail(Errc::bad_request, fmt::format("{} is not valid UTF-8, which records require: rename the file, "
                                                       "or write the word in UTF-8",
                                                       valid_utf8(word)));
    }
    return {};
}

Result<void> check_environment() {
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view whole = *variable;
        const std::string_view name = whole.substr(0, whole.find('='));
        if (!is_read(name) || name.size() == whole.size()) continue;
        if (const std::size_t length = whole.size() - name.size() - 1; length > longest_word)
            return fail(Errc::bad_request, fmt::format("the variable {} is {} bytes long; at most {} are allowed: "
                                                       "shorten or unset it",
                                                       beginning_of(name), length, longest_word));
    }
    return {};
}

} // namespace mediarig::process
