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

#include "host/measure/plausibility.hpp"
#include "host/media/identity/medium.hpp"

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

/// What stands between this machine and a medium, and can carry no more than it does. Pure.

/// The USB link, and the bus of an SD card in this machine's own slot; a reader may have both.
[[nodiscard]] std::vector<measure::Link> links_of(const media::Medium& medium);

/// How a campaign uses the uplinks that its media share.
struct UplinkUse {
    /// What each uplink of the agent's machine was seen to carry, in bytes a second. Of one that is not among them
    /// nothing is known, and one medium at a time is measured there.
    std::map<std::string, double> ceilings{};
    /// Find out: passes of long transfers are made side by side, and Summary::uplinks tells what was carried.
    bool measure{false};
    double audited{0.05}; ///< of the passes beside others: so many are repeated alone
};

} // namespace mediarig::session
