// SPDX-License-Identifier: GPL-3.0-or-later
/// Between the simulated rig and the virtual lab: a card that is in a reader with voltage is a medium in the lab's USB
/// slot of that port, and in no other case. So what the board does is what makes media come and go for the agent.
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

/// The lab's USB slot of a port.
[[nodiscard]] constexpr SlotId lab_slot_of(rig::Port port) {
    return {static_cast<std::uint8_t>(number_of(port))};
}

class LabBridge {
public:
    /// `cards`: by the pocket that they began in; one that is missing never appears, as a dead one. `in_readers`: which
    /// of them are in readers when the rig starts. `sockets`: a folder with a short name.
    LabBridge(lab::Machine& machine, lab::CardPrograms programs, std::map<rig::Pocket, lab::CardMedium> cards,
              std::map<rig::Port, rig::Pocket> in_readers, std::filesystem::path events, std::filesystem::path sockets);
    LabBridge(const LabBridge&) = delete;
    LabBridge& operator=(const LabBridge&) = delete;
    ~LabBridge();

    /// Follows what happens until stop(), which has to be waited for before the bridge goes.
    void start(const boost::asio::any_io_executor& executor);
    /// Takes every medium out.
    boost::asio::awaitable<void> stop();
    /// rig_fault from the first event on that could not be followed: where media are is then unknown, and what they do
    /// says nothing about them.
    [[nodiscard]] std::optional<Error> trouble() const;

private:
    boost::asio::awaitable<void> follow();
    boost::asio::awaitable<Result<void>> happened(const std::string& line);
    boost::asio::awaitable<Result<void>> plug(rig::Port port);
    boost::asio::awaitable<Result<void>> unplug(rig::Port port);

    lab::Machine& machine_;
    lab::CardPrograms programs_;
    std::map<rig::Pocket, lab::CardMedium> cards_;
    std::map<rig::Port, rig::Pocket> in_readers_;
    std::filesystem::path events_, sockets_;
    std::map<rig::Port, std::unique_ptr<lab::CardServer>> plugged_;
    bool over_{false}, following_{false};
    std::optional<Error> failure_; ///< the first
};

} // namespace mediarig::app
