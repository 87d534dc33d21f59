// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cerrno>

#include "host/workload/cache_checks.hpp"
#include "host/workload/verify_passes.hpp"

namespace mediarig::workload {

using measure::FindingKind;
using measure::Severity;

Result<void> VerifyPasses::write_all() {
    take_up();
    if (before_.all_written) {
        outcome_.written = span_.size();
        control_.bytes_done.fetch_add(span_.size().count, std::memory_order_relaxed);
        return {};
    }
    Phase phase(*this, Access::sequential_write, verify_write_id, span_.size());
    outcome_.written = told_ = before_.written;
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
            write_relay_.room_of(*chunk).first(static_cast<std::size_t>(chunk_at(offset, span_.size()).count));
        payload_.fill(chunk->bytes, offset);
        offset += chunk->bytes.size();
        write_relay_.filled();
    }
    write_relay_.finish();
}

Result<void> VerifyPasses::write_chunks(Phase& phase) {
    const TickClock& clock = phase.recorder.clock();
    phase.recorder.begin(clock.now());
    while (const Chunk* chunk = write_relay_.to_empty()) {
        if (control_.cancel.load(std::memory_order_relaxed)) return cancelled();
        if (chunk->offset > 0 && span_.changes_file_at(chunk->offset)) flush(phase);
        if (of_host_) return fail(*of_host_);
        const auto place = span_.at(chunk->offset);
        if (!place) return fail(place.error());

        if (control_.may_write.due(clock.now())) {
            phase.recorder.pause(clock.now());
            if (auto allowed = control_.may_write.ask(); !allowed) return allowed;
            phase.recorder.resume(clock.now());
        }
        const Ticks start = clock.now();
        Moved moved = place->file->write(chunk->bytes, place->offset);
        if (moved.error == EINVAL && place->file->used() == CachePolicy::direct) {
            if (auto reopened = place->file->give_up_direct(); !reopened) return fail(reopened.error());
            moved = place->file->write(chunk->bytes, place->offset);
        }
        const Ticks finish = clock.now();
        if (moved.error == ENOSPC && !span_.raw() && !device_.below().full({chunk->bytes.size()})) {
            report_full(chunk->offset);
            return {};
        }
        if (moved.error == 0)
            record(phase, chunk->offset, {chunk->bytes.size()}, start, finish);
        else if (!phase.errors.failed(true, chunk->offset + moved.bytes, chunk->bytes.size() - moved.bytes,
                                      moved.error))
            return broken_off(phase.errors);
        outcome_.written = Bytes{chunk->offset + chunk->bytes.size()};
        control_.bytes_done.fetch_add(chunk->bytes.size(), std::memory_order_relaxed);
        write_relay_.emptied();
        checkpoint(phase, outcome_.written);
    }
    return {};
}

void VerifyPasses::report_full(std::uint64_t offset) {
    reporter_.about_job(measure::Finding{.kind = FindingKind::medium_full,
                                         .severity = Severity::note,
                                         .detail = "the file system was full earlier than its free space said; "
                                                   "what was written until then is checked",
                                         .offset = Bytes{offset}});
}

Result<void> VerifyPasses::finish_writing(Phase& phase) {
    if (outcome_.written.count == 0) return fail(Errc::io_failed, "no space left for a single chunk; make room");
    reporter_.phase("sync");
    const Ticks start = phase.recorder.clock().now();
    flush(phase);
    if (of_host_) return fail(*of_host_);
    const Ticks finish = phase.recorder.clock().now();
    const bool timed = job_.sync == SyncLevel::at_end;
    if (timed) phase.recorder.add_sync(finish - start);
    phase.recorder.pause(timed ? finish : start);
    return {};
}

void VerifyPasses::flush(Phase& phase) {
    const int error = CacheChecks(span_.current(), device_).flush();
    ++phase.result.evidence.sync_calls;
    if (error != 0 && !of_host_) of_host_ = fault_of_host(error);
    if (error != 0 && !of_host_) of_host_ = device_.below().full(0_B);
    if (error != 0 && flush_error_ == 0 && !of_host_) {
        flush_error_ = error;
        reporter_.about_cell(phase.result, flush_failed(error));
    }
}

} // namespace mediarig::workload
