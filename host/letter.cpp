// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/letter.hpp"

#include <algorithm>
#include <array>

namespace mediarig {
namespace {

struct LetterRange {
    char32_t first{}, last{};
};

constexpr std::array letters{
    LetterRange{0xAA, 0xAA},     LetterRange{0xB5, 0xB5},       LetterRange{0xBA, 0xBA}, // Latin
    LetterRange{0xC0, 0xD6},     LetterRange{0xD8, 0xF6},       LetterRange{0xF8, 0x2AF},
    LetterRange{0x300, 0x34E},   LetterRange{0x350, 0x36F}, // accents, as macOS writes them
    LetterRange{0x386, 0x386},   LetterRange{0x388, 0x3F5}, // Greek
    LetterRange{0x3F7, 0x481},   LetterRange{0x48A, 0x52F}, // Cyrillic
    LetterRange{0x531, 0x556},   LetterRange{0x561, 0x587}, // Armenian
    LetterRange{0x900, 0x963},   LetterRange{0x966, 0x96F},     LetterRange{0x971, 0xDFF}, // India and Sri Lanka
    LetterRange{0xE01, 0xE3A},   LetterRange{0xE40, 0xE4E},     LetterRange{0xE50, 0xE59}, // Thai
    LetterRange{0xE81, 0xEDF},                                                             // Lao
    LetterRange{0x10A0, 0x10FA}, LetterRange{0x10FC, 0x10FF},                              // Georgian
    LetterRange{0x1E00, 0x1FBC},                                                           // more of Latin and Greek
    LetterRange{0x3005, 0x3007}, LetterRange{0x3041, 0x3096},                              // Japanese
    LetterRange{0x30A1, 0x30FA}, LetterRange{0x30FC, 0x30FE},   LetterRange{0x3400, 0x4DBF},
    LetterRange{0x4E00, 0x9FFF}, LetterRange{0x20000, 0x2FA1F}, // Chinese
    LetterRange{0xAC00, 0xD7A3},                                // Korean
};

} // namespace

bool is_letter_beyond_ascii(char32_t c) {
    return std::ranges::any_of(letters, [c](const LetterRange& range) { return c >= range.first && c <= range.last; });
}

} // namespace mediarig
