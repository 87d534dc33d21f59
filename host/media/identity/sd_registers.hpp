// SPDX-License-Identifier: GPL-3.0-or-later
/// Decoder for the registers of an SD card. Source: SD Association, "Physical Layer Simplified Specification", sections
/// 5.2 (CID), 5.3 (CSD), 5.6 (SCR) and 4.10.2 (SD Status). Pure; trusts no bit: undefined values and reserved codes
/// stay empty.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

struct CardIdentification {
    std::uint8_t manufacturer_id{};
    std::string oem_id;       ///< two characters; "0x…" if not printable
    std::string product_name; ///< at most five characters
    std::string revision;     ///< "3.0"
    std::uint32_t serial{};
    std::uint16_t year{}; ///< 2000 to 2255; 0 with month 0 if the month is invalid
    std::uint8_t month{};
    bool operator==(const CardIdentification&) const = default;
};
/// Ignores the checksum: several host controllers replace it by zero. All registers are in the format of the kernel:
/// hexadecimal, most significant bit first; 32 digits for CID and CSD, 16 for SCR, 128 for the SD Status (SSR). Any
/// other text decodes to an empty result.
[[nodiscard]] std::optional<CardIdentification> decode_cid(std::string_view hex);

/// Size of the user area from the CSD, structure versions 1 (SDSC), 2 (SDHC, SDXC) and 3 (SDUC).
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
/// Decodes an SD Status. A status of zeros means that the kernel could not read the status: all fields stay empty.
/// Allocation units above 4 MiB are valid only if the SCR has version 3.00 or later.
[[nodiscard]] CardStatus decode_ssr(std::string_view ssr_hex, std::string_view scr_hex);

/// Keeps the raw registers and fills in every decoded field.
[[nodiscard]] SdIdentity decode_sd_registers(std::string cid, std::string csd, std::string scr, std::string ssr);

/// Sets the vendor, model, revision and serial of a medium from its decoded registers, which must be set.
void adopt_registers(Medium& medium);

} // namespace mediarig::media

namespace mediarig::media::detail {

/// A card register as bits, addressed as in the specification: [high:low], bit 0 last.
inline constexpr std::size_t cid_digits = 32, csd_digits = 32, scr_digits = 16, ssr_digits = 128;

class Register {
public:
    /// Empty unless `hex` has exactly `digits` hexadecimal digits.
    static std::optional<Register> from_hex(std::string_view hex, std::size_t digits) {
        if (hex.size() != digits) return std::nullopt;
        Register parsed;
        for (const char c : hex) {
            const auto value = nibble(c);
            if (!value) return std::nullopt;
            parsed.nibbles_.push_back(static_cast<std::uint8_t>(*value));
        }
        return parsed;
    }
    /// Needs high >= low, at most 32 bits.
    [[nodiscard]] std::uint32_t bits(unsigned high, unsigned low) const {
        std::uint32_t value = 0;
        for (unsigned bit = high + 1; bit-- > low;) value = (value << 1) | ((at(bit / 4) >> (bit % 4)) & 1u);
        return value;
    }
    /// Returns `count` bytes from bit `high` downwards.
    [[nodiscard]] std::string characters(unsigned high, unsigned count) const {
        std::string text;
        for (unsigned i = 0; i < count; ++i) text += static_cast<char>(bits(high - 8 * i, high - 8 * i - 7));
        return text;
    }
    [[nodiscard]] bool all_zero() const {
        for (const auto n : nibbles_)
            if (n != 0) return false;
        return true;
    }

private:
    static std::optional<unsigned> nibble(char c) {
        if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
        if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
        if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
        return std::nullopt;
    }
    [[nodiscard]] unsigned at(std::size_t from_last) const { return nibbles_[nibbles_.size() - 1 - from_last]; }
    std::vector<std::uint8_t> nibbles_;
};

/// AU_SIZE and UHS_AU_SIZE have the same codes; codes for units above 4 MiB are valid only for cards of version 3.00
/// and later.
inline std::optional<Bytes> allocation_unit(std::uint32_t code, bool version_3) {
    constexpr std::array<Bytes, 16> units{0_B,   16_KiB, 32_KiB, 64_KiB, 128_KiB, 256_KiB, 512_KiB, 1_MiB,
                                          2_MiB, 4_MiB,  8_MiB,  12_MiB, 16_MiB,  24_MiB,  32_MiB,  64_MiB};
    constexpr std::uint32_t last_before_3 = 9;
    if (code == 0 || code >= units.size() || (code > last_before_3 && !version_3)) return std::nullopt;
    return units[code];
}

} // namespace mediarig::media::detail
