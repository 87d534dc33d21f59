// SPDX-License-Identifier: GPL-3.0-or-later
/// What becomes of a medium: its verdict, and where a rig puts it.
#include <algorithm>
#include <utility>

#include "host/metrics/inconsistent_passes.hpp"
#include "host/plan/format_name.hpp"
#include "host/session/assess.hpp"
#include "host/session/step_actions.hpp"

namespace mediarig::session {

namespace asio = boost::asio;

asio::awaitable<Result<measure::Verdict>> StepActions::assessed(const MediumState& medium) {
    const auto view = co_await context_.ports.store.load_device(context_.campaign.id, medium.device);
    if (!view) co_return fail(view.error());
    co_return assess(*view, context_.plan.limits);
}

asio::awaitable<Result<bool>> StepActions::found_a_fault(MediumState& medium) {
    auto verdict = co_await assessed(medium);
    if (!verdict) co_return fail(std::move(verdict.error()));
    const bool faulty = verdict->grade == measure::Grade::fail || verdict->grade == measure::Grade::fake;
    // It is judged next, by the same record.
    if (faulty) medium.assessed = std::move(*verdict);
    co_return faulty;
}

asio::awaitable<Result<void>> StepActions::compare_passes(const MediumState& medium) {
    // What else was at work in a comparison is part of its own answer.
    if (context_.plan.compare) co_return Result<void>{};
    const auto view = co_await context_.ports.store.load_device(context_.campaign.id, medium.device);
    if (!view) co_return fail(view.error());
    std::vector<metrics::PassCells> passes;
    for (const store::PassView& pass : view->passes)
        if (workload::measures_rates(pass.pass.job))
            passes.push_back({pass.pass.job.suite, plan::place_of_format(pass.pass.format), &pass.cells,
                              pass.pass.job.payload.kind});
    co_return co_await keep_new_findings(medium, metrics::inconsistent_passes(passes));
}

StepActions::Outcome StepActions::judge(MediumState& medium) {
    auto& known = medium.assessed;
    if (!known) {
        // Of a medium that was found faulty, the order of its passes says nothing more.
        if (auto kept = co_await compare_passes(medium); !kept) co_return fail(kept.error());
        auto verdict = co_await assessed(medium);
        if (!verdict) co_return fail(verdict.error());
        known = std::move(*verdict);
    }
    const measure::Verdict verdict = *std::exchange(known, std::nullopt);
    if (auto kept = co_await context_.ports.store.put_verdict(context_.campaign.id, medium.device, verdict); !kept)
        co_return fail(kept.error());
    medium.grade = verdict.grade;
    context_.tell(VerdictReached{.medium = medium.ref->name, .verdict = verdict});
    co_return std::string(measure::name_of(verdict.grade));
}

rig::Sorting StepActions::sorting_of(const MediumState& medium) {
    if (!medium.grade || medium.may_be_another()) return std::nullopt;
    switch (*medium.grade) {
        case measure::Grade::pass:
            return rigproto::Bin::pass;
        case measure::Grade::fail:
        case measure::Grade::fake:
            return rigproto::Bin::fail;
        case measure::Grade::marginal:
        case measure::Grade::inconclusive:
            break;
    }
    return rigproto::Bin::retest;
}

} // namespace mediarig::session
