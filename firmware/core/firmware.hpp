// SPDX-License-Identifier: GPL-3.0-or-later
/// Joins the parts of the firmware that do not depend on a board: the link to the host, and the machine.
///
/// A board owns one instance, passes bytes and inputs to it, and applies its outputs. Calls come from the main context
/// unless noted otherwise.
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
    /// `retained` is in memory that a reset does not clear, and outlives this object; its initial content may be
    /// arbitrary.
    Firmware(Retained& retained, const BoardInfo& board);
    Firmware(const Firmware&) = delete;
    Firmware& operator=(const Firmware&) = delete;

    /// Receives bytes in pieces of any size. Answers and events go to the carrier of the last HELLO.
    void receive(HostInterface carrier, std::span<const std::uint8_t> bytes);
    /// Fills `into` with bytes to send over that carrier; returns their number, which may be 0. Call at least every 50
    /// ms for any carrier: this proves that the link is served.
    std::size_t transmit(HostInterface carrier, std::span<std::uint8_t> into);
    /// Counts a restart of the carrier, for the host.
    void usb_restarted() { link_.usb_restarted(); }
    /// Call every 500 us. The outputs are valid until the next call.
    Outputs tick(const Inputs& inputs);
    /// Read by the step timer's interrupt.
    StepQueue& steps() { return steps_; }
    /// For the interrupt of the safety chain: stops all steps. The next tick latches the fault. This function is
    /// inlined and calls no other.
    [[gnu::always_inline]] inline void safety_opened() {
        machine_.safety_opened();
        steps_.halt();
    }

private:
    /// Opens the retained memory before its first use.
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
    std::uint64_t now_us_{}; // time of the last tick
};

} // namespace mediarig::firmware
