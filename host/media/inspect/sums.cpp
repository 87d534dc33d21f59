// SPDX-License-Identifier: GPL-3.0-or-later
/// Checksums and counts over large ranges, for all formats. In a separate file that is built without the fuzzers'
/// instrumentation, because these functions take most of the time and their branches are irrelevant to fuzzing.
#include <zlib.h>

#include <algorithm>
#include <bit>

#include "host/media/inspect/apfs.hpp"
#include "host/media/inspect/exfat.hpp"
#include "host/media/inspect/fat.hpp"
#include "host/media/inspect/hfsplus.hpp"
#include "host/media/inspect/partition_table.hpp"

namespace mediarig::media {
namespace {

std::uint32_t add_to_checksum(std::uint32_t sum, Raw bytes) {
    for (const std::byte byte : bytes) sum = std::rotr(sum, 1) + std::to_integer<std::uint32_t>(byte);
    return sum;
}

} // namespace

bool all_equal(Raw raw, std::byte value) {
    return std::all_of(raw.begin(), raw.end(), [value](std::byte byte) { return byte == value; });
}

std::uint32_t exfat_boot_checksum(Raw eleven_sectors) {
    // VolumeFlags and PercentInUse change with use.
    constexpr std::size_t flags = 106, percent = 112, behind = 113;
    std::uint32_t sum = add_to_checksum(0, eleven_sectors.first(flags));
    sum = add_to_checksum(sum, eleven_sectors.subspan(flags + 2, percent - flags - 2));
    return add_to_checksum(sum, eleven_sectors.subspan(behind));
}

std::uint32_t exfat_table_checksum(Raw table) {
    return add_to_checksum(0, table);
}

std::uint64_t count_free_clusters(Raw bitmap, std::uint64_t clusters) {
    std::uint64_t used = 0;
    const std::uint64_t whole = clusters / 8;
    for (std::uint64_t i = 0; i < whole; ++i)
        used += static_cast<std::uint64_t>(std::popcount(std::to_integer<std::uint8_t>(bitmap[i])));
    if (const auto rest = clusters % 8; rest > 0) {
        const auto last = std::to_integer<unsigned>(bitmap[whole]) & ((1u << rest) - 1);
        used += static_cast<std::uint64_t>(std::popcount(last));
    }
    return clusters - used;
}

FatCount count_fat_entries(Raw entries, unsigned bits) {
    FatCount count;
    const std::size_t width = bits / 8;
    const std::uint32_t bad = bits == 16 ? 0xFFF7 : 0x0FFFFFF7;
    for (std::size_t at = 0; at + width <= entries.size(); at += width) {
        const std::uint32_t entry =
            bits == 16 ? load_le<std::uint16_t>(entries, at) : load_le<std::uint32_t>(entries, at) & 0x0FFFFFFF;
        count.free += entry == 0 ? 1 : 0;
        count.bad += entry == bad ? 1 : 0;
    }
    return count;
}

std::uint64_t count_free_fat12(Raw fat, std::uint64_t clusters) {
    std::uint64_t free = 0;
    for (std::uint64_t n = 2; n < clusters + 2; ++n) {
        const std::uint32_t pair = load_le<std::uint16_t>(fat, static_cast<std::size_t>(n + n / 2));
        free += ((n % 2 == 0 ? pair : pair >> 4) & 0xFFF) == 0 ? 1 : 0;
    }
    return free;
}

std::uint32_t hfs_plus_journal_checksum(Raw header) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < hfs_plus_journal_header_length; ++i) {
        const bool checksum_itself = i >= 0x24 && i < 0x28;
        sum = (sum << 8) ^ (sum + (checksum_itself ? 0 : std::to_integer<std::uint32_t>(header[i])));
    }
    return ~sum;
}

std::uint64_t apfs_checksum(Raw block) {
    constexpr std::uint64_t modulus = 0xFFFFFFFF;
    // Reduce only every thousand words: until then the second sum stays below 2^53.
    constexpr std::size_t stretch = 1000 * 4;
    std::uint64_t first = 0, second = 0;
    for (std::size_t begin = 8; begin < block.size(); begin += stretch) {
        const std::size_t end = std::min(begin + stretch, block.size());
        for (std::size_t at = begin; at + 4 <= end; at += 4) {
            first += load_le<std::uint32_t>(block, at);
            second += first;
        }
        first %= modulus;
        second %= modulus;
    }
    const std::uint64_t low = modulus - (first + second) % modulus;
    const std::uint64_t high = modulus - (first + low) % modulus;
    return high << 32 | low;
}

std::uint32_t crc32(Raw bytes) {
    return static_cast<std::uint32_t>(
        ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())); // byte type of zlib
}

} // namespace mediarig::media
