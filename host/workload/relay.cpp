// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/relay.hpp"

#include <utility>

namespace mediarig::workload {

Result<Relay> Relay::create(Bytes chunk) {
    const auto size = static_cast<std::size_t>(chunk.count);
    auto memory = TransferBuffer::allocate(size * depth);
    if (!memory) return fail(memory.error());
    return Relay(std::move(*memory), size);
}

Chunk* Relay::to_fill() {
    std::unique_lock lock(state_->mutex);
    state_->moved.wait(lock, [&] { return state_->stopped || state_->filled - state_->emptied < depth; });
    return state_->stopped ? nullptr : &state_->chunks[state_->filled % depth];
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
    return state_->emptied < state_->filled ? &state_->chunks[state_->emptied % depth] : nullptr;
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

std::span<std::byte> Relay::room_of(const Chunk& chunk) const {
    return memory_.bytes().subspan(static_cast<std::size_t>(&chunk - state_->chunks) * size_, size_);
}

} // namespace mediarig::workload
