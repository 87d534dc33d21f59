// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes bytes between an interrupt and the main context. It has one writer and one reader, and uses no locks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mediarig::pico {

template <std::size_t Capacity>
class ByteRing {
    static_assert((Capacity & (Capacity - 1)) == 0, "counters wrap, so the capacity must be a power of two");

public:
    [[nodiscard]] std::size_t used() const {
        return written_.load(std::memory_order_acquire) - read_.load(std::memory_order_acquire);
    }
    [[nodiscard]] std::size_t free_space() const { return Capacity - used(); }
    [[nodiscard]] bool empty() const { return used() == 0; }

    /// For the writer. Returns false if the buffer is full: the byte is then lost.
    bool push(std::uint8_t byte) {
        if (free_space() == 0) return false;
        const std::size_t at = written_.load(std::memory_order_relaxed);
        bytes_[at % Capacity] = byte;
        written_.store(at + 1, std::memory_order_release);
        return true;
    }
    /// For the reader; call only if the buffer is not empty.
    std::uint8_t pop() {
        const std::size_t at = read_.load(std::memory_order_relaxed);
        const std::uint8_t byte = bytes_[at % Capacity];
        read_.store(at + 1, std::memory_order_release);
        return byte;
    }
    /// For the reader.
    void clear() { read_.store(written_.load(std::memory_order_acquire), std::memory_order_release); }

private:
    std::array<std::uint8_t, Capacity> bytes_{};
    std::atomic<std::size_t> written_{0}; // counter of the writer
    std::atomic<std::size_t> read_{0};    // counter of the reader
};

} // namespace mediarig::pico
