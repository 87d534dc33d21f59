// SPDX-License-Identifier: GPL-3.0-or-later
/// Transfers that use the same uplink at the same time. Single-threaded.
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

namespace mediarig::campaign {

struct Transfer {
    std::string medium, step; ///< name of the medium in the plan; key of the step
    std::vector<std::string> uplinks;
};

/// The transfer of another medium.
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
        /// Returns the transfers that used an uplink of this transfer at any time since the last call, or since this
        /// transfer began.
        [[nodiscard]] std::set<Neighbour> take_seen();

    private:
        std::shared_ptr<State> state_;
        std::uint64_t id_{};
    };
    [[nodiscard]] Token begin(Transfer transfer);

private:
    std::shared_ptr<State> state_;
};

/// For one pass: each neighbour with the cells during which it was active, in the order of the cells.
using ConcurrentCells = std::map<Neighbour, std::vector<std::string>>;

/// Returns the links between this machine and a medium that limit its rate: the USB link, and the bus of an SD card in
/// the machine's own slot. A medium may have both.
[[nodiscard]] std::vector<measure::BusLink> links_of(const media::Medium& medium);

/// Use of the uplinks that media of a campaign share.
struct UplinkUse {
    /// Measured capacity of each uplink of the agent's machine, in bytes per second. An uplink without an entry is used
    /// by one measured medium at a time.
    std::map<std::string, double> ceilings{};
    /// Measures the capacities: passes of long transfers run in parallel, and Summary::uplinks contains the result.
    bool measure{false};
    double audited{0.05}; ///< fraction of the passes measured in parallel that are repeated alone
};

} // namespace mediarig::campaign
