// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <memory>
#include <thread>

#include "host/base/text.hpp"
#include "host/measure/plausibility.hpp"
#include "host/measure/rate_course.hpp"
#include "host/workload/io/platform/buffer.hpp"
#include "host/workload/jobs/cache_checks.hpp"
#include "host/workload/jobs/job_checks.hpp"
#include "host/workload/jobs/work_span.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::workload {
namespace {

using measure::FindingKind;
using measure::Severity;

constexpr std::uint32_t layout_generation = 1; // each writing cell then uses the next generation
constexpr Bytes tried_before_filling = 1_MiB;

/// Bytes that are written before the first cell. A driver may refuse direct access at the first transfer.
Bytes layout_of(const JobSpec& job) {
    const SweepJob& sweep = *job.as<SweepJob>();
    if (!sweep.no_layout) return sweep.span;
    return job.cache == CachePolicy::direct ? std::min(sweep.span, tried_before_filling) : 0_B;
}
bool begins_file(const SweepJob& sweep, const CellSpec& cell) {
    return sweep.no_layout && cell.access == Access::sequential_write;
}

/// The rate during the layout of the test file, by position. All cells follow the layout, so a faster part of the
/// medium that the layout uses up, such as an SLC cache, affects no cell.
class LayoutCourse {
public:
    LayoutCourse(const TickClock& clock, Bytes span)
        : clock_(clock), part_(std::max(1_MiB, Bytes{span.count / parts})), since_(clock.now()) {}

    void add(Bytes written) {
        part_written_ += written;
        if (part_written_ < part_) return;
        const Ticks now = clock_.now();
        samples_.push_back({.length = std::chrono::nanoseconds(clock_.to_ns(now - since_)), .moved = part_written_});
        since_ = now;
        part_written_ = {};
    }

    /// Empty without a faster part. A busy host changes rates as well, so a small fall needs a host that was not busy.
    /// `load`: load of the host during the layout of the test file.
    [[nodiscard]] std::optional<measure::Finding> faster_part(const std::optional<HostLoad>& load) const {
        const auto change = measure::level_change(samples_);
        if (!change || change->after.bytes_per_second >= change->before.bytes_per_second) return std::nullopt;
        const std::string busy = load ? busy_title(*load) : std::string();
        const bool quiet = load && load->over.count() > 0 && busy.empty();
        if (!quiet &&
            change->after.bytes_per_second > change->before.bytes_per_second * (1 - measure::busy_least_change))
            return std::nullopt;
        Bytes fast;
        std::chrono::nanoseconds time{};
        for (const measure::RateSample& sample : samples_) {
            if (time < change->at) fast += sample.moved;
            time += sample.length;
        }
        // A side of this length may consist of one pause.
        if (change->at < 2 * measure::longest_busy || time - change->at < 2 * measure::longest_busy)
            return std::nullopt;
        return measure::Finding{
            .kind = FindingKind::rate_unstable,
            .severity = Severity::note,
            .detail = fmt::format(
                "while the test file was laid out, the rate fell after the first {} from {:.1f} to {:.1f} "
                "MB/s{}; all cells were measured after that, so none shows the faster rate; suite "
                "disktester-fill measures the rate by position",
                size_text(fast), change->before.megabytes_per_second(), change->after.megabytes_per_second(),
                busy.empty() ? "" : fmt::format(", probably by the busy host ({})", busy)),
            .offset = {}};
    }

private:
    static constexpr std::uint64_t parts = 64;
    const TickClock& clock_;
    Bytes part_, part_written_;
    Ticks since_;
    std::vector<measure::RateSample> samples_;
};
/// If a cell has at least this number of thread switches per operation, kernel workers executed its transfers.
/// Occasional switches are normal (metadata not in memory).
constexpr double most_switches_per_operation = 0.1;

class Sweep {
public:
    Sweep(const System& system, const JobSpec& job, const BackingDevice& device, MediumFile& file, JobControl& control,
          Reporter& reporter)
        : system_(system),
          job_(job),
          device_(device),
          file_(file),
          cache_checks_(file, device),
          control_(control),
          reporter_(reporter) {}

