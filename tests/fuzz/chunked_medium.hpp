// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads a fuzzer's input as a medium of zeros with a few chunks of data, so that an input of a kilobyte can be a
/// volume of gigabytes.
///
///     u8 switches | u32 size, in units of 512 bytes | chunk …
///     chunk: u32 place, in units of 16 bytes | u16 length | that many bytes
///     with bit 15 of the length set: four bytes, which are repeated for the other 15 bits' length
///
/// Numbers are little endian. A truncated input omits the remaining values.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::fuzz {

/// Keeps freed memory between inputs, because returning it to the kernel and requesting it again takes longer than many
/// inputs.
inline const bool heap_is_kept = ::mallopt(M_TRIM_THRESHOLD, 1 << 28) == 1 && ::mallopt(M_MMAP_THRESHOLD, 1 << 28) == 1;

class ChunkedMedium {
public:
    ChunkedMedium(const std::uint8_t* data, std::size_t size) {
        const media::Raw input = std::as_bytes(std::span(data, size));
        if (input.size() < header) return;
        switches_ = data[0];
        medium_.size = Bytes{media::load_le<std::uint32_t>(input, 1)} * 512;
        for (std::size_t at = header; at + chunk_header <= input.size() && chunks_.size() < most_chunks;) {
            const Bytes place = Bytes{media::load_le<std::uint32_t>(input, at)} * 16;
            const auto length = media::load_le<std::uint16_t>(input, at + 4);
            at += chunk_header;
            at += length >= repeated ? repeat(place, length - repeated, input.subspan(at))
                                     : copy(place, length, input.subspan(at));
        }
    }

    /// Bits for free use by a target.
    [[nodiscard]] bool asks_for(unsigned bit) const { return (switches_ >> bit & 1u) != 0; }
    [[nodiscard]] Bytes size() const { return medium_.size; }
    /// A reader with a small budget: larger reads are slow and give no new coverage.
    [[nodiscard]] media::MediumReader reader() const {
        media::MediumReader reader(medium_);
        reader.limit_to(asks_for(7) ? 512_KiB : 64_KiB);
        return reader;
    }
    /// `length` bytes at `at`, empty if they are outside.
    [[nodiscard]] std::vector<std::byte> bytes(Bytes at, Bytes length) const {
        auto raw = media::MediumReader(medium_).read(at, length);
        return raw ? std::move(*raw) : std::vector<std::byte>{};
    }
    /// Overwrites the present bytes.
    void put(Bytes at, std::vector<std::byte> bytes) {
        chunks_.push_back(std::move(bytes));
        medium_.pieces.push_back({at, chunks_.back()});
    }
    void put(Bytes at, std::uint64_t value, std::size_t width) {
        std::vector<std::byte> bytes(width);
        for (std::size_t i = 0; i < width; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
        put(at, std::move(bytes));
    }
    /// Offsets of the input's chunks.
    [[nodiscard]] std::vector<Bytes> places() const {
        std::vector<Bytes> places;
        for (const media::MemoryMedium::Piece& piece : medium_.pieces) places.push_back(piece.at);
        return places;
    }

private:
    static constexpr std::size_t header = 5, chunk_header = 6, most_chunks = 64;
    static constexpr std::size_t repeated = 0x8000;

    std::size_t copy(Bytes place, std::size_t length, media::Raw input) {
        const media::Raw bytes = input.first(std::min(length, input.size()));
        put(place, {bytes.begin(), bytes.end()});
        return bytes.size();
    }
    std::size_t repeat(Bytes place, std::size_t length, media::Raw input) {
        if (input.size() < 4) return input.size();
        std::vector<std::byte> bytes(length);
        // The pattern is doubled from the start, because copying byte by byte would take longer than the tested reader.
        std::copy_n(input.begin(), std::min<std::size_t>(4, length), bytes.begin());
        for (std::size_t done = 4; done < length; done *= 2)
            std::copy_n(bytes.begin(), std::min(done, length - done),
                        bytes.begin() + static_cast<std::ptrdiff_t>(done));
        put(place, std::move(bytes));
        return 4;
    }

    std::uint8_t switches_{};
    media::MemoryMedium medium_;
    std::deque<std::vector<std::byte>> chunks_; ///< keeps the addresses of its elements
};

} // namespace mediarig::fuzz
