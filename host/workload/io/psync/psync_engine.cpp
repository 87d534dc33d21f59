// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/psync/psync_engine.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "host/workload/io/platform/buffer.hpp"
#include "host/workload/io/platform/transfer.hpp"
#include "host/workload/io/rate_limit.hpp"

namespace mediarig::workload {
namespace {

using std::chrono::milliseconds;

// A batch is prepared while the clock is stopped and then transferred without other work. It is small enough for its
// payload to stay in the second-level cache, and it ends after a fifth of the time allowed for cancelling.
constexpr std::size_t most_in_batch = 256;
constexpr std::size_t batch_bytes = std::size_t{1} << 20;
constexpr milliseconds longest_batch{20};

class Loop {
public:
    Loop(const CellRun& run, std::span<std::byte> buffer, std::size_t stride, std::size_t batch)
        : run_(run),
          cell_(run.cell),
          clock_(run.recorder.clock()),
          rate_(clock_, run.rate_limit),
          buffer_(buffer),
          stride_(stride),
          batch_(rate_.limits() ? 1 : batch) {}

    template <bool writing>
    Result<CellEnd> run() {
        const Ticks longest = clock_.from_ns(longest_batch);
        std::uint64_t tried = 0;
        std::size_t next = 0; // index of the next prepared transfer
        std::size_t prepared = 0;

        if constexpr (writing)
            if (!run_.payload.varies()) run_.payload.fill(buffer_, 0);
        const Ticks begin = clock_.now();
        const CellBounds bounds(cell_, run_.operations, clock_, begin);
        run_.recorder.begin(begin);
        run_.recorder.pause(begin);
        while (!bounds.volume_done(tried, clock_.now())) {
            if (run_.control.cancel.load(std::memory_order_relaxed)) return CellEnd::cancelled;
            if (next == prepared) {
                // Beyond the volume the number of further transfers is unknown.
                const std::uint64_t left = tried < run_.operations ? run_.operations - tried : batch_;
                prepared = static_cast<std::size_t>(std::min<std::uint64_t>(batch_, left));
                next = 0;
                prepare<writing>(prepared);
            }
            rate_.wait(cell_.block, run_.control.cancel); // the recorder is paused here
            if (rate_.limits() && run_.control.cancel.load(std::memory_order_relaxed)) return CellEnd::cancelled;
            Ticks start = clock_.now();
            const Ticks limit = bounds.limit(tried);
            if (start >= limit) return CellEnd::time;
            if constexpr (writing) // the recorder is paused here
                if (run_.control.may_write.due(start)) [[unlikely]] {
                    if (auto allowed = run_.control.may_write.ask(); !allowed) return fail(allowed.error());
                    start = clock_.now();
                }
            run_.recorder.resume(start);
            const std::size_t first = next;
            next = move_batch<writing>(first, prepared, std::min(limit, start + longest));
            run_.recorder.pause(next > first ? ends_[next - 1] : start);
            run_.recorder.completed_in_turn(start, std::span(ends_).subspan(first, next - first));
            tried += next - first;
            std::uint64_t bytes = (next - first) * cell_.block.count;
            if (failed_result_ != ok) {
                const std::uint64_t offset = offsets_[next++];
                ++tried;
                bytes += cell_.block.count;
                run_.recorder.pause(failed_at_);
                failed_length_ = failed_at_ - (next - 1 > first ? ends_[next - 2] : start);
                if (!go_on_after<writing>(offset)) return CellEnd::error;
            }
            run_.control.bytes_done.fetch_add(bytes, std::memory_order_relaxed);
        }
        return CellEnd::volume;
    }

private:
    static constexpr ssize_t ok = -2; // no transfer returns this value

    template <bool writing>
    void prepare(std::size_t count) {
        run_.offsets.fill(std::span(offsets_).first(count));
        if constexpr (writing)
            if (run_.payload.varies())
                for (std::size_t i = 0; i < count; ++i)
                    run_.payload.fill(buffer_.subspan(i * stride_, cell_.block.count), offsets_[i]);
    }

    /// The measured loop: contains only transfers and clock reads. Returns the index after the last good transfer.
    template <bool writing>
    std::size_t move_batch(std::size_t index, std::size_t count, Ticks deadline) {
        const auto size = static_cast<std::size_t>(cell_.block.count);
        std::byte* buffer = buffer_.data() + index * stride_;
        failed_result_ = ok;
        for (; index < count; ++index, buffer += stride_) {
            const ssize_t moved = transfer<writing>(run_.fd, buffer, size, offsets_[index]);
            const Ticks now = clock_.now();
            if (moved != static_cast<ssize_t>(size)) [[unlikely]] {
                failed_result_ = moved;
                failed_at_ = now;
                return index;
            }
            ends_[index] = now;
            if (now >= deadline) return index + 1;
        }
        return index;
    }

    template <bool writing>
    bool go_on_after(std::uint64_t offset) {
        if (failed_result_ < 0)
            return run_.errors.failed(writing, offset, cell_.block.count, static_cast<int>(-failed_result_),
                                      run_.recorder.length_of(failed_length_));
        const auto moved = static_cast<std::uint64_t>(failed_result_);
        run_.recorder.add_partial({moved});
        return run_.errors.record_short_transfer(writing, offset, cell_.block.count, moved);
    }

    CellRun run_;
    const CellSpec& cell_;
    const TickClock& clock_;
    RateLimit rate_;
    std::span<std::byte> buffer_;
    std::size_t stride_;
    std::size_t batch_;
    std::array<std::uint64_t, most_in_batch> offsets_{};
    std::array<Ticks, most_in_batch> ends_{};
    ssize_t failed_result_{ok};
    Ticks failed_at_{};
    Ticks failed_length_{};
};

} // namespace

Result<CellRunEnd> run_psync(const CellRun& run) {
    const auto block = static_cast<std::size_t>(run.cell.block.count);
    const std::size_t batch = std::clamp<std::size_t>(batch_bytes / block, 1, most_in_batch);
    // Read data is not examined, and constant payload needs one copy. In both cases all transfers share a buffer.
    const bool shared = !writes(run.cell.access) || !run.payload.varies();
    auto buffer = TransferBuffer::allocate(shared ? block : block * batch);
    if (!buffer) return fail(buffer.error());

    Loop loop(run, buffer->bytes(), shared ? 0 : block, batch);
    const auto end = writes(run.cell.access) ? loop.run<true>() : loop.run<false>();
    if (!end) return fail(end.error());
    return CellRunEnd{.end = *end};
}

} // namespace mediarig::workload
