// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign for a terminal or a pipe: tables, findings, verdicts. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "host/store/record.hpp"

namespace mediarig::report {

enum class Colour : std::uint8_t { plain, ansi };

struct TableOptions {
    std::size_t width{100}; ///< columns; formats and devices stand side by side as far as they fit
    Colour colour{Colour::plain};
};

/// UTF-8, ends with a line feed. A table is never cut: one that is wider than `width` by itself runs over.
[[nodiscard]] std::string render_tables(const store::CampaignView& campaign, const TableOptions& options);

} // namespace mediarig::report
