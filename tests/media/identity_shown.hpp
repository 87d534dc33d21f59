// SPDX-License-Identifier: GPL-3.0-or-later
/// Looks one row of an identity up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/media/identity/row.hpp"

namespace mediarig::media {

/// "VALUE UNIT (SOURCE)"; empty where there is no such row.
inline std::string shown(const std::vector<IdentityRow>& rows, std::string_view section, std::string_view name) {
    for (const IdentityRow& row : rows) {
        if (row.section != section || row.name != name) continue;
        return row.value + (row.unit.empty() ? "" : " " + row.unit) + " (" + row.source + ")";
    }
    return {};
}

} // namespace mediarig::media
