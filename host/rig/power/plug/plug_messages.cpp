// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/plug/plug_messages.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/base/json/json_text.hpp"

namespace mediarig::rig {
namespace {

using nlohmann::json;

constexpr double most_watts = 100'000;
constexpr std::size_t longest_payload = 64 * 1024; // Tasmota's are below 2 KB

std::optional<double> as_watts(const json& value) {
    if (!value.is_number()) return std::nullopt;
    const double watts = value.get<double>();
    if (!std::isfinite(watts) || watts < 0 || watts > most_watts) return std::nullopt;
    return watts;
}

/// Returns the member at this path of names; null if absent.
json at(const json& from, std::initializer_list<const char*> names) {
    const json* here = &from;
    for (const char* name : names) {
        if (!here->is_object()) return {};
        const auto found = here->find(name);
        if (found == here->end()) return {};
        here = &*found;
    }
    return *here;
}

std::optional<bool> as_switch(std::string_view word) {
    if (word == "ON" || word == "on") return true;
    if (word == "OFF" || word == "off" || word == "overpower") return false;
    return std::nullopt;
}

PlugReport tasmota_says(const PlugAddress& plug, std::string_view topic, std::string_view payload) {
    PlugReport says;
    const std::string stat = "stat/" + plug.topic + "/", tele = "tele/" + plug.topic + "/";
    if (topic == stat + "POWER" || topic == stat + "POWER1") {
        says.on = as_switch(payload);
        return says;
    }
    if (topic == stat + "RESULT") {
        const json setting = at(codec::read_json(payload), {"SetOption21"});
        if (setting.is_string()) says.meters_when_off = as_switch(setting.get<std::string>());
        return says;
    }
    // Since version 9 sensors are status 10; 8 is still used by older versions.
    const bool status = topic == stat + "STATUS10" || topic == stat + "STATUS8";
    if (!status && topic != tele + "SENSOR") return says;
    const json said = codec::read_json(payload);
    says.watts = as_watts(status ? at(said, {"StatusSNS", "ENERGY", "Power"}) : at(said, {"ENERGY", "Power"}));
    return says;
}

PlugReport first_shelly_says(const PlugAddress& plug, std::string_view topic, std::string_view payload) {
    PlugReport says;
    const std::string relay = "shellies/" + plug.topic + "/relay/0";
    if (topic == relay) says.on = as_switch(payload);
    if (topic == relay + "/power") {
        double watts = 0;
        const auto [end, error] = std::from_chars(payload.data(), payload.data() + payload.size(), watts);
        if (error == std::errc() && end == payload.data() + payload.size()) says.watts = as_watts(json(watts));
    }
    return says;
}

PlugReport second_shelly_says(const PlugAddress& plug, const std::string& client, std::string_view topic,
                              std::string_view payload) {
    PlugReport says;
    if (topic != client + "/rpc") return says;
    const json said = codec::read_json(payload);
    // An answer of another plug.
    if (at(said, {"src"}) != plug.topic) return says;
    if (const json id = at(said, {"id"}); id.is_number_unsigned() && id.get<std::uint64_t>() <= UINT32_MAX)
        says.request = id.get<std::uint32_t>();
    if (const json output = at(said, {"result", "output"}); output.is_boolean()) says.on = output.get<bool>();
    says.watts = as_watts(at(said, {"result", "apower"}));
    if (const json message = at(said, {"error", "message"}); message.is_string())
        says.error = message.get<std::string>().substr(0, 200);
    return says;
}

std::string rpc(const std::string& client, std::uint32_t request, const char* method, json parameters) {
    return codec::json_line({{"id", request}, {"src", client}, {"method", method}, {"params", std::move(parameters)}});
}

} // namespace

std::vector<std::string> plug_subscriptions(const PlugAddress& plug, const std::string& client) {
    switch (plug.kind) {
        case PlugKind::tasmota:
            return {"stat/" + plug.topic + "/+", "tele/" + plug.topic + "/SENSOR"};
        case PlugKind::shelly1:
            return {"shellies/" + plug.topic + "/relay/0", "shellies/" + plug.topic + "/relay/0/power"};
        case PlugKind::shelly2:
            break;
    }
    return {client + "/rpc"};
}

PlugMessage switch_message(const PlugAddress& plug, const std::string& client, bool on, std::uint32_t request) {
    switch (plug.kind) {
        case PlugKind::tasmota:
            return {"cmnd/" + plug.topic + "/POWER", on ? "ON" : "OFF"};
        case PlugKind::shelly1:
            return {"shellies/" + plug.topic + "/relay/0/command", on ? "on" : "off"};
        case PlugKind::shelly2:
            break;
    }
    return {plug.topic + "/rpc", rpc(client, request, "Switch.Set", {{"id", 0}, {"on", on}})};
}

PlugMessage reading_message(const PlugAddress& plug, const std::string& client, std::uint32_t request) {
    switch (plug.kind) {
        case PlugKind::tasmota:
            return {"cmnd/" + plug.topic + "/STATUS", "10"};
        case PlugKind::shelly1:
            return {"shellies/" + plug.topic + "/command", "update"};
        case PlugKind::shelly2:
            break;
    }
    return {plug.topic + "/rpc", rpc(client, request, "Switch.GetStatus", {{"id", 0}})};
}

std::optional<PlugMessage> off_metering_message(const PlugAddress& plug) {
    if (plug.kind != PlugKind::tasmota) return std::nullopt;
    return PlugMessage{"cmnd/" + plug.topic + "/SetOption21", ""};
}

PlugReport read_plug_message(const PlugAddress& plug, const std::string& client, std::string_view topic,
                             std::string_view payload) {
    if (payload.size() > longest_payload) return {};
    switch (plug.kind) {
        case PlugKind::tasmota:
            return tasmota_says(plug, topic, payload);
        case PlugKind::shelly1:
            return first_shelly_says(plug, topic, payload);
        case PlugKind::shelly2:
            break;
    }
    return second_shelly_says(plug, client, topic, payload);
}

} // namespace mediarig::rig
