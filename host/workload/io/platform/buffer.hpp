// SPDX-License-Identifier: GPL-3.0-or-later
/// Memory for transfers: page-aligned and faulted in before the clock starts.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "host/base/result.hpp"

namespace mediarig::workload {

class TransferBuffer {
public:
    static constexpr std::size_t alignment = 4096;

    TransferBuffer() = default;
    /// Zeroed and faulted in. Fails with io_failed if the machine lacks the memory.
    [[nodiscard]] static Result<TransferBuffer> allocate(std::size_t size);
    ~TransferBuffer();
    TransferBuffer(TransferBuffer&& other) noexcept
        : reserved_(std::exchange(other.reserved_, {})), bytes_(std::exchange(other.bytes_, {})) {}
    TransferBuffer& operator=(TransferBuffer&& other) noexcept {
        std::swap(reserved_, other.reserved_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    TransferBuffer(const TransferBuffer&) = delete;
    TransferBuffer& operator=(const TransferBuffer&) = delete;

    [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

private:
    std::span<std::byte> reserved_;
    std::span<std::byte> bytes_;
};

} // namespace mediarig::workload
