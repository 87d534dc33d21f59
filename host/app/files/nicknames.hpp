// SPDX-License-Identifier: GPL-3.0-or-later
/// The user's names for media, by serial. Pure. A nickname only helps to find a medium and never confirms anything:
/// erasing a medium requires the text of media::confirmation_to_type().
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig {

struct Nickname {
    std::string medium; ///< media::confirmation_of(): the serial, or the path without a serial
    std::string name;
    bool operator==(const Nickname&) const = default;
};

inline constexpr std::size_t longest_nickname = 40; ///< bytes

class Nicknames {
public:
    /// At most one nickname per medium and one medium per nickname, in the order in which they were added.
    [[nodiscard]] const std::vector<Nickname>& all() const { return all_; }
    /// Empty if the medium has no nickname.
    [[nodiscard]] std::string of(std::string_view medium) const;
    [[nodiscard]] std::string medium_called(std::string_view name) const;

    /// Replaces the previous name of the medium. Fails with bad_request: invalid medium (empty, longer than a path, not
    /// printable), invalid name (could be a campaign number, a path or an option, is too long or not printable), or a
    /// name that another medium has.
    [[nodiscard]] Result<void> give(const std::string& medium, const std::string& name);
    /// Removes a nickname; `word` is a name or a medium. Fails with bad_request if it is unknown.
    [[nodiscard]] Result<Nickname> forget(std::string_view word);

    bool operator==(const Nicknames&) const = default;

private:
    std::vector<Nickname> all_;
};

[[nodiscard]] nlohmann::json to_json(const Nicknames& names);
/// Fails with bad_request: "PLACE: reason" of the first fault. An empty text contains no nicknames.
[[nodiscard]] Result<Nicknames> parse_nicknames(std::string_view text);

} // namespace mediarig
