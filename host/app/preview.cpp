// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/preview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/app/lab_route.hpp"
#include "host/app/rig_plan.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

constexpr Rate assumed_rate{20e6}; ///< a card in an ordinary reader

asio::awaitable<PreviewMedium> look_at(agent::AgentClient& agent, const plan::MediumRef& ref, bool destroyed) {
    PreviewMedium medium{.name = ref.name, .target = ref.target(), .identity = std::nullopt, .problem = {}};
    auto identity = co_await agent.identify(ref.target());
    if (!identity) {
        medium.problem = identity.error().detail;
        co_return medium;
    }
    if (!identity->refusals.empty())
        medium.problem = identity->refusals.front().detail;
    else if (destroyed && ref.directory.empty() && ref.confirm != media::confirmation_of(*identity))
        medium.problem = "\"confirm\" has to be \"" + media::confirmation_of(*identity) + "\"";
    medium.identity = std::move(*identity);
    co_return medium;
}

Result<std::vector<PreviewMedium>> on_this_machine(const plan::Plan& plan, const AgentChoice& choice) {
    std::vector<PreviewMedium> media;
    session::StopSignal stop;
    const auto done = with_agent(
        choice, stop, [&](agent::AgentClient& agent, const agent::HelloReport&) -> asio::awaitable<Result<void>> {
            for (const plan::MediumRef& ref : plan.media)
                media.push_back(co_await look_at(agent, ref, plan::destroys(plan)));
            co_return Result<void>{};
        });
    if (!done) return fail(done.error());
    return media;
}

/// What the models say of themselves: nothing is booted for a look.
Result<std::vector<PreviewMedium>> in_the_lab(const plan::Plan& plan, const RigChoice& rig) {
    const auto lab = set_up_lab(rig.simulated() ? living_cards(plan) : plan.lab, {});
    if (!lab) return fail(lab.error());
    std::vector<PreviewMedium> media;
    for (const plan::MediumRef& ref : plan.media) {
        media::Medium medium;
        medium.node = fmt::format("slot {} of the lab", ref.slot->number);
        PreviewMedium shown{.name = ref.name, .target = medium.node, .identity = std::nullopt, .problem = {}};
        if (const auto claimed = lab->claimed.find(*ref.slot); claimed != lab->claimed.end()) {
            medium.size = claimed->second;
            shown.identity = medium;
        }
        media.push_back(std::move(shown));
    }
    return media;
}

/// Nothing is moved for a look.
std::vector<PreviewMedium> in_the_rig(const plan::Plan& plan) {
    std::vector<PreviewMedium> media;
    for (const plan::MediumRef& ref : plan.media)
        media.push_back({.name = ref.name,
                         .target = fmt::format("slot {} of the rig", ref.slot->number),
                         .identity = std::nullopt,
                         .problem = {}});
    return media;
}

Result<std::vector<PreviewMedium>> look(const plan::Plan& plan, const AgentChoice& choice, const RigChoice& rig) {
    if (!plan.lab.empty()) return in_the_lab(plan, rig);
    const bool all_in_slots = std::all_of(plan.media.begin(), plan.media.end(),
                                          [](const plan::MediumRef& ref) { return ref.slot.has_value(); });
    if (!rig.how.empty() && all_in_slots) return in_the_rig(plan);
    return on_this_machine(plan, choice);
}

} // namespace

Result<Preview> preview(const plan::Plan& wanted, const AgentChoice& choice, const RigChoice& rig) {
    const auto resolved = wanted.all_slots ? plan_on(rig, wanted) : wanted;
    if (!resolved) return fail(resolved.error());
    const plan::Plan& plan = *resolved;
    Preview result{.assumed = assumed_rate};
    auto media = look(plan, choice, rig);
    if (!media) return fail(media.error());
    result.media = std::move(*media);

    for (const plan::Step& step : plan::unroll(plan)) {
        PreviewStep line{.step = step, .estimate = std::nullopt};
        if (const auto& identity = result.media[step.medium].identity; identity) {
            if (auto estimate = plan::estimate(step, identity->size, assumed_rate)) {
                result.written += estimate->written;
                result.read += estimate->read;
                result.time += estimate->time;
                line.estimate = *estimate;
            } else {
                return fail(estimate.error());
            }
        }
        result.steps.push_back(std::move(line));
    }
    return result;
}

} // namespace mediarig::app
