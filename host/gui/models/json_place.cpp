// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/models/json_place.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace mediarig::gui {
namespace {

/// Scans a text that may be invalid JSON; stops at the first error.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    /// Returns the offset of the next value, after blanks.
    std::size_t at() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
        return at_;
    }
    bool take(char wanted) {
        if (at() >= text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    /// Does not decode escapes: names in plans contain no escapes.
    std::optional<std::string_view> string() {
        if (!take('"')) return std::nullopt;
        const std::size_t begin = at_;
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_)
            if (text_[at_] == '\\') ++at_;
        if (at_ >= text_.size()) return std::nullopt;
        return text_.substr(begin, at_++ - begin);
    }
    /// Skips one value with all its contents.
    void skip() {
        std::size_t depth = 0;
        do {
            const std::size_t begin = at();
            if (begin >= text_.size()) return;
            const char first = text_[begin];
            if (first == '"') {
                if (!string()) return;
            } else if (first == '{' || first == '[') {
                ++depth;
                ++at_;
            } else if (first == '}' || first == ']') {
                if (depth == 0) return;
                --depth;
                ++at_;
            } else if (depth > 0 && (first == ',' || first == ':')) {
                ++at_;
            } else {
                at_ = std::min(text_.find_first_of(",:]}\" \t\r\n", begin + 1), text_.size());
            }
        } while (depth > 0);
    }
    /// Moves to the value of the member or element of this name. Returns false if it is missing; the position is then
    /// unspecified.
    bool enter(std::string_view name) {
        if (take('{')) {
            while (const auto member = string()) {
                if (!take(':')) return false;
                if (*member == name) return true;
                skip();
                if (!take(',')) return false;
            }
            return false;
        }
        if (!take('[')) return false;
        for (std::size_t index = 0; at() < text_.size() && text_[at_] != ']'; ++index) {
            if (std::to_string(index) == name) return true;
            skip();
            if (!take(',')) return false;
        }
        return false;
    }

private:
    std::string_view text_;
    std::size_t at_{};
};

} // namespace

std::size_t place_of_fault(std::string_view json, std::string_view fault) {
    std::string_view pointer = fault.substr(0, fault.find(": "));
    Reader reader(json);
    std::size_t place = reader.at();
    while (pointer.starts_with('/')) {
        pointer.remove_prefix(1);
        const std::string_view name = pointer.substr(0, pointer.find('/'));
        pointer.remove_prefix(name.size());
        if (!reader.enter(name)) break;
        place = reader.at();
    }
    return place < json.size() ? place : 0;
}

} // namespace mediarig::gui
