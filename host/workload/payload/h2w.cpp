// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/payload/h2w.hpp"

#include <charconv>
#include <system_error>

#include "host/base/little_endian.hpp"

namespace mediarig::workload {

std::optional<std::uint64_t> h2w_number(std::string_view name) {
    constexpr std::string_view suffix = ".h2w";
    if (!name.ends_with(suffix)) return std::nullopt;
    name.remove_suffix(suffix.size());
    constexpr std::uint64_t largest = std::uint64_t{1} << 33; // positions have 64 bits
    std::uint64_t number{};
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size() || number == 0 || number > largest ||
        name.front() == '0')
        return std::nullopt;
    return number;
}

H2wState h2w_state(std::span<const std::byte, h2w_sector_size> sector, std::uint64_t position) {
    constexpr int tolerated = 2;
    const std::uint64_t first = get_le<std::uint64_t>(sector, 0);
    std::uint64_t expected = first;
    int different = 0;
    for (std::size_t at = sizeof first; at < sector.size(); at += sizeof first) {
        expected = expected * 4294967311U + 17;
        if (get_le<std::uint64_t>(sector, at) != expected) ++different;
    }
    if (different > tolerated) return H2wState::corrupted;
    if (first != position) return H2wState::overwritten;
    return different == 0 ? H2wState::good : H2wState::changed;
}

void H2wCounts::add(H2wState state, std::uint64_t position) {
    constexpr Bytes sector{h2w_sector_size};
    if (state != H2wState::good && !first_lost) first_lost = Bytes{position};
    switch (state) {
        case H2wState::good:
            good += sector;
            return;
        case H2wState::changed:
            changed += sector;
            return;
        case H2wState::overwritten:
            overwritten += sector;
            return;
        case H2wState::corrupted:
            corrupted += sector;
            return;
    }
}

void H2wCounts::add_unreadable(Bytes length, std::uint64_t position) {
    if (!first_lost) first_lost = Bytes{position};
    unreadable += length;
}

} // namespace mediarig::workload
