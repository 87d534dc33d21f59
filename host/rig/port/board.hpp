// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the board that moves cards and switches ports. Adapters connect to it by a serial line or simulate it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "common/rigproto/messages.hpp"
#include "host/base/result.hpp"
#include "host/rig/port/detachment.hpp"
#include "host/rig/port/nest_reading.hpp"
#include "host/rig/port/place.hpp"

namespace mediarig::rig {

/// Result of a job that the board accepted and executed.
struct RigJobOutcome {
    std::uint32_t job{};
    rigproto::Fault fault{}; ///< Fault::none if the job is done
    std::uint8_t detail{};
    bool latched{}; ///< the rig stops until a user clears the fault; false: only this job failed
    bool operator==(const RigJobOutcome&) const = default;
};

/// Reading of a port that was just switched off.
[[nodiscard]] inline SupplyReading supply_reading(const rigproto::PortStatusReply& port) {
    return {.lowest_millivolts = port.min_millivolts,
            .fall = std::chrono::microseconds(port.off_time_us),
            .ramp = std::nullopt};
}

class Board {
public:
    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    virtual ~Board() = default;

    /// The board's answer to the last HELLO.
    [[nodiscard]] virtual const rigproto::HelloReply& hello() const = 0;
    [[nodiscard]] virtual Answer<rigproto::StatusReply> status() = 0;
    [[nodiscard]] virtual Answer<rigproto::PortStatusReply> port(PortIndex port) = 0;

    /// Each method waits until its job is done or has failed; a lost line is reopened as long as the lease lasts. An
    /// Error means that the job could not be requested or that its result is unknown: rig_fault (latched or refused;
    /// the detail names the interlock or fault and the remedy), io_failed (board lost), timed_out, cancelled,
    /// store_failed (the journal).
    [[nodiscard]] virtual Answer<RigJobOutcome> home() = 0;
    [[nodiscard]] virtual Answer<RigJobOutcome> load(Pocket from, PortIndex into) = 0;
    [[nodiscard]] virtual Answer<RigJobOutcome> unload(PortIndex from, Destination to) = 0;
    /// Fetches a card from its pocket, holds it onto the identity nest, reads it, and returns it. Succeeds for any
    /// result of the reading, which nest() returns.
    [[nodiscard]] virtual Answer<RigJobOutcome> identify(Pocket pocket) = 0;
    /// Returns the newest reading of the nest.
    [[nodiscard]] virtual Answer<NestReading> nest() = 0;
    /// power_off() ends when the measured voltage is gone.
    [[nodiscard]] virtual Answer<RigJobOutcome> power_on(PortIndex port) = 0;
    [[nodiscard]] virtual Answer<RigJobOutcome> power_off(PortIndex port) = 0;
    [[nodiscard]] virtual Answer<RigJobOutcome> clear() = 0;
    [[nodiscard]] virtual Answer<RigJobOutcome> park() = 0;
    /// Ports with a write in progress: the board keeps them on when the host stops responding.
    [[nodiscard]] virtual Answer<RigJobOutcome> guard(PortSet ports) = 0;
    /// Stops all motion immediately. Repeats the request until the board confirms.
    [[nodiscard]] virtual Answer<void> stop() = 0;

    /// Sets the reason of the following jobs for the ledger (Intent::why).
    virtual void because(const std::string& /*why*/) {}

    /// Description of the board, for records: "mediarig-rig 0.1.0, swap30, 0123456789ABCDEF".
    [[nodiscard]] virtual std::string description() const = 0;
};

} // namespace mediarig::rig
