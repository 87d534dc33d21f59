// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/session/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <set>

#include "host/rig/sorted.hpp"
#include "host/session/open_work.hpp"
#include "host/session/resume.hpp"
#include "host/session/step_actions.hpp"
#include "host/session/step_keys.hpp"
#include "host/store/stand_in.hpp"

namespace mediarig::session {
namespace {

namespace asio = boost::asio;
using plan::Step;
using plan::StepKind;
using How = StepEnded::How;

constexpr Rate assumed_rate{20e6}; ///< a card reader's, until something better is known

/// Interrupts the agent when somebody asks to stop, for as long as it lives.
class StopBinding {
public:
    StopBinding(StopSignal& stop, agent::AgentClient& agent, rig::Rig* rig, const asio::any_io_executor& executor)
        : stop_(stop) {
        stop_.on_request([&agent, rig, executor] {
            if (rig) rig->give_up();
            asio::co_spawn(
                executor, [&agent]() -> asio::awaitable<void> { (void)co_await agent.cancel(); }, asio::detached);
        });
    }
    StopBinding(const StopBinding&) = delete;
    StopBinding& operator=(const StopBinding&) = delete;
    ~StopBinding() { stop_.on_request(nullptr); }

private:
    StopSignal& stop_;
};

/// The state of one walk through a plan's steps.
struct Walk {
    const plan::Plan& plan;
    const Campaign& campaign;
    Ports& ports;
    StopSignal& stop;
    Teller tell;
    std::vector<MediumState> media{};
    std::optional<Error> ending{}; ///< why the campaign ends before its last step

