// SPDX-License-Identifier: GPL-3.0-or-later
/// Health pages of real cards from public sources. "Recorded" pages are published bytes; "rebuilt" pages contain the
/// published decoded values at the offsets of the layout, because their bytes are not published.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "host/media/identity/health/card_pages.hpp"

namespace mediarig::test {

using media::HealthPage;

/// Copies hexadecimal digits, with or without spaces, to an offset of the page.
inline void put_hex(HealthPage& page, std::size_t at, std::string_view hex) {
    unsigned digits = 0, value = 0;
    for (const char c : hex) {
        if (c == ' ' || c == '\n') continue;
        value = value << 4 | static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        if (++digits % 2 == 0) page.at(at++) = static_cast<std::byte>(value & 0xFF);
    }
}
inline HealthPage page_of(std::initializer_list<std::pair<std::size_t, std::string_view>> parts) {
    HealthPage page{};
    for (const auto& [at, hex] : parts) put_hex(page, at, hex);
    return page;
}

/// Recorded: Western Digital Industrial, argument 1. Source: github.com/Ognian/sdmon issue 16; all other bytes are 0.
inline HealthPage western_digital() {
    return page_of({{0,
                     "44 57 32 30 30 37 31 30 01 01 01 1F 00 00 06 01 01 0C 44 4D 00 00 00 00 00 00 11 00 03 03 03 02"
                     "02 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 57 65 73 74 65 72 6E 20 44 69 67 69 74 61 6C"
                     "20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20"}});
}

/// Recorded: Transcend, argument 0x110005F9. Source: smtbuffer.png in
/// github.com/transcend-information/RaspberryPi_NVIDIAJetson-SDcard-SMARTQuery; all other bytes are 0.
inline HealthPage transcend() {
    return page_of(
        {{0,
          "54 72 61 6e 73 63 65 6e 64 00 00 00 00 00 00 00 10 00 04 01 08 00 00 00 00 0b 00 22 00 00 00 c0"
          "00 00 00 00 00 00 00 05 00 00 06 1d 00 00 00 00 00 00 00 05 00 00 00 85 00 00 0d 9b 00 00 00 66"
          "00 00 e9 81 00 1e 64 18 00 00 00 00 00 00 00 59 45 3e 98 03 76 6c 74 01 53 4d 32 37 30 36 20 20"
          "00 00 00 00 00 00 00 00 00 00 03 e8 00 00 07 d0 00 26 ff ff ff ff ff ff ff ff ff ff ff ff ff ff"
          "55 31 31 31 35 20 00 00 00 00 00 00 00 00 00 00 74 4a 60 55 53 44 55 31 20 15 04 c3 f7 01 82 73"}});
}

/// Recorded: sector 0 as the answer of a card sold as "LD". Source: github.com/Ognian/sdmon issue 18; the partition
/// table is not published.
inline HealthPage boot_sector_of_ld() {
    return page_of({{0,
                     "FA B8 00 10 8E D0 BC 00 B0 B8 00 00 8E D8 8E C0 FB BE 00 7C BF 00 06 B9 00 02 F3 A4 EA 21 06 00"
                     "00 BE BE 07 38 04 75 0B 83 C6 10 81 FE FE 07 75 F3 EB 16 B4 02 B0 01 BB 00 7C B2 80 8A 74 01 8B"
                     "4C 02 CD 13 EA 00 7C 00 00 EB FE"},
                    {510, "55 AA"}});
}

/// Rebuilt: new Swissbit S-56u, argument 0x53420001. Source: github.com/Ognian/sdmon pull request 19, which prints most
/// values as bytes.
inline HealthPage swissbit() {
    return page_of({{0, "53 77"},
                    {32, "57 30 31 31 32 20 20 20 20 20 20 20 20 20 20 20"},
                    {48, "00 01 86 a0 00 00 00 03 00 00 08 b6 00 00 00 01"},
                    {68, "00 00 00 01 00 00 00 28 00 00 00 00"},
                    {80, "63"},
                    {86, "18 10 00 00 01 e2 00 00 00 63"},
                    {116, "00 00 00 13"}});
}

/// Rebuilt: new ADATA IUDD33K 64 GB, argument 0x110005F1. Source: github.com/Ognian/sdmon pull request 22.
inline HealthPage adata() {
    return page_of({{0, "09 41"},
                    {24, "00 0a 00 22 00 00 00 00"},
                    {32, "00 00 00 00 00 00 00 01 00 00 00 02 00 00 00 00"},
                    {48, "00 00 00 00 00 00 00 01 00 00 00 0b 00 00 00 00"},
                    {64, "00 00 eb bf 00 1e 64"},
                    {76, "00 00 00 08 45 3e 98 03 76 64 1d 00 53 4d 32 37 30 36"},
                    {128, "56 30 32 31 37 20"}});
}

/// Rebuilt: new Micron i400, argument 0x110005FB. Source: github.com/Ognian/sdmon issue 15.
inline HealthPage micron() {
    return page_of({{0, "4d 45"}, {7, "01"}});
}

/// Rebuilt: new Kingston SDCE 256 GB, two-step request. Source: github.com/Ognian/sdmon issue 30.
inline HealthPage kingston_sdce() {
    return page_of({{0, "98 3e a8 03 7a e4 08 16 00 20 25 13 8f 00 04 00 00 0c"},
                    {32, "18"},
                    {64, "26 fd"},
                    {80, "00 00 00 42"},
                    {96, "27 0d 00 01 00 01 00 01"},
                    {112, "00 00 00 10"}});
}

/// Rebuilt: Kingston SDCIT2, two-step request. Source: readme of github.com/Ognian/sdmon.
inline HealthPage kingston_sdcit2() {
    return page_of({{0, "98 3c 98 b3 f6 e3 08 1e 00 1f c3 26 f0 00 01 00 00 0c"},
                    {32, "0c"},
                    {64, "26 d2"},
                    {80, "00 00 06 ab"},
                    {96, "27 10 00 01 00 01 00 0d"},
                    {112, "00 00 00 2e"},
                    {176, "70 53 4c 43"}});
}

/// Rebuilt: new VIOFO Industrial 32 GB, two-step request. Source: github.com/Ognian/sdmon issue 13.
inline HealthPage viofo() {
    return page_of({{0, "89 a4 08 32 a1 00 00 00 00 1f c3 11 9c 00 01 00 00 0d"},
                    {32, "0d"},
                    {64, "26 8f"},
                    {80, "00 00 00 02"},
                    {96, "27 0a 00 01 00 01 00 01"},
                    {112, "00 00 00 0b"}});
}

/// Longsys, argument 1. No page is published: values chosen for this test at the offsets of the layout.
inline HealthPage longsys() {
    return page_of({{0, "70 58"},
                    {16, "05 00 00 00 02 00 00 00"},
                    {24, "00 00 00 04 00 00 00 00"},
                    {32, "2c 01 00 00 dc 05 00 00"},
                    {44, "61 00 00 00"},
                    {52, "b8 0b 00 00"}});
}

/// Built from JESD84-B51: an EXT_CSD of eMMC 5.1 with the life time codes A and B.
inline HealthPage ext_csd(unsigned life_a, unsigned life_b, unsigned pre_eol) {
    HealthPage page{};
    page[192] = std::byte{8};
    page[254] = std::byte{0x31};
    page[267] = static_cast<std::byte>(pre_eol);
    page[268] = static_cast<std::byte>(life_a);
    page[269] = static_cast<std::byte>(life_b);
    return page;
}

} // namespace mediarig::test
