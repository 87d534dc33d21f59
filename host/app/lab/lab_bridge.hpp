// SPDX-License-Identifier: GPL-3.0-or-later
/// Connects the simulated rig with the virtual lab: a card is plugged into the lab's USB slot of a port exactly while
/// the card is in that reader and the reader has power. The board's actions thus make media appear and disappear for
/// the agent.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/lab/card/card_server.hpp"
#include "host/lab/machine/machine.hpp"
#include "host/rig/port/place.hpp"

namespace mediarig::app {

/// The lab's USB slot for a port.
[[nodiscard]] constexpr SlotId lab_slot_of(rig::PortIndex port) {
    return {static_cast<std::uint8_t>(number_of(port))};
}

class LabBridge {
public:
    /// `cards`: the card of each initial pocket. A card without an entry never appears, like a dead card. `in_readers`:
    /// the cards that are in readers when the rig starts. `sockets`: a folder with a short path.
    LabBridge(lab::VirtualMachine& machine, lab::CardPrograms programs, std::map<rig::Pocket, lab::CardMedium> cards,
              std::map<rig::PortIndex, rig::Pocket> in_readers, std::filesystem::path events,
              std::filesystem::path sockets);
    LabBridge(const LabBridge&) = delete;
    LabBridge& operator=(const LabBridge&) = delete;
    ~LabBridge();

    /// Processes events until stop(). Await stop() before destroying the bridge.
    void start(const boost::asio::any_io_executor& executor);
    /// Unplugs every medium.
    boost::asio::awaitable<void> stop();
    /// Returns rig_fault after the first event that could not be processed: then the positions of media are unknown,
    /// and their behaviour proves nothing.
    [[nodiscard]] std::optional<Error> lab_fault() const;

private:
    boost::asio::awaitable<void> follow();
    boost::asio::awaitable<Result<void>> on_rig_event(const std::string& line);
    boost::asio::awaitable<Result<void>> plug(rig::PortIndex port);
    boost::asio::awaitable<Result<void>> unplug(rig::PortIndex port);

    lab::VirtualMachine& machine_;
    lab::CardPrograms programs_;
    std::map<rig::Pocket, lab::CardMedium> cards_;
    std::map<rig::PortIndex, rig::Pocket> in_readers_;
    std::filesystem::path events_, sockets_;
    std::map<rig::PortIndex, std::unique_ptr<lab::CardServer>> plugged_;
    bool over_{false}, following_{false};
    std::optional<Error> failure_; ///< the first failure
};

} // namespace mediarig::app
