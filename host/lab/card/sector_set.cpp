// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/sector_set.hpp"

#include <algorithm>
#include <iterator>

namespace mediarig::lab {

void SectorSet::add(const SectorRange& sectors) {
    std::uint64_t first = sectors.first.index;
    std::uint64_t end = sectors.end();
    auto next = ends_.upper_bound(first);
    if (next != ends_.begin() && std::prev(next)->second >= first) --next;
    while (next != ends_.end() && next->first <= end) {
        first = std::min(first, next->first);
        end = std::max(end, next->second);
        next = ends_.erase(next);
    }
    ends_.emplace(first, end);
}

void SectorSet::add_all(const SectorSet& other) {
    for (const auto& [first, end] : other.ends_) add({{first}, end - first});
}

void SectorSet::remove(const SectorRange& sectors) {
    const std::uint64_t first = sectors.first.index;
    const std::uint64_t end = sectors.end();
    auto next = ends_.upper_bound(first);
    if (next != ends_.begin() && std::prev(next)->second > first) --next;
    while (next != ends_.end() && next->first < end) {
        const auto [old_first, old_end] = *next;
        next = ends_.erase(next);
        if (old_first < first) ends_.emplace(old_first, first);
        if (old_end > end) ends_.emplace(end, old_end);
    }
}

std::optional<Lba> SectorSet::first_in(const SectorRange& sectors) const {
    auto next = ends_.upper_bound(sectors.first.index);
    if (next != ends_.begin() && std::prev(next)->second > sectors.first.index) return sectors.first;
    if (next != ends_.end() && next->first < sectors.end()) return Lba{next->first};
    return std::nullopt;
}

std::uint64_t SectorSet::count() const {
    std::uint64_t count = 0;
    for (const auto& [first, end] : ends_) count += end - first;
    return count;
}

} // namespace mediarig::lab
