// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/pieces.hpp"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <array>
#include <cstddef>

namespace mediarig::workload {
namespace {

constexpr std::size_t extents_at_once = 64;

/// Counts the contiguous pieces of a file, in file order.
class Counter {
public:
    void take(std::uint64_t place, std::uint64_t length) {
        if (place != next_ || pieces_ == 0) ++pieces_;
        next_ = place + length;
    }
    [[nodiscard]] std::uint64_t pieces() const { return pieces_; }

private:
    std::uint64_t pieces_{};
    std::uint64_t next_{};
};

std::optional<std::uint64_t> by_extents(int fd) {
    // FIEMAP layout: the extents follow the request.
    alignas(fiemap) std::array<std::byte, sizeof(fiemap) + extents_at_once * sizeof(fiemap_extent)> memory;
    auto& question = *reinterpret_cast<fiemap*>(memory.data());
    const auto* const extents = reinterpret_cast<const fiemap_extent*>(memory.data() + sizeof(fiemap));
    Counter counter;
    std::uint64_t from = 0;
    for (;;) {
        memory.fill(std::byte{0});
        question.fm_start = from;
        question.fm_length = FIEMAP_MAX_OFFSET - from;
        question.fm_extent_count = extents_at_once;
        // Unwritten data has no extent yet. FIEMAP_FLAG_SYNC writes it first.
        question.fm_flags = from == 0 ? FIEMAP_FLAG_SYNC : 0;
        if (::ioctl(fd, FS_IOC_FIEMAP, &question) != 0) return {};
        for (std::uint32_t i = 0; i < question.fm_mapped_extents; ++i) {
            const fiemap_extent& extent = extents[i];
            // Extents inside an inode or without an address do not count as pieces on the medium.
            if ((extent.fe_flags & (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DATA_INLINE)) == 0)
                counter.take(extent.fe_physical, extent.fe_length);
            from = extent.fe_logical + extent.fe_length;
            if ((extent.fe_flags & FIEMAP_EXTENT_LAST) != 0) return counter.pieces();
        }
        if (question.fm_mapped_extents == 0) return counter.pieces();
    }
}

std::optional<std::uint64_t> by_blocks(int fd) {
    struct stat info {};
    int block_size = 0;
    if (::fstat(fd, &info) != 0 || ::ioctl(fd, FIGETBSZ, &block_size) != 0 || block_size <= 0) return {};
    Counter counter;
    const auto blocks = (info.st_size + block_size - 1) / block_size;
    for (std::int64_t i = 0; i < blocks; ++i) {
        int block = static_cast<int>(i);
        if (static_cast<std::int64_t>(block) != i || ::ioctl(fd, FIBMAP, &block) != 0) return {};
        if (block != 0) counter.take(static_cast<std::uint32_t>(block), 1);
    }
    return counter.pieces();
}

} // namespace

std::optional<std::uint64_t> pieces_of(int fd) {
    if (const auto pieces = by_extents(fd)) return pieces;
    return by_blocks(fd);
}

} // namespace mediarig::workload
