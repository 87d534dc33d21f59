// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/run/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>

#include "host/base/async/event.hpp"
#include "host/campaign/remaining_time.hpp"
#include "host/campaign/resume.hpp"
#include "host/campaign/run/campaign_context.hpp"
#include "host/campaign/run/medium_run.hpp"
#include "host/campaign/run/required_resources.hpp"
#include "host/campaign/run/step_actions.hpp"

namespace mediarig::campaign {
namespace {

namespace asio = boost::asio;

/// During its lifetime, interrupts the agent on a stop request and reports pauses.
class StopBinding {
public:
    StopBinding(StopSignal& stop, agent::AgentClient& agent, rig::Rig* rig, const EventSink& tell,
                const asio::any_io_executor& executor)
        : stop_(stop) {
        stop_.on_pause([&tell](bool paused) { tell(PauseChanged{paused}); });
        stop_.on_request([&agent, rig, executor] {
            if (rig) rig->abandon();
            cancel_soon(executor, agent);
        });
    }
    StopBinding(const StopBinding&) = delete;
    StopBinding& operator=(const StopBinding&) = delete;
    ~StopBinding() {
        stop_.on_request(nullptr);
        stop_.on_pause(nullptr);
    }

private:
    StopSignal& stop_;
};

/// Clears the end time, so that other processes see the campaign as running.
asio::awaitable<Result<void>> mark_running(CampaignContext& context) {
    const auto campaigns = co_await context.ports.store.campaigns();
    if (!campaigns) co_return fail(campaigns.error());
    for (store::CampaignRecord record : *campaigns) {
        if (record.id != context.campaign.id) continue;
        record.state = store::CampaignState::running;
        record.ended.reset();
        co_return co_await context.ports.store.begin(std::move(record));
    }
    co_return fail(Errc::store_failed, fmt::format("the store holds no campaign {}", context.campaign.id));
}

asio::awaitable<Result<Journal>> begin(CampaignContext& context) {
    if (context.campaign.resumed) {
        if (auto marked = co_await mark_running(context); !marked) co_return fail(marked.error());
        co_return co_await context.ports.store.steps(context.campaign.id);
    }
    const store::CampaignRecord record{.id = context.campaign.id,
                                       .name = context.campaign.title(context.plan),
                                       .plan = plan::kept_text(context.plan),
                                       .origin = context.campaign.origin,
                                       .started = context.tell.utc(),
                                       .ended = std::nullopt,
                                       .state = store::CampaignState::running};
    if (auto begun = co_await context.ports.store.begin(record); !begun) co_return fail(begun.error());
    co_return Journal{};
}

/// Returns the media that an earlier attempt identified.
asio::awaitable<Result<KnownMedia>> look_back(CampaignContext& context) {
    KnownMedia before;
    if (!context.campaign.resumed) co_return before;
    const auto outline = co_await context.ports.store.outline(context.campaign.id);
    if (!outline) co_return fail(outline.error());
    for (const store::DeviceView& each : outline->devices) {
        before.keys[each.device.name] = each.device.key;
        for (MediumState& medium : context.media) {
            if (medium.ref->name != each.device.name) continue;
            medium.earlier.device = each.device.key;
            if (each.verdict) medium.earlier.grade = each.verdict->grade;
        }
    }
    before.cards = known_cards(outline->devices, "");
    co_return before;
}

/// Returns the possible lanes. Media outside slots are already attached, but their shared resources are not known.
rig::Lanes possible_lanes(const CampaignContext& context) {
    const bool any_in_slot = std::any_of(context.media.begin(), context.media.end(),
                                         [](const MediumState& medium) { return medium.ref->slot.has_value(); });
    if (any_in_slot && context.ports.rig) return context.ports.rig->lanes();
    return {.most = context.media.size(), .independent = 1};
}

std::size_t lanes_of(const CampaignContext& context) {
    const rig::Lanes possible = possible_lanes(context);
    std::size_t lanes = possible.independent;
    if (context.plan.lanes) lanes = *context.plan.lanes;
    if (context.campaign.lanes) lanes = *context.campaign.lanes;
    return std::clamp<std::size_t>(lanes, 1, std::max<std::size_t>(std::min(possible.most, context.media.size()), 1));
}

/// The active lanes and their common queue of media.
struct Lanes {
    explicit Lanes(const asio::any_io_executor& executor) : ended(executor) {}
    std::size_t next_medium{};
    std::size_t at_work{};
    std::exception_ptr thrown;
    Event ended;
};

asio::awaitable<void> work_in_lane(CampaignContext& context, StepActions& actions, Lanes& lanes) {
    while (lanes.next_medium < context.media.size()) {
        // A rig may lose a slot during the campaign; the last lane always continues.
        if (lanes.at_work > 1 && lanes.at_work > possible_lanes(context).most) co_return;
        co_await test_medium(context, actions, lanes.next_medium++);
    }
}

asio::awaitable<void> work_in_lanes(CampaignContext& context, StepActions& actions) {
    const auto executor = co_await asio::this_coro::executor;
    Lanes lanes(executor);
    lanes.at_work = lanes_of(context);
    for (std::size_t i = lanes.at_work; i > 0; --i)
        asio::co_spawn(executor, work_in_lane(context, actions, lanes),
                       [&lanes, &context, executor](std::exception_ptr thrown) {
                           if (thrown && !lanes.thrown) {
                               lanes.thrown = thrown;
                               // Makes the other lanes release their media.
                               end_all(context, {Errc::host_fault, "another lane failed"}, executor);
                           }
                           --lanes.at_work;
                           lanes.ended.notify();
                       });
    while (lanes.at_work > 0) co_await lanes.ended.wait();
    if (lanes.thrown) std::rethrow_exception(lanes.thrown);
}

/// Returns the errors left on all media in one line; empty without errors. An error that several media share is given
/// once with the number of media; the name is omitted if the plan has only one medium.
std::string remaining_of(const CampaignContext& context, Summary& summary) {
    std::string medium, first;
    std::size_t alike = 0, others = 0;
    for (const MediumState& each : context.media)
        for (const Error& error : each.left_open) {
            // A refusal means that nothing was written, which is not true of a medium whose test has begun.
            const bool written = each.has_begun && error.code == Errc::refused;
            const int status = exit_status(written ? Errc::no_medium : error.code);
            summary.status_of_left = medium.empty() || summary.status_of_left == status ? status : 3;
            if (medium.empty()) {
                medium = each.ref->name;
                first = error.detail;
            }
            ++(error.detail == first ? alike : others);
        }
    if (medium.empty()) return {};
    if (others > 0) first += fmt::format(" (and {} more)", others);
    if (context.media.size() == 1) return first;
    if (alike > 1) medium += fmt::format(" and {} more with the same error", alike - 1);
    return medium + ": " + first;
}

asio::awaitable<Summary> finish(CampaignContext& context) {
    Summary summary{.campaign = context.campaign.id};
    summary.media = context.media.size();
    using store::CampaignState;
    summary.detail = remaining_of(context, summary);
    summary.incomplete = !context.ends() && !summary.detail.empty();
    summary.state = context.ends() || summary.incomplete ? CampaignState::interrupted : CampaignState::finished;
    if (context.stop.requested())
        summary.detail = context.stop.why();
    else if (context.ending)
        summary.detail = context.ending->detail;
    if (context.stop.requested() || (context.ending && exit_status(context.ending->code) != summary.status_of_left))
        summary.status_of_left = 3;
    // Include the verdicts of media that an earlier attempt finished.
    if (auto grades = co_await context.ports.store.grades(context.campaign.id)) {
        for (const store::DeviceGrade& each : *grades)
            if (each.grade) summary.grades.push_back({each.name, *each.grade});
    } else if (summary.detail.empty()) {
        summary.state = store::CampaignState::failed;
        summary.detail = grades.error().detail;
    }
    if (auto kept = co_await context.ports.store.end(context.campaign.id, summary.state, context.tell.utc()); !kept) {
        summary.state = store::CampaignState::failed;
        if (summary.detail.empty()) summary.detail = kept.error().detail;
    }
    context.tell(CampaignEnded{.campaign = summary.campaign, .state = summary.state, .detail = summary.detail});
    co_return summary;
}

} // namespace

asio::awaitable<Result<Summary>> run_campaign(const plan::Plan& plan, const Campaign& campaign, CampaignPorts ports,
                                              StopSignal& stop) {
    const auto executor = co_await asio::this_coro::executor;
    std::optional<RemainingTime> remaining;
    CampaignContext context{
        .plan = plan,
        .campaign = campaign,
        .ports = ports,
        .stop = stop,
        .tell = {[&](const SessionEvent& event) {
                     if (ports.tell) ports.tell(event);
                     if (!remaining) return;
                     if (const auto left = remaining->take(event))
                         ports.tell({.since_start = event.since_start, .body = *left});
                 },
                 ports.clock},
        .admission = {executor, {{processor, std::max(ports.processors, 1U)}}, admitted_rates(ports.uplinks)}};
    for (const plan::MediumRef& ref : plan.media) context.media.push_back({.ref = &ref, .target = ref.target()});

    auto journal = co_await begin(context);
    if (!journal) co_return fail(journal.error());
    context.journal = std::move(*journal);
    auto before = co_await look_back(context);
    if (!before) co_return fail(before.error());

    const StopBinding binding(stop, ports.agent, ports.rig, context.tell, executor);
    uplink::Meter meter;
    StepActions actions(context, std::move(*before), ports.uplinks.measure ? &meter : nullptr);
    const std::vector<plan::Step> certain = plan::unroll(plan);
    const std::vector<bool> done = done_before(certain, context.journal);
    if (ports.tell) remaining.emplace(plan, certain, lanes_of(context));
    context.tell(CampaignStarted{.campaign = campaign.id,
                                 .name = campaign.title(plan),
                                 .steps = certain.size(),
                                 .resumed = static_cast<std::size_t>(std::count(done.begin(), done.end(), true))});
    co_await work_in_lanes(context, actions);
    Summary summary = co_await finish(context);
    summary.uplinks = meter.ceilings();
    co_return summary;
}

} // namespace mediarig::campaign
