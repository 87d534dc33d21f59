// SPDX-License-Identifier: GPL-3.0-or-later
/// Keys of the three B-trees, and their order. Pure. Source: TN1150, "Catalog File Key", "Extents Overflow File Key",
/// "Attributes File", "Unicode Subtleties".
#pragma once

#include <cstdint>

#include "host/media/inspect/load.hpp"

namespace mediarig::media::hfsplus {

enum class KeyKind : std::uint8_t { extents, catalog_ignoring_case, catalog_binary, attributes };

/// True if `record` begins with a complete key of this kind; all other functions here require that.
[[nodiscard]] bool has_key(KeyKind kind, Raw record);
/// Length of the key, including the two bytes of its length field.
[[nodiscard]] std::size_t key_size(Raw record);

enum class KeyOrder : std::uint8_t { less, equal, greater, undecided };

/// `undecided`: the order depends on case folding of characters outside ASCII, and Apple's table for it is not
/// implemented.
[[nodiscard]] KeyOrder compare(KeyKind kind, Raw a, Raw b);

[[nodiscard]] inline std::uint32_t catalog_parent(Raw key) {
    return load_be<std::uint32_t>(key, 2);
}
/// The UTF-16 units of the name.
[[nodiscard]] inline Raw catalog_name(Raw key) {
    return key.subspan(8, std::size_t{2} * load_be<std::uint16_t>(key, 6));
}

} // namespace mediarig::media::hfsplus
