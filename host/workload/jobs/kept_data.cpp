// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/kept_data.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "host/workload/io/platform/buffer.hpp"

namespace mediarig::workload {

Result<std::optional<DataLabel>> find_label(ReadableMedium& medium) {
    constexpr std::uint64_t label_places = 256;
    const std::uint64_t places = medium.size().count / DataLabel::every.count;
    const std::size_t length = static_cast<std::size_t>(std::max(medium.sector(), 4_KiB).count);
    auto buffer = TransferBuffer::allocate(length);
    if (!buffer) return fail(buffer.error());
    std::map<DataLabel, std::uint64_t> seen;
    for (std::uint64_t i = 0; i < std::min(places, label_places); ++i) {
        const std::uint64_t offset =
            (places <= label_places ? i : i * (places - 1) / (label_places - 1)) * DataLabel::every.count;
        const int error = medium.read(buffer->bytes().first(length), offset);
        if (error != 0 && medium.gone(error))
            return fail(Errc::no_medium, "the medium vanished or stopped answering during the search for data");
        if (error != 0) continue;
        if (auto found = label_in(std::span<const std::byte>(buffer->bytes()).first<Pattern::sector_size>()))
            ++seen[std::move(found->label)];
    }
    const auto most =
        std::ranges::max_element(seen, {}, [](const auto& each) { return std::pair(each.second, each.first.written); });
    return most == seen.end() ? std::optional<DataLabel>{} : most->first;
}

KeptDataCheck::KeptDataCheck(DataLabel label, Bytes medium)
    : label_(std::move(label)),
      end_(std::min(label_.end, medium)),
      payload_({.kind = PayloadKind::incompressible, .seed = label_.seed, .given = {}}, label_.generation, label_) {
    result_.medium = label_.medium;
    result_.size = label_.size;
    result_.start = label_.start;
    result_.end = label_.end;
    result_.written_at = label_.written;
}

void KeptDataCheck::add(std::span<const std::byte> bytes, Bytes offset) {
    const Bytes begin = std::max(offset, label_.start), end = std::min(offset + Bytes{bytes.size()}, end_);
    for (Bytes at = begin; at < end; at += Bytes{Pattern::sector_size}) {
        const auto sector = bytes.subspan(static_cast<std::size_t>((at - offset).count)).first<Pattern::sector_size>();
        const std::uint64_t position = (at - label_.start).count;
        if (at == begin) {
            // The fast path: all sectors are good.
            const auto all = bytes.subspan(static_cast<std::size_t>((begin - offset).count),
                                           static_cast<std::size_t>((end - begin).count));
            if (payload_.matches(all, position)) {
                result_.good += end - begin;
                return;
            }
        }
        if (payload_.matches(sector, position)) {
            result_.good += Bytes{sector.size()};
            continue;
        }
        const auto found = payload_.diagnose(sector, position);
        std::optional<Bytes> belongs_at;
        if (found.belongs_at) belongs_at = *found.belongs_at + label_.start;
        damage_.add({at, {sector.size()}, found.kind, belongs_at});
    }
}

void KeptDataCheck::add_unreadable(Bytes offset, Bytes length) {
    const Bytes begin = std::max(offset, label_.start), end = std::min(offset + length, end_);
    if (begin < end) damage_.add({begin, end - begin, DamageKind::unreadable, std::nullopt});
}

KeptData KeptDataCheck::take() {
    result_.damaged = damage_.ranges();
    result_.damaged_bytes = damage_.total();
    for (const DamagedRange& range : result_.damaged)
        if (range.kind == DamageKind::foreign) result_.foreign_bytes += range.length;
    return std::move(result_);
}

} // namespace mediarig::workload
