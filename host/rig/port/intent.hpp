// SPDX-License-Identifier: GPL-3.0-or-later
/// Operations of a board: one type per operation, with its parameters. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "host/rig/port/place.hpp"

namespace mediarig::rig {

/// Finds the origin of both axes.
struct Home {
    bool operator==(const Home&) const = default;
};
struct Load {
    Pocket from;
    PortIndex into;
    bool operator==(const Load&) const = default;
};
struct Unload {
    PortIndex from;
    Destination to;
    bool operator==(const Unload&) const = default;
};
struct Power {
    PortIndex port;
    bool on{};
    bool operator==(const Power&) const = default;
};
/// Clears a latched fault whose cause is gone.
struct Clear {
    bool operator==(const Clear&) const = default;
};
/// Retracts the axes and switches the motors off.
struct Park {
    bool operator==(const Park&) const = default;
};
/// These ports, and no others, have a write in progress.
struct Guard {
    PortSet ports;
    bool operator==(const Guard&) const = default;
};
/// Reads the card on the identity nest.
struct NestRead {
    bool operator==(const NestRead&) const = default;
};
/// Fetches a card, reads it on the nest, returns it.
struct Identify {
    Pocket pocket;
    bool operator==(const Identify&) const = default;
};

/// Declares readers empty, because a user has looked or because the ledger proves it.
struct Empty {
    PortSet readers;
    bool operator==(const Empty&) const = default;
};
/// Moves one axis to a position, in steps from home.
struct Jog {
    rigproto::Axis axis{};
    std::int32_t position{};
    bool operator==(const Jog&) const = default;
};
/// Starts the boot loader of the board's chip.
struct Bootloader {
    bool operator==(const Bootloader&) const = default;
};

using Operation =
    std::variant<Home, Load, Unload, Power, Clear, Park, Guard, NestRead, Identify, Empty, Jog, Bootloader>;

struct Intent {
    Operation what;
    std::string why; ///< reason, for users and for recovery: "slot 3", or "mediarig rig load 3"
    bool operator==(const Intent&) const = default;
};

} // namespace mediarig::rig
