// SPDX-License-Identifier: GPL-3.0-or-later
/// The whole firmware but for the board: the link to the host and the machine behind it, as one object.
///
/// A board owns one of it, gives it bytes and inputs, and does what comes out. Everything but what says otherwise is
/// called from the main context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "firmware/core/io.hpp"
#include "firmware/core/link/board_info.hpp"
#include "firmware/core/link/events.hpp"
#include "firmware/core/link/link.hpp"
#include "firmware/core/link/retained.hpp"
#include "firmware/core/machine.hpp"
#include "firmware/core/step_queue.hpp"
#include "firmware/core/supervision.hpp"

namespace mediarig::firmware {

class Firmware {
public:
    /// `retained` lies in memory that a reset does not clear, and outlives this; its content may be anything.
    Firmware(Retained& retained, const BoardInfo& board);
    Firmware(const Firmware&) = delete;
    Firmware& operator=(const Firmware&) = delete;

    /// Bytes as they come, in pieces of any size. Answers and events go where the last HELLO came from.
    void receive(Carrier carrier, std::span<const std::uint8_t> bytes);
    /// Fills `into` with bytes to be sent over that carrier; returns how many, 0 when there are none.
    /// To be called at least every 50 ms for any carrier: that is how the link is known to be served.
    std::size_t transmit(Carrier carrier, std::span<std::uint8_t> into);
    /// The carrier had to begin anew: counted for the host.
    void usb_restarted() { link_.usb_restarted(); }
    /// Every 500 us. What it returns holds until the next call.
    Outputs tick(const Inputs& inputs);
    /// Emptied by the step timer's interrupt.
    StepQueue& steps() { return steps_; }
    /// From the interrupt of the safety chain: not one step more, and the next tick latches. Inlined, calls nothing.
    [[gnu::always_inline]] inline void safety_opened() {
        machine_.safety_opened();
        steps_.halt();
    }

private:
    /// Opened before anything reads it.
    struct Opened {
        explicit Opened(Retained& memory) : retained(memory) { open_retained(memory); }
        Retained& retained;
    };

    Opened opened_;
    StepQueue steps_;
    Events events_;
    Machine machine_;
    Link<Machine> link_;
    Supervision supervision_;
    std::uint64_t now_us_{}; // of the last tick
};

} // namespace mediarig::firmware
