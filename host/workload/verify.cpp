// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/verify.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <functional>
#include <system_error>
#include <thread>

#include "host/workload/honesty.hpp"
#include "host/workload/io_errors.hpp"
#include "host/workload/job_checks.hpp"
#include "host/workload/payload.hpp"
#include "host/workload/recorder.hpp"
#include "host/workload/relay.hpp"
#include "host/workload/verify_check.hpp"
#include "host/workload/verify_span.hpp"

namespace mediarig::workload {
namespace {

using measure::FindingKind;
using measure::Severity;

/// Joins on every way out; the relay must have been told to end before.
class Helper {
public:
    explicit Helper(std::function<void()> work) : thread_(std::move(work)) {}
    ~Helper() { join(); }
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;
    void join() {
        if (thread_.joinable()) thread_.join();
    }

private:
    std::thread thread_;
};

class Verify {
public:
    Verify(const JobSpec& job, const BackingDevice& device, VerifySpan& span, Bytes unit, Relay& write_relay,
           Relay& read_relay, JobControl& control, Reporter& reporter)
        : job_(job),
          device_(device),
          span_(span),
          unit_(unit),
          write_relay_(write_relay),
          read_relay_(read_relay),
          control_(control),
          reporter_(reporter),
          payload_(job.payload, job.verify->generation) {
        outcome_.claimed = span.claimed();
    }

    Result<void> write_all() {
        Phase phase(*this, Access::sequential_write, "verify.write", span_.size());
        Helper maker([this] { make_payload(); });
        Result<void> result = write_chunks(phase);
        write_relay_.stop();
        maker.join();
        if (result) result = finish_writing(phase);
        return conclude(phase, result);
    }

    Result<void> read_all() {
        control_.cell_index.store(1, std::memory_order_relaxed);
        Phase phase(*this, Access::sequential_read, "verify.read", outcome_.written);
        Helper checker([this] { check_chunks(); });
        Result<void> result = read_chunks(phase);
        read_relay_.finish();
        checker.join();
        return conclude(phase, result);
    }

    VerifyOutcome take_outcome() {
        outcome_.damaged = damage_.ranges();
        outcome_.damaged_bytes = damage_.total();
        outcome_.true_capacity = damage_.true_capacity(outcome_.written);
        reporter_.about_job(damage_.findings(outcome_.written));
        return std::move(outcome_);
    }

private:
    /// One of the two halves, on a clock of its own.
    struct Phase {
        Phase(Verify& verify, Access access, const char* id, Bytes volume)
            : errors(verify.job_.on_io_error, [&verify] { return verify.device_.gone(); }),
              recorder(TickClock::best(), verify.job_.verify->chunk,
                       verify.job_.keep_raw_log ? Recorder::RawLog::on : Recorder::RawLog::off,
                       volume / verify.job_.verify->chunk),
              counters(verify.device_.totals()) {
            result.cell = {.id = id,
                           .table = "verify",
                           .access = access,
                           .block = verify.job_.verify->chunk,
                           .volume = volume,
                           .time_limit = {},
                           .queue_depth = 1};
            verify.reporter_.phase(id);
        }
        IoErrors errors;
        Recorder recorder;
        std::optional<BackingDevice::Totals> counters;
        CellResult result;
    };

    Bytes chunk_at(std::uint64_t offset, Bytes end) const {
        return std::min({job_.verify->chunk, span_.length_at(offset), end - Bytes{offset}});
    }

    void make_payload() {
        for (std::uint64_t offset = 0; offset < span_.size().count;) {
            Chunk* chunk = write_relay_.to_fill();
            if (!chunk) return;
            chunk->offset = offset;
            chunk->bytes =
                write_relay_.room_of(*chunk).first(static_cast<std::size_t>(chunk_at(offset, span_.size()).count));
            payload_.fill(chunk->bytes, offset);
            offset += chunk->bytes.size();
            write_relay_.filled();
        }
        write_relay_.finish();
    }

