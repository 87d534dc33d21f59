// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/sd_registers.hpp"

#include <fmt/format.h>

#include <array>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

using detail::cid_digits;
using detail::csd_digits;
using detail::Register;
using detail::scr_digits;
using detail::ssr_digits;

bool printable_ascii(std::string_view text) {
    for (const char c : text) {
        if (c < 0x20 || c > 0x7E) return false;
    }
    return true;
}

bool version_3_or_later(const std::optional<Register>& scr) {
    return scr && scr->bits(47, 47) == 1;
}

std::optional<std::uint8_t> one_of(std::uint32_t value, std::initializer_list<std::uint8_t> defined) {
    for (const std::uint8_t known : defined) {
        if (known == value) return known;
    }
    return std::nullopt;
}

} // namespace

std::optional<CardIdentification> decode_cid(std::string_view hex) {
    const auto cid = Register::from_hex(hex, cid_digits);
    if (!cid || cid->all_zero()) return std::nullopt;

    CardIdentification card;
    card.manufacturer_id = static_cast<std::uint8_t>(cid->bits(127, 120));
    card.oem_id = cid->characters(119, 2);
    if (!printable_ascii(card.oem_id)) card.oem_id = fmt::format("0x{:04x}", cid->bits(119, 104));
    card.product_name = typeable(cid->characters(103, 5));
    card.revision = fmt::format("{}.{}", cid->bits(63, 60), cid->bits(59, 56));
    card.serial = cid->bits(55, 24);
    const std::uint32_t month = cid->bits(11, 8);
    if (month >= 1 && month <= 12) {
        card.month = static_cast<std::uint8_t>(month);
        card.year = static_cast<std::uint16_t>(2000 + cid->bits(19, 12));
    }
    return card;
}

std::optional<Bytes> capacity_from_csd(std::string_view hex) {
    const auto csd = Register::from_hex(hex, csd_digits);
    if (!csd || csd->all_zero()) return std::nullopt;

    switch (csd->bits(127, 126)) {
        case 0: {
            const std::uint32_t block_shift = csd->bits(83, 80);
            if (block_shift < 9 || block_shift > 11) return std::nullopt;
            const std::uint64_t blocks = (csd->bits(73, 62) + 1ull) << (csd->bits(49, 47) + 2);
            return Bytes{blocks << block_shift};
        }
        case 1:
            return 512_KiB * (csd->bits(69, 48) + 1ull);
        case 2:
            return 512_KiB * (csd->bits(75, 48) + 1ull);
        default:
            return std::nullopt;
    }
}

std::string spec_version_from_scr(std::string_view hex) {
    const auto scr = Register::from_hex(hex, scr_digits);
    // Only structure version 1.0 is defined; another version may have other fields.
    if (!scr || scr->all_zero() || scr->bits(63, 60) != 0) return {};

    const std::uint32_t spec = scr->bits(59, 56), spec3 = scr->bits(47, 47), spec4 = scr->bits(42, 42);
    const std::uint32_t specx = scr->bits(41, 38);
    if (spec < 2) return spec3 + spec4 + specx != 0 ? "" : spec == 0 ? "1.0x" : "1.10";
    if (spec > 2) return {};
    if (spec3 == 0) return spec4 + specx != 0 ? "" : "2.00";
    if (specx == 0) return spec4 == 1 ? "4.xx" : "3.0x";
    return specx <= 5 ? fmt::format("{}.xx", specx + 4) : std::string();
}

CardStatus decode_ssr(std::string_view ssr_hex, std::string_view scr_hex) {
    const auto ssr = Register::from_hex(ssr_hex, ssr_digits);
    if (!ssr || ssr->all_zero()) return {};

    CardStatus status;
    constexpr std::array<std::uint8_t, 5> speed_classes{0, 2, 4, 6, 10};
    if (const std::uint32_t code = ssr->bits(447, 440); code < speed_classes.size())
        status.speed_class = speed_classes.at(code);
    status.allocation_unit =
        detail::allocation_unit(ssr->bits(431, 428), version_3_or_later(Register::from_hex(scr_hex, scr_digits)));
    status.uhs_grade = one_of(ssr->bits(399, 396), {0, 1, 3});
    status.video_class = one_of(ssr->bits(391, 384), {0, 6, 10, 30, 60, 90});
    status.app_class = one_of(ssr->bits(339, 336), {0, 1, 2});
    return status;
}

SdIdentity decode_sd_registers(std::string cid, std::string csd, std::string scr, std::string ssr) {
    SdIdentity sd;
    if (const auto card = decode_cid(cid)) {
        sd.manufacturer_id = card->manufacturer_id;
        sd.oem_id = card->oem_id;
        sd.product_name = card->product_name;
        sd.revision = card->revision;
        sd.serial = card->serial;
        sd.year = card->year;
        sd.month = card->month;
    }
    sd.csd_capacity = capacity_from_csd(csd);
    sd.spec_version = spec_version_from_scr(scr);
    const CardStatus status = decode_ssr(ssr, scr);
    sd.allocation_unit = status.allocation_unit;
    sd.speed_class = status.speed_class;
    sd.uhs_grade = status.uhs_grade;
    sd.video_class = status.video_class;
    sd.app_class = status.app_class;
    sd.cid = std::move(cid);
    sd.csd = std::move(csd);
    sd.scr = std::move(scr);
    sd.ssr = std::move(ssr);
    return sd;
}

void adopt_registers(Medium& medium) {
    medium.vendor = medium.sd->oem_id;
    medium.model = medium.sd->product_name;
    medium.revision = medium.sd->revision;
    if (decode_cid(medium.sd->cid)) medium.serial = fmt::format("0x{:08x}", medium.sd->serial);
}

} // namespace mediarig::media
