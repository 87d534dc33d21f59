// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/payload/data_label.hpp"

#include <string_view>

#include "common/crc32.hpp"
#include "host/base/little_endian.hpp"

namespace mediarig::workload {
namespace {

constexpr std::string_view label_magic = "mediarig data 1\n";
constexpr std::size_t label_position_at = 16, label_start_at = 24, label_end_at = 32, label_size_at = 40,
                      label_seed_at = 48, label_written_at = 56, label_generation_at = 64, label_length_at = 68,
                      label_name_at = 72, label_crc_at = Pattern::sector_size - 4;
static_assert(label_name_at + DataLabel::longest_name <= label_crc_at);

std::uint32_t crc_of_label(std::span<const std::byte> sector) {
    return crc32({reinterpret_cast<const std::uint8_t*>(sector.data()), label_crc_at});
}

} // namespace

LabelSector label_sector(const DataLabel& label, std::uint64_t position) {
    const std::string_view name = std::string_view(label.medium).substr(0, DataLabel::longest_name);
    LabelSector sector{};
    // A sector that is mostly zeros would look like an erased one with some bits flipped.
    Pattern(label.seed, label.generation).fill(sector, position);
    put_text(sector, 0, label_magic);
    put_le(sector, label_position_at, position);
    put_le(sector, label_start_at, label.start.count);
    put_le(sector, label_end_at, label.end.count);
    put_le(sector, label_size_at, label.size.count);
    put_le(sector, label_seed_at, label.seed);
    put_le(sector, label_written_at, label.written);
    put_le(sector, label_generation_at, label.generation);
    put_le(sector, label_length_at, static_cast<std::uint32_t>(name.size()));
    put_text(sector, label_name_at, name);
    put_le(sector, label_crc_at, crc_of_label(sector));
    return sector;
}

std::optional<FoundLabel> label_in(std::span<const std::byte, Pattern::sector_size> sector) {
    if (!begins_with(sector, label_magic) || get_le<std::uint32_t>(sector, label_crc_at) != crc_of_label(sector))
        return std::nullopt;
    const std::uint32_t length = get_le<std::uint32_t>(sector, label_length_at);
    if (length > DataLabel::longest_name) return std::nullopt;
    FoundLabel found{.label = {.medium = {},
                               .start = {get_le<std::uint64_t>(sector, label_start_at)},
                               .end = {get_le<std::uint64_t>(sector, label_end_at)},
                               .size = {get_le<std::uint64_t>(sector, label_size_at)},
                               .seed = get_le<std::uint64_t>(sector, label_seed_at),
                               .written = get_le<std::uint64_t>(sector, label_written_at),
                               .generation = get_le<std::uint32_t>(sector, label_generation_at)},
                     .position = get_le<std::uint64_t>(sector, label_position_at)};
    for (std::size_t i = 0; i < length; ++i) found.label.medium += static_cast<char>(sector[label_name_at + i]);
    return found;
}

} // namespace mediarig::workload
