// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/paced.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include "host/workload/platform/buffer.hpp"

namespace mediarig::workload {
namespace {

using std::chrono::nanoseconds;

/// A request to cancel is honoured within this time.
constexpr nanoseconds longest_nap = std::chrono::milliseconds(50);

class PacedLoop {
public:
    PacedLoop(MediumFile& file, SyncLevel sync, const CellRun& run, CellParts parts, std::span<std::byte> buffer)
        : file_(file),
          writing_(writes(run.access)),
          flushes_(writing_ && sync == SyncLevel::at_end),
          run_(run),
          parts_(parts),
          clock_(parts.recorder.clock()),
          buffer_(buffer) {}

    Result<CellEnd> run(const Pace& pace) {
        if (file_.used() == CachePolicy::dropped) file_.expect_random();
        const Ticks begin = clock_.now();
        const Ticks limit = run_.time_limit ? begin + clock_.from_ns(*run_.time_limit) : ~Ticks{0};
        const Ticks interval = clock_.from_ns(pace.interval);
        parts_.recorder.begin(begin);
        parts_.recorder.pause(begin);
        Ticks due = begin;
        for (std::uint64_t i = 0; i < run_.operations + pace.warm_up; ++i) {
            if (!wait_until(std::min(due, limit))) return CellEnd::cancelled;
            if (clock_.now() >= limit) return CellEnd::time;
            if (auto allowed = writing_ ? parts_.control.may_write.check() : Result<void>{}; !allowed)
                return fail(allowed.error());
            if (!request(i >= pace.warm_up)) return CellEnd::error;
            // What took longer than the interval is not caught up with.
            due = std::max(due + interval, clock_.now());
        }
        return CellEnd::volume;
    }

private:
    /// False where the job was cancelled.
    bool wait_until(Ticks due) const {
        for (;;) {
            if (parts_.control.cancel.load(std::memory_order_relaxed)) return false;
            const Ticks now = clock_.now();
            if (now >= due) return true;
            std::this_thread::sleep_for(std::min(longest_nap, nanoseconds(clock_.to_ns(due - now))));
        }
    }

    /// False where errors say stop.
    bool request(bool counts) {
        std::array<std::uint64_t, 1> offset{};
        parts_.offsets.fill(offset);
        if (writing_)
            parts_.payload.fill(buffer_, offset[0]);
        else if (file_.used() == CachePolicy::dropped)
            (void)file_.forget(offset[0], run_.block);

        const Ticks start = clock_.now();
        Moved moved = writing_ ? file_.write(buffer_, offset[0]) : file_.read(buffer_, offset[0]);
        if (flushes_ && moved.error == 0) moved.error = file_.flush();
        const Ticks finish = clock_.now();

        if (!counts)
            return moved.error == 0 || parts_.errors.failed(writing_, offset[0], run_.block.count, moved.error);
        parts_.recorder.resume_rested(start);
        parts_.recorder.pause(finish);
        parts_.control.bytes_done.fetch_add(run_.block.count, std::memory_order_relaxed);
        if (moved.error != 0) return parts_.errors.failed(writing_, offset[0], run_.block.count, moved.error);
        if (moved.bytes != run_.block.count) {
            parts_.recorder.add_partial({moved.bytes});
            return parts_.errors.fell_short(writing_, offset[0], run_.block.count, moved.bytes);
        }
        parts_.recorder.completed(start, finish);
        return true;
    }

    MediumFile& file_;
    bool writing_;
    bool flushes_;
    const CellRun& run_;
    CellParts parts_;
    const TickClock& clock_;
    std::span<std::byte> buffer_;
};

} // namespace

Result<CellEnd> run_paced(MediumFile& file, SyncLevel sync, const Pace& pace, const CellRun& run, CellParts parts) {
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(run.block.count));
    if (!buffer) return fail(buffer.error());
    return PacedLoop(file, sync, run, parts, buffer->bytes()).run(pace);
}

} // namespace mediarig::workload
