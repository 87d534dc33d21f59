// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/relay.hpp"

#include <algorithm>
#include <utility>

namespace mediarig::workload {

Result<Relay> Relay::create(Bytes chunk) {
    const auto size = static_cast<std::size_t>(chunk.count);
    constexpr std::size_t wanted_memory = std::size_t{16} << 20;
    const std::size_t depth = std::clamp<std::size_t>(wanted_memory / size, 2, 8);
    auto memory = TransferBuffer::allocate(size * depth);
    if (!memory) return fail(memory.error());
    return Relay(std::move(*memory), size, depth);
}

Chunk* Relay::to_fill() {
    std::unique_lock lock(state_->mutex);
    state_->moved.wait(lock,
                       [&] { return state_->stopped || state_->filled - state_->emptied < state_->chunks.size(); });
    return state_->stopped ? nullptr : &state_->chunks[state_->filled % state_->chunks.size()];
}

void Relay::filled() {
    {
        const std::lock_guard lock(state_->mutex);
        ++state_->filled;
    }
    state_->moved.notify_one();
}

void Relay::finish() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->finished = true;
    }
    state_->moved.notify_one();
}

Chunk* Relay::to_empty() {
    std::unique_lock lock(state_->mutex);
    state_->moved.wait(lock, [&] { return state_->finished || state_->emptied < state_->filled; });
    return state_->emptied < state_->filled ? &state_->chunks[state_->emptied % state_->chunks.size()] : nullptr;
}

void Relay::emptied() {
    {
        const std::lock_guard lock(state_->mutex);
        ++state_->emptied;
    }
    state_->moved.notify_one();
}

void Relay::stop() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopped = true;
    }
    state_->moved.notify_one();
}

std::span<std::byte> Relay::chunk_buffer(const Chunk& chunk) const {
    return memory_.bytes().subspan(static_cast<std::size_t>(&chunk - state_->chunks.data()) * size_, size_);
}

} // namespace mediarig::workload
