// SPDX-License-Identifier: GPL-3.0-or-later
/// Generates the payload of writes and checks it when it is read back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/workload/payload/data_label.hpp"
#include "host/workload/payload/pattern.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// All offsets and sizes are multiples of 512; only fill accepts any size for `zeros` and `given`.
class PayloadSource {
public:
    /// Requires a non-empty payload.given for the kind `given`. With a label, whose seed and generation are those of
    /// the payload, the first sector of each MiB is a label; only for the kind `incompressible`.
    PayloadSource(const Payload& payload, std::uint32_t generation, std::optional<DataLabel> label = {});

    void fill(std::span<std::byte> buffer, std::uint64_t offset) const;
    /// Returns true if every byte equals the output of fill.
    [[nodiscard]] bool matches(std::span<const std::byte> buffer, std::uint64_t offset) const;
    [[nodiscard]] Pattern::Diagnosis diagnose(std::span<const std::byte, Pattern::sector_size> sector,
                                              std::uint64_t offset) const;
    /// Returns false if all transfers have the same contents, so one buffer that is filled once is sufficient.
    [[nodiscard]] bool varies() const { return kind_ != PayloadKind::zeros && kind_ != PayloadKind::ones; }

private:
    void fill_given(std::span<std::byte> buffer, std::uint64_t offset) const;
    /// Writes the position into each sector.
    void stamp(std::span<std::byte> buffer, std::uint64_t offset) const;
    [[nodiscard]] bool is_label(std::uint64_t offset) const { return label_ && offset % DataLabel::every.count == 0; }
    [[nodiscard]] Pattern::Diagnosis diagnose_label(std::span<const std::byte, Pattern::sector_size> sector,
                                                    std::uint64_t offset) const;

    PayloadKind kind_;
    Pattern pattern_;
    std::vector<std::uint8_t> given_; ///< also the block of `repeated`
    std::optional<DataLabel> label_;
};

} // namespace mediarig::workload
