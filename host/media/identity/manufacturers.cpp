// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/manufacturers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace mediarig::media {
namespace {

using nlohmann::json;

std::optional<std::uint8_t> id_from(const json& value) {
    if (!value.is_string()) return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
    std::uint8_t id{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id, 16);
    if (text.size() != 2 || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return id;
}

} // namespace

Result<std::vector<CardMaker>> card_makers_from_json(std::string_view text) {
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object() || !object.contains("manufacturers") || !object["manufacturers"].is_array())
        return fail(Errc::bad_format, "manufacturers: the list of card makers is missing");
    std::vector<CardMaker> makers;
    for (std::size_t i = 0; i < object["manufacturers"].size(); ++i) {
        const json& entry = object["manufacturers"][i];
        const auto wrong = [&](const char* what) {
            return fail(Errc::bad_format, fmt::format("manufacturers[{}].{}", i, what));
        };
        if (!entry.is_object()) return wrong("mid: the entry is not an object");
        const auto id = id_from(entry.value("mid", json()));
        if (!id) return wrong("mid: must be two hexadecimal digits");
        if (!entry.contains("name") || !entry["name"].is_string()) return wrong("name: must be a string");
        CardMaker maker{.mid = *id, .name = entry["name"].get<std::string>(), .oids = {}};
        for (const json& oid : entry.value("oids", json::array())) {
            if (!oid.is_string()) return wrong("oids: must be a list of strings");
            maker.oids.push_back(oid.get<std::string>());
        }
        makers.push_back(std::move(maker));
    }
    return makers;
}

const std::vector<CardMaker>& card_makers() {
    static const std::vector<CardMaker> makers =
        card_makers_from_json(detail::manufacturers_text()).value_or(std::vector<CardMaker>{});
    return makers;
}

std::optional<CardMaker> card_maker(std::uint8_t mid) {
    const auto& makers = card_makers();
    const auto found = std::ranges::find(makers, mid, &CardMaker::mid);
    return found == makers.end() ? std::nullopt : std::optional(*found);
}

} // namespace mediarig::media
