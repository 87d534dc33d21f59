// SPDX-License-Identifier: GPL-3.0-or-later
/// Configurations with names, carried inside the programs. Their texts are in catalogue/.
#pragma once

#include <span>
#include <string_view>

#include "host/lab/card/config.hpp"

namespace mediarig::lab {

struct CatalogueEntry {
    std::string_view name; ///< "good-uhs1"
    std::string_view text; ///< a configuration
};

/// By name.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();

/// The text of a catalogue entry, or of a file where the word has a slash or ends in ".json". Fails with bad_request:
/// no such name (with the names that there are), no such file, too large.
[[nodiscard]] Result<std::string> find_card_config(const std::string& name_or_file);

} // namespace mediarig::lab
