// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/payload/data_label.hpp"

#include <string_view>

#include "common/crc32.hpp"
#include "host/base/little_endian.hpp"

namespace mediarig::workload {
namespace {

constexpr std::string_view magic = "mediarig data 1\n";
constexpr std::size_t position_at = 16, start_at = 24, end_at = 32, size_at = 40, seed_at = 48, written_at = 56,
                      generation_at = 64, length_at = 68, name_at = 72, crc_at = Pattern::sector_size - 4;
static_assert(name_at + DataLabel::longest_name <= crc_at);

std::uint32_t crc_of(std::span<const std::byte> sector) {
    return crc32({reinterpret_cast<const std::uint8_t*>(sector.data()), crc_at});
}

} // namespace

LabelSector label_sector(const DataLabel& label, std::uint64_t position) {
    const std::string_view name = std::string_view(label.medium).substr(0, DataLabel::longest_name);
    LabelSector sector{};
    put_text(sector, 0, magic);
    put_le(sector, position_at, position);
    put_le(sector, start_at, label.start.count);
    put_le(sector, end_at, label.end.count);
    put_le(sector, size_at, label.size.count);
    put_le(sector, seed_at, label.seed);
    put_le(sector, written_at, label.written);
    put_le(sector, generation_at, label.generation);
    put_le(sector, length_at, static_cast<std::uint32_t>(name.size()));
    put_text(sector, name_at, name);
    put_le(sector, crc_at, crc_of(sector));
    return sector;
}

std::optional<FoundLabel> label_in(std::span<const std::byte, Pattern::sector_size> sector) {
    if (!begins_with(sector, magic) || get_le<std::uint32_t>(sector, crc_at) != crc_of(sector)) return std::nullopt;
    const std::uint32_t length = get_le<std::uint32_t>(sector, length_at);
    if (length > DataLabel::longest_name) return std::nullopt;
    FoundLabel found{.label = {.medium = {},
                               .start = {get_le<std::uint64_t>(sector, start_at)},
                               .end = {get_le<std::uint64_t>(sector, end_at)},
                               .size = {get_le<std::uint64_t>(sector, size_at)},
                               .seed = get_le<std::uint64_t>(sector, seed_at),
                               .written = get_le<std::uint64_t>(sector, written_at),
                               .generation = get_le<std::uint32_t>(sector, generation_at)},
                     .position = get_le<std::uint64_t>(sector, position_at)};
    for (std::size_t i = 0; i < length; ++i) found.label.medium += static_cast<char>(sector[name_at + i]);
    return found;
}

} // namespace mediarig::workload
