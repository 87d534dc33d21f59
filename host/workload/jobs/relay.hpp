// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes a few buffers between two threads in order: one thread fills them, the other empties them.
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

/// A part of the span in transit between the medium and the pattern.
struct Chunk {
    std::span<std::byte> bytes; ///< its part of the buffer, with the length of the chunk
    std::uint64_t offset{};
    std::vector<DamagedRange> unreadable; ///< parts that could not be read; ascending
};

class Relay {
public:
    /// Allocates 2 to 8 buffers, 16 MiB in total if possible: one at each end, the others so that neither side stalls
    /// while the other is briefly without a processor.
    [[nodiscard]] static Result<Relay> create(Bytes chunk);

    /// For the filling thread: a chunk to fill, or nullptr after the other side has stopped.
    [[nodiscard]] Chunk* to_fill();
    void filled();
    /// Called by the filling thread after the last chunk.
    void finish();

    /// For the emptying thread: the next chunk, or nullptr after the last one.
    [[nodiscard]] Chunk* to_empty();
    void emptied();
    /// Called by the emptying thread to end the transfer; filled chunks are dropped.
    void stop();

    /// The whole buffer of a chunk from to_fill.
    [[nodiscard]] std::span<std::byte> chunk_buffer(const Chunk& chunk) const;

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
