// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/parse_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "host/base/json/source.hpp"
#include "host/plan/check_whole.hpp"
#include "host/plan/names.hpp"
#include "host/plan/sections.hpp"

namespace mediarig::plan {
namespace {

constexpr std::uint64_t known_version = 1;
constexpr std::uint64_t longest_budget_s = 366ULL * 24 * 3600;

/// Returns false for another version: its members have unknown meanings.
bool read_version(Members& members, Faults& faults) {
    const auto version = members.need("mediarig_plan", "add \"mediarig_plan\": 1, the version of this kind of file");
    if (!version) return true;
    const auto number = read_count(*version, {0, ~std::uint64_t{0}});
    if (!number || *number == known_version) return true;
    faults.add(version->pointer, fmt::format("is {}, and this mediarig reads version {}", *number, known_version));
    return false;
}

/// Reads one section; `sound` becomes false if it had faults.
template <class Out, class Read>
void take_section(Members& members, Faults& faults, std::string_view name, Out& out, Read read, bool& sound) {
    const std::size_t before = faults.count();
    if (const auto node = members.find(name)) out = read(*node);
    sound = faults.count() == before;
}

void take_compare(Members& members, Faults& faults, Plan& plan, Soundness& sound) {
    const auto compare = members.find("compare");
    if (!compare) return;
    const std::size_t before = faults.count();
    if (members.find("formats"))
        compare->complain("cannot be combined with \"formats\": it defines its own formats; keep one of them");
    else
        read_compare(*compare, plan);
    sound.formats = sound.formats && faults.count() == before;
}

/// Reads repeats and order. A comparison determines both itself.
void take_repeats_and_order(Members& members, Plan& plan) {
    const auto repeats = members.find("repeats");
    if (plan.compare) {
        plan.order.kind = OrderKind::random;
        if (repeats)
            repeats->complain(
                "cannot be combined with \"compare\", whose \"blocks\" set the number of passes of each format");
    } else {
        take(members, "repeats", plan.repeats, [](const Node& node) -> std::optional<std::uint32_t> {
            const auto count = read_count(node, {1, most_repeats});
            return count ? std::optional(static_cast<std::uint32_t>(*count)) : std::nullopt;
        });
    }
    take(members, "order", plan.order, read_order);
    if (plan.compare && plan.order.kind != OrderKind::random)
        members.find("order")->complain(
            "must be \"random\" for a comparison: its test of a difference requires an independent random order of "
            "each "
            "block");
}

void write_out(const SlotChoice& choice, Plan& plan) {
    std::vector<SlotId> slots = choice.slots;
    for (const EmulatedMedium& medium : plan.lab)
        if (choice.all) slots.push_back(medium.slot);
    if (choice.all && plan.lab.empty()) plan.all_slots = AllSlots{.lot = choice.lot, .label = choice.label};
    for (const SlotId slot : slots) plan.media.push_back(medium_in(slot, choice.lot, choice.label));
}

/// Returns true if a medium of the lab states the kind of its slot.
bool requests_transport(const nlohmann::json& lab) {
    return lab.is_array() && std::ranges::any_of(lab, [](const nlohmann::json& medium) {
               return medium.is_object() && medium.contains("kind");
           });
}

Plan read_plan(const nlohmann::json& json, Faults& faults, bool to_run) {
    Members members({&json, "", &faults});
    Plan plan;
    if (!members.readable()) return plan;
    Soundness sound;
    sound.to_run = to_run;
    if (!read_version(members, faults)) return plan;
    take(members, "$schema", plan.name, [](const Node& node) {
        // Editors use this member; this program ignores its value.
        if (!node.value->is_string()) node.must_be("text");
        return std::optional<std::string>{};
    });
    take(members, "name", plan.name, [](const Node& node) { return read_line(node, longest_line); });
    const std::size_t before = faults.count();
    std::optional<SlotChoice> slots;
    if (const auto node = members.find("slots")) {
        slots = read_slots(*node);
        if (members.find("media"))
            node->complain("cannot be combined with \"media\": each selects the media; keep one of them");
    } else if (const auto media = members.need("media", "name at least one medium, or add \"slots\": \"all\"")) {
        plan.media = read_media(*media);
    }
    sound.media = faults.count() == before;
    sound.media_from_slots = slots.has_value();
    take_section(members, faults, "formats", plan.formats, read_formats, sound.formats);
    take_compare(members, faults, plan, sound);
    take_section(members, faults, "suites", plan.suites, read_suites, sound.suites);
    sound.suites_given = json.contains("suites");
    if (plan.compare && !sound.suites_given) {
        plan.suites = compare_suites(false);
        sound.suites_given = true;
    }
    take_section(members, faults, "lab", plan.lab, read_lab, sound.lab);
    if (const auto uplink = members.find("lab_uplink")) {
        if (const auto rate = read_count(*uplink, {least_lab_uplink, most_lab_uplink})) plan.lab_uplink = Bytes{*rate};
        if (!json.contains("lab"))
            uplink->complain(
                "is a rate for the media of a \"lab\", and this plan has no \"lab\"; add \"lab\", or remove this "
                "member");
    }
    if (json.contains("lab") && !plan.lab_uplink && !requests_transport(json.at("lab")))
        plan.lab_machine = LabMachine::virtual_time;
    if (const auto machine = members.find("lab_machine")) {
        if (const auto known = read_choice<LabMachine>(*machine, "machine of the lab")) plan.lab_machine = *known;
        if (!json.contains("lab"))
            machine->complain(
                "is the machine of a \"lab\", and this plan has no \"lab\"; add \"lab\", or remove this "
                "member");
        else if (plan.lab_uplink && plan.lab_machine == LabMachine::virtual_time)
            machine->complain("cannot be \"virtual\" with \"lab_uplink\": media in virtual time have no uplink");
    }
    take_repeats_and_order(members, plan);
    if (plan.compare && sound.formats && sound.suites) complete_compare(*members.find("compare"), plan);
    if (const auto limits = members.find("limits")) plan.limits = read_limits(*limits);
    take(members, "lanes", plan.lanes, [](const Node& node) -> std::optional<std::uint32_t> {
        const auto lanes = read_count(node, {1, most_lanes});
        return lanes ? std::optional(static_cast<std::uint32_t>(*lanes)) : std::nullopt;
    });
    take(members, "time_budget_s", plan.time_budget, [](const Node& node) -> std::optional<std::chrono::seconds> {
        const auto seconds = read_count(node, {1, longest_budget_s});
        return seconds ? std::optional(std::chrono::seconds(*seconds)) : std::nullopt;
    });
    // A failed format is a result of a comparison, and the comparison continues with the other formats.
    if (plan.compare) plan.on_failure = OnFailure::next_step;
    take(members, "on_failure", plan.on_failure,
         [](const Node& node) { return read_choice<OnFailure>(node, "reaction to a failure"); });
    members.refuse_unknown();
    if (slots) write_out(*slots, plan);
    check_whole(plan, sound, faults);
    return plan;
}

tl::expected<Plan, PlanFaults> parse(std::string_view text, bool to_run) {
    Faults faults;
    const auto json = read_source(text, faults);
    Plan plan;
    if (json) plan = read_plan(*json, faults, to_run);
    // A plan is stored in the format of to_json() and parsed again when a campaign is resumed.
    if (faults.count() == 0 && kept_text(plan).size() > largest_text)
        faults.add("", fmt::format("is larger than {} bytes (4 MiB) when written out in full", largest_text));
    if (faults.count() > 0) return tl::unexpected(PlanFaults{faults.take()});
    return plan;
}

} // namespace

tl::expected<Plan, PlanFaults> parse_plan(std::string_view text) {
    return parse(text, true);
}

tl::expected<Plan, PlanFaults> parse_plan_to_look(std::string_view text) {
    return parse(text, false);
}

} // namespace mediarig::plan
