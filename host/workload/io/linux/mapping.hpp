// SPDX-License-Identifier: GPL-3.0-or-later
/// A memory-mapped file (mmap(2)). The kernel copies to and from an anonymous file in memory (memfd_create(2)), so an
/// unreadable page of a broken medium gives an error and no signal. Not thread-safe. Inner part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "common/units.hpp"
#include "host/base/descriptor.hpp"
#include "host/workload/io/system.hpp"

namespace mediarig::workload {

class Mapping {
public:
    /// Maps the first `length` bytes of an open file, which must have that size. Empty, with errno set, on failure.
    [[nodiscard]] static std::optional<Mapping> of(int fd, Bytes length);
    Mapping(Mapping&& other) noexcept
        : memory_(std::exchange(other.memory_, {})), between_(std::move(other.between_)) {}
    Mapping& operator=(Mapping&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(between_, other.between_);
        return *this;
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();

    [[nodiscard]] TransferResult read(std::span<std::byte> bytes, std::uint64_t offset) const;
    [[nodiscard]] TransferResult write(std::span<const std::byte> bytes, std::uint64_t offset) const;
    /// Returns 0 or an errno.
    [[nodiscard]] int flush() const;

private:
    Mapping(std::span<std::byte> memory, Descriptor between) : memory_(memory), between_(std::move(between)) {}
    [[nodiscard]] std::span<std::byte> part(std::size_t length, std::uint64_t offset) const;

    std::span<std::byte> memory_;
    Descriptor between_;
};

} // namespace mediarig::workload
