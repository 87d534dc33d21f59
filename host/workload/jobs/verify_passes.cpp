// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/verify_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <system_error>

#include "host/base/text.hpp"
#include "host/workload/jobs/cache_checks.hpp"
#include "host/workload/jobs/capacity_finding.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::workload {

using measure::FindingKind;
using measure::Severity;

VerifyProgress progress_in(const std::vector<PreviousCell>& done, Bytes chunk, Bytes size) {
    VerifyProgress progress{.written = {}, .read = {}, .all_written = holds(done, verify_write_id)};
    for (const PreviousCell& cell : done) {
        const Bytes position = cell.up_to.value_or(0_B);
        if (position % chunk != 0_B || position > size) continue;
        if (cell.id == verify_write_id) progress.written = std::max(progress.written, position);
        if (cell.id == verify_read_id) progress.read = std::max(progress.read, position);
    }
    // An attempt reads only after it has written everything.
    if (!progress.all_written) progress.read = {};
    return progress;
}

VerifyPasses::VerifyPasses(const TickClock& clock, const JobSpec& job, const BackingDevice& device, VerifySpan& span,
                           Bytes unit, Relay& write_relay, Relay& read_relay, VerifyProgress before,
                           JobControl& control, Reporter& reporter, std::optional<DataLabel> label)
    : clock_(clock),
      job_(job),
      device_(device),
      span_(span),
      unit_(unit),
      write_relay_(write_relay),
      read_relay_(read_relay),
      before_(before),
      control_(control),
      reporter_(reporter),
      payload_(job.payload, job.as<VerifyJob>()->generation, std::move(label)),
      rate_(clock, job.rate_limit) {
    outcome_.claimed = span_.claimed();
}

VerifyPasses::Phase::Phase(VerifyPasses& passes, Access access, const char* id, Bytes volume)
    : errors(io_errors_of(passes.job_, passes.device_, passes.control_)),
      recorder(passes.clock_, passes.job_.as<VerifyJob>()->chunk,
               passes.job_.keep_raw_log ? Recorder::RawLog::on : Recorder::RawLog::off,
               volume / passes.job_.as<VerifyJob>()->chunk),
      counters(passes.device_.totals()),
      pace(access, volume, passes.job_.as<VerifyJob>()->chunk) {
    result.cell = passes.cell_of(access, id, volume);
    passes.reporter_.phase(id);
}

CellSpec VerifyPasses::cell_of(Access access, const char* id, Bytes volume) const {
    return {.id = id,
            .table = "verify",
            .access = access,
            .block = job_.as<VerifyJob>()->chunk,
            .volume = volume,
            .time_limit = {},
            .queue_depth = 1};
}

VerifyPasses::WrittenSamples VerifyPasses::sample_written() {
    constexpr std::uint64_t most_samples = 64;
    const Bytes end = before_.all_written ? span_.size() : before_.written;
    const Bytes chunk = job_.as<VerifyJob>()->chunk;
    const std::uint64_t last = (end.count - 1) / chunk.count;
    WrittenSamples samples;
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(chunk.count));
    if (!buffer) return samples;
    for (std::uint64_t i = 0, count = std::min(last, most_samples); i <= count; ++i) {
        const std::uint64_t offset = (count == 0 ? 0 : last * i / count) * chunk.count;
        const auto place = span_.at(offset);
        if (!place) return samples;
        if (i == 0) {
            (void)CacheChecks(*place->file, device_).drop_caches(span_.length_at(offset));
            (void)device_.drop_host_cache();
        }
        const auto bytes = buffer->bytes().first(static_cast<std::size_t>(chunk_at(offset, end).count));
        if (place->file->read(bytes, place->offset).bytes != bytes.size()) continue;
        ++samples.read;
        const bool whole = payload_.matches(bytes, offset);
        bool in_part = whole;
        for (std::size_t at = 0; at < bytes.size() && !in_part; at += Pattern::sector_size)
            in_part = payload_.matches(bytes.subspan(at, Pattern::sector_size), offset + at);
        samples.whole += whole ? 1 : 0;
        samples.in_part += in_part ? 1 : 0;
    }
    return samples;
}

