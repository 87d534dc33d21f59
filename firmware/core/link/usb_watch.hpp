// SPDX-License-Identifier: GPL-3.0-or-later
/// Detects that the USB device controller no longer serves the bus, so that the board can restart it.
///
/// Erratum RP2040-E15 (all steppings): certain bus errors during an IN transfer leave the device controller
/// unresponsive until a reset of the whole peripheral. A host sees a device that does not answer.
#pragma once

#include <cstdint>

namespace mediarig::firmware {

/// State of the controller as read by a board.
struct UsbSight {
    bool configured{};           ///< the host has enumerated the board
    bool suspended{};            ///< the bus is suspended: no traffic is expected
    std::uint16_t frame{};       ///< number of the last start of frame
    bool has_unfetched_packet{}; ///< the controller holds a packet that the host has not fetched
    std::uint32_t in_packets{};  ///< packets fetched by the host so far
    std::uint32_t out_packets{}; ///< packets received from the host so far
};

class UsbWatch {
public:
    /// A host sends a start of frame each millisecond (USB 2.0, 8.4.3); after 3 ms without one the bus counts as
    /// suspended (7.1.7.6).
    static constexpr std::uint32_t frames_missing_us = 20'000;
    /// A host that keeps the port open fetches each packet at once. If it still writes but has not fetched a packet for
    /// this time, the controller does not respond to it.
    static constexpr std::uint32_t packet_waits_us = 2'000'000;

    /// Call at least every 500 ms while configured; `now_us` may wrap. Returns true once when the controller no longer
    /// serves the bus, then restarts the observation.
    bool is_dead(std::uint32_t now_us, const UsbSight& sight) {
        if (!sight.configured || sight.suspended) {
            watching_ = false;
            return false;
        }
        if (!watching_ || sight.frame != seen_.frame) frame_at_ = now_us;
        if (!watching_ || !sight.has_unfetched_packet || sight.in_packets != seen_.in_packets) {
            out_packets_then_ = sight.out_packets;
            written_since_ = false;
        } else if (!written_since_ && sight.out_packets != out_packets_then_) {
            written_since_ = true;
            written_at_ = now_us;
        }
        seen_ = sight;
        watching_ = true;
        const bool no_frames = now_us - frame_at_ >= frames_missing_us;
        const bool not_fetched = written_since_ && now_us - written_at_ >= packet_waits_us;
        if (!no_frames && !not_fetched) return false;
        watching_ = false;
        return true;
    }

private:
    UsbSight seen_;
    std::uint32_t frame_at_{}, written_at_{}, out_packets_then_{};
    bool watching_ = false;
    bool written_since_ = false; // the host has written data since the packet began to wait
};

} // namespace mediarig::firmware
