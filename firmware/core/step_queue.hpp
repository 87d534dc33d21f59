// SPDX-License-Identifier: GPL-3.0-or-later
/// Queue between the planner, which runs in the tick, and the step timer, which runs as an interrupt: a ring of
/// segments, each with a number of steps and one interval between them.
///
/// One writer (main context), one reader (interrupt of the same core, never interrupted by the writer). No locks and no
/// read-modify-write instruction: every member has one writer, except where its comment states when another context may
/// write. The reader's side is inlined into the interrupt, divides nothing and calls nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "common/rigproto/messages.hpp"

namespace mediarig::firmware {

using rigproto::Axis;

enum class Direction : std::uint8_t {
    home, ///< moves X to its origin, Z up
    away  ///< moves X away from its origin, Z down
};

struct Segment {
    std::uint32_t interval_us{}; ///< time from each step of this segment to the next step of any segment
    std::uint16_t count{};       ///< number of steps; 0 is allowed and means no step
    Axis axis{};
    Direction direction{};
};

/// One step to make now.
struct MotorStep {
    Axis axis{};
    Direction direction{};
    std::uint32_t interval_us{}; ///< time from this step to the next call
};

class StepQueue {
public:
    static constexpr std::uint32_t capacity = 32;

    // ---- side of the step interrupt --------------------------------------------------------------------------------

    /// Gets the step to make now. Returns false if there is no step: the timer may stop until `waiting()` is true. A
    /// returned step counts as made.
    [[gnu::always_inline]] inline bool next(MotorStep& step) {
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

    /// For the interrupt of the safety chain: prevents further steps until `release()`. May be called at any time.
    [[gnu::always_inline]] inline void halt() { halted_.store(true, std::memory_order_release); }

    // ---- side of the tick ------------------------------------------------------------------------------------------

    /// True if there are steps to make: the board starts its timer if it is stopped.
    [[nodiscard]] bool waiting() const {
        if (halted()) return false;
        const std::uint32_t head = head_.load(std::memory_order_relaxed);
        const std::uint32_t tail = tail_.load(std::memory_order_acquire);
        if (head == tail) return false;
        return head - tail > 1 || made_.load(std::memory_order_relaxed) != ring_[tail % capacity].count;
    }

    /// Number of free entries.
    [[nodiscard]] std::uint32_t free_space() const {
        return capacity - (head_.load(std::memory_order_relaxed) - tail_.load(std::memory_order_acquire));
    }

    /// Returns false if the ring is full.
    bool push(const Segment& segment) {
        if (free_space() == 0) return false;
        const std::uint32_t head = head_.load(std::memory_order_relaxed);
        ring_[head % capacity] = segment;
        given_us_ += segment.interval_us * segment.count;
        head_.store(head + 1, std::memory_order_release);
        return true;
    }

    /// Duration of the queued steps in us. Includes the interval after the newest step made, even if it has passed.
    [[nodiscard]] std::uint32_t ahead_us() const { return given_us_ - spent_us_.load(std::memory_order_relaxed); }

    /// Clears the queue. Safe while the interrupt is active: the ring is closed first.
    void drop() {
        closed_.store(true, std::memory_order_release);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        tail_.store(head_.load(std::memory_order_relaxed), std::memory_order_relaxed);
        made_.store(0, std::memory_order_relaxed);
        given_us_ = spent_us_.load(std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        closed_.store(false, std::memory_order_release);
    }

    /// Ends a halt. Call only after the cause is gone and on request of an operator or the host.
    void release() {
        drop();
        halted_.store(false, std::memory_order_release);
    }
    [[nodiscard]] bool halted() const { return halted_.load(std::memory_order_acquire); }

    /// Counted steps from home; changes at any time while `waiting()`.
    [[nodiscard]] std::int32_t position(Axis axis) const {
        return position_[static_cast<std::uint32_t>(axis) & 1U].load(std::memory_order_relaxed);
    }
    /// Call only while the queue is empty.
    void set_position(Axis axis, std::int32_t steps) {
        position_[static_cast<std::uint32_t>(axis) & 1U].store(steps, std::memory_order_relaxed);
    }
    /// Steps of both axes and directions since the start; wraps.
    [[nodiscard]] std::uint32_t taken() const { return taken_.load(std::memory_order_relaxed); }

private:
    std::array<Segment, capacity> ring_{};
    std::atomic<std::uint32_t> head_{0};     // written by the writer
    std::atomic<std::uint32_t> tail_{0};     // written by the reader; by the writer while closed_
    std::atomic<std::uint32_t> made_{0};     // steps made of the segment at tail_; written like tail_
    std::atomic<std::uint32_t> spent_us_{0}; // written by the reader
    std::uint32_t given_us_{0};              // written by the writer
    std::array<std::atomic<std::int32_t>, 2>
        position_{};                      // written by the reader; by the writer while the queue is empty
    std::atomic<std::uint32_t> taken_{0}; // written by the reader
    std::atomic<bool> closed_{false};     // written by the writer
    std::atomic<bool> halted_{false};     // set in any context, cleared by the writer
};

} // namespace mediarig::firmware