    Result<void> precondition() {
        const Bytes length = layout_of(job_);
        if (length == 0_B) {
            reporter_.add_job_finding(cache_checks_.path_findings());
            return {};
        }
        reporter_.phase("layout");
        IoErrors errors = new_errors();
        const PayloadSource payload(job_.payload, layout_generation);
        LayoutCourse course(system_.clock(), length);
        const auto complete = lay_out(
            file_, length, payload, errors, control_, [&](Bytes written) { course.add(written); }, job_.from);
        reporter_.add_job_finding(errors.take_findings());
        if (!complete) return fail(complete.error());
        if (!*complete) return interrupted_job(errors, "while the test file was laid out");
        const std::optional<HostLoad> load = reporter_.load_of_phase();
        reporter_.phase("sync");
        const Ticks start = system_.clock().now();
        if (const int error = cache_checks_.flush(); error != 0) {
            if (auto ours = fault_of_host(error)) return fail(std::move(*ours));
            if (auto full = device_.host_full(0_B)) return fail(std::move(*full));
            reporter_.add_job_finding(flush_failed(error));
            if (!errors.failed_flush(system_.clock().since(start)))
                return interrupted_job(errors, "while the test file was laid out");
        }
        reporter_.add_job_finding(cache_checks_.path_findings());
        const bool of_medium =
            file_.used() == CachePolicy::direct && !device_.host_caches() && !file_.served_by_user_space();
        if (auto faster = course.faster_part(load); faster && of_medium && errors.count() == 0)
            reporter_.add_job_finding(std::move(*faster));
        place_ = file_.place();
        return {};
    }

    Result<void> run_cell(std::uint32_t index) {
        const SweepJob& sweep = *job_.as<SweepJob>();
        const CellSpec& cell = sweep.cells[index];
        const bool begins = begins_file(sweep, cell);
        const Bytes whole = begins ? sweep.span : std::max(written_, cell.block), part = sweep.random_span;
        const Bytes span = random(cell.access) && part != 0_B ? std::min(part, whole) : whole;
        control_.cell_index.store(index, std::memory_order_relaxed);
        reporter_.phase(cell.id);

        CellResult result;
        result.cell = cell;
        result.evidence.used = file_.used();
        result.evidence.sync = job_.sync;
        result.evidence.engine = job_.engine;
        result.evidence.file_at = place_;
        result.evidence.alignment = {
            std::min<std::uint64_t>(std::uint64_t{1} << std::countr_zero(cell.block.count), TransferBuffer::alignment)};
        if (!writes(cell.access)) result.evidence.page_cache_dropped = cache_checks_.drop_caches(job_.from + whole);

        if (const int error = begins ? file_.truncate() : 0; error != 0)
            return fail(error_from(error, "empty the test file"));
        OffsetStream offsets(cell.access, cell.block, span, job_.order_seed, job_.from);
        Payload of_cell = job_.payload;
        if (cell.payload) of_cell.kind = *cell.payload;
        const PayloadSource payload(of_cell, layout_generation + 1 + index);
        const std::uint64_t operations = cell.volume / cell.block;
        Recorder recorder(system_.clock(), cell.block, job_.keep_raw_log ? Recorder::RawLog::on : Recorder::RawLog::off,
                          most_operations(cell));
        IoErrors errors = new_errors();
        const auto counters = device_.totals();
        const std::uint64_t done_before = control_.bytes_done.load(std::memory_order_relaxed);

        const CellRun run{.cell = cell,
                          .fd = file_.fd(),
                          .operations = operations,
                          .offsets = offsets,
                          .payload = payload,
                          .recorder = recorder,
                          .errors = errors,
                          .control = control_,
                          .rate_limit = job_.rate_limit};
        const auto& pace = sweep.pace;
        const auto ran = pace ? run_paced(file_, job_.sync, *pace, run) : system_.run_cell(job_.engine, run);
        int flush_error = 0;
        const Ticks ended = system_.clock().now();
        const bool finished = ran && (ran->end == CellEnd::volume || ran->end == CellEnd::time);
        if (writes(cell.access) && finished && !pace) flush_error = flush(result, recorder);
        const std::chrono::nanoseconds flush_time = system_.clock().since(ended);
        if (pace && writes(cell.access) && job_.sync == SyncLevel::at_end)
            result.evidence.sync_calls = recorder.operations();
        std::move(recorder).deliver(result);
        if (begins) written_ = std::min(result.moved, sweep.span);

        reporter_.add_cell_finding(result, errors.take_findings());
        if (!ran) return fail(ran.error());
        if (!finished) return interrupted_job(errors, "in cell " + cell.id);
        result.end = ran->end;
        if (flush_error != 0) {
            if (auto ours = fault_of_host(flush_error)) return fail(std::move(*ours));
            if (auto full = device_.host_full(0_B)) return fail(std::move(*full));
            reporter_.add_cell_finding(result, flush_failed(flush_error));
        }
        examine(result, counters, ran->worker_switches);

        const std::uint64_t tried = control_.bytes_done.load(std::memory_order_relaxed) - done_before;
        control_.bytes_total.fetch_sub(operations * cell.block.count - tried, std::memory_order_relaxed);
        reporter_.deliver(std::move(result));
        if (flush_error != 0 && !errors.failed_flush(flush_time))
            return interrupted_job(errors, "after cell " + cell.id);
        return {};
    }

private:
    IoErrors new_errors() const { return io_errors_of(job_, device_, control_); }

