// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the slots of a rig without a carriage and their supplies.
#include <fmt/format.h>

#include <array>

#include "host/rig/config/rig_config.hpp"

namespace mediarig::rig {
namespace {

using strict_json::Members;
using strict_json::Node;

constexpr std::size_t longest_text = 200;
constexpr std::size_t most_slots = 64;
constexpr std::array<std::string_view, 5> kinds{"board", "hub", "plug", "enclosure", "none"};

std::string read_text(const Node& node) {
    return strict_json::read_line(node, longest_text).value_or("");
}

/// Reads a value with `read`, and reports its error text as a fault.
template <class T>
std::optional<T> read_as(const Node& node, Result<T> (*read)(std::string_view)) {
    const auto text = strict_json::read_line(node, longest_text);
    if (!text) return std::nullopt;
    auto value = read(*text);
    if (value) return std::move(*value);
    node.complain(value.error().detail);
    return std::nullopt;
}

SlotPower read_board_power(Members& members) {
    const auto reader = members.need("reader", "give the number of the reader, from 1");
    const auto number = reader ? strict_json::read_count(*reader, {1, rigproto::port_count}) : std::nullopt;
    return BoardPower{port_numbered(static_cast<unsigned>(number.value_or(1)))};
}

SlotPower read_hub_power(Members& members) {
    const auto node = members.need("port", "give the USB path of the plugged-in device, such as \"1-1.4.2\"");
    const auto port = node ? read_as<UsbPort>(*node, usb_port) : std::nullopt;
    return HubPower{port.value_or(UsbPort{})};
}

SlotPower read_plug_power(Members& members) {
    const auto node = members.need("plug", "use KIND:TOPIC@BROKER, such as \"tasmota:desk@localhost\"");
    const auto plug = node ? read_as<PlugAddress>(*node, plug_address) : std::nullopt;
    return PlugPower{plug.value_or(PlugAddress{})};
}

SlotPower read_enclosure_power(Members& members) {
    EnclosurePower power;
    if (const auto id = members.need("id", "give its unique id; mediarig rig enclosures lists them"))
        power.unique_id = read_text(*id);
    if (const auto plug = members.find("plug")) power.plug = read_as<PlugAddress>(*plug, plug_address);
    return power;
}

BankSlot read_slot(const Node& node) {
    BankSlot slot;
    Members members(node);
    if (!members.readable()) return slot;
    const auto power =
        members.need("power", "name its power source: \"board\", \"hub\", \"plug\", \"enclosure\" or \"none\"");
    const auto kind = power ? strict_json::read_word(*power, "power", kinds) : std::nullopt;
    if (!kind) return slot;
    using Read = SlotPower (*)(Members&);
    constexpr std::array<Read, kinds.size()> reads{read_board_power, read_hub_power, read_plug_power,
                                                   read_enclosure_power,
                                                   [](Members&) -> SlotPower { return ManualPower{}; }};
    slot.power = reads[*kind](members);
    if (const auto usb = members.find("usb")) slot.usb = read_text(*usb);
    if (const auto serial = members.find("serial")) slot.serial = read_text(*serial);
    members.refuse_unknown();
    const bool needs_path_check =
        std::holds_alternative<PlugPower>(slot.power) || std::holds_alternative<EnclosurePower>(slot.power);
    if (needs_path_check && slot.usb.empty() && slot.serial.empty())
        node.complain(
            "does not identify the medium that it switches; add its \"serial\", or the \"usb\" path of its reader");
    return slot;
}

} // namespace

void read_slots(const Node& node, RigConfig& rig) {
    const auto list = strict_json::read_list(node, most_slots);
    if (!list) return;
    if (list->empty()) node.complain("contains no slot; add at least one");
    for (const Node& entry : *list) {
        BankSlot slot = read_slot(entry);
        for (std::size_t earlier = 0; earlier < rig.slots.size(); ++earlier)
            if (same_switch(rig.slots[earlier].power, slot.power))
                entry.complain(fmt::format(
                    "is switched together with slot {}, so neither slot can be tested alone; remove one of them",
                    earlier + 1));
        rig.slots.push_back(std::move(slot));
    }
}

std::vector<BankSlot> slots_of_readers(const RigConfig& rig) {
    std::vector<BankSlot> slots;
    for (std::uint8_t index = 0; index < rig.board.ports; ++index)
        slots.push_back({.power = BoardPower{PortIndex{index}},
                         .usb = index < rig.reader_paths.size() ? rig.reader_paths[index] : std::string(),
                         .serial = {}});
    return slots;
}

} // namespace mediarig::rig
