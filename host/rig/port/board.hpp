// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the board that moves cards and switches ports. What is behind it (a serial line, a simulated board) is the
/// adapter's business.
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

/// How a job ended that the board accepted and carried out.
struct JobOutcome {
    std::uint32_t job{};
    rigproto::Fault fault{}; ///< none: done
    std::uint8_t detail{};
    bool latched{}; ///< the rig stands still until somebody clears it; false: only this job failed
    bool operator==(const JobOutcome&) const = default;
};

/// Of a port that was just switched off.
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

    /// What the board said of itself when it was greeted last.
    [[nodiscard]] virtual const rigproto::HelloReply& hello() const = 0;
    [[nodiscard]] virtual Answer<rigproto::StatusReply> status() = 0;
    [[nodiscard]] virtual Answer<rigproto::PortStatusReply> port(Port port) = 0;

    /// Each waits until the job is done or failed, across lost lines as long as the lease lasts. An Error means that
    /// it could not be asked for, or that nobody knows how it ended: rig_fault (latched, refused; the detail names the
    /// interlock or fault and what to do), io_failed (board lost), timed_out, cancelled, store_failed (the journal).
    [[nodiscard]] virtual Answer<JobOutcome> home() = 0;
    [[nodiscard]] virtual Answer<JobOutcome> load(Pocket from, Port into) = 0;
    [[nodiscard]] virtual Answer<JobOutcome> unload(Port from, Destination to) = 0;
    /// Fetches a card from its pocket, holds it onto the identity nest, reads it, and brings it back. Done whatever the
    /// reading found: nest() tells.
    [[nodiscard]] virtual Answer<JobOutcome> identify(Pocket pocket) = 0;
    /// What the newest reading on the nest gave.
    [[nodiscard]] virtual Answer<NestReading> nest() = 0;
    /// Off ends when the voltage is measured to be gone.
    [[nodiscard]] virtual Answer<JobOutcome> power_on(Port port) = 0;
    [[nodiscard]] virtual Answer<JobOutcome> power_off(Port port) = 0;
    [[nodiscard]] virtual Answer<JobOutcome> clear() = 0;
    [[nodiscard]] virtual Answer<JobOutcome> park() = 0;
    /// Ports with a write in progress: not switched off when the host falls silent.
    [[nodiscard]] virtual Answer<JobOutcome> guard(PortSet ports) = 0;
    /// Motion stops now, whatever runs. Repeated until the board confirms.
    [[nodiscard]] virtual Answer<void> stop() = 0;

    /// Why the jobs that follow are done: goes into the ledger (Intent::why).
    virtual void because(const std::string& /*why*/) {}

    /// For records: "mediarig-rig 0.1.0, swap30, 0123456789ABCDEF".
    [[nodiscard]] virtual std::string description() const = 0;
};

} // namespace mediarig::rig
