// SPDX-License-Identifier: GPL-3.0-or-later
/// The registers of an SD card, decoded. Source: SD Association, "Physical Layer Simplified Specification", sections
/// 5.2 (CID), 5.3 (CSD), 5.6 (SCR) and 4.10.2 (SD Status). Pure, and trusts no bit: what a card leaves undefined, or
/// sets to a reserved code, stays empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/units.hpp"
#include "host/media/medium.hpp"

namespace mediarig::media {

/// Registers are given as the kernel prints them: hexadecimal, most significant bit first; 32 digits for CID and CSD,
/// 16 for SCR, 128 for the SD Status (SSR). Anything else decodes to nothing.

struct CardIdentification {
    std::uint8_t manufacturer_id{};
    std::string oem_id;       ///< two characters; "0x…" where they are not printable
    std::string product_name; ///< at most five characters
    std::string revision;     ///< "3.0"
    std::uint32_t serial{};
    std::uint16_t year{}; ///< 2000 to 2255; 0 with month 0 where the month is no month
    std::uint8_t month{};
    bool operator==(const CardIdentification&) const = default;
};
/// The checksum is not looked at: several host controllers replace it by zero.
[[nodiscard]] std::optional<CardIdentification> decode_cid(std::string_view hex);

/// User area as the CSD gives it, structure versions 1 (SDSC), 2 (SDHC, SDXC) and 3 (SDUC).
[[nodiscard]] std::optional<Bytes> capacity_from_csd(std::string_view hex);

/// "1.0x", "1.10", "2.00", "3.0x", "4.xx" … "9.xx"; empty for a reserved combination.
[[nodiscard]] std::string spec_version_from_scr(std::string_view hex);

struct CardStatus {
    std::optional<Bytes> allocation_unit;
    std::optional<std::uint8_t> speed_class; ///< 0, 2, 4, 6, 10
    std::optional<std::uint8_t> uhs_grade;   ///< 0, 1, 3
    std::optional<std::uint8_t> video_class; ///< 0, 6, 10, 30, 60, 90
    std::optional<std::uint8_t> app_class;   ///< 0, 1, 2
    bool operator==(const CardStatus&) const = default;
};
/// A status of zeros is what the kernel shows when it could not read one: everything stays empty.
/// Allocation units above 4 MiB count only where the SCR says version 3.00 or later.
[[nodiscard]] CardStatus decode_ssr(std::string_view ssr_hex, std::string_view scr_hex);

/// Raw registers kept as given, every decoded field filled in.
[[nodiscard]] SdIdentity decode_sd_registers(std::string cid, std::string csd, std::string scr, std::string ssr);

} // namespace mediarig::media
