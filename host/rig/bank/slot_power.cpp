// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/bank/slot_power.hpp"

#include <fmt/format.h>

namespace mediarig::rig {
namespace {

struct Words {
    std::string operator()(const BoardPower& power) const {
        return fmt::format("port {} of the board", number_of(power.port));
    }
    std::string operator()(const HubPower& power) const {
        return fmt::format("port {} of hub {}, through uhubctl", power.port.number, power.port.hub);
    }
    std::string operator()(const PlugPower& power) const { return "mains plug " + power.plug.text(); }
    std::string operator()(const EnclosurePower& power) const {
        return power.plug ? fmt::format("enclosure {} at mains plug {}", power.unique_id, power.plug->text())
                          : fmt::format("enclosure {}, the operator at the cable", power.unique_id);
    }
    std::string operator()(const ManualPower&) const { return "a person"; }
};

std::optional<PlugAddress> plug_of(const SlotPower& power) {
    if (const auto* plug = std::get_if<PlugPower>(&power)) return plug->plug;
    if (const auto* enclosure = std::get_if<EnclosurePower>(&power)) return enclosure->plug;
    return std::nullopt;
}

} // namespace

std::string text_of(const SlotPower& power) {
    return std::visit(Words{}, power);
}

bool same_switch(const SlotPower& one, const SlotPower& other) {
    if (std::holds_alternative<ManualPower>(one)) return false;
    const auto plug = plug_of(one);
    if (plug && plug == plug_of(other)) return true;
    const auto* enclosure = std::get_if<EnclosurePower>(&one);
    const auto* other_enclosure = std::get_if<EnclosurePower>(&other);
    if (enclosure != nullptr && other_enclosure != nullptr) return enclosure->unique_id == other_enclosure->unique_id;
    return one == other;
}

} // namespace mediarig::rig
