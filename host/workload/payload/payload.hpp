// SPDX-License-Identifier: GPL-3.0-or-later
/// What is written, and what is expected when it is read back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/workload/payload/pattern.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// All offsets and sizes are multiples of 512, save that `zeros` and `given` take any size from fill.
class PayloadSource {
public:
    /// Needs payload.given to hold something when the kind is `given`.
    PayloadSource(const Payload& payload, std::uint32_t generation);

    void fill(std::span<std::byte> buffer, std::uint64_t offset) const;
    /// True when every byte is as fill would make it.
    [[nodiscard]] bool matches(std::span<const std::byte> buffer, std::uint64_t offset) const;
    [[nodiscard]] Pattern::Diagnosis diagnose(std::span<const std::byte, Pattern::sector_size> sector,
                                              std::uint64_t offset) const;
    /// False when each transfer holds the same bytes, so that one buffer filled once serves them all.
    [[nodiscard]] bool varies() const { return kind_ != PayloadKind::zeros; }

private:
    void fill_given(std::span<std::byte> buffer, std::uint64_t offset) const;

    PayloadKind kind_;
    Pattern pattern_;
    std::vector<std::uint8_t> given_;
};

} // namespace mediarig::workload