    /// A sync that is part of the result runs on the cell's clock. Any other sync only prevents the write-back of this
    /// cell's data during the next one.
    int flush(CellResult& result, Recorder& recorder) const {
        const Ticks start = recorder.clock().now();
        const int error = cache_checks_.flush();
        if (job_.sync == SyncLevel::at_end) {
            const Ticks finish = recorder.clock().now();
            recorder.resume(start);
            recorder.pause(finish);
            recorder.add_sync(finish - start);
            ++result.evidence.sync_calls;
        }
        result.evidence.write_cache_flushed = error == 0;
        return error;
    }

    void examine(CellResult& result, std::optional<BackingDevice::Totals> before, std::uint64_t switches) {
        reporter_.add_cell_finding(result, cache_checks_.weigh(result, before, job_.as<SweepJob>()->span));
        const bool through_cache = result.evidence.used == CachePolicy::dropped || device_.host_caches();
        if (!writes(result.cell.access) && through_cache && !result.evidence.page_cache_dropped)
            reporter_.add_cell_finding(result,
                                       {.kind = FindingKind::cache_not_dropped,
                                        .severity = Severity::warning,
                                        .detail = "it could not be confirmed that the page cache was empty before "
                                                  "this cell: some reads may come from memory",
                                        .offset = {}});
        if (result.operations > 0 &&
            static_cast<double>(switches) > most_switches_per_operation * static_cast<double>(result.operations))
            reporter_.add_cell_finding(result, {.kind = FindingKind::engine_punted,
                                                .severity = Severity::warning,
                                                .detail = "io_uring handed transfers to kernel workers, whose switches "
                                                          "are part of each latency: compare with the engine psync",
                                                .offset = {},
                                                .length = {},
                                                .count = switches});
        if (const auto sectors = device_.sectors();
            sectors && writes(result.cell.access) && result.cell.block % sectors->physical != 0_B)
            reporter_.add_cell_finding(result,
                                       {.kind = FindingKind::misaligned,
                                        .severity = Severity::note,
                                        .detail = "blocks are no multiple of the device's physical sector of " +
                                                  std::to_string(sectors->physical.count) +
                                                  " bytes: the device must read, change and write whole sectors",
                                        .offset = {}});
    }

