// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/hfsplus_fork.hpp"

#include <algorithm>

namespace mediarig::media::hfsplus {
namespace {

class Collector {
public:
    Collector(const std::string& title, const VolumeLocation& place, CheckErrors& errors)
        : title_(title), place_(place), complaints_(errors) {}

    /// Returns true if all eight extents are in use, so that more may follow in the overflow file.
    bool take(const HfsPlusExtents& extents) {
        bool ended = false;
        for (const HfsPlusExtent& extent : extents) {
            if (extent.count == 0) {
                ended = true;
                continue;
            }
            if (ended) complaints_.add("{}: an extent follows an unused one", title_);
            if (extent.start >= place_.total_blocks || extent.count > place_.total_blocks - extent.start) {
                complaints_.add("{}: the extent of {} blocks at block {} is outside the volume", title_, extent.count,
                                extent.start);
                broken_ = true;
                return false;
            }
            extents_.push_back(extent);
            blocks_ += extent.count;
        }
        return !ended;
    }
    [[nodiscard]] bool broken() const { return broken_; }
    [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
    [[nodiscard]] std::vector<HfsPlusExtent> result() && { return std::move(extents_); }

private:
    const std::string& title_;
    const VolumeLocation& place_;
    CheckErrors& complaints_;
    std::vector<HfsPlusExtent> extents_;
    std::uint64_t blocks_{};
    bool broken_{};
};

} // namespace

std::vector<HfsPlusExtent> extents_of(const HfsPlusFork& fork, const ForkName& name, const std::string& title,
                                      const VolumeLocation& place, Overflow& overflow, CheckErrors& errors) {
    Collector collector(title, place, errors);
    bool more = collector.take(fork.extents);
    const auto kept = overflow.find(name);
    while (more && kept != overflow.end() && collector.blocks() <= 0xFFFFFFFF) {
        const auto record = kept->second.find(static_cast<std::uint32_t>(collector.blocks()));
        if (record == kept->second.end()) break;
        more = collector.take(record->second);
        kept->second.erase(record);
    }
    if (kept != overflow.end() && kept->second.empty()) overflow.erase(kept);
    if (!collector.broken() && collector.blocks() != fork.total_blocks)
        errors.add("{}: totalBlocks is {}, its extents have {}", title, fork.total_blocks, collector.blocks());
    if (fork.logical_size.count > place.block_size.count * fork.total_blocks)
        errors.add("{}: logicalSize is {}, its {} blocks have no space for it", title, fork.logical_size.count,
                   fork.total_blocks);
    return std::move(collector).result();
}

ForkReader::ForkReader(const VolumeLocation& place, const std::vector<HfsPlusExtent>& extents) : place_(place) {
    parts_.reserve(extents.size());
    for (const HfsPlusExtent& extent : extents) {
        parts_.push_back({.offset = size_, .extent = extent});
        size_ += place.block_size * extent.count;
    }
}

std::vector<ForkReader::Part>::const_iterator ForkReader::part_of(Bytes offset) const {
    const auto after = std::upper_bound(parts_.begin(), parts_.end(), offset,
                                        [](Bytes wanted, const Part& candidate) { return wanted < candidate.offset; });
    return after == parts_.begin() ? after : after - 1;
}

std::optional<Bytes> ForkReader::position_of(Bytes offset) const {
    if (offset >= size_) return std::nullopt;
    const auto part = part_of(offset);
    return place_.start + place_.block_size * part->extent.start + (offset - part->offset);
}

Result<std::vector<std::byte>> ForkReader::read(Bytes offset, Bytes length) const {
    if (offset > size_ || length > size_ - offset)
        return fail(Errc::bad_format,
                    fmt::format("its byte {} is beyond its {} bytes", offset.count + length.count, size_.count));
    std::vector<std::byte> bytes;
    auto part = part_of(offset);
    while (bytes.size() < length.count) {
        const Bytes within = offset + Bytes{bytes.size()} - part->offset;
        const Bytes left = place_.block_size * part->extent.count - within;
        const auto piece = place_.medium.read(place_.start + place_.block_size * part->extent.start + within,
                                              std::min(left, length - Bytes{bytes.size()}));
        if (!piece) return fail(piece.error());
        if (piece->size() == length.count) return *piece; // the usual case: one extent contains the whole range
        bytes.insert(bytes.end(), piece->begin(), piece->end());
        ++part;
    }
    return bytes;
}

} // namespace mediarig::media::hfsplus
