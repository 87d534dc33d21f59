// SPDX-License-Identifier: GPL-3.0-or-later
/// How people read two amounts of data that a sentence compares. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/units.hpp"

namespace mediarig {

struct SizeTexts {
    std::string first, second;
};
/// As size_text() says each; to the byte where it would say the same of both.
[[nodiscard]] SizeTexts size_texts(Bytes first, Bytes second);

/// "suite steady needs 1.05 MB, with 524 kB available"
[[nodiscard]] std::string shortage(std::string_view who, Bytes needed, Bytes available);

/// "a medium of 1.05 MB is too small for exFAT, which takes at least 3.15 MB"
[[nodiscard]] std::string too_small(Bytes medium, std::string_view for_what, Bytes least);

} // namespace mediarig
