// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/verify_check.hpp"

#include <algorithm>

namespace mediarig::workload {
namespace {

Bytes check_sectors(std::span<const std::byte> bytes, std::uint64_t offset, const PayloadSource& payload,
                    DamageMap& damage) {
    if (payload.matches(bytes, offset)) return {bytes.size()};
    Bytes good;
    for (std::size_t at = 0; at < bytes.size(); at += Pattern::sector_size) {
        const auto sector = bytes.subspan(at).first<Pattern::sector_size>();
        if (payload.matches(sector, offset + at)) {
            good += Bytes{sector.size()};
            continue;
        }
        const auto found = payload.diagnose(sector, offset + at);
        damage.add({{offset + at}, {sector.size()}, found.kind, found.belongs_at});
        if (found.kind == DamageKind::foreign &&
            std::all_of(sector.begin(), sector.end(), [&](std::byte b) { return b == sector.front(); }))
            damage.count_blank({sector.size()});
    }
    return good;
}

} // namespace

Bytes check_chunk(const Chunk& chunk, const PayloadSource& payload, DamageMap& damage) {
    Bytes good;
    std::uint64_t at = chunk.offset;
    const auto check_up_to = [&](std::uint64_t end) {
        if (end <= at) return;
        const auto part =
            chunk.bytes.subspan(static_cast<std::size_t>(at - chunk.offset), static_cast<std::size_t>(end - at));
        good += check_sectors(part, at, payload, damage);
    };
    for (const DamagedRange& hole : chunk.unreadable) {
        check_up_to(hole.offset.count);
        damage.add(hole);
        at = (hole.offset + hole.length).count;
    }
    check_up_to(chunk.offset + chunk.bytes.size());
    return good;
}

} // namespace mediarig::workload
