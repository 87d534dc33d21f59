// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/payload/offsets.hpp"

#include <algorithm>
#include <bit>

#include "common/split_mix.hpp"

namespace mediarig::workload {

OffsetStream::OffsetStream(Access access, Bytes block, Bytes span, std::uint64_t seed, Bytes from)
    : block_(block.count),
      blocks_(span / block),
      from_(from.count),
      // Each access has a separate order: reading back in the order of writing would be sequential inside a flash
      // medium, which stores random writes consecutively.
      seed_(seed * 4 + static_cast<std::uint64_t>(access)),
      random_(random(access)),
      mask_(std::bit_ceil(blocks_) - 1),
      shift_((static_cast<unsigned>(std::bit_width(mask_)) + 1) / 2) {
    start_round();
}

void OffsetStream::start_round() {
    SplitMix numbers(seed_ + round_ * 0x632BE59BD9B4E019);
    state_ = numbers.next() & mask_;
    multiplier_ = (numbers.next() & ~std::uint64_t{7}) | 5; // 1 modulo 4: full period, with any odd increment
    increment_ = numbers.next() | 1;
    mixer_ = numbers.next() | 1;
    served_ = 0;
    ++round_;
}

void OffsetStream::fill(std::span<std::uint64_t> offsets) {
    if (random_)
        fill_random(offsets);
    else
        fill_sequential(offsets);
    if (from_ != 0)
        for (std::uint64_t& offset : offsets) offset += from_;
}

void OffsetStream::fill_sequential(std::span<std::uint64_t> offsets) {
    for (std::uint64_t& offset : offsets) {
        offset = served_ * block_;
        if (++served_ == blocks_) served_ = 0;
    }
}

void OffsetStream::fill_random(std::span<std::uint64_t> offsets) {
    for (std::size_t done = 0; done < offsets.size();) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(offsets.size() - done, blocks_ - served_));
        fill_from_round(offsets.subspan(done, count));
        done += count;
        served_ += count;
        if (served_ == blocks_) start_round();
    }
}

void OffsetStream::fill_from_round(std::span<std::uint64_t> offsets) {
    // Local copies: the compiler must assume that a store to `offsets` changes members.
    std::uint64_t state = state_;
    const std::uint64_t multiplier = multiplier_, increment = increment_, mixer = mixer_, mask = mask_,
                        blocks = blocks_, block = block_;
    const unsigned shift = shift_;
    for (std::uint64_t& offset : offsets) {
        std::uint64_t index;
        do {
            state = (state * multiplier + increment) & mask;
            // Each step is invertible, so distinct states stay distinct. Together the steps hide the short periods of
            // the low bits of the sequence.
            index = state ^ (state >> shift);
            index = (index * mixer) & mask;
            index ^= index >> shift;
        } while (index >= blocks);
        offset = index * block;
    }
    state_ = state;
}

} // namespace mediarig::workload