    Result<void> write_chunks(Phase& phase) {
        const TickClock& clock = phase.recorder.clock();
        phase.recorder.begin(clock.now());
        while (const Chunk* chunk = write_relay_.to_empty()) {
            if (control_.cancel.load(std::memory_order_relaxed)) return cancelled();
            if (chunk->offset > 0 && span_.changes_file_at(chunk->offset)) flush(phase);
            const auto place = span_.at(chunk->offset);
            if (!place) return fail(place.error());

            const Ticks start = clock.now();
            Moved moved = write_fully(place->file->fd(), chunk->bytes, place->offset);
            if (moved.error == EINVAL && place->file->used() == CachePolicy::direct) {
                if (auto reopened = place->file->give_up_direct(); !reopened) return fail(reopened.error());
                moved = write_fully(place->file->fd(), chunk->bytes, place->offset);
            }
            const Ticks finish = clock.now();
            if (moved.error == ENOSPC && !span_.raw()) {
                report_full(chunk->offset);
                return {};
            }
            if (moved.error == 0)
                record(phase, *chunk, start, finish);
            else if (!phase.errors.failed(true, chunk->offset + moved.bytes, chunk->bytes.size() - moved.bytes,
                                          moved.error))
                return broken_off(phase.errors);
            outcome_.written = Bytes{chunk->offset + chunk->bytes.size()};
            control_.bytes_done.fetch_add(chunk->bytes.size(), std::memory_order_relaxed);
            write_relay_.emptied();
        }
        return {};
    }

    void report_full(std::uint64_t offset) {
        reporter_.about_job(measure::Finding{.kind = FindingKind::medium_full,
                                             .severity = Severity::note,
                                             .detail = "the file system was full earlier than its free space said; "
                                                       "what was written until then is checked",
                                             .offset = Bytes{offset}});
    }

    Result<void> finish_writing(Phase& phase) {
        if (outcome_.written.count == 0) return fail(Errc::io_failed, "no space left for a single chunk; make room");
        reporter_.phase("sync");
        const Ticks start = phase.recorder.clock().now();
        flush(phase);
        const Ticks finish = phase.recorder.clock().now();
        const bool timed = job_.sync == SyncLevel::at_end;
        if (timed) phase.recorder.add_sync(finish - start);
        phase.recorder.pause(timed ? finish : start);
        return {};
    }

    void flush(Phase& phase) {
        const int error = Honesty(span_.current(), device_).flush();
        ++phase.result.evidence.sync_calls;
        if (error != 0 && flush_error_ == 0) {
            flush_error_ = error;
            reporter_.about_cell(phase.result, flush_failed(error));
        }
    }

    static void record(Phase& phase, const Chunk& chunk, Ticks start, Ticks finish) {
        // The last chunk may be shorter: it counts as bytes, its latency is no latency of a whole block.
        if (Bytes{chunk.bytes.size()} == phase.result.cell.block)
            phase.recorder.completed(start, finish);
        else
            phase.recorder.add_partial({chunk.bytes.size()});
    }

    Result<void> read_chunks(Phase& phase) {
        const TickClock& clock = phase.recorder.clock();
        bool dropped = true;
        phase.recorder.begin(clock.now());
        std::uint64_t next = 0;
        while (next < outcome_.written.count) {
            if (control_.cancel.load(std::memory_order_relaxed)) return cancelled();
            const bool another_file = next == 0 || span_.changes_file_at(next);
            const auto place = span_.at(next);
            if (!place) return fail(place.error());
            if (another_file) {
                phase.recorder.pause(clock.now());
                const Honesty honesty(*place->file, device_);
                dropped = honesty.drop_caches(span_.length_at(next)) && dropped;
                phase.recorder.resume(clock.now());
            }
            Chunk& chunk = *read_relay_.to_fill(); // the checker never stops early
            chunk.offset = next;
            chunk.bytes =
                read_relay_.room_of(chunk).first(static_cast<std::size_t>(chunk_at(next, outcome_.written).count));
            chunk.unreadable.clear();

            const Ticks start = clock.now();
            const Moved moved = read_fully(place->file->fd(), chunk.bytes, place->offset);
            const Ticks finish = clock.now();
            if (moved.bytes == chunk.bytes.size())
                record(phase, chunk, start, finish);
            else if (!find_unreadable(*place, chunk, phase))
                return broken_off(phase.errors);
            next += chunk.bytes.size();
            control_.bytes_done.fetch_add(chunk.bytes.size(), std::memory_order_relaxed);
            read_relay_.filled();
        }
        phase.recorder.pause(clock.now());
        phase.result.evidence.page_cache_dropped = dropped;
        return {};
    }

