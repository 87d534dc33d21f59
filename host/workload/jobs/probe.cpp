// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/probe.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <utility>

#include "common/fnv1a.hpp"
#include "host/workload/jobs/capacity_finding.hpp"
#include "host/workload/jobs/direct_device.hpp"
#include "host/workload/jobs/probe_sampler.hpp"
#include "host/workload/jobs/probe_search.hpp"
#include "host/workload/jobs/restoring_medium.hpp"

namespace mediarig::workload {
namespace {

CellResult run_cell(const JobSpec& job, Recorder recorder, Bytes volume) {
    CellResult result;
    result.cell = {.id = probe_id,
                   .table = "verify",
                   .access = Access::sequential_write,
                   .block = ProbeSampler::run_transfer,
                   .volume = volume,
                   .time_limit = {},
                   .queue_depth = 1};
    std::move(recorder).deliver(result);
    result.end = CellEnd::volume;
    result.evidence = {.used = CachePolicy::direct,
                       .sync = job.sync,
                       .engine = Engine::psync,
                       .page_cache_dropped = false,
                       .write_cache_flushed = true,
                       .sync_calls = 1,
                       .alignment = {TransferBuffer::alignment},
                       .device_read = {},
                       .device_written = {}};
    return result;
}

/// A start value that no other check has: its test data then identify the medium of an undo file.
std::uint64_t unique_seed(const JobTarget& target, std::uint64_t nanoseconds) {
    const std::string text =
        target.medium_key + "/" + std::to_string(nanoseconds) + "/" + std::to_string(std::random_device{}());
    return fnv1a<std::uint64_t>(text);
}

/// Keeps the data of the medium during a probe, if the job wants that.
struct DataKeeper {
    std::unique_ptr<UndoStorage> undo;
    std::optional<RestoringMedium> medium; ///< empty if the probe destroys the data
    std::uint64_t seed{};                  ///< start value of the stamps
};

Result<DataKeeper> keeper_for(const JobSpec& job, const JobTarget& target, ProbedMedium& medium, WritePermit& permit) {
    DataKeeper keeper{.undo = {}, .medium = {}, .seed = job.payload.seed};
    if (!job.as<ProbeJob>()->keeps_data) return keeper;
    if (!target.make_undo)
        return fail(Errc::bad_request,
                    "a test that keeps the data needs a claimed medium, for which this machine keeps an undo file");
    keeper.undo = target.make_undo();
    using std::chrono::duration_cast;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    keeper.seed = unique_seed(target, static_cast<std::uint64_t>(duration_cast<std::chrono::nanoseconds>(now).count()));
    auto restoring = RestoringMedium::create(
        medium, *keeper.undo,
        {.medium = target.medium_key,
         .size = {},
         .seed = keeper.seed,
         .generation = job.as<ProbeJob>()->generation,
         .started = static_cast<std::uint64_t>(duration_cast<std::chrono::seconds>(now).count())},
        &permit);
    if (!restoring) return fail(restoring.error());
    keeper.medium = std::move(*restoring);
    return keeper;
}

/// Restores the medium, also after a failed or cancelled probe. A failure leaves the undo file.
Result<void> restore_data(DataKeeper& keeper, Result<ProbeResult>& probed, JobControl& control, Reporter& reporter) {
    if (!keeper.medium) return {};
    reporter.phase("restoring");
    auto restored = keeper.medium->restore_all({.mode = RestoreMode::all,
                                                .memory_end = probed ? probed->outcome.true_capacity : std::nullopt,
                                                .permit = &control.may_write});
    if (!restored) {
        if (probed && restored.error().code == Errc::no_medium)
            reporter.add_job_finding(measure::Finding{.kind = measure::FindingKind::medium_lost,
                                                      .severity = measure::Severity::fault,
                                                      .detail = restored.error().detail,
                                                      .offset = {}});
        return fail(restored.error());
    }
    if (restored->lost > 0)
        reporter.add_job_finding(measure::Finding{
            .kind = measure::FindingKind::data_damaged,
            .severity = measure::Severity::fault,
            .detail = std::to_string(restored->lost) + " sectors did not accept their former content; " +
                      keeper.undo->name() + " keeps it: try mediarig check DEVICE --restore again",
            .offset = restored->first_lost,
            .length = {restored->lost * Pattern::sector_size}});
    if (!probed) return {};
    if (restored->lost > 0 && probed->outcome.verdict != CapacityVerdict::fake)
        probed->outcome.verdict = CapacityVerdict::damaged;
    probed->outcome.restored = *restored;
    return {};
}

} // namespace

Result<VerifyOutcome> run_probe(const System& system, const JobSpec& job, const JobTarget& target, JobControl& control,
                                Reporter& reporter) {
    if (target.kind != JobTarget::Kind::device)
        return fail(Errc::bad_request,
                    "the true capacity can only be probed on a bare device: a file system chooses the positions of its "
                    "data; run verify instead");
    const auto device = system.backing_device(target);
    auto opened = DirectDevice::open(system, target, *device, job.on_io_error);
    if (!opened) return fail(opened.error());
    DirectDevice& medium = **opened;
    const TickClock& clock = system.clock();

    auto keeper = keeper_for(job, target, medium, control.may_write);
    if (!keeper) return fail(keeper.error());
    ProbedMedium& probed = keeper->medium ? static_cast<ProbedMedium&>(*keeper->medium) : medium;

    reporter.phase("probe");
    Recorder recorder(clock, ProbeSampler::run_transfer, Recorder::RawLog::off, 0);
    const Ticks start = clock.now();
    auto result = probe(probed,
                        {.assumed_cache = job.as<ProbeJob>()->assumed_cache,
                         .run_time = job.as<ProbeJob>()->run_time,
                         .seed = keeper->seed,
                         .generation = job.as<ProbeJob>()->generation,
                         .order_seed = job.order_seed,
                         .widen_time = job.as<ProbeJob>()->widen_time},
                        control, &recorder);
    const Ticks end = clock.now();
    if (result) {
        for (CheckedPlace& place : result->outcome.places) place.took = medium.longest_read_at(place.offset.count);
        mark_slow(result->outcome.places);
    }
    const auto restored = restore_data(*keeper, result, control, reporter);
    if (!result) {
        if (result.error().code == Errc::no_medium)
            reporter.add_job_finding(measure::Finding{.kind = measure::FindingKind::medium_lost,
                                                      .severity = measure::Severity::fault,
                                                      .detail = result.error().detail,
                                                      .offset = {}});
        if (result.error().code == Errc::io_failed && control.failures.count() > 0)
            reporter.add_job_finding(measure::Finding{.kind = measure::FindingKind::io_error,
                                                      .severity = measure::Severity::fault,
                                                      .detail = result.error().detail,
                                                      .offset = Bytes{control.failures.first().offset},
                                                      .count = control.failures.count()});
    }
    // The instructions for the restore are more important than the first cause.
    if (!restored) return fail(restored.error());
    if (!result) return fail(result.error());
    VerifyOutcome& outcome = result->outcome;
    outcome.claimed = medium.size();
    outcome.probe->elapsed = std::chrono::nanoseconds(static_cast<std::int64_t>(clock.to_ns(end - start)));
    reporter.deliver(run_cell(job, std::move(recorder), outcome.probe->assumed_cache));
    if (result->refuses_writes)
        reporter.add_job_finding(writes_refused(outcome.written > 0_B, first_unwritten(outcome)));
    reporter.add_job_finding(capacity_findings(outcome, result->doubt));
    if (device->host_caches()) reporter.add_job_finding(device->finding_about_speed());
    if (outcome.verdict == CapacityVerdict::good && !medium.below_dropped()) {
        outcome.verdict = CapacityVerdict::inconclusive;
        reporter.add_job_finding(device->finding_about_read_back());
    }
    return std::move(outcome);
}

Result<RestoreReport> run_restore(const System& system, const JobTarget& target, UndoStorage& undo, RestoreMode mode,
                                  JobControl& control) {
    const auto forget = [&]() -> Result<RestoreReport> {
        if (auto removed = undo.remove(); !removed) return fail(removed.error());
        return RestoreReport{};
    };
    if (mode == RestoreMode::none_forced) return forget();
    const auto file = undo.contents();
    if (!file) return fail(file.error());
    const auto log = parse_undo_log(*file);
    if (!log && mode == RestoreMode::none) return forget(); // nothing can be restored from it
    if (!log)
        return fail(log.error().code, undo.name() + ": " + log.error().detail +
                                          "; --forget removes it and keeps the "
                                          "present content of the medium");
    if (log->header.medium != target.medium_key)
        return fail(Errc::refused, undo.name() + " belongs to another medium, " + log->header.medium);
    const auto device = system.backing_device(target);
    const auto medium = DirectDevice::open(system, target, *device, OnIoError::go_on);
    if (!medium) return fail(medium.error());
    if (mode == RestoreMode::none) {
        // A reader reports the same serial for every card: the file may belong to another card.
        const auto match = match_of(**medium, *log, &control.cancel);
        if (!match) return fail(match.error());
        if (match->test_data || match->saved_content) return forget();
        return fail(Errc::refused, target.path +
                                       " contains no data of the interrupted check: it may be another medium "
                                       "in the same reader; --forget --changed removes the undo file " +
                                       undo.name() + " in every case");
    }
    auto report = restore(**medium, *log,
                          {.mode = mode, .memory_end = {}, .permit = &control.may_write, .cancel = &control.cancel});
    if (!report && report.error().code == Errc::io_failed)
        return fail(report.error().code, report.error().detail + "; " + undo.name() +
                                             " is kept: disconnect the medium, connect it, then run --restore again");
    if (!report || report->lost > 0) return report;
    if (auto removed = undo.remove(); !removed) return fail(removed.error());
    return report;
}

} // namespace mediarig::workload
