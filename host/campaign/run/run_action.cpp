// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs one suite on one medium: the only step whose results arrive while it runs.
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "common/fnv1a.hpp"
#include "host/base/async/event.hpp"
#include "host/base/async/spawn_guarded.hpp"
#include "host/base/text.hpp"
#include "host/campaign/resources/transfers.hpp"
#include "host/campaign/run/required_resources.hpp"
#include "host/campaign/run/step_actions.hpp"
#include "host/rig/station/replugged.hpp"
#include "host/store/campaign_id.hpp"
#include "host/workload/metrics/implausible.hpp"
#include "host/workload/suites/suite.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::campaign {
namespace {

namespace asio = boost::asio;

bool holds(const measure::Findings& findings, const measure::Finding& finding) {
    return std::find(findings.begin(), findings.end(), finding) != findings.end();
}

std::string capacity_text(const workload::VerifyOutcome& verify) {
    if (verify.verdict == workload::CapacityVerdict::fake && verify.fake && verify.true_capacity)
        return fmt::format("FAKE ({}): claims {}, holds {}; ", workload::name_of(*verify.fake),
                           size_text(verify.claimed), size_text(*verify.true_capacity));
    if (!verify.verdict || *verify.verdict == workload::CapacityVerdict::good) return {};
    return fmt::format("{}; ", workload::name_of(*verify.verdict));
}

std::string summed_up(const std::vector<workload::CellResult>& cells,
                      const std::optional<workload::VerifyOutcome>& verify) {
    if (!verify) return fmt::format("{} cells", cells.size());
    if (verify->probe) {
        std::string text = fmt::format(
            "{}{} written and {} read of {} in {:.1f} s, a cache of up to {} assumed", capacity_text(*verify),
            size_text(verify->written), size_text(verify->probe->read), size_text(verify->claimed),
            std::chrono::duration<double>(verify->probe->elapsed).count(), size_text(verify->probe->assumed_cache));
        if (verify->restored && verify->restored->lost == 0)
            text += fmt::format(", {} restored", size_text(verify->restored->bytes));
        return text;
    }
    return fmt::format("{}{} written and read back{}, {} damaged", capacity_text(*verify), size_text(verify->written),
                       verify->power_cycled.empty() ? "" : " after a loss of power", size_text(verify->damaged_bytes));
}

/// Number that marks the data of a pass. Data of an earlier pass of another campaign must not be accepted as data of
/// this pass; a resumed pass must recognise its own data.
std::uint32_t generation_of(const std::string& campaign, const std::string& pass) {
    return fnv1a<std::uint32_t>(fmt::format("{}/{}", campaign, pass));
}

std::uint64_t seconds_of(store::TimePoint time) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

/// False for an unfinished cell: its progress lets a later attempt continue.
bool is_finished(const workload::CellResult& cell) {
    return cell.end != workload::CellEnd::cancelled;
}

bool holds_a_fault(const measure::Findings& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const measure::Finding& finding) { return finding.severity == measure::Severity::fault; });
}

bool blames_the_medium(const workload::CellResult& cell) {
    return holds_a_fault(cell.findings);
}

/// The path to the medium is the same in every pass of a mount, so only the first pass reports it.
void tell_of_mount_once(MediumState& medium, measure::Findings& about_pass) {
    std::erase_if(about_pass, [&](const measure::Finding& finding) {
        const bool of_mount =
            finding.kind == measure::FindingKind::driver_limit || finding.kind == measure::FindingKind::direct_refused;
        if (!of_mount) return false;
        if (holds(medium.about_mount, finding)) return true;
        medium.about_mount.push_back(finding);
        return false;
    });
}

/// Pending writes; each write was started when its value arrived.
class Writes {
public:
    /// `on_failure`: called for the first failed write.
    Writes(const asio::any_io_executor& executor, std::function<void()> on_failure)
        : state_(std::make_shared<State>(executor, std::move(on_failure))), executor_(executor) {}

