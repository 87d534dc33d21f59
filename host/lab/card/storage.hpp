// SPDX-License-Identifier: GPL-3.0-or-later
/// Byte storage of a modelled medium. Port: a sparse file, or memory in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig::lab {

/// Unwritten bytes read as zeros. Every method fails with io_failed if the backing storage fails; this is not a fault
/// of the modelled medium.
class Storage {
public:
    virtual ~Storage() = default;
    [[nodiscard]] virtual Result<void> read(std::uint64_t offset, std::span<std::byte> into) = 0;
    [[nodiscard]] virtual Result<void> write(std::uint64_t offset, std::span<const std::byte> from) = 0;
    /// Makes the range read as zeros. The range then occupies no space if the storage supports that.
    [[nodiscard]] virtual Result<void> clear(std::uint64_t offset, Bytes size) = 0;
};

} // namespace mediarig::lab
