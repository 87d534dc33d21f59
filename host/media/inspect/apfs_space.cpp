// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/apfs.hpp"

namespace mediarig::media {
namespace {

std::uint64_t divided_up(std::uint64_t amount, std::uint64_t unit) {
    return amount / unit + (amount % unit == 0 ? 0 : 1);
}

} // namespace

Result<ApfsSpace> parse_apfs_space(Raw block) {
    const auto object = parse_apfs_object(block, ApfsType::space_manager);
    if (!object) return fail(object.error());
    // The main device's record stands at 0x30, the second one's at 0x60.
    const ApfsSpace space{.block_size = load_le<std::uint32_t>(block, 0x20),
                          .blocks_per_chunk = load_le<std::uint32_t>(block, 0x24),
                          .chunks_per_cib = load_le<std::uint32_t>(block, 0x28),
                          .cibs_per_cab = load_le<std::uint32_t>(block, 0x2C),
                          .block_count = load_le<std::uint64_t>(block, 0x30),
                          .chunk_count = load_le<std::uint64_t>(block, 0x38),
                          .cib_count = load_le<std::uint32_t>(block, 0x40),
                          .cab_count = load_le<std::uint32_t>(block, 0x44),
                          .free_blocks = load_le<std::uint64_t>(block, 0x48),
                          .second_block_count = load_le<std::uint64_t>(block, 0x60),
                          .second_free_blocks = load_le<std::uint64_t>(block, 0x78),
                          .pool_blocks = load_le<std::uint64_t>(block, 0x98),
                          .pool_base = load_le<std::uint64_t>(block, 0xB0),
                          .pool_bitmap_base = load_le<std::uint64_t>(block, 0xA8),
                          .pool_bitmap_blocks = load_le<std::uint32_t>(block, 0xA4)};
    if (space.blocks_per_chunk == 0) return fail(Errc::bad_format, "sm_blocks_per_chunk");
    if (space.chunks_per_cib == 0) return fail(Errc::bad_format, "sm_chunks_per_cib");
    if (space.cibs_per_cab == 0) return fail(Errc::bad_format, "sm_cibs_per_cab");
    if (space.chunk_count != divided_up(space.block_count, space.blocks_per_chunk))
        return fail(Errc::bad_format, "sm_chunk_count");
    if (space.cib_count != divided_up(space.chunk_count, space.chunks_per_cib))
        return fail(Errc::bad_format, "sm_cib_count");
    if (space.free_blocks > space.block_count) return fail(Errc::bad_format, "sm_free_count");
    if (space.second_free_blocks > space.second_block_count) return fail(Errc::bad_format, "sm_free_count of SD_TIER2");
    return space;
}

std::optional<std::string> contradiction(const ApfsSpace& space, const ApfsContainer& container) {
    const auto inside = [&container](std::uint64_t base, std::uint64_t blocks) {
        return base < container.block_count && blocks <= container.block_count - base;
    };
    if (space.block_size != container.block_size.count) return "sm_block_size";
    // Addresses of a Fusion drive's second device are counted apart.
    if (container.fusion()) return std::nullopt;
    if (space.block_count != container.block_count) return "sm_block_count";
    if (!inside(space.pool_base, space.pool_blocks)) return "sm_ip_base and sm_ip_block_count";
    if (!inside(space.pool_bitmap_base, space.pool_bitmap_blocks)) return "sm_ip_bm_base and sm_ip_bm_block_count";
    return std::nullopt;
}

} // namespace mediarig::media
