// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/sample.hpp"

#include <cstdint>
#include <cstdlib>

namespace mediarig::test {
namespace {

std::string_view start_value() {
    const char* start = std::getenv("MEDIARIG_SAMPLE_START");
    return start == nullptr ? std::string_view() : std::string_view(start);
}

/// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv) gives the same draw on every machine.
/// tests/firmware/emulator/sample.mjs uses it as well.
std::uint32_t draw(std::string_view name) {
    std::uint32_t hash = 2166136261U;
    const auto add = [&](std::string_view text) {
        for (const unsigned char byte : text) hash = (hash ^ byte) * 16777619U;
    };
    add(start_value());
    add(name);
    return hash >> 8;
}

} // namespace

bool is_sample() {
    return !start_value().empty();
}

bool in_sample(unsigned n, std::string_view name) {
    return !is_sample() || draw(name) % n == 0;
}

bool in_lab_part(unsigned part) {
    return !is_sample() || draw("lab") % lab_parts == part;
}

} // namespace mediarig::test
