// SPDX-License-Identifier: GPL-3.0-or-later
/// What all media of a campaign have in common is said once, and not on each card. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/report/card.hpp"

namespace mediarig::report {

/// Takes the notes that all of several cards have from them, and gives a row that says them of all: without lines
/// where there is none. Warnings and faults stay where they are: each is about its own medium.
[[nodiscard]] CardRow take_shared_notes(std::vector<Card>& cards);

/// "All 3 media"; where only some of the media have cards "Each of these 8 media".
[[nodiscard]] std::string shared_title(std::size_t cards, std::size_t media);

/// Whether a figure on one of them has a spread, which has to be explained.
[[nodiscard]] bool have_spread(const std::vector<Card>& cards);

} // namespace mediarig::report