    [[nodiscard]] bool ends() const { return ending || stop.requested(); }
};

/// Whether something that is not the medium's keeps it from being judged.
const Error* trouble_of_host(const MediumState& medium) {
    const auto found = std::find_if(medium.left_open.begin(), medium.left_open.end(),
                                    [](const Error& error) { return is_trouble_of_host(error.code); });
    return found == medium.left_open.end() ? nullptr : &*found;
}

std::string why_left_out(const Walk& walk, const StepActions& actions, const Step& step, const MediumState& medium) {
    if (step.kind == StepKind::release) return medium.claim ? "" : "nothing is claimed";
    if (step.kind == StepKind::unload) return medium.loaded ? "" : "nothing is loaded";
    if (walk.ends()) return "the campaign ends";
    if (step.kind == StepKind::verdict) {
        const Error* trouble = trouble_of_host(medium);
        // What was found already stands, whatever could not be tested besides.
        if (!trouble || actions.found_a_fault(medium)) return "";
        return "it waits for what could not be tested: " + trouble->detail;
    }
    if (!medium.set_aside.empty()) return medium.set_aside;
    if (step.kind == StepKind::unmount) return medium.mounted ? "" : "nothing is mounted";
    if (!belongs_to_format(step)) return "";
    if (const auto failed = medium.failed_formats.find(format_part(step)); failed != medium.failed_formats.end())
        return failed->second;
    // What has begun with a format is brought to its end; nothing new is begun.
    const bool begins = step.kind == StepKind::format || step.kind == StepKind::run;
    if (begins && walk.plan.time_budget && walk.tell.elapsed() > *walk.plan.time_budget)
        return fmt::format("the time budget of {} s is used up", walk.plan.time_budget->count());
    return "";
}

bool lets_go(const Step& step) {
    return step.kind == StepKind::release || step.kind == StepKind::unmount || step.kind == StepKind::unload;
}

void deal_with(Walk& walk, const Step& step, MediumState& medium, const Error& error) {
    bool whole_medium = step.kind == StepKind::load || step.kind == StepKind::identify || step.kind == StepKind::claim;
    switch (error.code) {
        case Errc::agent_lost:
        case Errc::rig_fault:
        case Errc::store_failed:
        case Errc::cancelled:
            walk.ending = error;
            return;
        case Errc::no_medium:
        case Errc::refused: // a claim that was refused once is void
            whole_medium = true;
            break;
        default:
            break;
    }
    // Why a slot could not be loaded is what is known of the medium in it.
    if (step.kind == StepKind::load)
        medium.left_open.push_back({Errc::no_medium, error.detail});
    else if (step.kind != StepKind::release && step.kind != StepKind::unload)
        medium.left_open.push_back(error);
    if (whole_medium || walk.plan.on_failure == plan::OnFailure::next_medium) medium.set_aside = error.detail;
    // What the machine did to a mounted volume would be found by the check, and be held against the medium.
    if (step.kind == StepKind::format || step.kind == StepKind::mount ||
        (belongs_to_format(step) && is_trouble_of_host(error.code)))
        medium.failed_formats[format_part(step)] = error.detail;
    if (walk.plan.on_failure == plan::OnFailure::stop) walk.ending = error;
}

/// The names of media that an earlier attempt may have written to.
std::set<std::string> written_media(const Walk& walk, const std::vector<Step>& steps, const Journal& journal) {
    std::set<std::string> names;
    for (const Step& step : steps)
        if ((step.kind == StepKind::format || step.kind == StepKind::mount || step.kind == StepKind::run) &&
            journal.contains(step.key))
            names.insert(walk.media[step.medium].ref->name);
    return names;
}

/// What a resumed campaign has behind it; empty for a new one.
Result<Earlier> look_back(const Walk& walk, const std::vector<Step>& steps, const Journal& journal) {
    Earlier earlier;
    if (!walk.campaign.resumed) return earlier;
    auto view = walk.ports.store.load(walk.campaign.id);
    if (!view) return fail(view.error());
    const std::set<std::string> written = written_media(walk, steps, journal);
    for (const store::DeviceView& device : view->devices) {
        if (device.verdict) earlier.grades[device.device.name] = device.verdict->grade;
        // One that was given up before it could be identified has a stand-in's key, which binds nobody.
        if (stands_in(device.device)) continue;
        earlier.devices[device.device.name] = device.device.key;
        if (device.device.found || written.contains(device.device.name))
            earlier.found[device.device.name] = device.device.found;
        earlier.passes[device.device.key] = static_cast<std::uint32_t>(device.passes.size());
        for (const store::PassView& pass : device.passes) {
            if (pass.end && pass.end->verify && pass.end->verify->verdict == workload::CapacityVerdict::fake)
                earlier.fakes.insert(device.device.key);
            for (const workload::CellResult& cell : pass.cells)
                earlier.cells[pass.pass.id].push_back(cell.end == workload::CellEnd::cancelled
                                                          ? fmt::format("{}@{}", cell.cell.id, cell.moved.count)
                                                          : cell.cell.id);
        }
    }
    return earlier;
}

Result<Journal> begin(const Walk& walk) {
    if (walk.campaign.resumed) return walk.ports.store.steps(walk.campaign.id);
    const store::CampaignRecord record{.id = walk.campaign.id,
                                       .name = walk.plan.name,
                                       .plan = plan::to_json(walk.plan).dump(),
                                       .origin = walk.campaign.origin,
                                       .started = walk.tell.utc(),
                                       .ended = std::nullopt,
                                       .state = store::CampaignState::running};
    if (auto begun = walk.ports.store.begin(record); !begun) return fail(begun.error());
    return Journal{};
}

std::chrono::seconds expected(const Step& step, const MediumState& medium) {
    const Bytes size = medium.mounted ? medium.mounted->free : medium.identity ? medium.identity->size : Bytes{};
    const auto estimate = plan::estimate(step, size, assumed_rate);
    return estimate ? estimate->time : std::chrono::seconds{0};
}

asio::awaitable<Result<std::string>> journaled(Walk& walk, StepActions& actions, std::size_t index, const Step& step,
                                               MediumState& medium) {
    auto& store = walk.ports.store;
    const std::string& id = walk.campaign.id;
    using store::StepState;
    if (auto kept = store.journal(id, {.key = step.key, .state = StepState::started, .at = walk.tell.utc()}); !kept)
        co_return fail(kept.error());
    auto outcome = co_await actions.perform(index, step, medium);
    const store::StepRecord record{.key = step.key,
                                   .state = outcome ? StepState::done : StepState::failed,
                                   .detail = outcome ? *outcome : outcome.error().detail,
                                   .at = walk.tell.utc()};
    if (auto kept = store.journal(id, record); !kept && outcome) co_return fail(kept.error());
    co_return outcome;
}

/// A step that failed, or was left out, is part of the record: nothing that was not tested may look as if it were good.
Result<void> record_gap(Walk& walk, StepActions& actions, const Step& step, MediumState& medium,
                        const std::string& why) {
    if (lets_go(step) || walk.ends()) return {};
    if (auto named = actions.give_up_unidentified(medium); !named) return named;
    return actions.note_untested(medium, step, why);
}

asio::awaitable<void> step_through(Walk& walk, StepActions& actions, std::size_t index, const Step& step) {
    MediumState& medium = walk.media[step.medium];
    if (const std::string why = why_left_out(walk, actions, step, medium); !why.empty()) {
        walk.tell(StepEnded{.index = index, .step = step, .how = How::skipped, .detail = why});
        // Why a medium was set aside is in the record already, with the step that met it.
        const bool told = why == medium.set_aside;
        if (leaves_a_gap(step) && !told)
            if (auto kept = record_gap(walk, actions, step, medium, why); !kept) walk.ending = kept.error();
        co_return;
    }
    walk.tell(
        StepStarted{.index = index, .step = step, .medium = medium.ref->name, .expected = expected(step, medium)});
    auto outcome = co_await journaled(walk, actions, index, step, medium);
    if (outcome) {
        // It is not there any more to be tested.
        if (step.kind == StepKind::unload && outcome->starts_with(rig::into_a_bin)) medium.left_open.clear();
        walk.tell(StepEnded{.index = index, .step = step, .how = How::done, .detail = *outcome});
        co_return;
    }
    Error error = outcome.error();
    // No medium is blamed for what its rig did to it.
    if (medium.loaded && error.code != Errc::cancelled)
        if (auto trouble = co_await walk.ports.rig->trouble()) error = std::move(*trouble);
    deal_with(walk, step, medium, error);
    walk.tell(StepEnded{.index = index,
                        .step = step,
                        .how = error.code == Errc::cancelled ? How::cancelled : How::failed,
                        .detail = error.detail});
    if (auto kept = record_gap(walk, actions, step, medium, error.detail); !kept) walk.ending = kept.error();
}

/// Nothing stays claimed, not even where the journal can no longer say so.
asio::awaitable<void> let_go(Walk& walk) {
    for (MediumState& medium : walk.media) {
        if (medium.claim) {
            const agent::ClaimId claim = *medium.claim;
            medium.claim.reset();
            // The agent puts everything away by itself when the link ends: an error here changes nothing.
            (void)co_await release_claim(walk.ports.agent, claim, walk.stop);
        }
        if (medium.loaded) {
            medium.loaded = false;
            // Nor here: a rig that cannot take its medium back says so when it is asked for the next.
            const rig::Sorting to = StepActions::sorting_of(medium);
            (void)co_await walk.ports.rig->unload(*medium.ref->slot, to, walk.ports.agent);
        }
    }
}

/// Media that an earlier attempt judged and did not come to put away.
void expect_left_in_readers(Walk& walk, const std::vector<Step>& steps, const std::vector<bool>& skip,
                            const std::map<std::string, measure::Grade>& grades) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        // The verdict stands right before the unloading.
        if (steps[i].kind != StepKind::unload || skip[i] || !skip[i - 1]) continue;
        MediumState& medium = walk.media[steps[i].medium];
        const auto grade = grades.find(medium.ref->name);
        if (grade == grades.end() || !walk.ports.rig) continue;
        medium.loaded = true;
        medium.grade = grade->second;
    }
}

