// SPDX-License-Identifier: GPL-3.0-or-later
/// Labels of the data of a verify job: sectors that describe the data around them, so that any later version of the
/// program can read the data back and report their age, without the record of the test.
///
/// The first sector of each MiB of the data is a label. All numbers are little-endian:
///     magic 16 | position u64 | start u64 | end u64 | size of the medium u64 | seed u64 | written u64 |
///     generation u32 | length of the name u32 | name of the medium | pattern | CRC-32 of the bytes before it u32 at
///     508
/// `position` is the offset of the label in the data, which fill the bytes from `start` to `end` of the medium. The
/// other sectors are a Pattern with this seed and generation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "common/units.hpp"
#include "host/workload/payload/pattern.hpp"

namespace mediarig::workload {

struct DataLabel {
    std::string medium; ///< device_key of the medium; at most longest_name bytes
    Bytes start, end;   ///< of the data on the medium
    Bytes size;         ///< of the medium
    std::uint64_t seed{1};
    std::uint64_t written{}; ///< seconds since 1970: start of the test
    std::uint32_t generation{1};
    auto operator<=>(const DataLabel&) const = default;

    static constexpr std::size_t longest_name = 400;
    /// Distance of the labels. Data with labels start at a multiple of it.
    static constexpr Bytes every{std::uint64_t{1} << 20};
};

using LabelSector = std::array<std::byte, Pattern::sector_size>;
/// A longer name is cut.
[[nodiscard]] LabelSector label_sector(const DataLabel& label, std::uint64_t position);

struct FoundLabel {
    DataLabel label;
    std::uint64_t position{};
};
/// Empty if the sector is no label, or a damaged one.
[[nodiscard]] std::optional<FoundLabel> label_in(std::span<const std::byte, Pattern::sector_size> sector);

} // namespace mediarig::workload
