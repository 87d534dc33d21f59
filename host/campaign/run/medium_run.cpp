// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/run/medium_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <iterator>
#include <memory>

#include "host/campaign/remaining_time.hpp"
#include "host/campaign/resume.hpp"
#include "host/campaign/run/required_resources.hpp"
#include "host/plan/steps.hpp"
#include "host/store/record.hpp"

namespace mediarig::campaign {
namespace {

constexpr std::string_view campaign_ends = "the campaign ends";

namespace asio = boost::asio;
using plan::Step;
using plan::StepKind;

/// Returns the error outside the medium that prevents a verdict; null without such an error.
const Error* trouble_of_host(const MediumState& medium) {
    const auto found = std::find_if(medium.left_open.begin(), medium.left_open.end(),
                                    [](const Error& error) { return is_host_fault(error.code); });
    return found == medium.left_open.end() ? nullptr : &*found;
}

bool is_time_up(const CampaignContext& context) {
    return context.plan.time_budget && context.tell.elapsed() > *context.plan.time_budget;
}

asio::awaitable<std::string> why_left_out(CampaignContext& context, StepActions& actions, const Step& step,
                                          MediumState& medium) {
    if ((step.kind == StepKind::release && medium.claim) || (step.kind == StepKind::unload && medium.loaded))
        co_return "";
    if (context.ends()) co_return std::string(campaign_ends);
    if (step.kind == StepKind::release) co_return "nothing is claimed";
    if (step.kind == StepKind::unload) co_return "nothing is loaded";
    if (step.kind == StepKind::verdict) {
        const Error* trouble = trouble_of_host(medium);
        if (!trouble) co_return "";
        // A fault that was already found decides the verdict, even if other tests are missing.
        const auto faulty = co_await actions.found_a_fault(medium);
        if (!faulty) {
            end_all(context, faulty.error(), co_await asio::this_coro::executor);
            co_return std::string(campaign_ends);
        }
        if (*faulty) co_return "";
        co_return "waiting for the untested work: " + trouble->detail;
    }
    if (!medium.set_aside.empty()) co_return medium.set_aside;
    if (step.kind == StepKind::unmount) co_return medium.mounted ? "" : "nothing is mounted";
    if (!traits_of(step.kind).of_group()) co_return "";
    if (const auto failed = medium.failed_formats.find(group_key(step)); failed != medium.failed_formats.end())
        co_return failed->second;
    // A format that has begun is finished, but no new format or run begins.
    const bool begins = step.kind == StepKind::format || step.kind == StepKind::run;
    // A comparison needs complete passes, so its schedule ends it instead.
    if (!begins || context.plan.compare || !is_time_up(context)) co_return "";
    std::string why = fmt::format("the time budget of {} s is used up", context.plan.time_budget->count());
    // A format that was not made cannot be mounted.
    if (step.kind == StepKind::format) medium.failed_formats[group_key(step)] = why;
    co_return why;
}

void deal_with(CampaignContext& context, const Step& step, MediumState& medium, const Error& error,
               const asio::any_io_executor& executor) {
    bool whole_medium = traits_of(step.kind).of == plan::StepTraits::StepScope::beginning;
    switch (error.code) {
        case Errc::agent_lost:
        case Errc::rig_fault:
        case Errc::store_failed:
        case Errc::cancelled:
            end_all(context, error, executor);
            return;
        case Errc::no_medium:
        case Errc::refused: // after a refused claim the medium cannot be used
            whole_medium = true;
            break;
        default:
            break;
    }
    // Formats that cannot be made or mounted here cannot be compared here.
    if (context.plan.compare && (step.kind == StepKind::format || step.kind == StepKind::mount) &&
        (error.code == Errc::bad_request || is_host_fault(error.code)))
        whole_medium = true;
    // Record the reason why a slot could not be loaded, because it is the only information about the slot's medium.
    if (step.kind == StepKind::load)
        medium.left_open.push_back({Errc::no_medium, error.detail});
    else if (step.kind != StepKind::release && step.kind != StepKind::unload)
        medium.left_open.push_back(error);
    if (whole_medium || context.plan.on_failure == plan::OnFailure::next_medium) medium.set_aside = error.detail;
    // Skip the check: it would attribute damage by this machine to the medium.
    if (step.kind == StepKind::discard || step.kind == StepKind::format || step.kind == StepKind::mount ||
        (traits_of(step.kind).of_group() && is_host_fault(error.code)))
        medium.failed_formats[group_key(step)] = error.detail;
    if (context.plan.on_failure == plan::OnFailure::stop) end_all(context, error, executor);
}

/// Returns the measured rate of this medium if known, because it is more exact than an assumption.
Rate rate_of(const MediumState& medium) {
    const auto seen = medium.tested.passes.empty() ? std::nullopt : plan::rate_seen(medium.tested.passes.back().cells);
    return seen.value_or(assumed_rate);
}

std::chrono::seconds expected(const Step& step, const MediumState& medium) {
    const Bytes size = medium.mounted ? medium.mounted->free : medium.identity ? medium.identity->size : Bytes{};
    const auto estimate = plan::estimate(step, size, rate_of(medium));
    return estimate ? estimate->time : std::chrono::seconds{0};
}

asio::awaitable<Result<std::string>> journaled(CampaignContext& context, StepActions& actions, std::size_t index,
                                               const Step& step, MediumState& medium) {
    auto& store = context.ports.store;
    const std::string& id = context.campaign.id;
    using store::StepState;
    const store::StepRecord started{
        .key = step.key, .state = StepState::started, .detail = {}, .at = context.tell.utc()};
    if (auto kept = co_await store.journal(id, started); !kept) co_return fail(kept.error());
    auto outcome = co_await actions.perform(index, step, medium);
    const store::StepRecord record{.key = step.key,
                                   .state = !outcome        ? StepState::failed
                                            : medium.in_bin ? StepState::sorted
                                                            : StepState::done,
                                   .detail = outcome ? *outcome : outcome.error().detail,
                                   .at = context.tell.utc()};
    if (auto kept = co_await store.journal(id, record); !kept && outcome) co_return fail(kept.error());
    co_return outcome;
}

/// Records a failed or skipped step, so that an untested medium cannot appear good.
asio::awaitable<Result<void>> record_gap(CampaignContext& context, StepActions& actions, const Step& step,
                                         MediumState& medium, const std::string& why) {
    if (traits_of(step.kind).is_cleanup || context.ends()) co_return Result<void>{};
    if (auto named = co_await actions.record_unidentified(medium); !named) co_return named;
    co_return co_await actions.note_untested(medium, step, why);
}

asio::awaitable<void> leave_out(CampaignContext& context, StepActions& actions, const Step& step, MediumState& medium,
                                std::string why) {
    const std::size_t index = context.told++;
    context.tell(StepEnded{.index = index,
                           .step = step,
                           .how = why == campaign_ends ? StepEnded::How::not_begun : StepEnded::How::skipped,
                           .detail = why});
    // If a medium was set aside, the record already has the reason, with the step that failed.
    const bool told = why == medium.set_aside;
    if (!traits_of(step.kind).leaves_a_gap || told) co_return;
    if (auto kept = co_await record_gap(context, actions, step, medium, why); !kept)
        end_all(context, kept.error(), co_await asio::this_coro::executor);
}

/// Waits while the campaign is paused.
asio::awaitable<void> wait_while_paused(const CampaignContext& context) {
    std::function<bool()> goes_on = [&context] { return !context.stop.paused(); };
    co_await wait_until(context, std::chrono::steady_clock::time_point::max(), std::move(goes_on));
}

Transfers::Token transfer_of(CampaignContext& context, const Step& step, const MediumState& medium) {
    if (!traits_of(step.kind).transfers || !medium.identity) return {};
    return context.transfers.begin(
        {.medium = medium.ref->name, .step = step.key, .uplinks = uplinks_of(*medium.identity)});
}

asio::awaitable<void> take_step(CampaignContext& context, StepActions& actions, const Step& step, MediumState& medium) {
    co_await wait_while_paused(context);
    std::string why = co_await why_left_out(context, actions, step, medium);
    Admission::Permit permit;
    if (why.empty()) {
        // Compared formats are measured alone, even if the capacities of uplinks are known.
        auto resources = required_resources(step, medium, context.plan.compare ? UplinkUse{} : context.ports.uplinks);
        if (!resources.empty()) {
            permit = co_await context.admission.enter(std::move(resources));
            // The state may have changed during the wait.
            why = co_await why_left_out(context, actions, step, medium);
        }
    }
    if (!why.empty()) co_return co_await leave_out(context, actions, step, medium, std::move(why));

    const std::size_t index = context.told++;
    context.tell(
        StepStarted{.index = index, .step = step, .medium = medium.ref->name, .expected = expected(step, medium)});
    medium.transfer = transfer_of(context, step, medium);
    auto outcome = co_await journaled(context, actions, index, step, medium);
    medium.transfer = {};
    permit = Admission::Permit();
    if (outcome) {
        // The medium is gone and can no longer be tested.
        if (medium.in_bin) medium.left_open.clear();
        if (step.kind == StepKind::run && actions.audit_is_due(medium)) {
            auto resources = exclusive_resources(medium);
            permit = co_await context.admission.enter(std::move(resources));
            if (auto kept = co_await actions.audit(index, step, medium); !kept)
                end_all(context, kept.error(), co_await asio::this_coro::executor);
        }
        context.tell(StepEnded{.index = index, .step = step, .how = StepEnded::How::done, .detail = *outcome});
        co_return;
    }
    Error error = outcome.error();
    // Omit the name of the medium, which the reporter adds. Without the name, equal errors of many media are equal
    // sentences.
    if (const std::string named = medium.target + ": "; error.detail.starts_with(named))
        error.detail.erase(0, named.size());
    // Errors that the rig caused do not count against the medium.
    if (medium.loaded && error.code != Errc::cancelled)
        if (auto trouble = co_await actions.rig_fault_of()) error = std::move(*trouble);
    const auto executor = co_await asio::this_coro::executor;
    deal_with(context, step, medium, error, executor);
    context.tell(StepEnded{.index = index,
                           .step = step,
                           .how = error.code == Errc::cancelled ? StepEnded::How::cancelled : StepEnded::How::failed,
                           .detail = error.detail});
    if (auto kept = co_await record_gap(context, actions, step, medium, error.detail); !kept)
        end_all(context, kept.error(), executor);
}

/// Marks a step of an earlier attempt as not done before the step is repeated, so that a campaign that is interrupted
/// in between does not use the old check or verdict.
asio::awaitable<void> reopen(CampaignContext& context, const Step& step) {
    const auto before = context.journal.find(step.key);
    if (before == context.journal.end() || before->second.state != store::StepState::done) co_return;
    const store::StepRecord record{
        .key = step.key, .state = store::StepState::reopened, .detail = {}, .at = context.tell.utc()};
    if (auto kept = co_await context.ports.store.journal(context.campaign.id, record); !kept)
        end_all(context, kept.error(), co_await asio::this_coro::executor);
}

/// Consecutive steps, including steps that an earlier attempt did.
struct StepSequence {
    std::vector<Step> steps;
    std::vector<bool> done; ///< true for each step that an earlier attempt did
};

/// True if an earlier attempt made all measurements on the volume of this check, but the volume is formatted again.
bool checks_another_volume(const StepSequence& stretch, const Step& check) {
    if (check.kind != StepKind::check || !check.format || check.format->keep) return false;
    bool measured_before = false;
    for (std::size_t i = 0; i < stretch.steps.size(); ++i) {
        const Step& step = stretch.steps[i];
        if (step.kind != StepKind::run || !traits_of(step.kind).of_group() || group_key(step) != group_key(check))
            continue;
        if (!stretch.done[i]) return false;
        measured_before = true;
    }
    return measured_before;
}

asio::awaitable<void> take_steps(CampaignContext& context, StepActions& actions, const StepSequence& stretch,
                                 MediumState& medium) {
    for (std::size_t i = 0; i < stretch.steps.size(); ++i)
        if (!stretch.done[i]) co_await reopen(context, stretch.steps[i]);
    for (std::size_t i = 0; i < stretch.steps.size(); ++i) {
        const Step& step = stretch.steps[i];
        medium.made_anew_for_check = checks_another_volume(stretch, step);
        if (!stretch.done[i])
            co_await take_step(context, actions, step, medium);
        else
            context.tell(StepEnded{.index = context.told++,
                                   .step = step,
                                   .how = StepEnded::How::skipped,
                                   .detail = "done before the interruption"});
    }
}

/// The steps of a medium that are known before the first step: its groups up to the first unfinished group, or all
/// groups.
struct PlannedSteps {
    StepSequence beginning, end;
    std::vector<StepSequence> groups;
    bool over{}; ///< no step is left, or no step is possible because the medium was sorted into a bin
};

PlannedSteps look_ahead(const CampaignContext& context, Schedule& schedule, std::size_t index) {
    const MediumState& medium = context.media[index];
    PlannedSteps known;
    std::vector<Step> all = plan::beginning_of(context.plan, index);
    known.beginning.steps = all;
    bool left = false;
    const std::vector<Step> end = plan::end_of(context.plan, index);
    const bool sorted = is_sorted(end, context.journal);
    while (!left || sorted) {
        auto group = schedule.next(medium.tested);
        if (!group) break;
        left = !all_done(group->steps, context.journal);
        all.insert(all.end(), group->steps.begin(), group->steps.end());
        known.groups.push_back({std::move(group->steps), {}});
    }
    known.end.steps = end;
    all.insert(all.end(), end.begin(), end.end());

    const std::vector<bool> done = done_before(all, context.journal);
    auto at = done.begin();
    const auto hand_out = [&](StepSequence& stretch) {
        const auto from = std::exchange(at, std::next(at, static_cast<std::ptrdiff_t>(stretch.steps.size())));
        stretch.done.assign(from, at);
    };
    hand_out(known.beginning);
    for (StepSequence& group : known.groups) hand_out(group);
    hand_out(known.end);
    known.over = !left || sorted;
    return known;
}

asio::awaitable<Result<void>> look_back(CampaignContext& context, std::size_t index) {
    MediumState& medium = context.media[index];
    if (medium.earlier.device.empty()) co_return Result<void>{};
    auto loaded = co_await context.ports.store.load_device(context.campaign.id, medium.earlier.device);
    if (!loaded) co_return fail(std::move(loaded.error()));
    PreviousAttempt& earlier = medium.earlier;
    // A medium that was given up before it was identified has a placeholder key, which matches no medium.
    if (is_placeholder(loaded->device)) {
        earlier.device.clear();
        co_return Result<void>{};
    }
    earlier.identity = loaded->device.identity;
    const bool written = std::ranges::any_of(context.journal, [&](const auto& line) {
        const auto key = plan::StepKey::parse(line.first);
        return key && key->medium == index && key->repeat > 0;
    });
    if (loaded->device.found || written) earlier.found = loaded->device.found;
    earlier.passes = static_cast<std::uint32_t>(loaded->passes.size());
    for (store::PassView& pass : loaded->passes) {
        const auto& verify = pass.end ? pass.end->verify : std::nullopt;
        if (verify && verify->verdict == workload::CapacityVerdict::fake) earlier.fake = true;
        for (const workload::CellResult& cell : pass.cells)
            earlier.cells[pass.pass.id].push_back(
                {.id = cell.cell.id,
                 .up_to = cell.end == workload::CellEnd::cancelled ? std::optional(cell.moved) : std::nullopt});
        if (pass.end)
            medium.tested.passes.push_back(std::move(pass));
        else
            medium.tested.cut_off.push_back(pass.pass.id);
    }
    medium.tested.untested = std::move(loaded->untested);
    co_return Result<void>{};
}

/// Releases every claim, even if the journal can no longer record it.
asio::awaitable<void> end_claim(CampaignContext& context, MediumState& medium) {
    if (medium.claim) {
        // The agent cleans up when the connection ends, so an error here can be ignored.
        (void)co_await release_claim(context.ports.agent, *medium.claim, context.stop);
        medium.claim.reset();
    }
    if (!medium.loaded) co_return;
    medium.loaded = false;
    // This error can be ignored too: a rig that cannot take back its medium reports this failure at the next load.
    const rig::Sorting to = StepActions::sorting_of(medium);
    std::vector<ResourceRequest> resources{{the_rig, ResourceRequest::How::alone}};
    const auto permit = co_await context.admission.enter(std::move(resources));
    (void)co_await context.ports.rig->unload(*medium.ref->slot, to, context.ports.agent);
}

/// Stores the conclusion in the same way as the results that led to it.
asio::awaitable<void> conclude(CampaignContext& context, Schedule& schedule, MediumState& medium, bool over) {
    auto conclusion = schedule.conclusion(medium.tested, over);
    if (!conclusion) co_return;
    const store::StepRecord record{.key = conclusion->key,
                                   .state = store::StepState::done,
                                   .detail = conclusion->decisions,
                                   .at = context.tell.utc()};
    if (auto kept = co_await context.ports.store.journal(context.campaign.id, record); !kept)
        end_all(context, kept.error(), co_await asio::this_coro::executor);
    context.tell(ConclusionReached{.medium = medium.ref->name, .conclusion = std::move(*conclusion)});
}

/// True if optional groups may still follow.
bool may_go_on(const CampaignContext& context, const MediumState& medium) {
    return !context.ends() && medium.set_aside.empty() && !is_time_up(context);
}

} // namespace

void end_all(CampaignContext& context, const Error& why, const asio::any_io_executor& executor) {
    const bool first = !context.ending;
    // The first error is the cause. There are two exceptions: a cancellation is only a consequence of an error in
    // another lane, even if it is reported earlier; and the last error of the rig describes the action required from
    // the operator.
    const bool only_cancelled = !first && context.ending->code == Errc::cancelled && why.code != Errc::cancelled;
    if (first || only_cancelled || why.code == Errc::rig_fault) context.ending = why;
    if (first) cancel_soon(executor, context.ports.agent);
}

asio::awaitable<void> test_medium(CampaignContext& context, StepActions& actions, std::size_t index) {
    MediumState& medium = context.media[index];
    if (auto known = co_await look_back(context, index); !known)
        end_all(context, known.error(), co_await asio::this_coro::executor);
    const auto schedule = context.ports.schedule(context.plan, index);
    const PlannedSteps known = look_ahead(context, *schedule, index);
    // An earlier attempt judged the medium, and it may still be in its reader.
    if (known.over && medium.earlier.grade && medium.ref->slot && context.ports.rig) {
        medium.loaded = !is_done(known.end.steps.back(), context.journal);
        medium.grade = medium.earlier.grade;
    }
    co_await take_steps(context, actions, known.beginning, medium);
    for (const StepSequence& group : known.groups) co_await take_steps(context, actions, group, medium);
    // If nothing more is measured, groups that depend on results are omitted; all other groups are reported as skipped.
    const bool is_certain = schedule->depends_on_results().empty();
    while (!known.over && (is_certain || may_go_on(context, medium))) {
        co_await conclude(context, *schedule, medium, false);
        auto group = schedule->next(medium.tested);
        if (!group) break;
        StepSequence stretch{std::move(group->steps), {}};
        stretch.done = done_before(stretch.steps, context.journal);
        co_await take_steps(context, actions, stretch, medium);
    }
    if (!known.over && !context.ends()) co_await conclude(context, *schedule, medium, true);
    co_await take_steps(context, actions, known.end, medium);
    co_await end_claim(context, medium);
    medium.tested = {};
}

} // namespace mediarig::campaign