    void add(asio::awaitable<Result<void>> write) {
        ++state_->pending;
        spawn_guarded(executor_, keep(std::move(write), state_),
                      [state = state_](const std::optional<std::string>& broken) {
                          if (broken) note(*state, fail(Errc::store_failed, *broken));
                          --state->pending;
                          state->ended.notify();
                      });
    }
    /// Waits for all writes; fails if a write failed.
    asio::awaitable<Result<void>> all() {
        while (state_->pending > 0) co_await state_->ended.wait();
        co_return state_->outcome;
    }

private:
    struct State {
        State(const asio::any_io_executor& executor, std::function<void()> failed)
            : ended(executor), on_failure(std::move(failed)) {}
        std::size_t pending{};
        Result<void> outcome;
        Event ended;
        std::function<void()> on_failure;
    };
    static asio::awaitable<void> keep(asio::awaitable<Result<void>> write, std::shared_ptr<State> state) {
        note(*state, co_await std::move(write));
    }
    static void note(State& state, Result<void> kept) {
        if (kept || !state.outcome) return;
        state.outcome = std::move(kept);
        state.on_failure();
    }

    std::shared_ptr<State> state_;
    asio::any_io_executor executor_;
};

} // namespace

agent::RunTarget target_of(const plan::Step& step, const MediumState& medium) {
    if (!medium.ref->directory.empty()) return agent::RunTarget::directory(medium.ref->directory);
    if (step.suite->where == plan::SuiteTarget::raw) return agent::RunTarget::raw(*medium.claim);
    return agent::RunTarget::mounted(*medium.claim);
}

void StepActions::report_progress(std::size_t index, const agent::RunProgress& progress,
                                  const workload::JobSpec& job) const {
    context_.tell(StepProgress{.index = index,
                               .phase = workload::phase_title(job, progress.phase),
                               .done = progress.done,
                               .total = progress.total,
                               .cell = progress.cell,
                               .cells = workload::parts_of(job),
                               .failures = progress.failures,
                               .first_failure = progress.first_failure});
}

Result<void> StepActions::check_replug(const plan::Step& step, const MediumState& medium) const {
    if (!step.suite->replug || medium.loaded) return {};
    if (!rig::can_be_replugged(*medium.identity))
        return fail(Errc::bad_request,
                    "the power of this target cannot be cut: leave \"replug\" out, or name a device with a bus");
    if (context_.ports.person == nullptr)
        return fail(
            Errc::bad_request,
            "nothing can cut the power of this medium: use a terminal, whose operator is asked to replug it, or "
            "a slot of a rig");
    return {};
}

StepActions::Outcome StepActions::power_cycle(MediumState& medium) {
    if (auto released = co_await release(medium); !released) co_return fail(std::move(released.error()));
    std::string how;
    Result<media::Medium> back = fail(Errc::no_medium, "");
    if (medium.loaded) {
        std::vector<ResourceRequest> resources{{the_rig, ResourceRequest::How::alone}};
        const auto permit = co_await context_.admission.enter(std::move(resources));
        auto loaded = co_await context_.ports.rig->reload(*medium.ref->slot, context_.ports.agent);
        if (!loaded) co_return fail(std::move(loaded.error()));
        how = rig::journal_text(context_.ports.rig->description(), loaded->detachment);
        back = std::move(loaded->medium);
    } else {
        const rig::ReplugWait wait{.within = context_.ports.person_within,
                                   .given_up = [this] { return context_.stopped().has_value(); }};
        back = co_await rig::replugged(*medium.identity, *context_.ports.person, context_.ports.agent, wait);
        how = "removed and connected again by the operator";
    }
    if (!back) co_return fail(std::move(back.error()));
    // The attachment is new; the rest of the identity may contain registers that the reader does not show.
    medium.target = medium.identity->node = back->node;
    medium.identity->number = back->number;
    medium.identity->disk_sequence = back->disk_sequence;
    medium.identity->sysfs_path = back->sysfs_path;
    if (auto claimed = co_await claim(medium); !claimed) co_return fail(std::move(claimed.error()));
    co_return how;
}

