// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/campaign_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <random>

namespace mediarig::store {

std::string new_campaign_id(TimePoint now, const RandomSource& random) {
    const auto since_epoch = now.time_since_epoch();
    const auto whole = std::chrono::floor<std::chrono::milliseconds>(since_epoch);
    const auto milliseconds = static_cast<std::uint64_t>(whole.count()) & 0xFFFF'FFFF'FFFF;
    const auto rest_ns = static_cast<std::uint64_t>((since_epoch - whole).count());
    const std::uint64_t fraction = rest_ns * 4096 / 1'000'000;
    const std::uint64_t bits = random();
    const std::uint64_t variant = 0x8000 | ((bits >> 48) & 0x3FFF); // RFC 9562: the two bits 10
    return fmt::format("{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}", milliseconds >> 16, milliseconds & 0xFFFF, fraction,
                       variant, bits & 0xFFFF'FFFF'FFFF);
}

bool is_campaign_id(std::string_view text) {
    constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    return std::ranges::equal(shape, text, [](char wanted, char is) {
        return wanted == '-' ? is == '-' : (is >= '0' && is <= '9') || (is >= 'a' && is <= 'f');
    });
}

std::optional<TimePoint> time_of_campaign_id(std::string_view text) {
    if (!is_campaign_id(text)) return std::nullopt;
    std::string digits(text.substr(0, 13)); // 48 bits, with a hyphen after the first 32
    std::erase(digits, '-');
    std::uint64_t milliseconds{};
    std::from_chars(digits.data(), digits.data() + digits.size(), milliseconds, 16);
    return TimePoint(std::chrono::milliseconds(milliseconds));
}

RandomSource system_random() {
    const auto device = std::make_shared<std::random_device>();
    return [device] { return std::uint64_t{(*device)()} << 32 | (*device)(); };
}

} // namespace mediarig::store
