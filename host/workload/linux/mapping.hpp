// SPDX-License-Identifier: GPL-3.0-or-later
/// A file in memory by mmap(2). Copying asks the kernel (process_vm_readv(2) on this process itself), so that a page
/// that a broken medium does not give is an error and no signal. Inner part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "common/units.hpp"
#include "host/workload/medium_file.hpp"

namespace mediarig::workload {

class Mapping {
public:
    /// The first `length` bytes of an open file, which has them; nothing, with errno, where that is impossible.
    [[nodiscard]] static std::optional<Mapping> of(int fd, Bytes length);
    Mapping(Mapping&& other) noexcept : memory_(std::exchange(other.memory_, {})) {}
    Mapping& operator=(Mapping&& other) noexcept {
        std::swap(memory_, other.memory_);
        return *this;
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();

    [[nodiscard]] Moved read(std::span<std::byte> bytes, std::uint64_t offset) const;
    [[nodiscard]] Moved write(std::span<const std::byte> bytes, std::uint64_t offset) const;
    /// 0 or errno.
    [[nodiscard]] int flush() const;

private:
    explicit Mapping(std::span<std::byte> memory) : memory_(memory) {}
    [[nodiscard]] Moved copy(std::span<std::byte> bytes, std::uint64_t offset, bool writing) const;

    std::span<std::byte> memory_;
};

} // namespace mediarig::workload
