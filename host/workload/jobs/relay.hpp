// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes a few buffers round between two threads: one fills them, the other empties them, in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "host/workload/io/platform/buffer.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

/// A stretch of the span on its way between the medium and the pattern.
struct Chunk {
    std::span<std::byte> bytes; ///< its part of the buffer, as long as the stretch
    std::uint64_t offset{};
    std::vector<DamagedRange> unreadable; ///< parts that the medium did not give; ascending
};

class Relay {
public:
    /// Between 2 and 8 buffers, 16 MiB of them if that is possible: one at each end, the others so that neither side
    /// stops when the other does not get the processor for a moment.
    [[nodiscard]] static Result<Relay> create(Bytes chunk);

    /// For the thread that fills: a chunk to fill, or nullptr once the other side has stopped.
    [[nodiscard]] Chunk* to_fill();
    void filled();
    /// No more will come.
    void finish();

    /// For the thread that empties: the next chunk, or nullptr when there will be no more.
    [[nodiscard]] Chunk* to_empty();
    void emptied();
    /// No more is wanted; what was filled is dropped.
    void stop();

    /// The whole buffer of a chunk that to_fill handed out.
    [[nodiscard]] std::span<std::byte> room_of(const Chunk& chunk) const;

private:
    Relay(TransferBuffer memory, std::size_t chunk, std::size_t depth)
        : state_(new State), memory_(std::move(memory)), size_(chunk) {
        state_->chunks.resize(depth);
    }

    struct State {
        std::mutex mutex;
        std::condition_variable moved;
        std::uint64_t filled{};
        std::uint64_t emptied{};
        bool finished{};
        bool stopped{};
        std::vector<Chunk> chunks;
    };
    std::unique_ptr<State> state_;
    TransferBuffer memory_;
    std::size_t size_;
};

} // namespace mediarig::workload
