// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/models/shown_rig.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "host/base/json/json_text.hpp"
#include "host/base/text.hpp"
#include "host/gui/models/json_member.hpp"

namespace mediarig::gui {
namespace {

using nlohmann::json;

template <class T>
T value_in(const json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end()) return {};
    if constexpr (std::is_same_v<T, std::string>)
        return printable(text_in(object, name));
    else if constexpr (std::is_same_v<T, bool>)
        return found->is_boolean() && found->get<bool>();
    else
        return found->is_number_integer() ? found->get<T>() : T{};
}

Light light_of(const std::string& state) {
    if (state == "on") return Light::lit;
    return state == "tripped" ? Light::blinking : Light::dark;
}

ShownPort port_from(const json& object) {
    ShownPort port{.number = value_in<unsigned>(object, "port") + 1,
                   .card = value_in<bool>(object, "card"),
                   .state = value_in<std::string>(object, "state"),
                   .millivolts = value_in<unsigned>(object, "millivolts"),
                   .milliamperes = value_in<unsigned>(object, "milliamperes"),
                   .insertions = value_in<unsigned>(object, "cycles"),
                   .fault = value_in<std::string>(object, "fault_text")};
    port.light = light_of(port.state);
    return port;
}

std::vector<ShownPlace> places_in(const json& places, const char* name) {
    std::vector<ShownPlace> result;
    const auto found = places.find(name);
    if (found == places.end()) return result;
    if (found->is_object())
        for (const auto& [bin, x] : found->items())
            if (x.is_number_integer()) result.push_back({printable(bin), x.get<int>()});
    if (found->is_array())
        for (const json& x : *found)
            if (x.is_number_integer()) result.push_back({std::to_string(result.size() + 1), x.get<int>()});
    return result;
}

} // namespace

Result<ShownRig> rig_from_json(std::string_view text) {
    const auto object = codec::read_json(text);
    if (!object.is_object() || !object.contains("mediarig_rig_status"))
        return fail(Errc::bad_format, "mediarig rig status --json gave no status of a rig");
    ShownRig rig{.description = value_in<std::string>(object, "description"),
                 .state = value_in<std::string>(object, "state"),
                 .fault = value_in<std::string>(object, "fault_text"),
                 .running_job = value_in<unsigned>(object, "running_job"),
                 .x = value_in<int>(object, "x")};
    if (const auto flags = object.find("flags"); flags != object.end() && flags->is_object()) {
        rig.homed = value_in<bool>(*flags, "homed");
        rig.safety_closed = value_in<bool>(*flags, "safety_closed");
        rig.holding = value_in<bool>(*flags, "holding");
        rig.motors_on = value_in<bool>(*flags, "motors_on");
    }
    if (const auto ports = object.find("ports"); ports != object.end() && ports->is_array())
        for (const json& port : *ports)
            if (port.is_object()) rig.ports.push_back(port_from(port));
    if (const auto places = object.find("places"); places != object.end() && places->is_object()) {
        rig.pockets = places_in(*places, "pockets");
        rig.readers = places_in(*places, "readers");
        rig.bins = places_in(*places, "bins");
        rig.travel = value_in<int>(*places, "travel");
        if (places->contains("nest")) rig.nest = value_in<int>(*places, "nest");
    }
    return rig;
}

const ShownPlace* place_of_carriage(const ShownRig& rig) {
    if (!rig.homed) return nullptr;
    for (const auto* const places : {&rig.pockets, &rig.readers, &rig.bins})
        for (const ShownPlace& each : *places)
            if (each.x == rig.x) return &each;
    return nullptr;
}

} // namespace mediarig::gui
