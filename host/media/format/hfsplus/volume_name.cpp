// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/hfsplus/volume_name.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

#include "host/media/inspect/load.hpp"

namespace mediarig::media::hfsplus {
namespace {

/// Characters that Apple's table does not decompose, although current Unicode does.
bool stays_composed(char32_t point) {
    const bool punctuation_and_symbols = point >= 0x2000 && point < 0x3000;
    const bool compatibility_ideographs = point >= 0xF900 && point < 0xFB00;
    const bool balinese_of_unicode_5 = point >= 0x1B00 && point < 0x1B80;
    return point > 0xFFFF || punctuation_and_symbols || compatibility_ideographs || balinese_of_unicode_5;
}

int combining_class(char32_t point) {
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(point))->combining_class;
}

void append_decomposed(std::vector<char32_t>& text, char32_t point) {
    if (stays_composed(point)) {
        text.push_back(point);
        return;
    }
    constexpr std::size_t longest_decomposition = 8; // canonical decompositions have at most four
    std::array<utf8proc_int32_t, longest_decomposition> parts{};
    int boundary = 0;
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point), parts.data(), parts.size(),
                                               UTF8PROC_DECOMPOSE, &boundary);
    if (count <= 0 || static_cast<std::size_t>(count) > parts.size()) {
        text.push_back(point);
        return;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) text.push_back(static_cast<char32_t>(parts[i]));
}

/// Sorts the marks after a base character by combining class, keeping the order within a class.
void order_marks(std::vector<char32_t>& text) {
    for (auto begin = text.begin(); begin != text.end();) {
        if (combining_class(*begin) == 0) {
            ++begin;
            continue;
        }
        const auto end = std::find_if(begin, text.end(), [](char32_t point) { return combining_class(point) == 0; });
        std::stable_sort(begin, end, [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
        begin = end;
    }
}

void append_utf16(std::u16string& name, char32_t point) {
    if (point < 0x10000) {
        name.push_back(static_cast<char16_t>(point));
        return;
    }
    name.push_back(static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10)));
    name.push_back(static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF)));
}

} // namespace

Result<std::u16string> volume_name(const std::string& utf8) {
    // text_from_utf8() replaces invalid characters; an unchanged text is valid.
    if (text_from_utf8(std::as_bytes(std::span(utf8))) != utf8)
        return fail(Errc::bad_request, "the label is not UTF-8 text without control characters: choose another label");
    std::vector<char32_t> text;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(utf8.data());
    for (std::size_t at = 0; at < utf8.size();) {
        utf8proc_int32_t point = 0;
        const auto length = utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(utf8.size() - at), &point);
        if (length <= 0) return fail(Errc::bad_request, "the label is not UTF-8 text: choose another label");
        append_decomposed(text, point == U':' ? U'/' : static_cast<char32_t>(point));
        at += static_cast<std::size_t>(length);
    }
    order_marks(text);
    std::u16string name;
    for (const char32_t point : text) append_utf16(name, point);
    if (name.empty()) return fail(Errc::bad_request, "the label is empty: HFS+ needs a name");
    if (name.size() > longest_name)
        return fail(Errc::bad_request,
                    fmt::format("the label has {} UTF-16 units when decomposed: HFS+ takes at most {}", name.size(),
                                longest_name));
    return name;
}

} // namespace mediarig::media::hfsplus
