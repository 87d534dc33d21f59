// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/probe.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <unordered_map>
#include <utility>

#include "host/workload/io/io_errors.hpp"
#include "host/workload/jobs/capacity_finding.hpp"
#include "host/workload/jobs/probe_sampler.hpp"
#include "host/workload/jobs/probe_search.hpp"
#include "host/workload/jobs/restoring_medium.hpp"

namespace mediarig::workload {
namespace {

class DirectDevice final : public ProbedMedium {
public:
    DirectDevice(std::unique_ptr<MediumFile> file, Bytes size, Bytes sector, const BackingDevice& device,
                 const TickClock& clock, OnIoError policy)
        : file_(std::move(file)),
          size_(size),
          sector_(sector),
          device_(device),
          clock_(clock),
          policy_(policy),
          loss_([this] { return device_.gone(); }, [this] { return device_.responds(); }) {}
    DirectDevice(const DirectDevice&) = delete;
    DirectDevice& operator=(const DirectDevice&) = delete;

    Bytes size() const override { return size_; }
    Bytes sector() const override { return sector_; }
    int write(std::span<const std::byte> bytes, std::uint64_t offset) override {
        written_ = true;
        const Ticks start = clock_.now();
        const int error = file_->write(bytes, offset).error;
        if (error != 0) host_fault_ = device_.host_full({bytes.size()});
        if (error != 0) failing_ += clock_.now() - start;
        return error;
    }
    int read(std::span<std::byte> bytes, std::uint64_t offset) override {
        // Data written since the last read may be in a cache of the host that is larger than any cache of a medium.
        if (std::exchange(written_, false)) below_dropped_ = device_.drop_host_cache() && below_dropped_;
        const Ticks start = clock_.now();
        const TransferResult moved = file_->read(bytes, offset);
        const Ticks took = clock_.now() - start;
        const int error = moved.error == 0 && moved.bytes < bytes.size() ? EIO : moved.error;
        if (error != 0) failing_ += took;
        Ticks& longest = longest_reads_[offset];
        longest = std::max(longest, took);
        return error;
    }
    int flush() override {
        const int error = file_->flush();
        if (error != 0) host_fault_ = device_.host_full(0_B);
        return error;
    }
    bool gone(int error) override { return loss_.lost(error); }
    bool fails_too_slowly() const override {
        return policy_ == OnIoError::bounded && failing_ >= clock_.from_ns(longest_failing);
    }
    std::optional<Error> host_fault() const override { return host_fault_; }
    /// The longest read at this offset so far; 0 without one.
    std::chrono::nanoseconds longest_read_at(std::uint64_t offset) const {
        const auto found = longest_reads_.find(offset);
        return std::chrono::nanoseconds(
            found == longest_reads_.end() ? 0 : static_cast<std::int64_t>(clock_.to_ns(found->second)));
    }
    /// Returns true if no cache of this host below the device can have served the reads.
    bool below_dropped() const { return below_dropped_; }

private:
    std::unique_ptr<MediumFile> file_;
    Bytes size_, sector_;
    const BackingDevice& device_;
    const TickClock& clock_;
    OnIoError policy_;
    LossTest loss_;
    Ticks failing_{};                                        ///< time of all failed transfers
    std::unordered_map<std::uint64_t, Ticks> longest_reads_; ///< by offset
    std::optional<Error> host_fault_;
    bool written_{true};
    bool below_dropped_{true};
};

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

/// Keeps the data of the medium during a probe, if the job wants that.
struct DataKeeper {
    std::unique_ptr<UndoStorage> undo;
    std::optional<RestoringMedium> medium; ///< empty if the probe destroys the data
};

Result<DataKeeper> keeper_for(const JobSpec& job, const JobTarget& target, ProbedMedium& medium) {
    DataKeeper keeper;
    if (!job.as<ProbeJob>()->keeps_data) return keeper;
    if (!target.make_undo)
        return fail(Errc::bad_request,
                    "a test that keeps the data needs a claimed medium, for which this machine keeps an undo file");
    keeper.undo = target.make_undo();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    auto restoring = RestoringMedium::create(
        medium, *keeper.undo,
        {.medium = target.medium_key,
         .size = {},
         .seed = job.payload.seed,
         .generation = job.as<ProbeJob>()->generation,
         .started = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count())});
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
    auto file = system.reopen(target.device_fd, CachePolicy::direct, SyncLevel::none);
    if (!file) return fail(file.error());
    if ((*file)->used() != CachePolicy::direct)
        return fail(Errc::bad_request, target.path +
                                           " refuses direct access, so reads could come from the page cache; run "
                                           "verify, which empties that cache");
    const auto size = (*file)->size();
    if (!size) return fail(size.error());
    const auto sectors = device->sectors();
    const TickClock& clock = system.clock();
    DirectDevice medium(std::move(*file), *size, std::max(sectors ? sectors->logical : 512_B, 512_B), *device, clock,
                        job.on_io_error);

    auto keeper = keeper_for(job, target, medium);
    if (!keeper) return fail(keeper.error());
    ProbedMedium& probed = keeper->medium ? static_cast<ProbedMedium&>(*keeper->medium) : medium;

    reporter.phase("probe");
    Recorder recorder(clock, ProbeSampler::run_transfer, Recorder::RawLog::off, 0);
    const Ticks start = clock.now();
    auto result = probe(probed,
                        {.assumed_cache = job.as<ProbeJob>()->assumed_cache,
                         .run_time = job.as<ProbeJob>()->run_time,
                         .seed = job.payload.seed,
                         .generation = job.as<ProbeJob>()->generation,
                         .order_seed = job.order_seed,
                         .at_boundaries = job.as<ProbeJob>()->keeps_data},
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
    outcome.claimed = *size;
    outcome.probe->elapsed = std::chrono::nanoseconds(static_cast<std::int64_t>(clock.to_ns(end - start)));
    reporter.deliver(run_cell(job, std::move(recorder), outcome.probe->assumed_cache));
    reporter.add_job_finding(capacity_findings(outcome, result->doubt));
    if (device->host_caches()) reporter.add_job_finding(device->finding_about_speed());
    if (outcome.verdict == CapacityVerdict::good && !medium.below_dropped()) {
        outcome.verdict = CapacityVerdict::inconclusive;
        reporter.add_job_finding(device->finding_about_read_back());
    }
    return std::move(outcome);
}

} // namespace mediarig::workload
