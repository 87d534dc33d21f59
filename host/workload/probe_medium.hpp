// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: a bare medium as the quick probe sees it, past every cache of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "common/units.hpp"
#include "host/result.hpp"

namespace mediarig::workload {

class ProbedMedium {
public:
    virtual ~ProbedMedium() = default;
    [[nodiscard]] virtual Bytes size() const = 0;   ///< as it claims
    [[nodiscard]] virtual Bytes sector() const = 0; ///< offsets and lengths are whole ones; at least 512
    /// errno; 0 when every byte was moved.
    [[nodiscard]] virtual int write(std::span<const std::byte> bytes, std::uint64_t offset) = 0;
    [[nodiscard]] virtual int read(std::span<std::byte> bytes, std::uint64_t offset) = 0;
    [[nodiscard]] virtual int flush() = 0;
    /// After an error: it is no longer there.
    [[nodiscard]] virtual bool gone(int error) const = 0;
    /// After an error: the host did it, and nothing follows for the medium.
    [[nodiscard]] virtual std::optional<Error> host_fault() const { return {}; }
};

} // namespace mediarig::workload
