// SPDX-License-Identifier: GPL-3.0-or-later
/// What a user calls his media, by serial. Pure. A nickname helps to find a medium and never confirms anything: whoever
/// erases one types what media::confirmation_to_type() says.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig {

struct Nickname {
    std::string medium; ///< media::confirmation_of(): the serial, or the path where there is none
    std::string name;
    bool operator==(const Nickname&) const = default;
};

inline constexpr std::size_t longest_nickname = 40; ///< bytes

class Nicknames {
public:
    /// One for each medium and each name; in the order in which they were given.
    [[nodiscard]] const std::vector<Nickname>& all() const { return all_; }
    /// Empty where there is none.
    [[nodiscard]] std::string of(std::string_view medium) const;
    [[nodiscard]] std::string medium_called(std::string_view name) const;

    /// Replaces the name that the medium had. Fails with bad_request: no medium (empty, longer than a path, not
    /// printable), no name (what could be a campaign's number, a
    /// path or an option, or is too long or not printable), or another medium's.
    [[nodiscard]] Result<void> give(const std::string& medium, const std::string& name);
    /// By name or medium. Fails with bad_request where there is none.
    [[nodiscard]] Result<Nickname> forget(std::string_view word);

    bool operator==(const Nicknames&) const = default;

private:
    std::vector<Nickname> all_;
};

[[nodiscard]] nlohmann::json to_json(const Nicknames& names);
/// Fails with bad_request: "PLACE: reason" of the first fault. An empty text has none.
[[nodiscard]] Result<Nicknames> parse_nicknames(std::string_view text);

} // namespace mediarig
