// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/mix_loop.hpp"

#include <cerrno>

#include "host/workload/errno_error.hpp"

namespace mediarig::workload {

MixLoop::MixLoop(const JobSpec& job, const MixCell& cell, Parts parts, std::span<std::byte> buffer, RequestQueue* queue,
                 std::uint64_t seed)
    : job_(job),
      mix_(*job.as<MixJob>()),
      cell_(cell),
      parts_(parts),
      clock_(parts.reads.clock()),
      buffer_(buffer),
      queue_(queue),
      random_(seed) {
    const std::uint64_t blocks = mix_.file_size / cell.cell.block * mix_.files;
    if (parts_.files.files().front()->used() != CachePolicy::direct) {
        touched_.assign(blocks, false);
        written_.assign(blocks, false);
    }
    if (queue_ == nullptr) return;
    const auto block = static_cast<std::size_t>(cell.cell.block.count);
    for (std::uint32_t part = 0; part < buffer.size() / block; ++part) {
        under_way_.push_back({.made = {}, .bytes = buffer.subspan(part * block, block), .start = 0});
        unused_.push_back(part);
    }
}

bool MixLoop::writes_next() const {
    // As sysbench has it: read while (reads + 1) / (writes + 1) is below the wanted ratio, counting those that are
    // done.
    return cell_.reads == 0 ||
           (cell_.writes != 0 && (reads_done_ + 1) * cell_.writes >= (writes_done_ + 1) * cell_.reads);
}

MixLoop::Where MixLoop::next_place() {
    const std::uint64_t block = cell_.cell.block.count, in_file = mix_.file_size.count / block;
    if (random(cell_.cell.access)) {
        __extension__ using Wide = unsigned __int128;
        const auto index =
            static_cast<std::uint64_t>((static_cast<Wide>(random_.next()) * (in_file * mix_.files)) >> 64);
        return {static_cast<std::uint32_t>(index / in_file), index % in_file * block};
    }
    const Where here = next_;
    next_.offset += block;
    if (next_.offset / block == in_file) next_ = {(next_.file + 1) % mix_.files, 0};
    return here;
}

void MixLoop::resume(Ticks now) {
    // What is under way keeps the clock running.
    if (queue_ != nullptr) return;
    parts_.reads.resume(now);
    parts_.writes.resume(now);
}

void MixLoop::pause(Ticks now) {
    if (queue_ != nullptr) return;
    parts_.reads.pause(now);
    parts_.writes.pause(now);
}

bool MixLoop::flush(const MediumFile& file, std::uint64_t length) {
    const Ticks start = clock_.now();
    const int error = mix_.syncs_attributes ? file.flush_attributes() : file.flush();
    const Ticks finish = clock_.now();
    resume(start);
    pause(finish);
    parts_.reads.add_sync(finish - start);
    parts_.writes.add_sync(finish - start);
    ++syncs_;
    return error == 0 || parts_.errors.failed(true, 0, length, error);
}

bool MixLoop::sync_next_file() {
    const MediumFile& file = parts_.files.flushed(next_synced_);
    if (++next_synced_ == mix_.files) {
        next_synced_ = 0;
        dirty_ = false;
    }
    return flush(file, mix_.file_size.count);
}

Result<MixLoop::Next> MixLoop::next() {
    const bool writing = writes_next();
    if (writing)
        if (auto allowed = parts_.control.may_write.check(); !allowed) return fail(allowed.error());
    const Where where = next_place();
    ++(writing ? writes_ : reads_);
    dirty_ = dirty_ || writing;
    return Next{.writing = writing,
                .place = parts_.files.at(where.file, where.offset),
                .of_all = where.file * mix_.file_size.count + where.offset};
}

Result<bool> MixLoop::took(const Next& made, std::span<std::byte> bytes, Moved moved, Ticks start, Ticks finish) {
    if (moved.error == EINVAL && made.place.file->used() == CachePolicy::direct) {
        if (auto reopened = made.place.file->give_up_direct(); !reopened) return fail(reopened.error());
        start = clock_.now();
        moved = made.writing ? made.place.file->write(bytes, made.place.offset)
                             : made.place.file->read(bytes, made.place.offset);
        finish = clock_.now();
    }
    Recorder& recorder = made.writing ? parts_.writes : parts_.reads;
    resume(start);
    pause(finish);
    ++(made.writing ? writes_done_ : reads_done_);
    parts_.control.bytes_done.fetch_add(bytes.size(), std::memory_order_relaxed);
    if (moved.error != 0) return parts_.errors.failed(made.writing, made.of_all, bytes.size(), moved.error);
    if (moved.bytes != bytes.size()) {
        recorder.add_partial({moved.bytes});
        return parts_.errors.fell_short(made.writing, made.of_all, bytes.size(), moved.bytes);
    }
    recorder.completed(start, finish);
    note(made, bytes.size());
    return true;
}

void MixLoop::note(const Next& made, std::uint64_t length) {
    if (touched_.empty()) return;
    const std::uint64_t block = made.of_all / mix_.file_size.count * (mix_.file_size / cell_.cell.block) +
                                made.of_all % mix_.file_size.count / length;
    if (made.writing ? written_[block] : touched_[block]) (made.writing ? rewritten_ : reread_) += Bytes{length};
    touched_[block] = true;
    if (made.writing) written_[block] = true;
}

Result<void> MixLoop::forget_what_was_touched() {
    since_forgotten_ = 1; // with the request that follows
    if (queue_ != nullptr && unused_.size() < under_way_.size())
        if (auto rest = take_done(static_cast<std::uint32_t>(under_way_.size() - unused_.size())); !rest)
            return fail(rest.error());
    const Ticks now = clock_.now();
    if (queue_ != nullptr)
        for (Recorder* recorder : {&parts_.reads, &parts_.writes}) recorder->pause(now);
    parts_.forget();
    if (queue_ != nullptr)
        for (Recorder* recorder : {&parts_.reads, &parts_.writes}) recorder->resume(clock_.now());
    touched_.assign(touched_.size(), false);
    written_.assign(written_.size(), false);
    return {};
}

Result<bool> MixLoop::request() {
    const auto made = next();
    if (!made) return fail(made.error());
    if (made->writing && (parts_.payload.varies() || writes_ == 1)) parts_.payload.fill(buffer_, made->of_all);
    const Ticks start = clock_.now();
    const Moved moved = made->writing ? made->place.file->write(buffer_, made->place.offset)
                                      : made->place.file->read(buffer_, made->place.offset);
    auto go_on = took(*made, buffer_, moved, start, clock_.now());
    if (go_on && *go_on && made->writing && mix_.syncs_each_write)
        go_on = flush(*made->place.file, mix_.file_size.count);
    return go_on;
}

Result<bool> MixLoop::submit() {
    const auto made = next();
    if (!made) return fail(made.error());
    const std::uint32_t part = unused_.back();
    UnderWay& one = under_way_[part];
    one.made = *made;
    const Ticks from = clock_.now();
    if (made->writing) parts_.payload.fill(one.bytes, made->of_all);
    one.start = clock_.now();
    if (made->writing) parts_.writes.add_prepared(one.start - from);
    const int error = queue_->submit({.fd = made->place.file->fd(),
                                      .writing = made->writing,
                                      .bytes = one.bytes,
                                      .offset = made->place.offset,
                                      .tag = part});
    if (error != 0) return took(*made, one.bytes, {.bytes = 0, .error = error}, one.start, clock_.now());
    unused_.pop_back();
    if (made->writing && mix_.syncs_each_write && !flush(*made->place.file, mix_.file_size.count)) return false;
    if (unused_.empty()) return take_done(1);
    return true;
}

Result<bool> MixLoop::take_done(std::uint32_t least) {
    done_.clear();
    if (const int error = queue_->wait(least, done_); error != 0)
        return fail(error_from(error, "wait for asynchronous requests"));
    const Ticks now = clock_.now();
    bool go_on = true;
    for (const RequestQueue::Done& done : done_) {
        const UnderWay& one = under_way_[done.tag];
        unused_.push_back(static_cast<std::uint32_t>(done.tag));
        const auto taken = took(one.made, one.bytes, done.moved, one.start, now);
        if (!taken) return fail(taken.error());
        go_on = go_on && *taken;
    }
    return go_on;
}

Result<CellEnd> MixLoop::run() {
    const Ticks begin = clock_.now();
    for (Recorder* recorder : {&parts_.reads, &parts_.writes}) {
        recorder->begin(begin);
        recorder->pause(begin);
        if (queue_ != nullptr) recorder->resume(begin);
    }
    const auto end = run_requests();
    if (queue_ != nullptr) {
        // The last ones are waited for behind the flushes, as the original does it.
        if (end && unused_.size() < under_way_.size())
            if (auto rest = take_done(static_cast<std::uint32_t>(under_way_.size() - unused_.size())); !rest)
                return fail(rest.error());
        parts_.reads.pause(clock_.now());
        parts_.writes.pause(clock_.now());
    }
    return end;
}

Result<CellEnd> MixLoop::run_requests() {
    const std::uint64_t most = cell_.cell.volume / cell_.cell.block;
    const Ticks limit = cell_.cell.time_limit ? clock_.now() + clock_.from_ns(*cell_.cell.time_limit) : ~Ticks{0};
    CellEnd end = CellEnd::volume;
    while (reads_ + writes_ < most) {
        if (parts_.control.cancel.load(std::memory_order_relaxed)) return CellEnd::cancelled;
        if (clock_.now() >= limit) {
            end = CellEnd::time;
            break;
        }
        if (mix_.sync_every != 0 && dirty_ && (reads_ + writes_) % mix_.sync_every == 0) {
            if (!sync_next_file()) return CellEnd::error;
            continue;
        }
        if (parts_.forget && !touched_.empty() && since_forgotten_++ == touched_.size())
            if (auto forgotten = forget_what_was_touched(); !forgotten) return fail(forgotten.error());
        const auto go_on = queue_ != nullptr ? submit() : request();
        if (!go_on) return fail(go_on.error());
        if (!*go_on) return CellEnd::error;
    }
    if (writes_ > 0 && job_.sync != SyncLevel::none && !mix_.leaves_last_sync_out)
        for (std::uint32_t file = 0; file < mix_.files; ++file)
            if (!flush(parts_.files.flushed(file), mix_.file_size.count)) return CellEnd::error;
    return end;
}

} // namespace mediarig::workload
