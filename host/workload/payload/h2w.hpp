// SPDX-License-Identifier: GPL-3.0-or-later
/// Data of H2testw 1.4, and of f3 since version 3, which writes the same files. Pure.
///
/// The files 1.h2w, 2.h2w, … have 1 GiB each, except for the last one. A sector of 512 bytes contains 64 little-endian
/// numbers of 64 bits. The first number is the position of the sector in all files; each other number is the previous
/// one * 4294967311 + 17, modulo 2^64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"

namespace mediarig::workload {

inline constexpr Bytes h2w_file_size{std::uint64_t{1} << 30};
inline constexpr std::size_t h2w_sector_size = 512;

/// Returns 7 for "7.h2w"; empty for other names.
[[nodiscard]] std::optional<std::uint64_t> h2w_number(std::string_view name);

/// The classes of f3read.
BOOST_DEFINE_FIXED_ENUM_CLASS(H2wState, std::uint8_t, good,
                              changed,     ///< at most two numbers differ
                              overwritten, ///< a sector of another position, with at most two different numbers
                              corrupted)

struct H2wCounts {
    Bytes good, changed, overwritten, corrupted, unreadable;
    std::optional<Bytes> first_lost{}; ///< position of the first sector that is not good
    [[nodiscard]] Bytes lost() const { return changed + overwritten + corrupted + unreadable; }
    [[nodiscard]] Bytes all() const { return good + lost(); }
    bool operator==(const H2wCounts&) const = default;

    void add(H2wState state, std::uint64_t position);
    void add_unreadable(Bytes length, std::uint64_t position);
};

struct H2wReport {
    H2wCounts counts;
    std::uint64_t files{};
    std::uint64_t missing{};  ///< files before the last one that do not exist
    std::int64_t oldest{};    ///< time of the last change of the oldest file, seconds since 1970
    bool cache_dropped{true}; ///< no file was read from the cache of this host
};

/// `position`: of the sector in all files.
[[nodiscard]] H2wState h2w_state(std::span<const std::byte, h2w_sector_size> sector, std::uint64_t position);

} // namespace mediarig::workload
