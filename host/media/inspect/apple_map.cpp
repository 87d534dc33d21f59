// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/apple_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t type_at = 0x30, text_length = 32;
/// Maps on known media have at most 63 entries; Linux reads 256.
constexpr std::uint32_t most_map_entries = 256;
constexpr std::array unused_types{"Apple_partition_map"sv, "Apple_Free"sv, "Apple_Void"sv, "Apple_Scratch"sv};

bool is_entry(Raw raw) {
    return holds(raw, 0, "PM");
}

AppleEntry parse_entry(Raw raw, std::uint32_t number, Bytes at) {
    return {.number = number,
            .name = text_from_utf8(raw.subspan(0x10, text_length)),
            .type = text_from_utf8(raw.subspan(type_at, text_length)),
            .first = load_be<std::uint32_t>(raw, 8),
            .blocks = load_be<std::uint32_t>(raw, 12),
            .status = load_be<std::uint32_t>(raw, 0x58),
            .at = at};
}

/// Block size of the map: that of the driver descriptor if an entry follows it, otherwise 512 bytes.
std::optional<Bytes> block_of(const MediumReader& medium) {
    const auto descriptor = medium.read({}, 512_B);
    if (!descriptor) return std::nullopt;
    const auto begins_map = [&](Bytes block) {
        const auto raw = medium.read(block, 512_B);
        return raw && is_entry(*raw) && (holds(*descriptor, 0, "ER") || is_apple_map_entry(*raw));
    };
    const Bytes named{load_be<std::uint16_t>(*descriptor, 2)};
    const std::array<Bytes, 4> possible{512_B, 1_KiB, 2_KiB, 4_KiB};
    const bool known = holds(*descriptor, 0, "ER") && std::ranges::find(possible, named) != possible.end();
    if (known && begins_map(named)) return named;
    return begins_map(512_B) ? std::optional(512_B) : std::nullopt;
}

} // namespace

bool is_apple_map_entry(Raw entry) {
    return is_entry(entry) && holds(entry, type_at, "Apple_partition_map"sv);
}

std::optional<AppleMap> read_apple_map(const MediumReader& medium) {
    const auto block = block_of(medium);
    if (!block) return std::nullopt;
    AppleMap map{.block = *block, .count = 1, .entries = {}, .problem = {}};
    for (std::uint32_t number = 1; number <= map.count; ++number) {
        const Bytes at = map.block * number;
        const auto raw = medium.read(at, 512_B);
        if (!raw || !is_entry(*raw)) {
            add_problem(
                map.problem,
                raw ? fmt::format("Apple partition map: entry {} at byte {} has no signature PM", number, at.count)
                    : fmt::format("Apple partition map: entry {}: {}", number, raw.error().detail));
            break;
        }
        const auto count = load_be<std::uint32_t>(*raw, 4);
        if (number == 1 && count >= 1 && count <= most_map_entries)
            map.count = count;
        else if (count != map.count)
            add_problem(map.problem, fmt::format("Apple partition map: pmMapBlkCnt of entry {} at byte {} is {}, {}",
                                                 number, at.count, count,
                                                 number == 1 ? fmt::format("1 to {} expected", most_map_entries)
                                                             : fmt::format("in entry 1 it is {}", map.count)));
        AppleEntry entry = parse_entry(*raw, number, at);
        if (std::ranges::find(unused_types, std::string_view(entry.type)) == unused_types.end())
            map.entries.push_back(std::move(entry));
    }
    return map;
}

} // namespace mediarig::media
