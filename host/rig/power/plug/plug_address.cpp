// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/plug/plug_address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "host/base/enum_names.hpp"

namespace mediarig::rig {
namespace {

constexpr std::uint16_t mqtt_port = 1883;

bool is_word(std::string_view text, std::size_t longest) {
    return !text.empty() && text.size() <= longest &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '+' && c != '#' && c != '@'; });
}

} // namespace

std::string PlugAddress::text() const {
    return fmt::format("{}:{}@{}{}", name_of(kind), topic, host, port == mqtt_port ? "" : fmt::format(":{}", port));
}

std::optional<BrokerAddress> broker_place(std::string_view text) {
    BrokerAddress place{.host = {}, .port = mqtt_port};
    const std::size_t mark = std::min(text.rfind(':'), text.size());
    if (mark < text.size()) {
        const std::string_view digits = text.substr(mark + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place.port);
        if (error != std::errc() || end != digits.data() + digits.size() || place.port == 0) return std::nullopt;
    }
    place.host = text.substr(0, mark);
    if (!is_word(place.host, 253)) return std::nullopt;
    return place;
}

Result<PlugAddress> plug_address(std::string_view text) {
    const auto wrong = [&](std::string_view why) {
        return fail(
            Errc::bad_request,
            fmt::format("\"{}\" is not a plug: {}; write KIND:TOPIC@BROKER[:PORT], such as tasmota:desk@localhost, "
                        "with the kind tasmota, shelly1 or shelly2",
                        text.substr(0, 80), why));
    };
    const std::size_t colon = text.find(':'), at = text.rfind('@');
    if (colon == std::string_view::npos || at == std::string_view::npos || at < colon)
        return wrong("a part is missing");
    const auto kind = from_name<PlugKind>(text.substr(0, colon));
    if (!kind) return wrong("there is no such kind");
    const std::string_view topic = text.substr(colon + 1, at - colon - 1);
    if (!is_word(topic, 100)) return wrong("invalid topic");
    auto broker = broker_place(text.substr(at + 1));
    if (!broker) return wrong("invalid broker host or port");
    return PlugAddress{
        .kind = *kind, .topic = std::string(topic), .host = std::move(broker->host), .port = broker->port};
}

} // namespace mediarig::rig
