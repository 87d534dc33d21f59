// SPDX-License-Identifier: GPL-3.0-or-later
/// Owner of an io_uring. Inner part.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <memory>
#include <span>

#include "host/base/result.hpp"

namespace mediarig::workload {

class Ring {
public:
    /// Uses the cheapest set-up that this kernel supports.
    [[nodiscard]] static Result<std::unique_ptr<Ring>> create(unsigned depth);
    ~Ring() {
        if (live_) io_uring_queue_exit(&ring_);
    }
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    [[nodiscard]] Result<void> register_file(int fd);
    /// Returns false if the memory cannot be locked (RLIMIT_MEMLOCK). Transfers then pin their pages one by one.
    [[nodiscard]] bool register_buffer(std::span<std::byte> buffer);

    /// Returns true if a wait can have a timeout without a separate queue entry (kernels from 5.11).
    [[nodiscard]] bool waits_with_limit() const { return (ring_.features & IORING_FEAT_EXT_ARG) != 0; }

    io_uring* operator->() { return &ring_; }
    io_uring* get() { return &ring_; }

private:
    Ring() = default;
    io_uring ring_{};
    bool live_{};
};

} // namespace mediarig::workload
