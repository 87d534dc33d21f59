// SPDX-License-Identifier: GPL-3.0-or-later
/// Health pages of SD cards, read by CMD56 (GEN_CMD), and the health bytes of an eMMC's EXT_CSD. The SD specification
/// leaves the content of CMD56 to the maker; the layouts are those of published documents and programs, named at each
/// struct. Pure; a parser fails with bad_format if the signature is missing or a value is out of range.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig::media {

inline constexpr std::size_t health_page_length = 512;
using HealthPage = std::array<std::byte, health_page_length>;
using HealthPageView = std::span<const std::byte, health_page_length>;

/// SanDisk and Western Digital (Industrial, WD Purple), argument 0x00000001, signature "DS" or "DW". Source: Western
/// Digital's description as implemented in sdmon (github.com/Ognian/sdmon), and the page in its issue 16.
struct SanDiskPage {
    std::string made;         ///< "YYMMDD"; empty if not six digits
    std::uint8_t life_step{}; ///< share of the written amount for which the card is rated; 1: 0.0 to 0.99 %, 100: 99.0
                              ///< to 99.99 %; larger values are valid
    std::uint8_t feature_revision{}, generation{};
    std::uint32_t power_ups{};
    std::string product; ///< at most 32 characters
    bool operator==(const SanDiskPage&) const = default;
};

/// Longsys and Lexar, argument 0x00000001, signature 70 58. Numbers are little-endian. Source: sdmon; its issue 13
/// shows wrong values of a program that reads this page as SanDisk's.
struct LongsysPage {
    std::uint32_t factory_bad_blocks{}, later_bad_blocks{}, spare_blocks{};
    std::uint64_t written_sectors{};   ///< of 512 bytes
    std::uint32_t mean_erases_milli{}; ///< thousandths of an erase
    std::uint32_t life_left{};         ///< percent, 0 to 100
    std::uint32_t rated_erases{};
    bool operator==(const LongsysPage&) const = default;
};

/// Controllers of Silicon Motion: Transcend, arguments 0x110005F9 and 0x110005F1, signature "Transcend", and ADATA,
/// 0x110005F1, signature 09 41. Source: Transcend, "SMART Data Structure", table 23 of the microSD data sheets (in
/// github.com/transcend-information/RaspberryPi_NVIDIAJetson-SDcard-SMARTQuery); the counts of the system area, the raw
/// capacity and the factory's bad blocks: sdmon, consistent with Transcend's published page. Cards below 8 GB have
/// another layout.
struct SmiPage {
    std::string maker; ///< "Transcend" or "ADATA"
    std::uint16_t factory_bad_blocks{}, spare_blocks{};
    std::uint8_t later_bad_blocks{};
    std::uint32_t erase_least{}, erase_most{}, erase_total{}, erase_mean{}; ///< data area
    std::uint32_t rated_erases{};                                           ///< erases per block
    std::uint8_t life_left{};                                               ///< percent, 0 to 100
    std::uint32_t power_ups{}, power_losses{};
    std::string flash_id;   ///< six bytes in hexadecimal
    std::string controller; ///< "SM2706"
    std::string firmware;   ///< "U1115"
    bool operator==(const SmiPage&) const = default;
};

/// Micron, argument 0x110005FB, signature "ME". Source: Micron, TN-SD-02, "Enabling SD card health monitor", as
/// implemented in sdmon.
struct MicronPage {
    std::uint8_t life_used{};            ///< percent
    std::uint8_t tlc_used{}, slc_used{}; ///< percent of the rated erases of each area
    bool operator==(const MicronPage&) const = default;
};

/// Swissbit, argument 0x53420001, signature "Sw". Source: Swissbit's life time monitoring as implemented in sdmon (pull
/// request 19, with the values of a new S-56u).
struct SwissbitPage {
    std::string firmware;
    std::uint32_t rated_erases{}, erase_most{}, erase_total{}, erase_mean{}; ///< user area
    std::uint32_t system_erase_most{}, system_erase_total{}, system_erase_mean{};
    std::uint8_t life_left{}; ///< percent, 0 to 100
    std::uint32_t spare_blocks{}, system_spare_blocks{}, later_bad_blocks{}, system_later_bad_blocks{};
    std::uint32_t power_ups{};
    bool operator==(const SwissbitPage&) const = default;
};

/// Controllers of Phison: Kingston Industrial (SDCIT, SDCIT2) and High Endurance (SDCE), Apacer. The page has no
/// signature and is read in two steps: CMD56 writes with argument 0x00000010, then reads with 0x00000021. Source:
/// Apacer and Kingston as implemented in sdmon. The parser accepts only ordered erase counts, shares up to 100 % and
/// the id of a known maker of flash, because any page has some values.
struct PhisonPage {
    std::string flash_id; ///< nine bytes in hexadecimal
    std::string firmware; ///< "38.240"
    std::uint16_t spare_blocks{};
    std::uint32_t factory_bad_blocks{}, later_bad_blocks{}; ///< sums over the dies
    double good_blocks{}, life_left{};                      ///< percent, 0 to 100
    std::uint32_t erase_total{}, erase_mean{}, erase_least{}, erase_most{};
    std::uint32_t power_ups{};
    std::uint16_t power_losses{};
    /// Sectors of 512 bytes; only Kingston SDCE, by observation in sdmon.
    std::optional<std::uint32_t> written_sectors;
    bool operator==(const PhisonPage&) const = default;
};

/// Health bytes of an EXT_CSD. Source: JEDEC JESD84-B51, sections 7.4.38 to 7.4.40 (bytes 267 to 269) and 7.4.42
/// (254 to 261).
struct ExtCsdHealth {
    std::uint8_t life_a{},
        life_b{};           ///< 1: up to 10 % of the life time used, 10: up to 100 %, 11: exceeded, 0: undefined
    std::uint8_t pre_eol{}; ///< spare blocks: 1 normal, 2 80 % used, 3 90 % used; 0: undefined
    std::string firmware;   ///< eight bytes in hexadecimal
    bool operator==(const ExtCsdHealth&) const = default;
};

using CardPage = std::variant<SanDiskPage, LongsysPage, SmiPage, MicronPage, SwissbitPage, PhisonPage>;

/// Parses a page with a signature.
[[nodiscard]] Result<CardPage> parse_card_page(HealthPageView page);
/// Parses the page of the two-step request, which has no signature.
[[nodiscard]] Result<PhisonPage> parse_phison_page(HealthPageView page);
/// Fails also for an EXT_CSD before revision 7 (eMMC 5.0), which has no health bytes.
[[nodiscard]] Result<ExtCsdHealth> parse_ext_csd_health(HealthPageView ext_csd);

} // namespace mediarig::media
