// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace mediarig {

/// FNV-1a of 32 or 64 bits. Source: http://www.isthe.com/chongo/tech/comp/fnv/
template <std::unsigned_integral Hash>
[[nodiscard]] constexpr Hash fnv1a(std::string_view text) {
    static_assert(sizeof(Hash) == 4 || sizeof(Hash) == 8);
    constexpr bool wide = sizeof(Hash) == 8;
    Hash hash = static_cast<Hash>(wide ? 14695981039346656037ULL : 2166136261ULL);
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * static_cast<Hash>(wide ? 1099511628211ULL : 16777619ULL);
    return hash;
}

} // namespace mediarig
