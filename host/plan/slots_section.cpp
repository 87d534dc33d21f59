// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/plan/sections.hpp"

namespace mediarig::plan {
namespace {

constexpr std::string_view wanted = "\"all\", or a list of slot numbers";

void read_which(const Node& node, SlotChoice& choice) {
    if (node.value->is_string()) {
        constexpr std::array<std::string_view, 1> words{"all"};
        choice.all = read_word(node, "choice of slots", words).has_value();
        return;
    }
    if (!node.value->is_array()) return node.must_be(wanted);
    const auto list = read_list(node, 255);
    if (!list) return;
    if (list->empty()) node.complain("names no slot; add at least one, or say \"all\"");
    for (const Node& entry : *list) {
        const auto number = read_count(entry, {1, 255});
        if (!number) continue;
        const SlotId slot{static_cast<std::uint8_t>(*number)};
        if (std::find(choice.slots.begin(), choice.slots.end(), slot) != choice.slots.end())
            entry.complain(fmt::format("names slot {} again; name each once (\"repeats\" tests it again)", *number));
        choice.slots.push_back(slot);
    }
}

} // namespace

SlotChoice read_slots(const Node& node) {
    SlotChoice choice;
    if (!node.value->is_object()) {
        read_which(node, choice);
        return choice;
    }
    const auto line = [](const Node& text) { return read_line(text, longest_line); };
    Members members(node);
    if (const auto numbers = members.need("numbers", "say \"all\", or list the slots")) read_which(*numbers, choice);
    take(members, "lot", choice.lot, line);
    take(members, "label", choice.label, line);
    members.refuse_unknown();
    return choice;
}

MediumRef medium_in(SlotId slot, const std::string& lot, const std::string& label) {
    MediumRef medium;
    medium.name = fmt::format("slot-{}", slot.number);
    medium.slot = slot;
    medium.lot = lot;
    medium.label = label;
    return medium;
}

Plan with_slots(Plan plan, std::uint8_t count) {
    if (!plan.all_slots) return plan;
    for (unsigned number = 1; number <= count; ++number)
        plan.media.push_back(
            medium_in(SlotId{static_cast<std::uint8_t>(number)}, plan.all_slots->lot, plan.all_slots->label));
    plan.all_slots.reset();
    return plan;
}

} // namespace mediarig::plan