Result<void> VerifyPasses::check_returned() {
    if (!before_.all_written)
        return fail(Errc::bad_request, "a job after a loss of power needs the finished writing pass of the job before");
    const WrittenSamples samples = sample_written();
    if (samples.read == 0 || samples.in_part > 0) return {};
    return fail(Errc::no_medium,
                "none of the written data is on the medium that was connected again: it is another medium, or keeps "
                "nothing without power; connect the right one and start again");
}

void VerifyPasses::resume_or_restart() {
    if (before_.written.count == 0 && !before_.all_written) return;
    measure::Finding note{.kind = FindingKind::resumed, .severity = Severity::note, .detail = {}, .offset = {}};
    if (const WrittenSamples samples = sample_written(); samples.whole == samples.read) {
        note.detail = "interrupted and continued from the last safe position";
    } else {
        note.severity = Severity::warning;
        note.detail =
            "the data written before the interruption is no longer on the medium, which was used by another program or "
            "does not keep its data; all data was written again";
        before_ = {};
        // Report the start as position before any further write: if this attempt is interrupted, the next attempt must
        // not continue from the position of the earlier attempt.
        for (const auto& [access, id] : {std::pair{Access::sequential_write, verify_write_id},
                                         std::pair{Access::sequential_read, verify_read_id}}) {
            CellResult nothing;
            nothing.cell = cell_of(access, id, span_.size());
            nothing.end = CellEnd::cancelled;
            reporter_.checkpoint(nothing);
        }
    }
    reporter_.add_job_finding(std::move(note));
}

Result<VerifyOutcome> VerifyPasses::take_outcome() {
    if (auto confirmed = confirm_capacity(); !confirmed) return fail(confirmed.error());
    outcome_.written = end_ - unwritten_bytes_;
    outcome_.damaged = damage_.ranges();
    outcome_.damaged_bytes = damage_.total();
    outcome_.true_capacity = damage_.true_capacity(end_);
    outcome_.fake = damage_.fake_kind(end_);
    outcome_.verdict = outcome_.fake                      ? CapacityVerdict::fake
                       : refused_ || outcome_.good < end_ ? CapacityVerdict::damaged
                                                          : CapacityVerdict::good;
    measure::Findings findings = damage_.findings(end_);
    for (measure::Finding& finding : findings) {
        if (finding.offset) *finding.offset += span_.begin();
        if (finding.end) *finding.end += span_.begin();
        if (finding.kind == FindingKind::data_damaged && stores_no_longer_)
            finding.detail +=
                "; after the test the medium does not keep new data where it kept them before: it has stopped storing "
                "data, which is a defect and no sign of a missing capacity";
    }
    reporter_.add_job_finding(std::move(findings));
    convert_offsets();
    if (outcome_.verdict == CapacityVerdict::good) {
        std::optional<measure::Finding> doubt =
            below_dropped_
                ? device_.finding_about_directory_read_back(page_cache_emptied_, span_.current().served_by_user_space())
                : device_.finding_about_read_back();
        if (doubt) {
            outcome_.verdict = CapacityVerdict::inconclusive;
            reporter_.add_job_finding(std::move(*doubt));
        }
    }
    return std::move(outcome_);
}

void VerifyPasses::convert_offsets() {
    const Bytes begin = span_.begin();
    for (DamagedRange& range : outcome_.damaged) {
        range.offset += begin;
        if (range.belongs_at) *range.belongs_at += begin;
    }
    // The modulus of a wrap is a distance.
    if (outcome_.true_capacity && outcome_.fake != FakeKind::wrap) *outcome_.true_capacity += begin;
    if (outcome_.resumed_at) *outcome_.resumed_at += begin;
}