/// What an earlier attempt did and this one does again is not done until then: a campaign that is cut off now must not
/// believe the check or the verdict of before.
Result<void> reopen(Walk& walk, const std::vector<Step>& steps, const std::vector<bool>& skip, const Journal& journal) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto before = journal.find(steps[i].key);
        if (skip[i] || before == journal.end() || before->second.state != store::StepState::done) continue;
        const store::StepRecord record{
            .key = steps[i].key, .state = store::StepState::failed, .detail = to_be_done_again, .at = walk.tell.utc()};
        if (auto kept = walk.ports.store.journal(walk.campaign.id, record); !kept) return kept;
    }
    return {};
}

/// Says what is left of all media in one line; empty where nothing is.
std::string left_of(const Walk& walk, Summary& summary) {
    std::string first;
    std::size_t more = 0;
    for (const MediumState& medium : walk.media)
        for (const Error& error : medium.left_open) {
            const int status = exit_status(error.code);
            summary.status_of_left = first.empty() || summary.status_of_left == status ? status : 3;
            if (first.empty())
                first = fmt::format("{}: {}", medium.ref->name, error.detail);
            else
                ++more;
        }
    return more == 0 ? first : fmt::format("{} (and {} more)", first, more);
}

Summary finish(Walk& walk) {
    Summary summary{.campaign = walk.campaign.id};
    using store::CampaignState;
    summary.detail = left_of(walk, summary);
    summary.incomplete = !walk.ends() && !summary.detail.empty();
    summary.state = walk.ends() || summary.incomplete ? CampaignState::interrupted : CampaignState::finished;
    if (walk.stop.requested())
        summary.detail = walk.stop.why();
    else if (walk.ending)
        summary.detail = walk.ending->detail;
    if (walk.stop.requested() || (walk.ending && exit_status(walk.ending->code) != summary.status_of_left))
        summary.status_of_left = 3;
    // The verdicts of media that an earlier attempt finished count as well.
    if (auto view = walk.ports.store.load(walk.campaign.id)) {
        for (const store::DeviceView& device : view->devices)
            if (device.verdict) summary.grades.push_back({device.device.name, device.verdict->grade});
    } else if (summary.detail.empty()) {
        summary.state = store::CampaignState::failed;
        summary.detail = view.error().detail;
    }
    if (auto kept = walk.ports.store.end(walk.campaign.id, summary.state, walk.tell.utc()); !kept) {
        summary.state = store::CampaignState::failed;
        if (summary.detail.empty()) summary.detail = kept.error().detail;
    }
    walk.tell(CampaignEnded{.campaign = summary.campaign, .state = summary.state, .detail = summary.detail});
    return summary;
}

} // namespace

