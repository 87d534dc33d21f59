// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/uring/uring_engine.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "host/workload/io/platform/buffer.hpp"
#include "host/workload/io/uring/batch_rule.hpp"
#include "host/workload/io/uring/punt_watch.hpp"
#include "host/workload/io/uring/ring.hpp"

namespace mediarig::workload {
namespace {

constexpr std::uint64_t most_memory = std::uint64_t{1} << 30; // the kernel's limit for one registered buffer

constexpr std::size_t entry_size = 64; // without IORING_SETUP_SQE128

/// If a medium completes a whole batch within this time, the engine waits for batches (see BatchRule).
constexpr std::chrono::microseconds worth_waiting{100};

/// Timeout of a wait for an incomplete batch. It is longer than a kernel tick (4 ms at 250 Hz): a timer that expires
/// before the next tick is programmed into the clock hardware, which in a virtual machine costs as much as a transfer.
/// A later timer is only added to a list.
constexpr std::chrono::milliseconds longest_wait{5};

/// A buffer with its offset on the medium. States: free, prepared, in flight, free again.
struct Slot {
    std::byte* buffer{};
    std::uint64_t offset{};
    Ticks started{};
};

/// FIFO queue with space for all slots.
class SlotQueue {
public:
    explicit SlotQueue(std::size_t slots) : mask_(std::bit_ceil(slots) - 1), indices_(mask_ + 1) {}
    [[nodiscard]] bool empty() const { return put_ == taken_; }
    void put(unsigned index) { indices_[put_++ & mask_] = index; }
    unsigned take() { return indices_[taken_++ & mask_]; }

private:
    std::size_t mask_;
    std::vector<unsigned> indices_;
    std::size_t put_{};
    std::size_t taken_{};
};

class Loop {
public:
    Loop(const CellRun& run, Ring& ring, std::span<std::byte> memory, std::size_t slots, bool registered)
        : run_(run),
          cell_(run.cell),
          clock_(run.recorder.clock()),
          ring_(ring),
          fills_(writes(run.cell.access) && run.payload.varies()),
          slots_(slots),
          free_(slots),
          prepared_(slots),
          rule_(run.cell.queue_depth, ring.waits_with_limit(), clock_.from_ns(worth_waiting)) {
        for (Slot& slot : slots_) {
            slot.buffer = memory.data();
            memory = memory.subspan(cell_.block.count);
            free_.put(static_cast<unsigned>(&slot - slots_.data()));
        }
        describe_transfers(registered);
    }

    Result<CellEnd> run() {
        if (fills_)
            prepare_free_slots();
        else if (writes(cell_.access))
            for (Slot& slot : slots_) run_.payload.fill(std::span(slot.buffer, cell_.block.count), 0);
        ask_whether_to_write(clock_.now());
        Ticks now = clock_.now();
        bounds_ = CellBounds(cell_, run_.operations, clock_, now);
        run_.recorder.begin(now);
        rule_.begin(now);
        for (;;) {
            if (!stopping_) {
                if (run_.control.cancel.load(std::memory_order_relaxed))
                    stop(CellEnd::cancelled);
                else if (now >= bounds_.limit(submitted_))
                    stop(CellEnd::time);
                else if (fills_)
                    queue_prepared_slots(clock_.now());
                else
                    queue_free_slots(clock_.now());
            }
            if (in_flight_ == 0) break;
            if (auto waited = submit_and_wait(); !waited) return fail(waited.error());
            now = clock_.now();
            const unsigned completed = reap(now);
            rule_.found(completed, in_flight_, now);
            ask_whether_to_write(now);
        }
        run_.recorder.pause(now);
        if (refused_) return fail(*refused_);
        return end_;
    }

private:
    void stop(CellEnd end) {
        stopping_ = true;
        end_ = end;
    }

    /// The queue of this engine is never empty between two transfers, so every check of the permit is within the
    /// measured time. The check takes place once a second, while the medium works.
    void ask_whether_to_write(Ticks now) {
        if (!writes(cell_.access) || !run_.control.may_write.due(now) || stopping_) return;
        if (auto allowed = run_.control.may_write.ask(); !allowed) {
            refused_ = std::move(allowed.error());
            stop(CellEnd::error);
        }
    }

