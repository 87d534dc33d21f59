// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/sample.hpp"

#include <cstdint>
#include <cstdlib>

namespace mediarig::test {

bool in_sample(unsigned n, std::string_view name) {
    const char* start = std::getenv("MEDIARIG_SAMPLE_START");
    if (start == nullptr || *start == '\0') return true;
    // FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv: the same draw on every machine. tests/emulator/sample.mjs too.
    std::uint32_t hash = 2166136261U;
    const auto add = [&](std::string_view text) {
        for (const unsigned char byte : text) hash = (hash ^ byte) * 16777619U;
    };
    add(start);
    add(name);
    return (hash >> 8) % n == 0;
}

} // namespace mediarig::test
