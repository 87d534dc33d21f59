// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/identity_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/fnv1a.hpp"
#include "host/base/json/json_text.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::lab {
namespace {

using RegisterBytes = std::array<std::uint8_t, 16>;

/// CRC-7 with the polynomial x^7 + x^3 + 1 in bits 7 to 1, and the end bit. Source: SD Physical Layer Simplified
/// Specification, section 4.5.
std::uint8_t checksum_of(const RegisterBytes& value) {
    std::uint8_t crc = 0;
    for (std::size_t i = 0; i + 1 < value.size(); ++i) {
        for (unsigned bit = 8; bit-- > 0;) {
            const bool feedback = ((value.at(i) >> bit) & 1U) != ((crc >> 6U) & 1U);
            crc = static_cast<std::uint8_t>((crc << 1U) & 0x7FU);
            if (feedback) crc ^= 0x09U;
        }
    }
    return static_cast<std::uint8_t>((crc << 1U) | 1U);
}

std::string hex(RegisterBytes value) {
    value.back() = checksum_of(value);
    std::string text;
    for (const std::uint8_t byte : value) text += fmt::format("{:02x}", byte);
    return text;
}

/// Manufacturer 0xAA is not assigned to a maker of cards. Section 5.2 of the specification.
std::string cid_of(const std::string& serial) {
    constexpr std::string_view owner_and_product =
        "ML"
        "MRLAB";
    RegisterBytes cid{0xAA};
    std::size_t at = 1;
    for (const char c : owner_and_product) cid.at(at++) = static_cast<std::uint8_t>(c);
    cid.at(at++) = 0x10; // revision 1.0
    const auto number = fnv1a<std::uint32_t>(serial);
    for (const unsigned shift : {24U, 16U, 8U, 0U}) cid.at(at++) = static_cast<std::uint8_t>(number >> shift);
    cid.at(at++) = 0x01; // January 2026
    cid.at(at++) = 0xA1;
    return hex(cid);
}

/// Version 2 of the CSD: capacity in units of 512 KiB. Section 5.3.3 gives the fixed values.
std::string csd_of(Bytes size) {
    constexpr Bytes unit = 512_KiB;
    if (size < unit || size.count % unit.count != 0) return {};
    const std::uint64_t units = size.count / unit.count - 1;
    constexpr std::uint64_t largest = 0x3FFFFF;
    if (units > largest) return {};
    RegisterBytes csd{0x40, 0x0E, 0x00, 0x32, 0x5B, 0x59, 0x00};
    csd.at(7) = static_cast<std::uint8_t>(units >> 16U);
    csd.at(8) = static_cast<std::uint8_t>(units >> 8U);
    csd.at(9) = static_cast<std::uint8_t>(units);
    csd.at(10) = 0x7F;
    csd.at(11) = 0x80;
    csd.at(12) = 0x0A;
    csd.at(13) = 0x40;
    return hex(csd);
}

std::uint64_t nanoseconds_of(std::chrono::nanoseconds time) {
    return static_cast<std::uint64_t>(time.count());
}

/// Rate of the largest requests; without a limit, 0. A disk begins at its outer edge.
double rate_of_large(const OperationCost& cost, const std::optional<Disk>& disk) {
    std::optional<Rate> rate = cost.rate;
    if (!cost.by_size.empty() && cost.by_size.back().rate) rate = cost.by_size.back().rate;
    if (disk) rate = rate ? std::min(*rate, disk->outer_rate) : disk->outer_rate;
    return rate ? rate->bytes_per_second : 0;
}

std::chrono::nanoseconds latency_of_large(const OperationCost& cost) {
    return cost.by_size.empty() ? cost.latency : cost.by_size.back().latency.value_or(cost.latency);
}

} // namespace

std::string identity_text(SlotKind kind, const std::string& serial, Bytes size, const media::ModelFigures& figures) {
    nlohmann::json identity{{"vendor", "mediarig"}, {"model", "lab medium"}, {"revision", "1.0"}, {"serial", serial}};
    if (kind == SlotKind::sd) // SCR: version 3.0, bus widths 1 and 4.
        identity = {{"cid", cid_of(serial)}, {"csd", csd_of(size)}, {"scr", "0235800000000000"}, {"ssr", ""}};
    identity["card_model"] = media::to_json(figures);
    return codec::json_text(identity);
}

media::ModelFigures model_figures(const CardConfig& config) {
    return {.read_bytes_per_second = rate_of_large(config.read, config.disk),
            .write_bytes_per_second = rate_of_large(config.write, config.disk),
            .read_request_ns = nanoseconds_of(config.command_overhead + latency_of_large(config.read)),
            .write_request_ns = nanoseconds_of(config.command_overhead + latency_of_large(config.write))};
}

} // namespace mediarig::lab