Clock Clock::system() {
    return {
        .utc = [] { return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now()); },
        .monotonic = [] { return std::chrono::steady_clock::now().time_since_epoch(); }};
}

asio::awaitable<Result<Summary>> run_campaign(const plan::Plan& plan, const Campaign& campaign, Ports ports,
                                              StopSignal& stop) {
    Walk walk{.plan = plan, .campaign = campaign, .ports = ports, .stop = stop, .tell = {ports.tell, ports.clock}};
    for (const plan::MediumRef& ref : plan.media) walk.media.push_back({.ref = &ref, .target = ref.target()});

    const std::vector<Step> steps = plan::unroll(plan);
    const auto journal = begin(walk);
    if (!journal) co_return fail(journal.error());
    auto earlier = look_back(walk, steps, *journal);
    if (!earlier) co_return fail(earlier.error());
    const std::vector<bool> skip = done_before(steps, *journal);
    if (auto again = reopen(walk, steps, skip, *journal); !again) co_return fail(again.error());

    const StopBinding binding(stop, ports.agent, ports.rig, co_await asio::this_coro::executor);
    expect_left_in_readers(walk, steps, skip, earlier->grades);
    StepActions actions(plan, campaign, ports, walk.tell, stop, std::move(*earlier));
    walk.tell(CampaignStarted{.campaign = campaign.id,
                              .name = plan.name,
                              .steps = steps.size(),
                              .resumed = static_cast<std::size_t>(std::count(skip.begin(), skip.end(), true))});
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (skip[i])
            walk.tell(
                StepEnded{.index = i, .step = steps[i], .how = How::skipped, .detail = "done before the interruption"});
        else
            co_await step_through(walk, actions, i, steps[i]);
    }
    co_await let_go(walk);
    co_return finish(walk);
}

} // namespace mediarig::session
