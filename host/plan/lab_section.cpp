// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

#include "host/plan/names.hpp"
#include "host/plan/sections.hpp"

namespace mediarig::plan {
namespace {

constexpr auto all_slot_kinds = [] {
    std::array<SlotKind, slot_kinds.size()> kinds{};
    std::ranges::transform(slot_kinds, kinds.begin(), &Name<SlotKind>::value);
    return kinds;
}();
constexpr std::size_t longest_path = 4095;

/// A word without a slash is a card of the catalogue.
std::optional<std::string> read_card(const Node& node) {
    const bool is_file =
        node.value->is_string() && (node.value->get_ref<const std::string&>().find('/') != std::string::npos ||
                                    node.value->get_ref<const std::string&>().ends_with(".json"));
    return is_file ? read_path(node) : read_line(node, longest_path);
}

LabMedium read_lab_medium(const Node& node) {
    Members members(node);
    LabMedium medium;
    if (const auto slot = members.need("slot", "say which slot this medium sits in, for example 1"))
        if (const auto number = read_count(*slot, {1, 255})) medium.slot = {static_cast<std::uint8_t>(*number)};
    if (const auto kind = members.need("kind", "say \"sd\", \"usb\", \"hub\", \"reader\", \"uas\" or \"nvme\""))
        if (const auto known = read_choice(*kind, "kind of slot", all_slot_kinds)) medium.kind = *known;
    if (const auto card = members.need("card", "name a card of `mediarig lab cards`, or a card model's JSON file"))
        if (auto name = read_card(*card)) medium.card = std::move(*name);
    take(members, "size", medium.size, [](const Node& size) { return read_size(size); });
    take(members, "seed", medium.seed, [](const Node& seed) { return read_count(seed, {0, ~std::uint64_t{0}}); });
    members.refuse_unknown();
    return medium;
}

} // namespace

std::vector<LabMedium> read_lab(const Node& node) {
    std::vector<LabMedium> lab;
    const auto list = read_list(node, most_lab_slots);
    if (!list) return lab;
    if (list->empty()) node.complain("has no slots; add at least one, or leave \"lab\" out");
    for (const Node& entry : *list) lab.push_back(read_lab_medium(entry));
    return lab;
}

} // namespace mediarig::plan
