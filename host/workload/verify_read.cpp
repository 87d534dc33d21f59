// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "host/workload/cache_checks.hpp"
#include "host/workload/verify_check.hpp"
#include "host/workload/verify_passes.hpp"

namespace mediarig::workload {

Result<void> VerifyPasses::read_all() {
    control_.cell_index.store(1, std::memory_order_relaxed);
    Phase phase(*this, Access::sequential_read, verify_read_id, outcome_.written);
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
    while (next < outcome_.written.count) {
        if (control_.cancel.load(std::memory_order_relaxed)) return cancelled();
        const bool another_file = next == before_.read.count || span_.changes_file_at(next);
        const auto place = span_.at(next);
        if (!place) return fail(place.error());
        if (another_file) {
            phase.recorder.pause(clock.now());
            const CacheChecks cache_checks(*place->file, device_);
            dropped = cache_checks.drop_caches(span_.length_at(next)) && dropped;
            below_dropped_ = below_dropped_ && device_.below().drop();
            phase.recorder.resume(clock.now());
        }
        Chunk& chunk = *read_relay_.to_fill(); // the checker never stops early
        chunk.offset = next;
        chunk.bytes =
            read_relay_.room_of(chunk).first(static_cast<std::size_t>(chunk_at(next, outcome_.written).count));
        chunk.unreadable.clear();

        const Ticks start = clock.now();
        const Moved moved = place->file->read(chunk.bytes, place->offset);
        const Ticks finish = clock.now();
        if (moved.bytes == chunk.bytes.size())
            record(phase, chunk.offset, {chunk.bytes.size()}, start, finish);
        else if (!find_unreadable(*place, chunk, phase))
            return broken_off(phase.errors);
        next += chunk.bytes.size();
        control_.bytes_done.fetch_add(chunk.bytes.size(), std::memory_order_relaxed);
        read_relay_.filled();
        checkpoint(phase, {good_up_to_.load(std::memory_order_acquire)});
    }
    phase.recorder.pause(clock.now());
    phase.result.evidence.page_cache_dropped = dropped;
    return {};
}

/// Reads a chunk that did not come whole once more in ever smaller parts, so that only what the medium really does
/// not give counts as lost. False when errors say stop or the job is cancelled.
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
        const Moved moved = place.file->read(bytes, place.offset + part.begin);
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

void VerifyPasses::check_chunks() {
    while (const Chunk* chunk = read_relay_.to_empty()) {
        const Bytes good = check_chunk(*chunk, payload_, damage_);
        outcome_.good += good;
        if (damage_.total().count == 0)
            good_up_to_.store(chunk->offset + chunk->bytes.size(), std::memory_order_release);
        read_relay_.emptied();
    }
}

} // namespace mediarig::workload