Bytes VerifyPasses::chunk_at(std::uint64_t offset, Bytes end) const {
    return std::min({job_.as<VerifyJob>()->chunk, span_.length_at(offset), end - Bytes{offset}});
}

void VerifyPasses::record(Phase& phase, std::uint64_t offset, Bytes moved, Ticks start, Ticks finish) {
    // The last chunk may be shorter. It counts as bytes, but its latency is not that of a whole block.
    if (moved == phase.result.cell.block)
        phase.recorder.completed(start, finish);
    else
        phase.recorder.add_partial(moved);
    phase.pace.moved(offset, moved,
                     std::chrono::nanoseconds(static_cast<std::int64_t>(phase.recorder.clock().to_ns(finish - start))));
}

void VerifyPasses::wait_for_rate(Phase& phase, Bytes next) {
    if (!rate_.limits()) return;
    phase.recorder.pause(phase.recorder.clock().now());
    rate_.wait(next, control_.cancel);
    phase.recorder.resume_rested(phase.recorder.clock().now());
}

void VerifyPasses::checkpoint(Phase& phase, Bytes position) {
    if (!span_.raw() || phase.errors.any() || flush_error_ != 0 || position < told_ + checkpoint_every) return;
    if (writes(phase.result.cell.access)) {
        flush(phase);
        if (flush_error_ != 0 || host_error_) return;
    }
    told_ = position;
    CellResult so_far;
    so_far.cell = phase.result.cell;
    so_far.moved = position;
    so_far.end = CellEnd::cancelled;
    reporter_.checkpoint(so_far);
}

Result<void> VerifyPasses::conclude(Phase& phase, const Result<void>& so_far) {
    std::move(phase.recorder).deliver(phase.result);
    CellResult& result = phase.result;
    result.end = refused_ && writes(result.cell.access) ? CellEnd::error : CellEnd::volume;
    result.evidence.used = span_.current().used();
    result.evidence.sync = job_.sync;
    result.evidence.engine = Engine::psync;
    result.evidence.alignment = {std::min<std::uint64_t>(std::uint64_t{1} << std::countr_zero(result.cell.block.count),
                                                         TransferBuffer::alignment)};
    result.evidence.write_cache_flushed = writes(result.cell.access) && flush_error_ == 0;
    reporter_.add_cell_finding(result, phase.errors.take_findings());
    if (!so_far) return so_far;
    if (auto sole = check_sole_writer(phase); !sole) return sole;

    const CacheChecks cache_checks(span_.current(), device_);
    if (writes(result.cell.access)) reporter_.add_job_finding(cache_checks.path_findings());
    if (!writes(result.cell.access) && result.evidence.used == CachePolicy::dropped &&
        !result.evidence.page_cache_dropped)
        reporter_.add_cell_finding(result, {.kind = FindingKind::cache_not_dropped,
                                            .severity = Severity::warning,
                                            .detail = "it could not be confirmed that the page cache was empty before "
                                                      "reading back: the cache may hide damage",
                                            .offset = {}});
    reporter_.add_cell_finding(result, cache_checks.weigh(result, phase.counters, span_.size()));
    PassSpeed speed = phase.pace.speed();
    for (SlowRegion& region : speed.slow) region.offset += span_.begin();
    for (Stall& stall : speed.stalls) stall.offset += span_.begin();
    outcome_.speeds.push_back(std::move(speed));
    if (!writes(result.cell.access)) {
        const auto load = reporter_.load_of_phase();
        reporter_.add_cell_finding(result,
                                   slow_findings(outcome_.speeds.back(), load ? busy_title(*load) : std::string()));
    }
    reporter_.deliver(std::move(result));
    return {};
}