    std::uint64_t next_offset() {
        if (next_offset_ == offsets_.size()) {
            run_.offsets.fill(offsets_);
            next_offset_ = 0;
        }
        ++handed_out_;
        return offsets_[next_offset_++];
    }

    void prepare_free_slots() {
        while (!free_.empty() && !bounds_.volume_done(handed_out_, clock_.now())) {
            const unsigned index = free_.take();
            Slot& slot = slots_[index];
            slot.offset = next_offset();
            run_.payload.fill(std::span(slot.buffer, cell_.block.count), slot.offset);
            prepared_.put(index);
        }
    }

    void queue_prepared_slots(Ticks started) {
        while (!prepared_.empty() && in_flight_ < cell_.queue_depth) queue(prepared_.take(), started);
    }

    void queue_free_slots(Ticks started) {
        while (!free_.empty() && !bounds_.volume_done(handed_out_, started)) {
            const unsigned index = free_.take();
            slots_[index].offset = next_offset();
            queue(index, started);
        }
    }

    /// Fills in, once, the fields that are equal for all transfers.
    void describe_transfers(bool registered) {
        const auto size = static_cast<unsigned>(cell_.block.count);
        io_uring_sqe common{};
        if (writes(cell_.access)) {
            if (registered)
                io_uring_prep_write_fixed(&common, 0, nullptr, size, 0, 0);
            else
                io_uring_prep_write(&common, 0, nullptr, size, 0);
        } else if (registered) {
            io_uring_prep_read_fixed(&common, 0, nullptr, size, 0, 0);
        } else {
            io_uring_prep_read(&common, 0, nullptr, size, 0);
        }
        common.flags |= IOSQE_FIXED_FILE; // descriptor 0 is the registered file
        std::memcpy(common_.data(), &common, entry_size);
    }

    void queue(unsigned index, Ticks started) {
        Slot& slot = slots_[index];
        slot.started = started;
        io_uring_sqe& entry = *io_uring_get_sqe(ring_.get()); // the ring has space for the whole queue depth
        std::memcpy(&entry, common_.data(), entry_size);
        entry.addr = reinterpret_cast<std::uintptr_t>(slot.buffer);
        entry.off = slot.offset;
        entry.user_data = index;
        ++in_flight_;
        ++submitted_;
        ++waiting_to_go_;
        if (!rule_.submits_now(waiting_to_go_, in_flight_ - waiting_to_go_)) return;
        // A refused entry stays in the ring, and submit_and_wait() receives the error.
        (void)io_uring_submit(ring_.get());
        waiting_to_go_ = 0;
    }

    Result<void> submit_and_wait() {
        waiting_to_go_ = 0;
        if (fills_ && !stopping_ && !free_.empty()) {
            // The next payload is generated while the medium works on this one.
            if (const int sent = io_uring_submit(ring_.get()); sent < 0 && !passing(sent)) return refuse(sent);
            const Ticks from = clock_.now();
            prepare_free_slots();
            run_.recorder.add_prepared(clock_.now() - from);
        }
        for (;;) {
            const int sent = wait();
            if (sent >= 0 || sent == -ETIME) return {};
            if (!passing(sent)) return refuse(sent);
        }
    }

    int wait() {
        if (rule_.batch() == 1) return io_uring_submit_and_wait(ring_.get(), 1);
        io_uring_cqe* first = nullptr;
        __kernel_timespec longest{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(longest_wait).count()};
        return io_uring_submit_and_wait_timeout(ring_.get(), &first, std::min(rule_.batch(), in_flight_), &longest,
                                                nullptr);
    }

    static bool passing(int error) { return error == -EINTR || error == -EAGAIN || error == -EBUSY; }
    static Result<void> refuse(int error) {
        return fail(Errc::io_failed,
                    "io_uring stopped working (" + std::generic_category().message(-error) + "): use the engine psync");
    }

