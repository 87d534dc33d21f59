// SPDX-License-Identifier: GPL-3.0-or-later
/// Registers of cards as hexadecimal text, and rows of an identity.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/media/identity/row.hpp"

namespace mediarig::media {

/// "VALUE UNIT (SOURCE)", empty if there is no such row.
inline std::string shown(const std::vector<IdentityRow>& rows, std::string_view section, std::string_view name) {
    for (const IdentityRow& row : rows) {
        if (row.section != section || row.name != name) continue;
        return row.value + (row.unit.empty() ? "" : " " + row.unit) + " (" + row.source + ")";
    }
    return {};
}

/// An SD Status of zeros with the given bytes set (byte 0 is bits 511 to 504).
inline std::string ssr_with(std::initializer_list<std::pair<std::size_t, std::string>> bytes) {
    std::string hex(128, '0');
    for (const auto& [index, value] : bytes) hex.replace(2 * index, 2, value);
    return hex;
}

} // namespace mediarig::media