Result<void> VerifyPasses::check_sole_writer(const Phase& phase) const {
    const auto now = device_.totals();
    if (!span_.raw() || phase.result.evidence.used != CachePolicy::direct || phase.errors.any() || flush_error_ != 0 ||
        !phase.counters || !now)
        return {};
    const Bytes own = writes(phase.result.cell.access) ? phase.result.moved : 0_B;
    const Bytes expected = phase.counters->written + own;
    if (now->written <= expected) return {};
    return fail(Errc::host_fault,
                fmt::format("another program wrote {} to {} during the test: the results are discarded; end that "
                            "program, then try again",
                            size_text(now->written - expected), device_.node()));
}

Result<void> VerifyPasses::interrupted_job(const IoErrors& errors) const {
    if (errors.host_error()) return fail(*errors.host_error());
    if (errors.medium_lost())
        return fail(
            Errc::no_medium,
            "the medium vanished or stopped answering during verify; check contact and power, then start again");
    if (control_.cancel.load(std::memory_order_relaxed)) return cancelled();
    if (errors.took_too_long()) return fail(Errc::io_failed, "verify stopped: " + too_slow_failures());
    return fail(Errc::io_failed,
                "verify stopped at the first I/O error: " + std::generic_category().message(errors.first_error()));
}

Result<void> VerifyPasses::cancelled() {
    return fail(Errc::cancelled, "cancelled during verify");
}

namespace {

/// True if `offset` is in one of the ranges, which are ascending.
bool is_within(std::span<const DamagedRange> ranges, Bytes offset) {
    const auto next = std::ranges::upper_bound(ranges, offset, {}, &DamagedRange::offset);
    return next != ranges.begin() && offset < std::prev(next)->offset + std::prev(next)->length;
}

Bytes check_sectors(std::span<const std::byte> bytes, std::uint64_t offset, const PayloadSource& payload,
                    DamageMap& damage, std::span<const DamagedRange> unwritten) {
    if (payload.matches(bytes, offset)) return {bytes.size()};
    Bytes good;
    for (std::size_t at = 0; at < bytes.size(); at += Pattern::sector_size) {
        const auto sector = bytes.subspan(at).first<Pattern::sector_size>();
        if (payload.matches(sector, offset + at)) {
            good += Bytes{sector.size()};
            continue;
        }
        if (is_within(unwritten, {offset + at})) {
            damage.add({{offset + at}, {sector.size()}, DamageKind::unwritten, std::nullopt});
            continue;
        }
        const auto found = payload.diagnose(sector, offset + at);
        damage.add({{offset + at}, {sector.size()}, found.kind, found.belongs_at});
        if (found.kind == DamageKind::foreign &&
            std::all_of(sector.begin(), sector.end(), [&](std::byte b) { return b == sector.front(); }))
            damage.count_blank({sector.size()});
    }
    return good;
}

} // namespace

Bytes check_chunk(const Chunk& chunk, const PayloadSource& payload, DamageMap& damage,
                  std::span<const DamagedRange> unwritten) {
    Bytes good;
    std::uint64_t at = chunk.offset;
    const auto check_up_to = [&](std::uint64_t end) {
        if (end <= at) return;
        const auto part =
            chunk.bytes.subspan(static_cast<std::size_t>(at - chunk.offset), static_cast<std::size_t>(end - at));
        good += check_sectors(part, at, payload, damage, unwritten);
    };
    for (const DamagedRange& hole : chunk.unreadable) {
        check_up_to(hole.offset.count);
        damage.add(hole);
        at = (hole.offset + hole.length).count;
    }
    check_up_to(chunk.offset + chunk.bytes.size());
    return good;
}

Result<void> VerifyPasses::read_all() {
    control_.cell_index.store(1, std::memory_order_relaxed);
    Phase phase(*this, Access::sequential_read, verify_read_id, end_);
    if (before_.read.count > 0) outcome_.resumed_at = before_.read;
    outcome_.good = told_ = before_.read;
    good_up_to_.store(before_.read.count, std::memory_order_relaxed);
    control_.bytes_done.fetch_add(before_.read.count, std::memory_order_relaxed);
    VerifyHelper checker([this] { check_chunks(); });
    Result<void> result = read_chunks(phase);
    read_relay_.finish();
    checker.join();
    return conclude(phase, result);
}

