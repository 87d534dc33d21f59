// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/mix_loop.hpp"

#include <cerrno>

namespace mediarig::workload {

MixLoop::MixLoop(const JobSpec& job, const MixCell& cell, Parts parts, std::span<std::byte> buffer, std::uint64_t seed)
    : job_(job),
      mix_(*job.as<MixJob>()),
      cell_(cell),
      parts_(parts),
      clock_(parts.reads.clock()),
      buffer_(buffer),
      random_(seed) {}

bool MixLoop::writes_next() const {
    // As sysbench has it: read while (reads + 1) / (writes + 1) is below the wanted ratio.
    return cell_.reads == 0 || (cell_.writes != 0 && (reads_ + 1) * cell_.writes >= (writes_ + 1) * cell_.reads);
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

bool MixLoop::flush(const MediumFile& file, std::uint64_t length) {
    const Ticks start = clock_.now();
    const int error = file.flush();
    const Ticks finish = clock_.now();
    for (Recorder* recorder : {&parts_.reads, &parts_.writes}) {
        recorder->resume(start);
        recorder->pause(finish);
        recorder->add_sync(finish - start);
    }
    ++syncs_;
    return error == 0 || parts_.errors.failed(true, 0, length, error);
}

bool MixLoop::sync_next_file() {
    const auto& files = parts_.files.files();
    const MediumFile& file = *files[next_synced_];
    if (++next_synced_ == files.size()) {
        next_synced_ = 0;
        dirty_ = false;
    }
    return flush(file, mix_.file_size.count);
}

Result<bool> MixLoop::request() {
    const bool writing = writes_next();
    if (writing)
        if (auto allowed = parts_.control.may_write.check(); !allowed) return fail(allowed.error());
    const Where where = next_place();
    const MixFiles::Place place = parts_.files.at(where.file, where.offset);
    const std::uint64_t of_all = where.file * mix_.file_size.count + where.offset;
    if (writing && (parts_.payload.varies() || writes_ == 0)) parts_.payload.fill(buffer_, of_all);

    const auto move = [&] {
        return writing ? place.file->write(buffer_, place.offset) : place.file->read(buffer_, place.offset);
    };
    Ticks start = clock_.now();
    Moved moved = move();
    if (moved.error == EINVAL && place.file->used() == CachePolicy::direct) {
        if (auto reopened = place.file->give_up_direct(); !reopened) return fail(reopened.error());
        start = clock_.now();
        moved = move();
    }
    const Ticks finish = clock_.now();
    Recorder& recorder = writing ? parts_.writes : parts_.reads;
    for (Recorder* both : {&parts_.reads, &parts_.writes}) {
        both->resume(start);
        both->pause(finish);
    }
    ++(writing ? writes_ : reads_);
    dirty_ = dirty_ || writing;
    parts_.control.bytes_done.fetch_add(buffer_.size(), std::memory_order_relaxed);
    if (moved.error != 0) return parts_.errors.failed(writing, of_all, buffer_.size(), moved.error);
    if (moved.bytes != buffer_.size()) {
        recorder.add_partial({moved.bytes});
        return parts_.errors.fell_short(writing, of_all, buffer_.size(), moved.bytes);
    }
    recorder.completed(start, finish);
    return true;
}

Result<CellEnd> MixLoop::run() {
    const std::uint64_t most = cell_.cell.volume / cell_.cell.block;
    const Ticks begin = clock_.now();
    const Ticks limit = cell_.cell.time_limit ? begin + clock_.from_ns(*cell_.cell.time_limit) : ~Ticks{0};
    for (Recorder* recorder : {&parts_.reads, &parts_.writes}) {
        recorder->begin(begin);
        recorder->pause(begin);
    }
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
        const auto go_on = request();
        if (!go_on) return fail(go_on.error());
        if (!*go_on) return CellEnd::error;
    }
    if (writes_ > 0 && job_.sync == SyncLevel::at_end)
        for (const auto& file : parts_.files.files())
            if (!flush(*file, mix_.file_size.count)) return CellEnd::error;
    return end;
}

} // namespace mediarig::workload
