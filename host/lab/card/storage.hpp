// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the bytes of a modelled medium really are. Port: a sparse file, or memory in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig::lab {

/// What was never written reads as zeros. Every method fails with io_failed: this machine failed, not the modelled
/// medium.
class Storage {
public:
    virtual ~Storage() = default;
    [[nodiscard]] virtual Result<void> read(std::uint64_t offset, std::span<std::byte> into) = 0;
    [[nodiscard]] virtual Result<void> write(std::uint64_t offset, std::span<const std::byte> from) = 0;
    /// Reads as zeros afterwards, and takes no room where that can be had.
    [[nodiscard]] virtual Result<void> clear(std::uint64_t offset, Bytes size) = 0;
};

} // namespace mediarig::lab
