// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/names.hpp"

#include <fmt/format.h>

#include <map>

#include "host/measure/encoding.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::plan {

std::string name_of(const FormatEntry& format) {
    if (!format.name.empty()) return format.name;
    if (format.keep) return std::string(kept_name);
    if (!format.profile) return std::string(media::name_of(format.spec.fs));
    if (!format.wanted) return std::string(media::name_of(*format.profile));
    return fmt::format("{}-{}", media::name_of(*format.profile), media::name_of(*format.wanted));
}

std::vector<std::string> format_names(const Plan& plan) {
    std::vector<std::string> names;
    std::map<std::string, std::size_t> seen;
    for (const FormatEntry& format : plan.formats) names.push_back(numbered(name_of(format), seen[name_of(format)]++));
    return names;
}

std::string numbered(std::string_view name, std::size_t before) {
    return before == 0 ? std::string(name) : fmt::format("{}-{}", name, before + 1);
}

namespace {

using Octets = std::vector<std::uint8_t>;

constexpr std::string_view hex_mark = "hex:", base64_mark = "base64:";

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

std::optional<Octets> decode_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    Octets bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const auto high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (!high || !low) return std::nullopt;
        bytes.push_back(static_cast<std::uint8_t>(*high * 16 + *low));
    }
    return bytes;
}

} // namespace

std::optional<Octets> payload_from(std::string_view text) {
    std::optional<Octets> bytes;
    if (text.starts_with(hex_mark)) bytes = decode_hex(text.substr(hex_mark.size()));
    if (text.starts_with(base64_mark)) bytes = measure::decode_base64(text.substr(base64_mark.size()));
    return bytes && !bytes->empty() ? bytes : std::nullopt;
}

std::string payload_text(std::span<const std::uint8_t> bytes) {
    std::string text(base64_mark);
    measure::encode_base64(bytes, text);
    return text;
}

PassTarget pass_target_from(std::string_view name) {
    if (name == kept_name) return PassTarget::kept;
    if (name == raw_name) return PassTarget::raw;
    return name == directory_name ? PassTarget::directory : PassTarget::format;
}

std::string title_of_format(std::string_view name) {
    if (name == kept_name) return "present volume";
    if (const auto fs = media::file_system_from(name)) return std::string(media::title_of(*fs));
    // Parses the format of numbered().
    const std::size_t dash = name.rfind('-');
    const std::string_view number = dash == name.npos ? std::string_view() : name.substr(dash + 1);
    const bool is_number = !number.empty() && number.find_first_not_of("0123456789") == number.npos;
    const auto fs = media::file_system_from(is_number ? name.substr(0, dash) : "");
    return fs ? fmt::format("{}{}", media::title_of(*fs), name.substr(dash)) : std::string(name);
}

std::string place_of_format(std::string_view name) {
    switch (pass_target_from(name)) {
        case PassTarget::kept:
            return "on the present volume";
        case PassTarget::raw:
            return "on the bare device";
        case PassTarget::directory:
            return "in the directory";
        case PassTarget::format:
            break;
    }
    return "under " + title_of_format(name);
}

} // namespace mediarig::plan
