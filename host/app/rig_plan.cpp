// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/rig_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <variant>

#include "host/app/rig_route.hpp"

namespace mediarig::app {
namespace {

/// A card that never appears, whatever reader it is in.
constexpr std::string_view dead_card = "dead";

Result<void> needs_no_rig(const plan::Plan& plan) {
    if (!plan.lab.empty()) return {};
    if (plan.all_slots)
        return fail(Errc::bad_request, "the plan tests all slots, and no rig is connected; say which one with --rig");
    for (const plan::MediumRef& medium : plan.media)
        if (medium.slot)
            return fail(Errc::bad_request, fmt::format("medium '{}' is in slot {}, and no rig is connected; say which "
                                                       "one with --rig, name the medium by path or image, or add a "
                                                       "\"lab\"",
                                                       medium.name, medium.slot->number));
    return {};
}

} // namespace

Result<plan::Plan> plan_on(const RigChoice& choice, const plan::Plan& plan) {
    if (choice.manual() && plan.all_slots)
        return fail(Errc::bad_request, "a person has no magazine with a number of slots; list them in \"slots\"");
    if (!choice.board()) {
        if (!choice.manual())
            if (auto possible = needs_no_rig(plan); !possible) return fail(possible.error());
        return plan;
    }
    const auto config = rig_for(choice, plan);
    if (!config) return fail(config.error());
    const std::size_t slots = config->slots.empty() ? config->board.pockets : config->slots.size();
    return plan::with_slots(plan, static_cast<std::uint8_t>(slots));
}

std::vector<plan::LabMedium> living_cards(const plan::Plan& plan) {
    std::vector<plan::LabMedium> living = plan.lab;
    std::erase_if(living, [](const plan::LabMedium& medium) { return medium.card == dead_card; });
    return living;
}

std::vector<std::string> usb_paths_of(const rig::RigConfig& config) {
    std::vector<std::string> paths;
    const std::vector<std::string>& readers = config.reader_paths;
    std::ranges::copy_if(readers, std::back_inserter(paths), [](const std::string& path) { return !path.empty(); });
    for (const rig::BankSlot& slot : config.slots) {
        const auto* hub = std::get_if<rig::HubPower>(&slot.power);
        const std::string path = hub != nullptr && slot.usb.empty() ? hub->port.path() : slot.usb;
        if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
    }
    return paths;
}

} // namespace mediarig::app