Result<void> VerifyPasses::read_chunks(Phase& phase) {
    const TickClock& clock = phase.recorder.clock();
    bool dropped = true;
    phase.recorder.begin(clock.now());
    std::uint64_t next = before_.read.count;
    while (next < end_.count) {
        if (control_.cancel.load(std::memory_order_relaxed)) return cancelled();
        const bool another_file = next == before_.read.count || span_.starts_file_at(next);
        const auto place = span_.at(next);
        if (!place) return fail(place.error());
        if (another_file) {
            phase.recorder.pause(clock.now());
            const CacheChecks cache_checks(*place->file, device_);
            dropped = cache_checks.drop_caches(span_.length_at(next)) && dropped;
            below_dropped_ = below_dropped_ && device_.drop_host_cache();
            phase.recorder.resume_rested(clock.now());
        }
        // The rate is that of the medium, also if damaged data takes longer to check than to read.
        phase.recorder.pause(clock.now());
        Chunk& chunk = *read_relay_.to_fill(); // the checker never stops early
        phase.recorder.resume(clock.now());
        chunk.offset = next;
        chunk.bytes = read_relay_.chunk_buffer(chunk).first(static_cast<std::size_t>(chunk_at(next, end_).count));
        chunk.unreadable.clear();

        wait_for_rate(phase, {chunk.bytes.size()});
        const Ticks start = clock.now();
        const TransferResult moved = place->file->read(chunk.bytes, place->offset);
        const Ticks finish = clock.now();
        if (moved.bytes == chunk.bytes.size())
            record(phase, chunk.offset, {chunk.bytes.size()}, start, finish);
        else if (!phase.errors.failed_in_parts(false, on_medium(chunk.offset + moved.bytes), moved.error,
                                               phase.recorder.length_of(finish - start)) ||
                 !find_unreadable(*place, chunk, phase))
            return interrupted_job(phase.errors);
        next += chunk.bytes.size();
        control_.bytes_done.fetch_add(chunk.bytes.size(), std::memory_order_relaxed);
        read_relay_.filled();
        checkpoint(phase, {good_up_to_.load(std::memory_order_acquire)});
    }
    phase.recorder.pause(clock.now());
    phase.result.evidence.page_cache_dropped = dropped;
    page_cache_emptied_ = dropped || span_.current().used() == CachePolicy::direct;
    return {};
}

/// Reads a failed chunk again in smaller parts, so that only the unreadable parts count as lost. Returns false if the
/// error policy stops the job or on cancel.
bool VerifyPasses::find_unreadable(const VerifySpan::Place& place, Chunk& chunk, Phase& phase) {
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
        const Ticks start = clock_.now();
        const TransferResult moved = place.file->read(bytes, place.offset + part.begin);
        const std::chrono::nanoseconds took = phase.recorder.length_of(clock_.now() - start);
        if (moved.bytes == part.size) {
            phase.recorder.add_partial({part.size});
        } else if (part.size > leaf) {
            if (!phase.errors.failed_in_parts(false, on_medium(chunk.offset + part.begin), moved.error, took))
                return false;
            const std::size_t half = static_cast<std::size_t>(align_up({part.size / 2}, {leaf}).count);
            parts.push_back({part.begin + half, part.size - half});
            parts.push_back({part.begin, half}); // processed next, because ranges must be in ascending order
        } else {
            const std::uint64_t offset = chunk.offset + part.begin;
            chunk.unreadable.push_back({{offset}, {part.size}, DamageKind::unreadable, std::nullopt});
            const bool go_on =
                moved.error != 0 ? phase.errors.failed(false, on_medium(offset), part.size, moved.error, took)
                                 : phase.errors.record_short_transfer(false, on_medium(offset), part.size, moved.bytes);
            if (!go_on) return false;
        }
    }
    return true;
}

