// SPDX-License-Identifier: GPL-3.0-or-later
/// Who moves data over the same uplink at the same time. On one loop.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace mediarig::session {

struct Transfer {
    std::string medium, step; ///< as the plan calls it; its key
    std::vector<std::string> uplinks;
};

/// Somebody else's transfer.
struct Neighbour {
    std::string medium, step;
    auto operator<=>(const Neighbour&) const = default;
};

class Transfers {
    struct State;

public:
    Transfers();

    /// Ends the transfer when it is destroyed.
    class Token {
    public:
        Token() = default;
        Token(std::shared_ptr<State> state, std::uint64_t id) : state_(std::move(state)), id_(id) {}
        Token(Token&& other) noexcept;
        Token& operator=(Token&& other) noexcept;
        ~Token();
        /// Who was at work on one of its uplinks at any time since the last call, or since it began.
        [[nodiscard]] std::set<Neighbour> take_seen();

    private:
        std::shared_ptr<State> state_;
        std::uint64_t id_{};
    };
    [[nodiscard]] Token begin(Transfer transfer);

private:
    std::shared_ptr<State> state_;
};

/// Of one pass: by neighbour, the cells during which it was at work, in their order.
using BesideOthers = std::map<Neighbour, std::vector<std::string>>;

} // namespace mediarig::session
