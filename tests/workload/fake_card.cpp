// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/workload/fake_card.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/split_mix.hpp"

namespace mediarig::tests {

using OverflowBehaviour = FakeCardSpec::OverflowBehaviour;

std::uint64_t FakeCard::folded(std::uint64_t offset) const {
    if (memory) return memory(offset);
    if (spec_.modulus.count != 0) return offset % spec_.modulus.count;
    return spec_.beyond == OverflowBehaviour::wrap ? offset % spec_.real.count : offset;
}

void FakeCard::store(std::uint64_t place, std::span<const std::byte> sector) {
    auto& page = pages_[place / sizeof(Page)];
    if (!page) {
        page = std::make_unique<Page>();
        const std::uint64_t begin = place / sizeof(Page) * sizeof(Page);
        for (std::size_t i = 0; i < page->size(); ++i) (*page)[i] = old(begin + i);
    }
    std::memcpy(page->data() + place % sizeof(Page), sector.data(), sector.size());
}

void FakeCard::load(std::uint64_t place, std::span<std::byte> sector) const {
    const auto page = pages_.find(place / sizeof(Page));
    if (page != pages_.end())
        std::memcpy(sector.data(), page->second->data() + place % sizeof(Page), sector.size());
    else
        for (std::size_t i = 0; i < sector.size(); ++i) sector[i] = old(place + i);
}

void FakeCard::put_in_cache(std::uint64_t offset, std::span<const std::byte> sector) {
    auto& [when, content] = cached_[offset];
    when = ++time_;
    std::copy(sector.begin(), sector.end(), content.begin());
    order_.emplace_back(when, offset);
    while (cached_.size() * unit > spec_.cache.count) {
        const auto [then, oldest] = order_.front();
        order_.pop_front();
        const auto found = cached_.find(oldest);
        if (found != cached_.end() && found->second.first == then) cached_.erase(found);
    }
}

int FakeCard::write(std::span<const std::byte> bytes, std::uint64_t offset) {
    if (when_written) when_written(offset);
    if (vanished) return no_device;
    if (offset % spec_.sector.count != 0 || bytes.size() % spec_.sector.count != 0) return EINVAL;
    if (offset + bytes.size() > spec_.claimed.count) return ENOSPC;
    written += bytes.size();
    for (std::size_t at = 0; at < bytes.size(); at += unit) {
        const auto sector = bytes.subspan(at, unit);
        const std::uint64_t here = offset + at;
        const std::uint64_t place = folded(here);
        const bool kept = place < spec_.real.count;
        if (bad.contains(here) || (!kept && spec_.beyond == OverflowBehaviour::errors)) return EIO;
        if (spec_.cache.count > 0 && (!kept || spec_.caches == FakeCardSpec::Caches::everything))
            put_in_cache(here, sector);
        if (kept && !read_only && written <= stores_until && loses_once.erase(here) == 0) store(place, sector);
    }
    return 0;
}

void FakeCard::read_beyond(std::span<std::byte> sector, std::uint64_t offset) {
    switch (spec_.beyond) {
        case OverflowBehaviour::drop_ones:
            std::fill(sector.begin(), sector.end(), std::byte{0xff});
            break;
        case OverflowBehaviour::drop_old:
            load(offset % spec_.real.count, sector);
            break;
        case OverflowBehaviour::garbage:
        case OverflowBehaviour::garbage_anew: {
            SplitMix noise(spec_.beyond == OverflowBehaviour::garbage ? offset : offset ^ (++time_ << 40));
            for (std::byte& b : sector) b = static_cast<std::byte>(noise.next());
            break;
        }
        default:
            std::fill(sector.begin(), sector.end(), std::byte{0});
    }
}

int FakeCard::read(std::span<std::byte> bytes, std::uint64_t offset) {
    if (vanished) return no_device;
    if (offset % spec_.sector.count != 0 || bytes.size() % spec_.sector.count != 0) return EINVAL;
    for (std::size_t at = 0; at < bytes.size(); at += unit) {
        const auto sector = bytes.subspan(at, unit);
        const std::uint64_t here = offset + at;
        const std::uint64_t place = folded(here);
        const bool kept = place < spec_.real.count;
        if (bad.contains(here)) return EIO;
        if (const auto found = cached_.find(here); found != cached_.end()) {
            std::copy(found->second.second.begin(), found->second.second.end(), sector.begin());
            continue;
        }
        if (!kept && (spec_.beyond == OverflowBehaviour::errors || spec_.beyond == OverflowBehaviour::read_errors))
            return EIO;
        if (kept)
            load(place, sector);
        else
            read_beyond(sector, here);
    }
    return 0;
}

} // namespace mediarig::tests
