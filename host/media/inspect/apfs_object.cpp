// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/inspect/apfs.hpp"

namespace mediarig::media {

Result<ApfsObject> parse_apfs_object(Raw block, ApfsType expected) {
    if (block.size() < 4096 || block.size() > 65536 || block.size() % 4096 != 0)
        return fail(Errc::bad_format, fmt::format("block of {} bytes", block.size()));
    const auto stored = load_le<std::uint64_t>(block, 0);
    if (const auto computed = apfs_checksum(block); stored != computed)
        return fail(Errc::bad_format, fmt::format("o_cksum: {:#018x} stored, {:#018x} computed", stored, computed));
    const auto type = static_cast<std::uint16_t>(load_le<std::uint32_t>(block, 0x18));
    if (type != static_cast<std::uint16_t>(expected))
        return fail(Errc::bad_format,
                    fmt::format("o_type: {:#x}, expected {:#x}", type, static_cast<unsigned>(expected)));
    return ApfsObject{
        .oid = load_le<std::uint64_t>(block, 0x08), .xid = load_le<std::uint64_t>(block, 0x10), .type = type};
}

} // namespace mediarig::media