void VerifyPasses::report_damage(const Chunk& chunk, Bytes good) {
    const Bytes end{chunk.offset + chunk.bytes.size()};
    const auto is_new = [&](const DamagedRange& range) {
        return range.offset + range.length > Bytes{chunk.offset} && range.kind != DamageKind::unreadable &&
               range.kind != DamageKind::unwritten;
    };
    if (good == Bytes{chunk.bytes.size()}) return;
    const auto& ranges = damage_.ranges();
    const auto first = std::ranges::find_if(
        std::ranges::partition_point(
            ranges, [&](const DamagedRange& range) { return range.offset + range.length <= Bytes{chunk.offset}; }),
        ranges.end(), is_new);
    if (first != ranges.end() && first->offset < end)
        control_.failures.add_damaged(on_medium(std::max(first->offset, Bytes{chunk.offset}).count));
}

void VerifyPasses::check_chunks() {
    while (const Chunk* chunk = read_relay_.to_empty()) {
        const Bytes good = check_chunk(*chunk, payload_, damage_, unwritten_);
        outcome_.good += good;
        report_damage(*chunk, good);
        if (damage_.total().count == 0)
            good_up_to_.store(chunk->offset + chunk->bytes.size(), std::memory_order_release);
        read_relay_.emptied();
    }
}

using measure::FindingKind;
using measure::Severity;

Result<void> VerifyPasses::write_all() {
    if (job_.as<VerifyJob>()->power_cycle == PowerCycle::done) {
        if (auto returned = check_returned(); !returned) return returned;
    } else {
        resume_or_restart();
    }
    if (before_.all_written) {
        end_ = span_.size();
        control_.bytes_done.fetch_add(span_.size().count, std::memory_order_relaxed);
        return {};
    }
    Phase phase(*this, Access::sequential_write, verify_write_id, span_.size());
    end_ = told_ = before_.written;
    control_.bytes_done.fetch_add(before_.written.count, std::memory_order_relaxed);
    VerifyHelper maker([this] { make_payload(); });
    Result<void> result = write_chunks(phase);
    write_relay_.stop();
    maker.join();
    if (result) result = finish_writing(phase);
    return conclude(phase, result);
}

void VerifyPasses::make_payload() {
    for (std::uint64_t offset = before_.written.count; offset < span_.size().count;) {
        Chunk* chunk = write_relay_.to_fill();
        if (!chunk) return;
        chunk->offset = offset;
        chunk->bytes =
            write_relay_.chunk_buffer(*chunk).first(static_cast<std::size_t>(chunk_at(offset, span_.size()).count));
        payload_.fill(chunk->bytes, offset);
        offset += chunk->bytes.size();
        write_relay_.filled();
    }
    write_relay_.finish();
}