    /// Reads a chunk that did not come whole once more in ever smaller parts, so that only what the medium really does
    /// not give counts as lost. False when errors say stop or the job is cancelled.
    bool find_unreadable(const VerifySpan::Place& place, Chunk& chunk, Phase& phase) {
        const std::size_t leaf = static_cast<std::size_t>(std::max(unit_, 4_KiB).count);
        struct Part {
            std::size_t begin, size;
        };
        std::vector<Part> parts{{0, chunk.bytes.size()}};
        while (!parts.empty()) {
            if (control_.cancel.load(std::memory_order_relaxed)) return false;
            const Part part = parts.back();
            parts.pop_back();
            const auto bytes = chunk.bytes.subspan(part.begin, part.size);
            const Moved moved = read_fully(place.file->fd(), bytes, place.offset + part.begin);
            if (moved.bytes == part.size) {
                phase.recorder.add_partial({part.size});
            } else if (part.size > leaf) {
                const std::size_t half = static_cast<std::size_t>(align_up({part.size / 2}, {leaf}).count);
                parts.push_back({part.begin + half, part.size - half});
                parts.push_back({part.begin, half}); // on top: ranges must come in ascending order
            } else {
                const std::uint64_t offset = chunk.offset + part.begin;
                chunk.unreadable.push_back({{offset}, {part.size}, DamageKind::unreadable, std::nullopt});
                const bool go_on = moved.error != 0 ? phase.errors.failed(false, offset, part.size, moved.error)
                                                    : phase.errors.fell_short(false, offset, part.size, moved.bytes);
                if (!go_on) return false;
            }
        }
        return true;
    }

    void check_chunks() {
        while (const Chunk* chunk = read_relay_.to_empty()) {
            outcome_.good += check_chunk(*chunk, payload_, damage_);
            read_relay_.emptied();
        }
    }

    Result<void> conclude(Phase& phase, const Result<void>& so_far) {
        std::move(phase.recorder).deliver(phase.result);
        CellResult& result = phase.result;
        result.end = CellEnd::volume;
        result.evidence.used = span_.current().used();
        result.evidence.sync = job_.sync;
        result.evidence.engine = Engine::psync;
        result.evidence.alignment = {std::min<std::uint64_t>(
            std::uint64_t{1} << std::countr_zero(result.cell.block.count), TransferBuffer::alignment)};
        result.evidence.write_cache_flushed = writes(result.cell.access) && flush_error_ == 0;
        reporter_.about_cell(result, phase.errors.take_findings());
        if (!so_far) return so_far;

        const Honesty honesty(span_.current(), device_);
        if (writes(result.cell.access)) reporter_.about_job(honesty.about_the_way());
        if (!writes(result.cell.access) && result.evidence.used == CachePolicy::dropped &&
            !result.evidence.page_cache_dropped)
            reporter_.about_cell(result, {.kind = FindingKind::cache_not_dropped,
                                          .severity = Severity::warning,
                                          .detail = "it could not be confirmed that the page cache was empty before "
                                                    "reading back: damage may hide behind it",
                                          .offset = {}});
        reporter_.about_cell(result, honesty.weigh(result, phase.counters, span_.size()));
        reporter_.deliver(std::move(result));
        return {};
    }

    Result<void> broken_off(const IoErrors& errors) const {
        if (errors.medium_lost())
            return fail(Errc::no_medium,
                        "the medium vanished during verify; check contact and power, then start again");
        if (control_.cancel.load(std::memory_order_relaxed)) return cancelled();
        return fail(Errc::io_failed,
                    "verify stopped at the first I/O error: " + std::generic_category().message(errors.first_error()));
    }
    static Result<void> cancelled() { return fail(Errc::cancelled, "cancelled during verify"); }

    const JobSpec& job_;
    const BackingDevice& device_;
    VerifySpan& span_;
    Bytes unit_;
    Relay& write_relay_;
    Relay& read_relay_;
    JobControl& control_;
    Reporter& reporter_;
    PayloadSource payload_;
    VerifyOutcome outcome_;
    DamageMap damage_;
    int flush_error_{};
};

} // namespace

Result<VerifyOutcome> run_verify(const JobSpec& job, const Target& target, JobControl& control, Reporter& reporter) {
    const BackingDevice device = BackingDevice::of(target);
    const auto sectors = device.sectors();
    if (auto sane = check_verify(job, sectors); !sane) return fail(sane.error());
    const Bytes unit = std::max(sectors ? sectors->logical : 512_B, 512_B);
    auto span = VerifySpan::open(job, target, unit);
    if (!span) return fail(span.error());
    auto write_relay = Relay::create(job.verify->chunk);
    if (!write_relay) return fail(write_relay.error());
    auto read_relay = Relay::create(job.verify->chunk);
    if (!read_relay) return fail(read_relay.error());
    control.bytes_total.store(span->size().count * 2, std::memory_order_relaxed);

    Verify verify(job, device, *span, unit, *write_relay, *read_relay, control, reporter);
    Result<void> result = verify.write_all();
    if (result) result = verify.read_all();

    reporter.phase("cleanup");
    const auto removed = span->remove();
    if (!result) return fail(result.error());
    VerifyOutcome outcome = verify.take_outcome();
    if (!removed) return fail(removed.error());
    return outcome;
}

} // namespace mediarig::workload
