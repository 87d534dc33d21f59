// SPDX-License-Identifier: GPL-3.0-or-later
/// How often sockets and cards were mated, from the ledger and the record: nothing is counted twice.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/rig/port/place.hpp"
#include "host/store/record.hpp"

namespace mediarig::store {

/// Cards that a board pushed into a reader, since the reader's socket was last replaced; not those of simulated boards.
struct SocketWear {
    std::string board; ///< as the ledger names it
    rig::Port port;
    std::uint64_t cycles{};
    bool operator==(const SocketWear&) const = default;
};
/// Separations at the end of a test; those of the lab and the simulated rig wear nothing.
struct CardWear {
    std::string device, name; ///< key, and the newest name
    std::uint64_t cycles{};
    bool operator==(const CardWear&) const = default;
};
struct Wear {
    std::vector<SocketWear> sockets;
    std::vector<CardWear> cards;
};

/// Fails with store_failed.
[[nodiscard]] Result<Wear> read_wear(const std::filesystem::path& store);
/// Its cycles are counted from `at`. Fails with bad_request (the ledger knows no such board), store_failed.
[[nodiscard]] Result<void> note_replaced_socket(const std::filesystem::path& store, const std::string& board,
                                                rig::Port port, TimePoint at);

} // namespace mediarig::store