    const System& system_;
    const JobSpec& job_;
    const BackingDevice& device_;
    MediumFile& file_;
    CacheChecks cache_checks_;
    JobControl& control_;
    Reporter& reporter_;
    std::optional<Bytes> place_;               ///< offset of the test file in its volume
    Bytes written_{job_.as<SweepJob>()->span}; ///< size of the file that the cells use
};

} // namespace

Result<void> run_sweep(const System& system, const JobSpec& job, const JobTarget& target,
                       const std::vector<PreviousCell>& already_done, JobControl& control, Reporter& reporter) {
    const auto device = system.backing_device(target);
    if (auto sane = check_sweep(job, device->sectors()); !sane) return fail(sane.error());

    std::vector<std::uint32_t> to_do;
    const SweepJob& cells = *job.as<SweepJob>();
    Bytes total = layout_of(job);
    for (std::uint32_t i = 0; i < cells.cells.size(); ++i) {
        const CellSpec& cell = cells.cells[i];
        if (holds(already_done, cell.id)) continue;
        to_do.push_back(i);
        total += align_down(cell.volume, cell.block);
    }
    if (to_do.empty()) return {};
    // The data of a finished cell was removed when the job was interrupted.
    if (cells.no_layout && !begins_file(cells, cells.cells[to_do.front()])) {
        std::uint32_t last = to_do.front();
        while (!begins_file(cells, cells.cells[last])) --last;
        to_do.insert(to_do.begin(), last);
        total += align_down(cells.cells[last].volume, cells.cells[last].block);
    }

    if (auto usable = system.check_engine(job.engine); !usable) return fail(usable.error());
    auto span = TestSpan::open(system, job, target, job.as<SweepJob>()->span, reporter);
    if (!span) return fail(span.error());
    control.bytes_total.store(total.count, std::memory_order_relaxed);

    Sweep sweep(system, job, *device, span->file(), control, reporter);
    Result<void> result = sweep.precondition();
    for (auto index = to_do.begin(); result && index != to_do.end(); ++index) result = sweep.run_cell(*index);

    reporter.phase("cleanup");
    const auto removed = span->remove();
    return result ? removed : result;
}

Result<bool> lay_out(MediumFile& file, Bytes span, const PayloadSource& payload, IoErrors& errors, JobControl& control,
                     const std::function<void(Bytes written)>& on_written, Bytes from) {
    constexpr std::uint64_t chunk = std::uint64_t{1} << 20;
    auto buffer = TransferBuffer::allocate(chunk);
    if (!buffer) return fail(buffer.error());

    const TickClock clock = TickClock::monotonic(); // for failures
    const std::uint64_t end = (from + span).count;
    for (std::uint64_t offset = from.count; offset < end; offset += chunk) {
        if (control.cancel.load(std::memory_order_relaxed)) return false;
        if (auto allowed = control.may_write.check(); !allowed) return fail(allowed.error());
        const auto bytes = buffer->bytes().first(std::min(chunk, end - offset));
        payload.fill(bytes, offset);
        const Ticks begun = clock.now();
        TransferResult moved = file.write(bytes, offset);
        if (moved.error == EINVAL && file.used() == CachePolicy::direct) {
            if (auto reopened = file.disable_direct(); !reopened) return fail(reopened.error());
            moved = file.write(bytes, offset);
        }
        if (moved.error != 0 && !errors.failed(true, offset + moved.bytes, bytes.size() - moved.bytes, moved.error,
                                               std::chrono::nanoseconds(clock.to_ns(clock.now() - begun))))
            return false;
        control.bytes_done.fetch_add(bytes.size(), std::memory_order_relaxed);
        if (on_written) on_written(Bytes{bytes.size()});
    }
    return true;
}