asio::awaitable<Result<agent::RunReport>> StepActions::read_after_power_cycle(
    const plan::Step& step, MediumState& medium, workload::JobSpec job, std::vector<workload::PreviousCell> done,
    agent::RunReport written, agent::RunHandlers handlers) {
    auto how = co_await power_cycle(medium);
    if (!how) co_return fail(std::move(how.error()));
    job.as<workload::VerifyJob>()->power_cycle = workload::PowerCycle::done;
    if (!workload::holds(done, workload::verify_write_id)) done.push_back({.id = workload::verify_write_id});
    const agent::RunTarget target = target_of(step, medium);
    auto report = co_await context_.ports.agent.run(target, job, done, std::move(handlers));
    if (!report) co_return report;
    report->findings.insert(report->findings.begin(), written.findings.begin(), written.findings.end());
    if (report->verify) {
        report->verify->power_cycled = *how;
        std::vector<workload::PassSpeed>& speeds = report->verify->speeds;
        speeds.insert(speeds.begin(), written.verify->speeds.begin(), written.verify->speeds.end());
    }
    co_return report;
}

StepActions::Outcome StepActions::run(std::size_t index, const plan::Step& step, MediumState& medium) {
    if (auto possible = check_replug(step, medium); !possible) co_return fail(std::move(possible.error()));
    auto job = suites::expand(step.suite->request, available(medium));
    if (!job) co_return fail(job.error());
    if (step.suite->replug) job->as<workload::VerifyJob>()->power_cycle = workload::PowerCycle::due;
    workload::set_generation(*job, generation_of(context_.campaign.id, step.pass));
    // A resumed pass must write the same labels, so their date is that of the campaign.
    if (const auto started = store::time_of_campaign_id(context_.campaign.id);
        started && step.suite->where == plan::SuiteTarget::raw)
        workload::set_date(*job, seconds_of(*started));

    store::PassView view;
    view.pass = {.id = step.pass,
                 .device = medium.device,
                 .format = step.format_name,
                 .repeat = step.repeat,
                 .position = medium.passes++,
                 .job = *job,
                 .discarded = medium.discarded,
                 .condition = medium.condition,
                 .formatted = medium.formatted,
                 .mounted = medium.mounted,
                 .started = context_.tell.utc()};
    if (auto kept = co_await context_.ports.store.put(context_.campaign.id, view.pass); !kept)
        co_return fail(kept.error());
    if (auto stop = context_.stopped()) co_return fail(std::move(*stop));

    const std::vector<workload::PreviousCell> done =
        workload::made_as_a_whole(*job) ? std::vector<workload::PreviousCell>{} : medium.earlier.cells[step.pass];
    measure::Findings about_pass;
    // For a raw verification the job itself continues and reports the continuation.
    const bool bare = step.suite->where == plan::SuiteTarget::raw;
    if (!done.empty() && !(bare && job->as<workload::VerifyJob>()))
        about_pass.push_back(
            {.kind = measure::FindingKind::resumed,
             .severity = measure::Severity::note,
             .detail = fmt::format("interrupted after {} cells and continued{}: compare the two parts with caution",
                                   done.size(), bare ? "" : " on a newly formatted medium")});

    std::vector<workload::CellResult>& cells = view.cells;
    const auto executor = co_await boost::asio::this_coro::executor;
    agent::RunHandlers handlers;
    const std::vector<std::string> uplinks =
        medium.identity ? uplinks_of(*medium.identity) : std::vector<std::string>{};
    if (meter_ != nullptr) meter_->begin(medium.ref->name, context_.tell.elapsed());
    handlers.on_progress = [&](const agent::RunProgress& progress) {
        if (progress.done > 0_B) medium.has_begun = true;
        if (meter_ != nullptr) meter_->moved(medium.ref->name, uplinks, context_.tell.elapsed(), progress.done);
        report_progress(index, progress, *job);
    };
    // After a failed write later cells cannot be stored either: cancel the run.
    Writes writes(executor, [&] { cancel_soon(executor, context_.ports.agent); });
    const auto take = [&](const workload::CellResult& cell) {
        writes.add(context_.ports.store.put_cell(context_.campaign.id, step.pass, cell));
        if (!is_finished(cell)) return;
        cells.push_back(cell);
        context_.tell(CellFinished{.medium = medium.ref->name, .step = step, .result = cell});
    };
    std::vector<workload::CellResult> doubtful;
    ConcurrentCells beside;
    handlers.on_cell = [&](const workload::CellResult& cell) {
        medium.has_begun = true;
        for (const Neighbour& neighbour : medium.transfer.take_seen())
            if (is_finished(cell)) beside[neighbour].push_back(cell.cell.id);
        // Store each cell at once, so that a crash loses no finished measurement. A rig that cuts the power also causes
        // errors, and this cause is known only after the run. Therefore cells that blame the medium are stored later.
        if (medium.loaded && blames_the_medium(cell))
            doubtful.push_back(cell);
        else
            take(cell);
    };
    handlers.on_finding = [&](const measure::Finding& finding) { about_pass.push_back(finding); };
    // Use a named variable, because GCC 12 destroys an aggregate twice if it is created inside a co_await expression.
    const agent::RunTarget target = target_of(step, medium);
    const agent::RunHandlers while_reading = handlers;
    auto report = co_await context_.ports.agent.run(target, *job, done, std::move(handlers));
    if (step.suite->replug && report && report->verify && !report->verify->verdict)
        report = co_await read_after_power_cycle(step, medium, *job, done, std::move(*report), while_reading);
    std::optional<Error> rig_fault;
    if (medium.loaded && (!report || !doubtful.empty() || holds_a_fault(report->findings)))
        rig_fault = co_await rig_fault_of();
    if (!rig_fault)
        for (const workload::CellResult& cell : doubtful) take(cell);
    auto kept_cells = co_await writes.all();
    if (rig_fault) co_return fail(std::move(*rig_fault));

    // The agent reports a finding at once, and again in the report or with the cell. Keep the finding only once.
    if (report)
        for (const measure::Finding& finding : report->findings)
            if (!holds(about_pass, finding)) about_pass.push_back(finding);
    std::erase_if(about_pass, [&](const measure::Finding& finding) {
        return std::any_of(cells.begin(), cells.end(),
                           [&](const workload::CellResult& cell) { return holds(cell.findings, finding); });
    });
    tell_of_mount_once(medium, about_pass);
    if (workload::measures_rates(*job)) {
        measure::Findings others = findings_of(beside, cells.size());
        about_pass.insert(about_pass.end(), others.begin(), others.end());
    }
    for (const measure::Finding& finding : store::findings_of(view))
        context_.tell(FindingReported{.medium = medium.ref->name, .finding = finding});
    for (measure::Finding& finding : about_pass) finding.pass = step.pass;
    if (auto kept = co_await keep_findings(medium, about_pass); !kept) co_return fail(kept.error());
    if (!kept_cells) co_return fail(std::move(kept_cells.error()));
    if (!report) co_return fail(report.error());

    const auto links = medium.identity ? links_of(*medium.identity) : std::vector<measure::BusLink>{};
    view.findings = metrics::implausible(*job, cells, links);
    for (measure::Finding& finding : view.findings) finding.pass = step.pass;
    if (auto kept = co_await keep_findings(medium, view.findings); !kept) co_return fail(kept.error());
    view.findings.insert(view.findings.end(), about_pass.begin(), about_pass.end());
    const store::PassEnd end{.ended = context_.tell.utc(), .verify = report->verify};
    if (auto kept = co_await context_.ports.store.put_end(context_.campaign.id, step.pass, end); !kept)
        co_return fail(kept.error());
    view.end = end;
    if (report->verify && report->verify->verdict == workload::CapacityVerdict::fake)
        medium.set_aside = set_aside_as_fake;
    std::string summary = summed_up(cells, report->verify);
    medium.tested.passes.push_back(std::move(view));
    co_return summary;
}

} // namespace mediarig::campaign
