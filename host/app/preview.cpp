// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/preview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/app/distinct_media.hpp"
#include "host/app/lab_route.hpp"
#include "host/app/machine_look.hpp"
#include "host/app/rig_plan.hpp"
#include "host/app/rig_route.hpp"
#include "host/session/remaining_time.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

/// How long media take that are tested side by side: each begins in the lane that is free first.
std::chrono::seconds time_in_lanes(const std::vector<std::chrono::seconds>& of_media, unsigned lanes) {
    std::vector<std::chrono::seconds> busy(std::max(lanes, 1U));
    for (const std::chrono::seconds each : of_media) *std::min_element(busy.begin(), busy.end()) += each;
    return *std::max_element(busy.begin(), busy.end());
}

Result<std::vector<PreviewMedium>> on_this_machine(const plan::Plan& plan, const AgentChoice& choice) {
    std::vector<PreviewMedium> media;
    session::StopSignal stop;
    const auto done = with_agent(
        choice, stop, [&](agent::AgentClient& agent, const agent::HelloReport& hello) -> asio::awaitable<Result<void>> {
            MachineLook look(agent, hello, plan);
            for (const plan::MediumRef& ref : plan.media) media.push_back(co_await look.at(ref));
            std::vector<NamedMedium> found;
            for (const PreviewMedium& medium : media)
                if (medium.identity) found.push_back({medium.target, *medium.identity});
            co_return check_distinct(found);
        });
    if (!done) return fail(done.error());
    return media;
}

/// What the models say of themselves: nothing is booted for a look.
Result<std::vector<PreviewMedium>> in_the_lab(const plan::Plan& plan, const RigChoice& rig) {
    const auto lab = set_up_lab(rig.simulated() ? living_cards(plan) : plan.lab, {});
    if (!lab) return fail(lab.error());
    // A rig plugs in what is in its readers.
    if (!rig.simulated())
        if (auto fits = check_slots(*lab); !fits) return fail(fits.error());
    std::vector<PreviewMedium> media;
    for (const plan::MediumRef& ref : plan.media) {
        media::Medium medium;
        medium.node = fmt::format("slot {} of the lab", ref.slot->number);
        PreviewMedium shown{
            .name = ref.name, .target = medium.node, .identity = std::nullopt, .to_confirm = {}, .problems = {}};
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
                         .to_confirm = {},
                         .problems = {}});
    return media;
}

/// A disk may be full for now; a device or an image is as large as it is.
Error wrong_for(const plan::MediumRef& medium, Error error) {
    if (medium.directory.empty()) error.code = Errc::bad_request;
    return error;
}

void add_once(std::vector<Error>& problems, Error problem) {
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
}

/// Nobody knows how many blocks a comparison without a budget takes.
plan::Plan listed(plan::Plan plan) {
    if (plan.compare && plan.compare->endless) plan.repeats = 1;
    return plan;
}

Result<std::vector<PreviewMedium>> look(const plan::Plan& plan, const AgentChoice& choice, const RigChoice& rig) {
    if (!plan.lab.empty()) return in_the_lab(plan, rig);
    const bool all_in_slots = std::all_of(plan.media.begin(), plan.media.end(),
                                          [](const plan::MediumRef& ref) { return ref.slot.has_value(); });
    if (!rig.how.empty() && all_in_slots) return in_the_rig(plan);
    return on_this_machine(plan, choice);
}

} // namespace

int exit_status(const Preview& preview) {
    const int left_out = mediarig::exit_status(Errc::host_fault);
    int status = 0;
    for (const PreviewMedium& medium : preview.media)
        for (const Error& problem : medium.problems) {
            const int its = mediarig::exit_status(problem.code);
            status = status == 0 || status == its ? its : left_out;
            // The run gets no further with it.
            if (problem.code == Errc::refused) break;
        }
    const bool some_tested = std::ranges::any_of(preview.media, [](const auto& each) { return each.problems.empty(); });
    return status == mediarig::exit_status(Errc::bad_request) && some_tested ? left_out : status;
}

Result<Preview> preview(const plan::Plan& wanted, const PreviewOptions& options) {
    const RigChoice& rig = options.rig;
    if (rig.board())
        if (const auto config = rig_for(rig, wanted); !config) return fail(config.error());
    // Without a rig nothing is in a slot, which the run would say, too.
    const auto resolved = wanted.all_slots || rig.how.empty() ? plan_on(rig, wanted) : wanted;
    if (!resolved) return fail(resolved.error());
    const plan::Plan& plan = *resolved;
    Preview result{.whole = true, .assumed = session::assumed_rate};
    auto media = look(plan, options.agent, rig);
    if (!media) return fail(media.error());
    result.media = std::move(*media);

    result.one_block = plan.compare && plan.compare->endless;
    result.lanes = options.lanes.value_or(plan.lanes.value_or(1));
    std::vector<std::chrono::seconds> of_media(plan.media.size());
    for (const plan::Step& step : plan::unroll(listed(plan))) {
        PreviewStep line{.step = step, .estimate = std::nullopt};
        if (const auto& identity = result.media[step.medium].identity; identity) {
            if (auto estimate = plan::estimate(step, identity->size, session::assumed_rate);
                estimate && !estimate->known) {
                result.whole = false;
            } else if (estimate) {
                result.written += estimate->written;
                result.read += estimate->read;
                of_media[step.medium] += estimate->time;
                line.estimate = *estimate;
            } else {
                add_once(result.media[step.medium].problems, wrong_for(plan.media[step.medium], estimate.error()));
            }
        }
        result.steps.push_back(std::move(line));
    }
    result.time = time_in_lanes(of_media, result.lanes);
    if (plan.time_budget) result.time = std::min(result.time, *plan.time_budget);
    result.whole = result.whole && std::all_of(result.media.begin(), result.media.end(),
                                               [](const PreviewMedium& medium) { return medium.identity.has_value(); });
    return result;
}

} // namespace mediarig::app
