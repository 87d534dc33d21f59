// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/health/card_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "host/media/identity/medium.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {
namespace {

constexpr std::uint32_t full_percent = 100; ///< percent

std::uint8_t byte_at(HealthPageView page, std::size_t at) {
    return std::to_integer<std::uint8_t>(page[at]);
}

std::string text_at(HealthPageView page, std::size_t at, std::size_t length) {
    std::string raw;
    for (const std::byte byte : page.subspan(at, length)) raw += static_cast<char>(byte);
    return typeable(raw.substr(0, raw.find('\0')));
}

std::string hex_at(HealthPageView page, std::size_t at, std::size_t length) {
    std::string hex;
    for (const std::byte byte : page.subspan(at, length)) hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    return hex;
}

std::uint32_t sum_of(HealthPageView page, std::size_t at, std::size_t length) {
    const auto bytes = page.subspan(at, length);
    return std::accumulate(bytes.begin(), bytes.end(), std::uint32_t{}, [](std::uint32_t sum, std::byte byte) {
        return sum + std::to_integer<std::uint32_t>(byte);
    });
}

auto out_of_range(const char* layout, const char* value) {
    return fail(Errc::bad_format, fmt::format("the {} page has an impossible value: {}", layout, value));
}

bool ordered(std::uint32_t least, std::uint32_t mean, std::uint32_t most) {
    return least <= mean && mean <= most;
}

Result<CardPage> parse_sandisk(HealthPageView page) {
    std::string made = text_at(page, 2, 6);
    const bool digits = made.size() == 6 && std::ranges::all_of(made, [](char c) { return c >= '0' && c <= '9'; });
    if (byte_at(page, 8) == 0) return out_of_range("SanDisk", "life step 0");
    return SanDiskPage{.made = digits ? std::move(made) : std::string(),
                       .life_step = byte_at(page, 8),
                       .feature_revision = byte_at(page, 11),
                       .generation = byte_at(page, 14),
                       .power_ups = load_be<std::uint32_t>(page, 23) & 0x00FF'FFFFu,
                       .product = text_at(page, 49, 32)};
}

Result<CardPage> parse_longsys(HealthPageView page) {
    const auto number = [&](std::size_t at) { return load_le<std::uint32_t>(page, at); };
    if (number(44) > full_percent) return out_of_range("Longsys", "remaining life");
    return LongsysPage{.factory_bad_blocks = number(16),
                       .later_bad_blocks = number(20),
                       .spare_blocks = number(32),
                       .written_sectors = load_le<std::uint64_t>(page, 24),
                       .mean_erases_milli = number(36),
                       .life_left = number(44),
                       .rated_erases = number(52)};
}

Result<CardPage> parse_smi(HealthPageView page, std::string maker) {
    const auto number = [&](std::size_t at) { return load_be<std::uint32_t>(page, at); };
    constexpr std::uint32_t erases_per_unit = 100;
    if (byte_at(page, 0x46) > full_percent) return out_of_range("Silicon Motion", "card life");
    if (!ordered(number(0x20), number(0x2C), number(0x24))) return out_of_range("Silicon Motion", "erase counts");
    // Only Transcend documents this count.
    const std::uint32_t power_losses = maker == "Transcend" ? number(0xA4) : 0;
    return SmiPage{.maker = std::move(maker),
                   .factory_bad_blocks = load_be<std::uint16_t>(page, 0x18),
                   .spare_blocks = load_be<std::uint16_t>(page, 0x1E),
                   .later_bad_blocks = byte_at(page, 0x1A),
                   .erase_least = number(0x20),
                   .erase_most = number(0x24),
                   .erase_total = number(0x28),
                   .erase_mean = number(0x2C),
                   .rated_erases = load_be<std::uint16_t>(page, 0x44) * erases_per_unit,
                   .life_left = byte_at(page, 0x46),
                   .power_ups = number(0x4C),
                   .power_losses = power_losses,
                   .flash_id = hex_at(page, 0x50, 6),
                   .controller = text_at(page, 0x58, 8),
                   .firmware = text_at(page, 0x80, 8)};
}

Result<CardPage> parse_micron(HealthPageView page) {
    return MicronPage{.life_used = byte_at(page, 7), .tlc_used = byte_at(page, 8), .slc_used = byte_at(page, 9)};
}

Result<CardPage> parse_swissbit(HealthPageView page) {
    const auto number = [&](std::size_t at) { return load_be<std::uint32_t>(page, at); };
    if (byte_at(page, 80) > full_percent) return out_of_range("Swissbit", "remaining life");
    if (number(60) > number(52)) return out_of_range("Swissbit", "erase counts");
    return SwissbitPage{.firmware = text_at(page, 32, 16),
                        .rated_erases = number(48),
                        .erase_most = number(52),
                        .erase_total = number(56),
                        .erase_mean = number(60),
                        .system_erase_most = number(68),
                        .system_erase_total = number(72),
                        .system_erase_mean = number(76),
                        .life_left = byte_at(page, 80),
                        .spare_blocks = number(88),
                        .system_spare_blocks = number(92),
                        .later_bad_blocks = number(96),
                        .system_later_bad_blocks = number(100),
                        .power_ups = number(116)};
}

} // namespace

