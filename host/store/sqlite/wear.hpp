// SPDX-License-Identifier: GPL-3.0-or-later
/// Counts mating cycles of sockets and cards from the ledger and the records, without double counting.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/rig/port/place.hpp"
#include "host/store/record.hpp"

namespace mediarig::store {

/// Number of cards that a board pushed into a reader since its socket was last replaced; excludes simulated boards.
struct SocketWear {
    std::string board; ///< name in the ledger
    rig::PortIndex port;
    std::uint64_t cycles{};
    bool operator==(const SocketWear&) const = default;
};
/// Number of detachments at the end of a test; excludes the lab and the simulated rig, which cause no wear.
struct CardWear {
    std::string device, name; ///< key, and most recent name
    std::uint64_t cycles{};
    bool operator==(const CardWear&) const = default;
};
struct Wear {
    std::vector<SocketWear> sockets;
    std::vector<CardWear> cards;
};

/// Fails with store_failed.
[[nodiscard]] Result<Wear> read_wear(const std::filesystem::path& store);
/// Counts the socket's cycles from the time `at`. Fails with bad_request (unknown board) or store_failed.
[[nodiscard]] Result<void> note_replaced_socket(const std::filesystem::path& store, const std::string& board,
                                                rig::PortIndex port, TimePoint at);

} // namespace mediarig::store
