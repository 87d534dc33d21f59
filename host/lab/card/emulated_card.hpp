// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: a running card model, in its own process or inside the guest. Adapters: card_server.hpp,
/// host/lab/virtual/guest_cards.hpp.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/card/config.hpp"
#include "host/lab/card/control.hpp"
#include "host/lab/machine/slot.hpp"

namespace mediarig::lab {

struct CardMedium {
    std::string name;              ///< unique in its folder; part of the socket names
    std::string config;            ///< a catalogue name or the path of a JSON file
    std::filesystem::path backing; ///< sparse file, created if missing
    CardOverrides overrides{};
    double time_scale{1}; ///< real seconds per modelled second; without effect in virtual time
};

class EmulatedCard {
public:
    /// Cuts the power of a card that was not stopped: its volatile cache is lost.
    virtual ~EmulatedCard() = default;

    /// For VirtualMachine::plug().
    [[nodiscard]] virtual MediumSource source() const = 0;
    /// Socket for watch_storage(); empty if the machine itself notices a failure of the storage.
    [[nodiscard]] virtual const std::filesystem::path& control_socket() const = 0;
    /// Fails with bad_request (past the end of the medium), io_failed (no answer, or the backing storage failed),
    /// timed_out, bad_format.
    virtual boost::asio::awaitable<Result<CardAnswer>> ask(CardCommand command) = 0;
    /// Switches the medium off in order: loses no acknowledged data. A second stop() does nothing.
    virtual boost::asio::awaitable<Result<void>> stop() = 0;
};

/// Starts card models for one machine.
class CardStarter {
public:
    virtual ~CardStarter() = default;
    /// Fails with bad_request (invalid description of the medium), refused (the medium is already in use), no_driver,
    /// no_permission, io_failed, timed_out, rig_fault.
    virtual boost::asio::awaitable<Result<std::unique_ptr<EmulatedCard>>> start(CardMedium medium) = 0;
};

} // namespace mediarig::lab