Result<void> VerifyPasses::write_chunks(Phase& phase) {
    constexpr std::uint64_t most_refused = 4; // chunks before the medium is asked at another place
    std::uint64_t refused_chunks = 0;         // consecutive chunks without an accepted write
    std::uint64_t first_refused = 0;          // offset of the first of these chunks
    const TickClock& clock = phase.recorder.clock();
    phase.recorder.begin(clock.now());
    const auto next_chunk = [&] {
        phase.recorder.pause(clock.now());
        const Chunk* const chunk = write_relay_.to_empty();
        phase.recorder.resume(clock.now());
        return chunk;
    };
    while (const Chunk* chunk = next_chunk()) {
        if (control_.cancel.load(std::memory_order_relaxed)) return cancelled();
        if (chunk->offset > 0 && span_.starts_file_at(chunk->offset)) {
            flush(phase);
            if (phase.errors.took_too_long()) return interrupted_job(phase.errors);
        }
        if (host_error_) return fail(*host_error_);
        const auto place = span_.at(chunk->offset);
        if (!place) return fail(place.error());

        if (control_.may_write.due(clock.now())) {
            phase.recorder.pause(clock.now());
            if (auto allowed = control_.may_write.ask(); !allowed) return allowed;
            phase.recorder.resume(clock.now());
        }
        wait_for_rate(phase, {chunk->bytes.size()});
        const Ticks start = clock.now();
        TransferResult moved = place->file->write(chunk->bytes, place->offset);
        if (moved.error == EINVAL && place->file->used() == CachePolicy::direct) {
            if (auto reopened = place->file->disable_direct(); !reopened) return fail(reopened.error());
            moved = place->file->write(chunk->bytes, place->offset);
        }
        const Ticks finish = clock.now();
        if (moved.error == ENOSPC && !span_.raw() && !device_.host_full({chunk->bytes.size()})) {
            report_full(chunk->offset);
            return {};
        }
        if (moved.error == 0) {
            record(phase, chunk->offset, {chunk->bytes.size()}, start, finish);
            accepted_ = chunk->offset;
            refused_chunks = 0;
        } else if (!phase.errors.failed_in_parts(true, on_medium(chunk->offset + moved.bytes), moved.error,
                                                 phase.recorder.length_of(finish - start))) {
            return interrupted_job(phase.errors);
        } else {
            switch (write_parts(*place, *chunk, phase)) {
                case PartsResult::stopped:
                    return interrupted_job(phase.errors);
                case PartsResult::some_written:
                    refused_chunks = 0;
                    break;
                case PartsResult::none_written:
                    if (refused_chunks == 0) first_refused = chunk->offset;
                    if (++refused_chunks % most_refused != 0) break;
                    const auto everywhere = refuses_all_writes(*chunk);
                    if (!everywhere) return fail(everywhere.error());
                    if (!*everywhere) break;
                    // No part of these chunks was written, and they are not read back.
                    unwritten_bytes_ = unwritten_bytes_ - Bytes{chunk->offset + chunk->bytes.size() - first_refused};
                    end_ = Bytes{first_refused};
                    report_refused(phase, end_);
                    return {};
            }
        }
        end_ = Bytes{chunk->offset + chunk->bytes.size()};
        control_.bytes_done.fetch_add(chunk->bytes.size(), std::memory_order_relaxed);
        write_relay_.emptied();
        checkpoint(phase, end_);
    }
    return {};
}

VerifyPasses::PartsResult VerifyPasses::write_parts(const VerifySpan::Place& place, const Chunk& chunk, Phase& phase) {
    const std::size_t leaf = static_cast<std::size_t>(std::max(unit_, 4_KiB).count);
    struct Part {
        std::size_t begin, size;
    };
    std::vector<Part> parts;
    const auto split = [&](const Part& part) {
        if (part.size <= leaf) {
            parts.push_back(part);
            return;
        }
        const std::size_t half = static_cast<std::size_t>(align_up({part.size / 2}, {leaf}).count);
        parts.push_back({part.begin + half, part.size - half});
        parts.push_back({part.begin, half}); // processed next, because ranges must be in ascending order
    };
    bool any = false;
    split({0, chunk.bytes.size()});
    while (!parts.empty()) {
        if (control_.cancel.load(std::memory_order_relaxed)) return PartsResult::stopped;
        const Part part = parts.back();
        parts.pop_back();
        const std::uint64_t offset = chunk.offset + part.begin;
        const Ticks start = clock_.now();
        const TransferResult moved =
            place.file->write(chunk.bytes.subspan(part.begin, part.size), place.offset + part.begin);
        const std::chrono::nanoseconds took = phase.recorder.length_of(clock_.now() - start);
        if (moved.error == 0) {
            phase.recorder.add_partial({part.size});
            any = true;
        } else if (part.size > leaf) {
            if (!phase.errors.failed_in_parts(true, on_medium(offset), moved.error, took)) return PartsResult::stopped;
            split(part);
        } else {
            add_unwritten({offset}, {part.size});
            if (!phase.errors.failed(true, on_medium(offset), part.size, moved.error, took))
                return PartsResult::stopped;
        }
    }
    return any ? PartsResult::some_written : PartsResult::none_written;
}

