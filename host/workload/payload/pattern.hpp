// SPDX-License-Identifier: GPL-3.0-or-later
/// Self-describing payload: every 512-byte sector contains the offset, the start value and the generation of its write,
/// even after some of its bits are flipped.
///
/// A sector is 32 cells of 16 bytes. A cell is (all little-endian)
///     bytes 0-7   (offset / 16) * spread       the cell's own place; spread is odd, so it can be undone
///     bytes 8-11  generation
///     bytes 12-15 tag                          made from the start value
/// encrypted by two AES rounds with keys derived from the start value. Two rounds make the cell incompressible, are
/// invertible, and run at memory speed on processors with AES instructions; portable code gives the same bytes
/// elsewhere. Rejected: a linear congruential sequence as in f3 (a third of the speed, and only the first 8 bytes of a
/// sector contain its place) and a keyed hash (not invertible, so a misplaced sector would only be "wrong").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "common/units.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

class Pattern {
public:
    static constexpr std::size_t cell_size = 16;
    static constexpr std::size_t sector_size = 512;
    enum class Code : std::uint8_t { aes_instructions, portable };
    using Block = std::array<std::uint8_t, cell_size>;

    Pattern(std::uint64_t seed, std::uint32_t generation) : Pattern(seed, generation, fastest()) {}
    /// Requires a `code` that this processor can run. Every `code` gives the same bytes.
    Pattern(std::uint64_t seed, std::uint32_t generation, Code code);
    [[nodiscard]] static Code fastest();

    /// Requires that offset and size are multiples of 512.
    void fill(std::span<std::byte> buffer, std::uint64_t offset) const;
    /// Returns true if every byte is correct; the fast path of verifying. Same requirements as fill.
    [[nodiscard]] bool matches(std::span<const std::byte> buffer, std::uint64_t offset) const;

    struct Diagnosis {
        DamageKind kind{};
        std::optional<Bytes> belongs_at; ///< offset where the sector belongs; only for misplaced sectors
    };
    /// Classifies one sector that does not match. Never returns unreadable.
    [[nodiscard]] Diagnosis diagnose(std::span<const std::byte, sector_size> sector, std::uint64_t offset) const;

    /// The contents of a decoded cell.
    struct Place {
        std::uint64_t offset{};
        std::uint32_t generation{};
    };
    /// Returns nothing if these 16 bytes are no cell of this start value.
    [[nodiscard]] std::optional<Place> read_cell(std::span<const std::byte, cell_size> cell) const;
    /// Returns the place of the first byte, on which two cells agree: a single cell may match by chance. `bytes`: whole
    /// cells.
    [[nodiscard]] std::optional<Place> stamp_in(std::span<const std::byte> bytes) const;
    /// The 16 bytes of the cell at `offset`, a multiple of 16.
    [[nodiscard]] Block make_cell(std::uint64_t offset) const;

    struct Keys {
        Block whitening, first, second;
        std::uint64_t spread;
        std::uint32_t generation, tag;
    };

private:
    Keys keys_;
    Code code_;
};

/// Number of bits that differ. Requires equal sizes.
[[nodiscard]] int different_bits(std::span<const std::byte> a, std::span<const std::byte> b);

} // namespace mediarig::workload

namespace mediarig::workload::detail {

/// The two implementations of Pattern. Inner part.
struct PatternCode {
    void (*fill)(const Pattern::Keys&, std::span<std::byte>, std::uint64_t offset);
    bool (*matches)(const Pattern::Keys&, std::span<const std::byte>, std::uint64_t offset);
    /// The inverse of the encryption of a cell: its place, generation and tag.
    Pattern::Block (*decode)(const Pattern::Keys&, std::span<const std::byte, Pattern::cell_size>);
};

extern const PatternCode portable_code;
/// Null pointers if the target has no such instructions; call only if aes_instructions_present().
extern const PatternCode aes_code;
[[nodiscard]] bool aes_instructions_present();

} // namespace mediarig::workload::detail
