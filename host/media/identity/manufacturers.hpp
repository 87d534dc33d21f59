// SPDX-License-Identifier: GPL-3.0-or-later
/// Pairs of manufacturer id and OEM id, as observed on cards. Unofficial: the list is manufacturers.json, compiled in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::media {

struct CardMaker {
    std::uint8_t mid{};
    std::string name;
    std::vector<std::string> oids; ///< two characters, or "0x…" with four digits
    bool operator==(const CardMaker&) const = default;
};

/// Parses a list. Fails with bad_format and names the member.
[[nodiscard]] Result<std::vector<CardMaker>> card_makers_from_json(std::string_view text);
/// The compiled-in list.
[[nodiscard]] const std::vector<CardMaker>& card_makers();
/// The names for a manufacturer id; empty if the list does not contain the id.
[[nodiscard]] std::optional<CardMaker> card_maker(std::uint8_t mid);

namespace detail {
[[nodiscard]] const char* manufacturers_text();
}

} // namespace mediarig::media
