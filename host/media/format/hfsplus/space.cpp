// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/hfsplus/space.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>

#include "host/media/inspect/hfsplus_bitmap.hpp"

namespace mediarig::media::hfsplus {
namespace {

constexpr Bytes piece_length = 256_KiB; // part of the allocation file read at once

/// Merges consecutive blocks with the same error into one report.
class Differences {
public:
    Differences(CheckErrors& errors, std::function<std::string(std::uint64_t)> owner_of)
        : complaints_(errors), owner_of_(std::move(owner_of)) {}

    void found(std::uint64_t block, bool marked_used) {
        if (run_ && run_->end == block && run_->marked_used == marked_used) {
            ++run_->end;
            return;
        }
        tell();
        run_ = {.begin = block, .end = block + 1, .marked_used = marked_used};
    }
    void tell() {
        if (!run_) return;
        const bool one = run_->end == run_->begin + 1;
        const std::string blocks = one ? fmt::format("block {} is", run_->begin)
                                       : fmt::format("blocks {} to {} are", run_->begin, run_->end - 1);
        complaints_.add("allocation file: {} marked {} and {} to {}", blocks, run_->marked_used ? "used" : "free",
                        one ? "belongs" : "belong", run_->marked_used ? "nobody" : owner_of_(run_->begin));
        run_.reset();
    }

private:
    struct Run {
        std::uint64_t begin, end;
        bool marked_used;
    };
    CheckErrors& complaints_;
    std::function<std::string(std::uint64_t)> owner_of_;
    std::optional<Run> run_;
};

} // namespace

std::string text_of(Owner owner) {
    switch (owner.kind) {
        case OwnerKind::volume_headers:
            return "the volume headers";
        case OwnerKind::bad_blocks:
            return "the bad blocks";
        case OwnerKind::resource_fork:
            return fmt::format("the resource fork of file {}", owner.file);
        case OwnerKind::attribute:
            return fmt::format("an attribute of file {}", owner.file);
        case OwnerKind::data_fork:
            break;
    }
    switch (owner.file) {
        case 3:
            return "the extents overflow file";
        case 4:
            return "the catalog file";
        case 6:
            return "the allocation file";
        case 7:
            return "the startup file";
        case 8:
            return "the attributes file";
        default:
            return fmt::format("the data fork of file {}", owner.file);
    }
}

void Space::add(Owner owner, const std::vector<HfsPlusExtent>& extents) {
    for (const HfsPlusExtent& extent : extents) runs_.push_back({extent, owner});
}

void Space::find_overlaps(CheckErrors& errors) {
    std::ranges::stable_sort(runs_, {}, [](const Run& run) { return run.extent.start; });
    for (std::size_t i = 1; i < runs_.size(); ++i) {
        const Run &before = runs_[i - 1], &after = runs_[i];
        if (std::uint64_t{before.extent.start} + before.extent.count <= after.extent.start) continue;
        errors.add("block {} belongs to {} and to {}", after.extent.start, text_of(before.owner), text_of(after.owner));
    }
}

std::uint64_t Space::settle(const ForkReader& allocation_file, const VolumeLocation& place, CheckErrors& errors) {
    find_overlaps(errors);
    const auto owner_of = [this](std::uint64_t block) {
        auto after = std::upper_bound(runs_.begin(), runs_.end(), block,
                                      [](std::uint64_t wanted, const Run& run) { return wanted < run.extent.start; });
        return after == runs_.begin() ? std::string("nobody") : text_of(std::prev(after)->owner);
    };
    Differences differences(errors, owner_of);
    const Bytes length{(std::uint64_t{place.total_blocks} + 7) / 8};
    std::uint64_t used = 0;
    auto next = runs_.begin(); // first run that may overlap the piece
    for (Bytes at{}; at < length; at += piece_length) {
        const auto piece = allocation_file.read(at, std::min(piece_length, length - at));
        if (!piece) {
            errors.add("allocation file: {}", piece.error().detail);
            break;
        }
        const std::uint64_t first = at.count * 8,
                            blocks = std::min<std::uint64_t>(piece->size() * 8, place.total_blocks - first);
        std::vector<HfsPlusExtent> here;
        for (auto run = next; run != runs_.end() && run->extent.start < first + blocks; ++run) {
            here.push_back(run->extent);
            const bool ends_here = std::uint64_t{run->extent.start} + run->extent.count <= first + blocks;
            if (ends_here && run == next) ++next;
        }
        const std::vector<std::byte> expected = bits_of(here, first, piece->size());
        for (std::size_t i = 0; i < piece->size(); ++i) {
            const auto valid =
                blocks - 8 * i >= 8 ? std::byte{0xFF} : ~(std::byte{0xFF} >> static_cast<int>(blocks - 8 * i));
            const std::byte marked = (*piece)[i] & valid;
            used += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(marked)));
            if (marked == (expected[i] & valid)) continue;
            for (std::uint64_t block = 8 * i; block < std::min(blocks, std::uint64_t{8} * i + 8); ++block)
                if (const bool is_marked = bit(*piece, block); is_marked != bit(expected, block))
                    differences.found(first + block, is_marked);
        }
    }
    differences.tell();
    return used;
}

} // namespace mediarig::media::hfsplus
