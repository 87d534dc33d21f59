// SPDX-License-Identifier: GPL-3.0-or-later
/// What lies between the planner, which runs in the tick, and the step timer, which runs as an interrupt: a ring of
/// segments, each so many steps with one interval between them.
///
/// One writer (main context), one reader (interrupt of the same core, never interrupted by the writer). No locks and no
/// read-modify-write instruction: every member has one writer, except where it says under what condition another may.
/// The reader's side is inlined into the interrupt, divides nothing and calls nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "common/rigproto/messages.hpp"

namespace mediarig::firmware {

using rigproto::Axis;

enum class Direction : std::uint8_t {
    home, ///< X to its origin, Z up
    away  ///< X away from its origin, Z down
};

struct Segment {
    std::uint32_t interval_us{}; ///< from each of its steps to the next one, of whatever segment
    std::uint16_t count{};       ///< of steps; 0 is allowed and makes none
    Axis axis{};
    Direction direction{};
};

/// One step, to be made now.
struct Step {
    Axis axis{};
    Direction direction{};
    std::uint32_t interval_us{}; ///< when to ask for the next one, counted from this one
};

class StepQueue {
public:
    static constexpr std::uint32_t capacity = 32;

    // ---- the step interrupt's side --------------------------------------------------------------------------------

    /// The step to make now; false: none, and the timer may stand still until `waiting()` says otherwise.
    /// A step that is handed out counts as made.
    [[gnu::always_inline]] inline bool next(Step& step) {
        if (halted_.load(std::memory_order_acquire) || closed_.load(std::memory_order_acquire)) return false;
        std::uint32_t tail = tail_.load(std::memory_order_relaxed);
        std::uint32_t made = made_.load(std::memory_order_relaxed);
        while (tail != head_.load(std::memory_order_acquire)) {
            const Segment& segment = ring_[tail % capacity];
            if (made == segment.count) {
                ++tail;
                made = 0;
                tail_.store(tail, std::memory_order_release);
                continue;
            }
            ++made;
            made_.store(made, std::memory_order_relaxed);
            step = {segment.axis, segment.direction, segment.interval_us};
            const auto axis = static_cast<std::uint32_t>(segment.axis) & 1U;
            const std::int32_t by = segment.direction == Direction::away ? 1 : -1;
            position_[axis].store(position_[axis].load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
            taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            spent_us_.store(spent_us_.load(std::memory_order_relaxed) + segment.interval_us, std::memory_order_relaxed);
            return true;
        }
        made_.store(made, std::memory_order_relaxed);
        return false;
    }

    /// From the interrupt of the safety chain: not one step more until `release()`. May be called at any time.
    [[gnu::always_inline]] inline void halt() { halted_.store(true, std::memory_order_release); }

    // ---- the tick's side ------------------------------------------------------------------------------------------

    /// There are steps to make: the board starts its timer when it stands still.
    [[nodiscard]] bool waiting() const {
        if (halted()) return false;
        const std::uint32_t head = head_.load(std::memory_order_relaxed);
        const std::uint32_t tail = tail_.load(std::memory_order_acquire);
        if (head == tail) return false;
        return head - tail > 1 || made_.load(std::memory_order_relaxed) != ring_[tail % capacity].count;
    }

    /// Segments that still fit.
    [[nodiscard]] std::uint32_t room() const {
        return capacity - (head_.load(std::memory_order_relaxed) - tail_.load(std::memory_order_acquire));
    }

    /// False when the ring is full.
    bool push(const Segment& segment) {
        if (room() == 0) return false;
        const std::uint32_t head = head_.load(std::memory_order_relaxed);
        ring_[head % capacity] = segment;
        given_us_ += segment.interval_us * segment.count;
        head_.store(head + 1, std::memory_order_release);
        return true;
    }

    /// How long what is queued will last; us. Includes the interval after the newest step made, even when it is over.
    [[nodiscard]] std::uint32_t ahead_us() const { return given_us_ - spent_us_.load(std::memory_order_relaxed); }

    /// Forgets what is queued. Safe while the interrupt runs: it finds the ring closed first.
    void drop() {
        closed_.store(true, std::memory_order_release);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        tail_.store(head_.load(std::memory_order_relaxed), std::memory_order_relaxed);
        made_.store(0, std::memory_order_relaxed);
        given_us_ = spent_us_.load(std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        closed_.store(false, std::memory_order_release);
    }

    /// Ends a halt; only when the cause is gone and a person or the host asked for it.
    void release() {
        drop();
        halted_.store(false, std::memory_order_release);
    }
    [[nodiscard]] bool halted() const { return halted_.load(std::memory_order_acquire); }

    /// Steps from home, as counted; changes under way while `waiting()`.
    [[nodiscard]] std::int32_t position(Axis axis) const {
        return position_[static_cast<std::uint32_t>(axis) & 1U].load(std::memory_order_relaxed);
    }
    /// Only while nothing is queued.
    void set_position(Axis axis, std::int32_t steps) {
        position_[static_cast<std::uint32_t>(axis) & 1U].store(steps, std::memory_order_relaxed);
    }
    /// Of both axes and directions, since the start; wraps.
    [[nodiscard]] std::uint32_t taken() const { return taken_.load(std::memory_order_relaxed); }

private:
    std::array<Segment, capacity> ring_{};
    std::atomic<std::uint32_t> head_{0};                  // writer
    std::atomic<std::uint32_t> tail_{0};                  // reader; writer while closed_
    std::atomic<std::uint32_t> made_{0};                  // of the segment at tail_; as tail_
    std::atomic<std::uint32_t> spent_us_{0};              // reader
    std::uint32_t given_us_{0};                           // writer
    std::array<std::atomic<std::int32_t>, 2> position_{}; // reader; writer while nothing is queued
    std::atomic<std::uint32_t> taken_{0};                 // reader
    std::atomic<bool> closed_{false};                     // writer
    std::atomic<bool> halted_{false};                     // any context sets it, the writer clears it
};

} // namespace mediarig::firmware