Result<CardPage> parse_card_page(HealthPageView page) {
    if (holds(page, 0, "DS") || holds(page, 0, "DW")) return parse_sandisk(page);
    if (holds(page, 0, "\x70\x58")) return parse_longsys(page);
    if (holds(page, 0, "Transcend")) return parse_smi(page, "Transcend");
    if (holds(page, 0, "\x09\x41")) return parse_smi(page, "ADATA");
    if (holds(page, 0, "ME")) return parse_micron(page);
    if (holds(page, 0, "Sw")) return parse_swissbit(page);
    return fail(Errc::bad_format, fmt::format("the page has an unknown layout and begins with {}", hex_at(page, 0, 8)));
}

Result<PhisonPage> parse_phison_page(HealthPageView page) {
    // First bytes of a flash id (JEDEC JEP106): Toshiba and Kioxia, SanDisk, Intel, Micron, SK hynix, Samsung, YMTC.
    constexpr std::array<std::uint8_t, 7> flash_makers{0x98, 0x45, 0x89, 0x2C, 0xAD, 0xEC, 0x9B};
    constexpr std::string_view kingston_sdce = "983ea8037ae4081600";
    constexpr double hundredths = 100;
    const auto split = [&](std::size_t high, std::size_t low) {
        return std::uint32_t{load_be<std::uint16_t>(page, high)} << 16 | load_be<std::uint16_t>(page, low);
    };
    if (std::ranges::find(flash_makers, byte_at(page, 0)) == flash_makers.end())
        return out_of_range("Phison", "flash id");
    PhisonPage parsed{.flash_id = hex_at(page, 0, 9),
                      .firmware = fmt::format("{}.{}", byte_at(page, 11), byte_at(page, 12)),
                      .spare_blocks = load_be<std::uint16_t>(page, 16),
                      .factory_bad_blocks = sum_of(page, 32, 32),
                      .later_bad_blocks = sum_of(page, 184, 32),
                      .good_blocks = load_be<std::uint16_t>(page, 64) / hundredths,
                      .life_left = load_be<std::uint16_t>(page, 96) / hundredths,
                      .erase_total = load_be<std::uint32_t>(page, 80),
                      .erase_mean = split(104, 98),
                      .erase_least = split(106, 100),
                      .erase_most = split(108, 102),
                      .power_ups = load_be<std::uint32_t>(page, 112),
                      .power_losses = load_be<std::uint16_t>(page, 128)};
    if (parsed.good_blocks > full_percent) return out_of_range("Phison", "good blocks");
    if (parsed.life_left > full_percent) return out_of_range("Phison", "remaining life");
    if (!ordered(parsed.erase_least, parsed.erase_mean, parsed.erase_most))
        return out_of_range("Phison", "erase counts");
    if (parsed.flash_id == kingston_sdce) parsed.written_sectors = load_be<std::uint32_t>(page, 328);
    return parsed;
}

Result<ExtCsdHealth> parse_ext_csd_health(HealthPageView ext_csd) {
    constexpr std::size_t revision = 192;
    constexpr std::uint8_t emmc_5_0 = 7, exceeded = 11, urgent = 3;
    if (byte_at(ext_csd, revision) < emmc_5_0)
        return fail(Errc::bad_format, fmt::format("EXT_CSD revision {} has no health values: eMMC 5.0 is the first",
                                                  byte_at(ext_csd, revision)));
    const ExtCsdHealth parsed{.life_a = byte_at(ext_csd, 268),
                              .life_b = byte_at(ext_csd, 269),
                              .pre_eol = byte_at(ext_csd, 267),
                              .firmware = hex_at(ext_csd, 254, 8)};
    if (parsed.life_a > exceeded || parsed.life_b > exceeded) return out_of_range("EXT_CSD", "life time estimation");
    if (parsed.pre_eol > urgent) return out_of_range("EXT_CSD", "pre-EOL information");
    if (parsed.life_a == 0 && parsed.life_b == 0 && parsed.pre_eol == 0)
        return fail(Errc::bad_format, "the EXT_CSD defines no health values");
    return parsed;
}

} // namespace mediarig::media