namespace {

using std::chrono::nanoseconds;

/// Maximum delay of a cancel request.
constexpr nanoseconds longest_nap = std::chrono::milliseconds(50);

class PacedLoop {
public:
    PacedLoop(MediumFile& file, SyncLevel sync, const CellRun& run, std::span<std::byte> buffer)
        : file_(file),
          writing_(writes(run.cell.access)),
          flushes_(writing_ && sync == SyncLevel::at_end),
          run_(run),
          clock_(run.recorder.clock()),
          buffer_(buffer) {}

    Result<CellEnd> run(const Pace& pace) {
        if (file_.used() == CachePolicy::dropped) file_.expect_random();
        const Ticks begin = clock_.now();
        const CellBounds bounds(run_.cell, run_.operations, clock_, begin);
        const Ticks interval = clock_.from_ns(pace.interval);
        run_.recorder.begin(begin);
        run_.recorder.pause(begin);
        Ticks due = begin;
        for (std::uint64_t i = 0;; ++i) {
            const std::uint64_t counted = i - std::min<std::uint64_t>(i, pace.warm_up);
            if (i >= pace.warm_up && bounds.volume_done(counted, clock_.now())) return CellEnd::volume;
            const Ticks limit = bounds.limit(counted);
            if (!wait_until(std::min(due, limit))) return CellEnd::cancelled;
            if (clock_.now() >= limit) return CellEnd::time;
            if (auto allowed = writing_ ? run_.control.may_write.check() : Result<void>{}; !allowed)
                return fail(allowed.error());
            if (!request(i >= pace.warm_up)) return CellEnd::error;
            // After a request that took longer than the interval, the following requests are not sent faster to catch
            // up.
            due = std::max(due + interval, clock_.now());
        }
    }

private:
    /// Returns false if the job was cancelled.
    bool wait_until(Ticks due) const {
        for (;;) {
            if (run_.control.cancel.load(std::memory_order_relaxed)) return false;
            const Ticks now = clock_.now();
            if (now >= due) return true;
            std::this_thread::sleep_for(std::min(longest_nap, nanoseconds(clock_.to_ns(due - now))));
        }
    }

    /// Returns false if the error policy stops the job.
    bool request(bool counts) {
        std::array<std::uint64_t, 1> offset{};
        run_.offsets.fill(offset);
        if (writing_)
            run_.payload.fill(buffer_, offset[0]);
        else if (file_.used() == CachePolicy::dropped)
            (void)file_.forget(offset[0], run_.cell.block);

        const Ticks start = clock_.now();
        TransferResult moved = writing_ ? file_.write(buffer_, offset[0]) : file_.read(buffer_, offset[0]);
        if (flushes_ && moved.error == 0) moved.error = file_.flush();
        const Ticks finish = clock_.now();

        const auto took = run_.recorder.length_of(finish - start);
        if (!counts)
            return moved.error == 0 ||
                   run_.errors.failed(writing_, offset[0], run_.cell.block.count, moved.error, took);
        run_.recorder.resume_rested(start);
        run_.recorder.pause(finish);
        run_.control.bytes_done.fetch_add(run_.cell.block.count, std::memory_order_relaxed);
        if (moved.error != 0) return run_.errors.failed(writing_, offset[0], run_.cell.block.count, moved.error, took);
        if (moved.bytes != run_.cell.block.count) {
            run_.recorder.add_partial({moved.bytes});
            return run_.errors.record_short_transfer(writing_, offset[0], run_.cell.block.count, moved.bytes);
        }
        run_.recorder.completed(start, finish);
        return true;
    }

    MediumFile& file_;
    bool writing_;
    bool flushes_;
    const CellRun& run_;
    const TickClock& clock_;
    std::span<std::byte> buffer_;
};

} // namespace

Result<CellRunEnd> run_paced(MediumFile& file, SyncLevel sync, const Pace& pace, const CellRun& run) {
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(run.cell.block.count));
    if (!buffer) return fail(buffer.error());
    const auto end = PacedLoop(file, sync, run, buffer->bytes()).run(pace);
    if (!end) return fail(end.error());
    return CellRunEnd{.end = *end};
}

} // namespace mediarig::workload