void VerifyPasses::add_unwritten(Bytes offset, Bytes length) {
    unwritten_bytes_ += length;
    const bool touches = !unwritten_.empty() && unwritten_.back().offset + unwritten_.back().length == offset;
    // Beyond the limit the last range also covers good places between the failed ones. This range only gives a
    // cause to damage that is found inside.
    if (touches || unwritten_.size() >= DamageMap::most_ranges)
        unwritten_.back().length = offset + length - unwritten_.back().offset;
    else
        unwritten_.push_back({offset, length, DamageKind::unwritten, std::nullopt});
}

Result<bool> VerifyPasses::refuses_all_writes(const Chunk& chunk) {
    if (!accepted_) return true;
    if (auto allowed = control_.may_write.check(); !allowed) return fail(allowed.error());
    // Write the same data again, so that the place keeps its contents.
    std::size_t length = static_cast<std::size_t>(std::max(unit_, 4_KiB).count);
    length = std::min(length, chunk.bytes.size());
    auto buffer = TransferBuffer::allocate(length);
    if (!buffer) return fail(buffer.error());
    payload_.fill(buffer->bytes(), *accepted_);
    const auto place = span_.at(*accepted_);
    if (!place) return fail(place.error());
    const bool refuses = place->file->write(buffer->bytes(), place->offset).error != 0;
    // On a file system, the next chunk may belong to another file.
    if (auto back = span_.at(chunk.offset); !back) return fail(back.error());
    return refuses;
}

void VerifyPasses::report_refused(Phase& phase, Bytes offset) {
    refused_ = true;
    control_.bytes_total.store(offset.count * 2, std::memory_order_relaxed);
    control_.bytes_done.store(offset.count, std::memory_order_relaxed);
    reporter_.add_cell_finding(phase.result, writes_refused(accepted_.has_value(), Bytes{on_medium(offset.count)}));
}

void VerifyPasses::report_full(std::uint64_t offset) {
    reporter_.add_job_finding(measure::Finding{
        .kind = FindingKind::medium_full,
        .severity = Severity::note,
        .detail =
            "the file system was full earlier than its free space predicted; the data written until then is checked",
        .offset = Bytes{offset}});
}

Result<void> VerifyPasses::finish_writing(Phase& phase) {
    if (end_ == 0_B && refused_)
        return fail(Errc::io_failed, "the medium refuses all writes; move the write-protect switch, if it has one");
    if (end_ == 0_B) return fail(Errc::io_failed, "no space left for a single chunk; free some space");
    reporter_.phase("sync");
    const Ticks start = phase.recorder.clock().now();
    flush(phase);
    if (host_error_) return fail(*host_error_);
    const Ticks finish = phase.recorder.clock().now();
    const bool timed = job_.sync == SyncLevel::at_end;
    if (timed) phase.recorder.add_sync(finish - start);
    phase.recorder.pause(timed ? finish : start);
    return {};
}

void VerifyPasses::flush(Phase& phase) {
    const Ticks start = phase.recorder.clock().now();
    const int error = CacheChecks(span_.current(), device_).flush();
    // The callers check the bound: data after the last flush are still read back.
    if (error != 0) (void)phase.errors.failed_flush(phase.recorder.clock().since(start));
    ++phase.result.evidence.sync_calls;
    if (error != 0 && !host_error_) host_error_ = fault_of_host(error);
    if (error != 0 && !host_error_) host_error_ = device_.host_full(0_B);
    if (error != 0 && flush_error_ == 0 && !host_error_) {
        flush_error_ = error;
        reporter_.add_cell_finding(phase.result, flush_failed(error));
    }
}

} // namespace mediarig::workload
