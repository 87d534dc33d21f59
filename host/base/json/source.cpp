// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/json/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mediarig::strict_json {
namespace {

using nlohmann::json;

struct Place {
    std::size_t line{1}, column{1};
};

/// Line and column of the byte at `offset`.
Place place_of(std::string_view text, std::size_t offset) {
    Place place;
    for (const char c : text.substr(0, offset)) {
        if (c == '\n') {
            ++place.line;
            place.column = 1;
        } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) { // continuation bytes do not count as columns
            ++place.column;
        }
    }
    return place;
}

/// Rewords the parser's reason for authors of JSON files. `offset`: the last byte that the parser read.
std::string reason_of(std::string_view text, std::size_t offset, std::string_view said) {
    constexpr std::string_view blank = " \t\r\n";
    if (text.find_first_not_of(blank) == std::string_view::npos) return "is empty";
    if (offset >= text.size()) return "is incomplete: a bracket, brace or string is not closed";
    const char at = text[offset];
    const std::size_t last = text.substr(0, offset).find_last_not_of(blank);
    const char before = last == std::string_view::npos ? '\0' : text[last];
    if (before == ',' && (at == '}' || at == ']'))
        return fmt::format("has a comma before \"{}\"; JSON does not allow a comma after the last entry", at);
    if (said.find("while parsing object - unexpected string literal") != std::string_view::npos ||
        said.find("while parsing array - unexpected string literal") != std::string_view::npos)
        return "lacks a comma before this entry";
    if (at == '/' || at == '#') return "has a comment; JSON does not allow comments";
    if (said.find("ill-formed UTF-8") != std::string_view::npos) return "is not UTF-8";
    if (said.find("control character") != std::string_view::npos)
        return "has a line break or control character inside a string";
    if (said.find("number overflow") != std::string_view::npos) return "has a number that is too large";
    if (const auto dash = said.find(" - "); dash != std::string_view::npos) {
        // Format: "[json.exception…] parse error at …: syntax error while parsing value - invalid literal; last read:
        // …"
        std::string_view detail = said.substr(dash + 3);
        detail = detail.substr(0, detail.find(';'));
        return fmt::format("is not JSON: {}", excerpt(detail));
    }
    return "is not JSON";
}

class TreeBuilder {
public:
    TreeBuilder(std::string_view text, Faults& faults) : text_(text), faults_(faults) {}

    [[nodiscard]] json take() { return std::move(root_); }

    bool null() { return put(nullptr); }
    bool boolean(bool value) { return put(value); }
    bool number_integer(json::number_integer_t value) { return put(value); }
    bool number_unsigned(json::number_unsigned_t value) { return put(value); }
    bool number_float(json::number_float_t value, const std::string&) { return put(value); }
    bool string(std::string& value) { return put(std::move(value)); }
    bool binary(json::binary_t&) { return false; } // does not occur in JSON text

    bool start_object(std::size_t) { return open(json::object()); }
    bool end_object() { return close(); }
    bool start_array(std::size_t) { return open(json::array()); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        Level& level = levels_.back();
        level.key = name;
        level.repeated = level.value->contains(name);
        if (level.repeated) faults_.add(deeper(pointer_of(levels_.size() - 1), name), "occurs twice; keep one");
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
        const std::size_t offset = position == 0 ? 0 : position - 1; // the parser counts from 1
        const Place place = place_of(text_, std::min(offset, text_.size()));
        faults_.add(pointer_of(levels_.size()), fmt::format("line {}, column {}: {}", place.line, place.column,
                                                            reason_of(text_, offset, error.what())));
        return false;
    }

private:
    struct Level {
        json* value;     ///< stable address: a parent grows only while none of its children is open
        std::string key; ///< for an object: the current member
        bool repeated{}; ///< the value of this member is discarded
    };

    /// The JSON pointer of the current value at the first `depth` levels.
    [[nodiscard]] std::string pointer_of(std::size_t depth) const {
        std::string pointer;
        for (std::size_t i = 0; i < depth; ++i) {
            const Level& level = levels_[i];
            if (level.value->is_object()) {
                if (level.key.empty() && level.value->empty()) break;
                pointer = deeper(pointer, level.key);
            } else {
                // An open child is already in the list; a value that is still being read is not.
                const std::size_t size = level.value->size();
                pointer = deeper(pointer, i + 1 < levels_.size() && size > 0 ? size - 1 : size);
            }
        }
        return pointer;
    }

    json* store(json value) {
        if (levels_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        Level& level = levels_.back();
        if (level.value->is_array()) return &level.value->emplace_back(std::move(value));
        if (level.repeated) {
            thrown_away_.push_back(std::make_unique<json>(std::move(value)));
            return thrown_away_.back().get();
        }
        json& member = (*level.value)[level.key];
        member = std::move(value);
        return &member;
    }

    bool put(json value) {
        store(std::move(value));
        return true;
    }

    bool open(json empty) {
        if (levels_.size() == deepest_nesting) {
            faults_.add(pointer_of(levels_.size()), fmt::format("is nested deeper than {} levels", deepest_nesting));
            return false;
        }
        levels_.push_back({store(std::move(empty)), {}, false});
        return true;
    }

    bool close() {
        levels_.pop_back();
        return true;
    }

    std::string_view text_;
    Faults& faults_;
    json root_;
    std::vector<Level> levels_;
    std::vector<std::unique_ptr<json>> thrown_away_;
};

} // namespace

std::optional<json> read_source(std::string_view text, Faults& faults) {
    if (text.size() > largest_text) {
        faults.add("", fmt::format("is {} bytes long; at most {} (4 MiB) are allowed", text.size(), largest_text));
        return std::nullopt;
    }
    TreeBuilder builder(text, faults);
    if (!json::sax_parse(text.begin(), text.end(), &builder)) return std::nullopt;
    return builder.take();
}

Result<std::string> read_file(const std::filesystem::path& file) {
    std::error_code unknown;
    if (std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown))
        return fail(Errc::bad_request, fmt::format("{} is not a regular file", file.string()));
    std::ifstream in(file, std::ios::binary);
    std::string text;
    if (in) {
        text.resize(largest_text + 1);
        in.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(in.gcount()));
    }
    if (!in.is_open() || in.bad())
        return fail(Errc::io_failed, fmt::format("{} cannot be read: {}", file.string(), std::strerror(errno)));
    return text;
}

} // namespace mediarig::strict_json
