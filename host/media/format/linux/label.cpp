// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/label.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "host/media/identity/medium.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {

std::optional<std::size_t> utf16_length(const std::string& utf8) {
    // text_from_utf8() replaces invalid characters; an unchanged text is valid.
    if (text_from_utf8(std::as_bytes(std::span(utf8))) != utf8) return std::nullopt;
    std::size_t units = 0;
    for (const char c : utf8) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0xF0)
            units += 2; // outside the basic plane: a surrogate pair
        else if ((byte & 0xC0) != 0x80)
            units += 1;
    }
    return units;
}

namespace {

constexpr std::size_t longest_fat_label = 11, longest_exfat_label = 11;
constexpr std::size_t longest_apfs_label = 255; // bytes of UTF-8, by the volume superblock

/// Accepts characters that are valid in a label on every system: those of a short name, without lower case.
bool is_fat_label(const std::string& label) {
    constexpr std::string_view others = " !#$%&'()-@^_`{}~";
    return label.size() <= longest_fat_label && !label.starts_with(' ') && !label.ends_with(' ') &&
           std::ranges::all_of(label, [&](char c) {
               return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || others.find(c) != std::string_view::npos;
           });
}

Result<void> check_fat_label(FileSystem fs, const std::string& label) {
    if (!is_fat_label(label))
        return fail(Errc::bad_request, fmt::format("the label '{}': {} takes at most {} of A-Z, 0-9, spaces inside and "
                                                   "!#$%&'()-@^_`{{}}~",
                                                   typeable(label), title_of(fs), longest_fat_label));
    // Source: Microsoft, "FAT32 File System Specification", BS_VolLab.
    if (label == "NO NAME")
        return fail(Errc::bad_request,
                    fmt::format("the label 'NO NAME' marks a {} without a label: leave it out, or choose another label",
                                title_of(fs)));
    return {};
}

/// Source: Microsoft, "exFAT file system specification", section 7.3: the characters of a file name.
Result<void> check_exfat_label(const std::string& label, std::size_t length) {
    constexpr std::string_view invalid = R"("*/:<>?\|)";
    if (length > longest_exfat_label)
        return fail(Errc::bad_request, fmt::format("the label '{}' has {} characters: exFAT takes at most {}", label,
                                                   length, longest_exfat_label));
    if (label.find_first_of(invalid) != std::string::npos)
        return fail(Errc::bad_request,
                    fmt::format("the label '{}': exFAT takes none of {}, choose another label", label, invalid));
    return {};
}

} // namespace

Result<void> check_label(FileSystem fs, const std::string& label) {
    if (is_fat(fs)) return check_fat_label(fs, label);
    const auto length = utf16_length(label);
    if (!length)
        return fail(Errc::bad_request, "the label is not UTF-8 text without control characters: choose another label");
    if (fs == FileSystem::exfat) return check_exfat_label(label, *length);
    if (fs == FileSystem::apfs && label.size() > longest_apfs_label)
        return fail(Errc::bad_request,
                    fmt::format("the label has {} bytes: APFS takes at most {}", label.size(), longest_apfs_label));
    return {};
}

} // namespace mediarig::media
