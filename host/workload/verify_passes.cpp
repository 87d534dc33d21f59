// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/verify_passes.hpp"

#include <algorithm>
#include <bit>
#include <system_error>

#include "host/workload/cache_checks.hpp"

namespace mediarig::workload {

using measure::FindingKind;
using measure::Severity;

VerifyProgress progress_in(const std::vector<DoneCell>& done, Bytes chunk, Bytes size) {
    VerifyProgress progress{.written = {}, .read = {}, .all_written = holds(done, verify_write_id)};
    for (const DoneCell& cell : done) {
        const Bytes position = cell.up_to.value_or(0_B);
        if (position % chunk != 0_B || position > size) continue;
        if (cell.id == verify_write_id) progress.written = std::max(progress.written, position);
        if (cell.id == verify_read_id) progress.read = std::max(progress.read, position);
    }
    // What was not all written yet cannot have been read in the same attempt.
    if (!progress.all_written) progress.read = {};
    return progress;
}

VerifyPasses::VerifyPasses(const TickClock& clock, const JobSpec& job, const BackingDevice& device, VerifySpan& span,
                           Bytes unit, Relay& write_relay, Relay& read_relay, VerifyProgress before,
                           JobControl& control, Reporter& reporter)
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
      payload_(job.payload, job.as<VerifyJob>()->generation) {
    outcome_.claimed = span_.claimed();
}

VerifyPasses::Phase::Phase(VerifyPasses& passes, Access access, const char* id, Bytes volume)
    : errors(
          passes.job_.on_io_error, [&passes] { return passes.device_.gone(); },
          [&passes](Bytes length) { return passes.device_.below().full(length); }),
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

bool VerifyPasses::holds_what_was_written() {
    constexpr std::uint64_t most_samples = 64;
    const Bytes end = before_.all_written ? span_.size() : before_.written;
    const Bytes chunk = job_.as<VerifyJob>()->chunk;
    const std::uint64_t last = (end.count - 1) / chunk.count;
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(chunk.count));
    if (!buffer) return true;
    for (std::uint64_t i = 0, samples = std::min(last, most_samples); i <= samples; ++i) {
        const std::uint64_t offset = (samples == 0 ? 0 : last * i / samples) * chunk.count;
        const auto place = span_.at(offset);
        if (!place) return true;
        if (i == 0) {
            (void)CacheChecks(*place->file, device_).drop_caches(span_.length_at(offset));
            (void)device_.below().drop();
        }
        const auto bytes = buffer->bytes().first(static_cast<std::size_t>(chunk_at(offset, end).count));
        if (place->file->read(bytes, place->offset).bytes == bytes.size() && !payload_.matches(bytes, offset))
            return false;
    }
    return true;
}

void VerifyPasses::take_up() {
    if (before_.written.count == 0 && !before_.all_written) return;
    measure::Finding note{.kind = FindingKind::resumed, .severity = Severity::note, .detail = {}, .offset = {}};
    if (holds_what_was_written()) {
        note.detail = "interrupted and continued from the last position that was safe";
    } else {
        note.severity = Severity::warning;
        note.detail =
            "what was written before the interruption is no longer on the medium, which was used meanwhile "
            "or does not keep what is written; it was all written anew";
        before_ = {};
        // Before anything else is written: an interruption of this attempt must not go on from the earlier one's.
        for (const auto& [access, id] : {std::pair{Access::sequential_write, verify_write_id},
                                         std::pair{Access::sequential_read, verify_read_id}}) {
            CellResult nothing;
            nothing.cell = cell_of(access, id, span_.size());
            nothing.end = CellEnd::cancelled;
            reporter_.checkpoint(nothing);
        }
    }
    reporter_.about_job(std::move(note));
}

bool VerifyPasses::still_answers(Bytes end) {
    if (!span_.raw()) return true;
    if (end < unit_) return false;
    const std::uint64_t last = align_down(end - unit_, unit_).count;
    const auto place = span_.at(last);
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(unit_.count));
    if (!place || !buffer) return true;
    (void)CacheChecks(*place->file, device_).drop_caches(span_.length_at(last));
    (void)device_.below().drop();
    return place->file->read(buffer->bytes(), place->offset).bytes == unit_.count;
}