    unsigned reap(Ticks now) {
        const auto whole = static_cast<std::int32_t>(cell_.block.count);
        unsigned all = 0;
        unsigned seen = 0;
        do {
            seen =
                io_uring_peek_batch_cqe(ring_.get(), completions_.data(), static_cast<unsigned>(completions_.size()));
            for (const io_uring_cqe* completion : std::span(completions_).first(seen)) {
                const auto index = static_cast<unsigned>(completion->user_data);
                if (completion->res == whole) [[likely]]
                    run_.recorder.completed(slots_[index].started, now);
                else
                    handle_failure(slots_[index], completion->res);
                free_.put(index);
            }
            io_uring_cq_advance(ring_.get(), seen);
            all += seen;
        } while (seen == completions_.size());
        in_flight_ -= all;
        run_.control.bytes_done.fetch_add(all * cell_.block.count, std::memory_order_relaxed);
        return all;
    }

    void handle_failure(const Slot& slot, std::int32_t result) {
        const bool writing = writes(cell_.access);
        bool go_on = false;
        if (result < 0) {
            // The transfers of a queue fail at the same time, so each transfer accounts for only a part of that time.
            const auto took = run_.recorder.length_of(clock_.now() - slot.started) / cell_.queue_depth;
            go_on = run_.errors.failed(writing, slot.offset, cell_.block.count, -result, took);
        } else {
            const auto moved = static_cast<std::uint64_t>(result);
            run_.recorder.add_partial({moved});
            go_on = run_.errors.record_short_transfer(writing, slot.offset, cell_.block.count, moved);
        }
        if (!go_on) stop(CellEnd::error);
    }

    CellRun run_;
    const CellSpec& cell_;
    const TickClock& clock_;
    Ring& ring_;
    bool fills_; ///< each transfer has separate payload
    std::vector<Slot> slots_;
    SlotQueue free_;
    SlotQueue prepared_; ///< slots with generated payload; only used if fills_
    std::array<std::uint64_t, 256> offsets_{};
    std::size_t next_offset_{offsets_.size()};
    std::uint64_t handed_out_{}; ///< number of offsets taken, including the prepared transfers
    std::uint64_t submitted_{};
    CellBounds bounds_{cell_, run_.operations, clock_, clock_.now()}; ///< set again when the clock of the cell starts
    std::array<io_uring_cqe*, 64> completions_{};
    unsigned in_flight_{};
    unsigned waiting_to_go_{}; ///< queued since the last submission
    BatchRule rule_;
    bool stopping_{};
    std::optional<Error> refused_;
    CellEnd end_{CellEnd::volume};
    /// The bytes of an io_uring_sqe; as a member, this type is not valid in standard C++.
    std::array<std::byte, entry_size> common_{};
};

} // namespace

Result<void> check_uring() {
    // A temporary ring with one entry shows whether the kernel allows io_uring before the test file is laid out.
    if (auto probe = Ring::create(1); !probe) return fail(probe.error());
    return {};
}

Result<CellRunEnd> run_uring(const CellRun& run) {
    const CellSpec& cell = run.cell;
    // With generated payload there are two buffers per transfer in flight: one half is filled while the other is in
    // flight.
    const bool fills = writes(cell.access) && run.payload.varies();
    const std::size_t slots = std::size_t{cell.queue_depth} * (fills ? 2 : 1);
    const std::uint64_t memory = slots * cell.block.count;
    if (memory > most_memory)
        return fail(Errc::bad_request, "a queue of " + std::to_string(cell.queue_depth) + " transfers of " +
                                           std::to_string(cell.block.count) +
                                           " bytes needs more than 1 GiB of buffers: choose a shorter queue");
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(memory));
    if (!buffer) return fail(buffer.error());
    auto ring = Ring::create(cell.queue_depth);
    if (!ring) return fail(ring.error());
    if (auto known = (*ring)->register_file(run.fd); !known) return fail(known.error());
    const bool registered = (*ring)->register_buffer(buffer->bytes());
    const PuntWatch workers;
    const auto end = Loop(run, **ring, buffer->bytes(), slots, registered).run();
    if (!end) return fail(end.error());
    // Read the counter before the ring's workers end.
    return CellRunEnd{.end = *end, .worker_switches = workers.worker_switches()};
}

} // namespace mediarig::workload
