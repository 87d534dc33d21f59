// SPDX-License-Identifier: GPL-3.0-or-later
/// Named configurations embedded in the programs. Their texts are in catalogue/.
#pragma once

#include <span>
#include <string_view>

#include "host/lab/card/config.hpp"

namespace mediarig::lab {

struct CatalogueEntry {
    std::string_view name; ///< "good-uhs1"
    std::string_view text; ///< JSON configuration
};

/// Sorted by name.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();

/// Returns the text of a catalogue entry, or of a file if the argument contains a slash or ends in ".json". Fails with
/// bad_request: no such name (the detail lists the names), no such file, file too large.
[[nodiscard]] Result<std::string> find_card_config(const std::string& name_or_file);

} // namespace mediarig::lab