VerifyOutcome VerifyPasses::take_outcome() {
    const auto end = damage_.true_capacity(outcome_.written);
    if (damage_.fake_kind(outcome_.written) == FakeKind::errors && !still_answers(*end)) {
        damage_.forget_where_it_ends();
        reporter_.about_job({.kind = FindingKind::io_error,
                             .severity = Severity::fault,
                             .detail = "the medium stopped responding, also where it could be read before: check "
                                       "contact and power, then test it again",
                             .offset = {}});
    }
    outcome_.damaged = damage_.ranges();
    outcome_.damaged_bytes = damage_.total();
    outcome_.true_capacity = damage_.true_capacity(outcome_.written);
    outcome_.fake = damage_.fake_kind(outcome_.written);
    outcome_.verdict = outcome_.fake                      ? CapacityVerdict::fake
                       : outcome_.good < outcome_.written ? CapacityVerdict::damaged
                                                          : CapacityVerdict::good;
    reporter_.about_job(damage_.findings(outcome_.written));
    if (outcome_.verdict == CapacityVerdict::good && !below_dropped_) {
        outcome_.verdict = CapacityVerdict::inconclusive;
        reporter_.about_job(device_.below().doubt());
    }
    return std::move(outcome_);
}

Bytes VerifyPasses::chunk_at(std::uint64_t offset, Bytes end) const {
    return std::min({job_.as<VerifyJob>()->chunk, span_.length_at(offset), end - Bytes{offset}});
}

void VerifyPasses::record(Phase& phase, std::uint64_t offset, Bytes moved, Ticks start, Ticks finish) {
    // The last chunk may be shorter: it counts as bytes, its latency is no latency of a whole block.
    if (moved == phase.result.cell.block)
        phase.recorder.completed(start, finish);
    else
        phase.recorder.add_partial(moved);
    phase.pace.moved(offset, moved,
                     std::chrono::nanoseconds(static_cast<std::int64_t>(phase.recorder.clock().to_ns(finish - start))));
}

void VerifyPasses::checkpoint(Phase& phase, Bytes position) {
    if (!span_.raw() || phase.errors.any() || flush_error_ != 0 || position < told_ + checkpoint_every) return;
    if (writes(phase.result.cell.access)) {
        flush(phase);
        if (flush_error_ != 0 || of_host_) return;
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
    result.end = CellEnd::volume;
    result.evidence.used = span_.current().used();
    result.evidence.sync = job_.sync;
    result.evidence.engine = Engine::psync;
    result.evidence.alignment = {std::min<std::uint64_t>(std::uint64_t{1} << std::countr_zero(result.cell.block.count),
                                                         TransferBuffer::alignment)};
    result.evidence.write_cache_flushed = writes(result.cell.access) && flush_error_ == 0;
    reporter_.about_cell(result, phase.errors.take_findings());
    if (!so_far) return so_far;

    const CacheChecks cache_checks(span_.current(), device_);
    if (writes(result.cell.access)) reporter_.about_job(cache_checks.about_the_way());
    if (!writes(result.cell.access) && result.evidence.used == CachePolicy::dropped &&
        !result.evidence.page_cache_dropped)
        reporter_.about_cell(result, {.kind = FindingKind::cache_not_dropped,
                                      .severity = Severity::warning,
                                      .detail = "it could not be confirmed that the page cache was empty before "
                                                "reading back: damage may hide behind it",
                                      .offset = {}});
    reporter_.about_cell(result, cache_checks.weigh(result, phase.counters, span_.size()));
    outcome_.speeds.push_back(phase.pace.speed());
    if (!writes(result.cell.access)) reporter_.about_cell(result, slow_findings(outcome_.speeds.back()));
    reporter_.deliver(std::move(result));
    return {};
}

Result<void> VerifyPasses::broken_off(const IoErrors& errors) const {
    if (errors.of_host()) return fail(*errors.of_host());
    if (errors.medium_lost())
        return fail(Errc::no_medium, "the medium vanished during verify; check contact and power, then start again");
    if (control_.cancel.load(std::memory_order_relaxed)) return cancelled();
    return fail(Errc::io_failed,
                "verify stopped at the first I/O error: " + std::generic_category().message(errors.first_error()));
}

Result<void> VerifyPasses::cancelled() {
    return fail(Errc::cancelled, "cancelled during verify");
}

} // namespace mediarig::workload
