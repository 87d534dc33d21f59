// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes and reads JSON text, and records the place of the first fault.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/result.hpp"

namespace mediarig::codec {

/// Writes the value as JSON of printable characters: every control character (see host/base/text.hpp) becomes \uXXXX,
/// so the content is exact and has no effect on a terminal. Bytes that are not UTF-8 become U+FFFD. `indent` < 0: one
/// line.
[[nodiscard]] std::string json_text(const nlohmann::json& value, int indent = 2);

/// Writes the value in one line, for programs. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_line(const nlohmann::json& value);

/// Maximum nesting of objects and lists. Records of mediarig have fewer than 20 levels.
inline constexpr int deepest_nesting = 200;

/// Reads JSON from another process, a file or a user. The result is discarded (is_discarded()) if the text is not JSON
/// or is nested too deeply: copying, comparing and writing a value recurse into it.
[[nodiscard]] nlohmann::json read_json(std::string_view text);

/// One element of the path from the record to a value; allocated on the stack of the reader.
struct Path {
    const Path* parent{};
    std::string_view name;            ///< name of a member; without a parent, name of the record (may be empty)
    std::optional<std::size_t> index; ///< index of a list element; replaces the name
    /// E.g. "cells[3].block"; "message" if the record has no name.
    [[nodiscard]] std::string text() const;
};

class DecodeError {
public:
    /// Records a fault, e.g. "cells[3].block: must be 1 or more". Keeps only the first.
    void say(const Path& at, std::string_view why);
    [[nodiscard]] bool none() const { return detail_.empty(); }
    /// The fault as a bad_format error.
    [[nodiscard]] Error error() const { return {Errc::bad_format, detail_}; }

private:
    std::string detail_;
};

} // namespace mediarig::codec
