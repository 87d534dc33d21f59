// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/seekers.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

#include "common/split_mix.hpp"
#include "host/workload/io/platform/buffer.hpp"
#include "host/workload/io/work_names.hpp"
#include "host/workload/jobs/files_plan.hpp"

namespace mediarig::workload {
namespace {

/// Bonnie++ writes back after one seek in ten.
constexpr std::uint64_t write_back_each = 10;

} // namespace

Seekers::Seekers(const TickClock& clock, const JobSpec& job, const FileStep& step, std::uint32_t number,
                 const FileTree& root, const std::vector<bool>& present, Tally& cell, IoErrors& errors,
                 JobControl& control)
    : clock_(clock),
      job_(job),
      step_(step),
      number_(number),
      set_(job.as<FilesJob>()->sets[step.set]),
      root_(root),
      present_(present),
      cell_(cell),
      errors_(errors),
      control_(control) {}

Result<CellEnd> Seekers::run() {
    std::vector<Seeker> seekers(step_.seekers);
    for (Seeker& seeker : seekers) {
        seeker.seed = job_.order_seed + number_ + (static_cast<std::uint64_t>(&seeker - seekers.data()) << 32);
        const Ticks opening = clock_.now();
        if (const int error = open_files(seeker); error != 0)
            return failed(false, 0, error, clock_.now() - opening) ? CellEnd::volume : CellEnd::error;
    }
    if (blocks_.empty()) return CellEnd::volume;
    const Ticks begin = clock_.now();
    {
        std::vector<std::jthread> threads; // joined at the end of the block
        try {
            for (std::size_t other = 1; other < seekers.size(); ++other)
                threads.emplace_back([this, &seeker = seekers[other]] { seek(seeker); });
        } catch (const std::system_error&) {
            // Use as many threads as this machine can start.
        }
        seek(seekers.front());
    }
    if (refused_) return fail(*refused_);
    std::vector<Seek> all;
    for (const Seeker& seeker : seekers) {
        all.insert(all.end(), seeker.seeks.begin(), seeker.seeks.end());
        // The first seeker runs on the job's own thread, which measures its processor time.
        if (&seeker != &seekers.front()) cell_.add_processor_time(seeker.processor);
    }
    std::ranges::sort(all, {}, &Seek::finish);
    Ticks last = begin;
    for (const Seek& one : all) {
        cell_.add_overlapping(Tally::Duration(clock_.to_ns(one.finish - one.start)), one.moved,
                              Tally::Duration(clock_.to_ns(one.finish - last)));
        last = one.finish;
    }
    std::ranges::sort(all, {}, &Seek::block);
    const auto repeats =
        std::unique(all.begin(), all.end(), [](const Seek& a, const Seek& b) { return a.block == b.block; });
    cell_.add_repeated(step_.cell.block * static_cast<std::uint64_t>(all.end() - repeats));
    return end_;
}

int Seekers::open_files(Seeker& seeker) {
    const bool first = blocks_.empty();
    for (std::uint32_t index = 0; index < set_.files; ++index) {
        const Bytes size = size_of_file(set_, index, 0, job_.order_seed);
        if (!present_[index] || size < step_.cell.block) continue;
        const std::string path = folder_of(set_, index);
        const auto folder = path.empty() ? FileTree::OpenedFolder{} : root_.open_folder(path);
        if (folder.error != 0) return folder.error;
        const FileTree& where = folder.folder ? *folder.folder : root_;
        seeker.files.push_back(where.open(name_of_file(set_, index, job_.order_seed)));
        if (seeker.files.back().error != 0) return seeker.files.back().error;
        if (!first) continue;
        first_block_.push_back(blocks_.empty() ? 0 : first_block_.back() + blocks_.back());
        blocks_.push_back(size / step_.cell.block);
    }
    return 0;
}

void Seekers::seek(Seeker& seeker) {
    const Tally::Duration before = thread_time();
    SplitMix random(seeker.seed);
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(step_.cell.block.count));
    if (!buffer) {
        const std::lock_guard guard(mutex_);
        refused_ = buffer.error();
        return stop(CellEnd::error);
    }
    const auto bytes = buffer->bytes().first(static_cast<std::size_t>(step_.cell.block.count));
    const std::uint64_t most = step_.cell.volume / step_.cell.block;
    seeker.seeks.reserve(static_cast<std::size_t>(most));
    while (!stopped_.load(std::memory_order_relaxed)) {
        const std::uint64_t mine = begun_.fetch_add(1, std::memory_order_relaxed);
        if (mine >= most) break;
        if (control_.cancel.load(std::memory_order_relaxed)) {
            stop(CellEnd::cancelled);
            break;
        }
        const bool writes_back = (mine + 1) % write_back_each == 0;
        if (writes_back && !may_write()) break;
        const auto file = static_cast<std::size_t>(random.next() % seeker.files.size());
        const std::uint64_t at = random.next() % blocks_[file] * bytes.size();
        const Ticks start = clock_.now();
        TransferResult moved = seeker.files[file].file->read(bytes, at);
        if (moved.error == 0 && writes_back) {
            bytes.front() ^= std::byte{1};
            moved = seeker.files[file].file->write(bytes, at);
        }
        const Ticks finish = clock_.now();
        control_.bytes_done.fetch_add(bytes.size(), std::memory_order_relaxed);
        if (moved.error == 0)
            seeker.seeks.push_back({.start = start,
                                    .finish = finish,
                                    .moved = {moved.bytes},
                                    .block = first_block_[file] + at / bytes.size()});
        else if (!failed(writes_back, at, moved.error, finish - start))
            stop(CellEnd::error);
    }
    seeker.processor = thread_time() - before;
}

bool Seekers::failed(bool writing, std::uint64_t offset, int error, Ticks length) {
    const std::lock_guard guard(mutex_);
    const std::chrono::nanoseconds took(clock_.to_ns(length));
    return errors_.failed(writing, offset, step_.cell.block.count, error,
                          took / std::max<std::uint32_t>(step_.seekers, 1));
}

bool Seekers::may_write() {
    const std::lock_guard guard(mutex_);
    auto allowed = control_.may_write.check();
    if (allowed) return true;
    refused_ = std::move(allowed.error());
    stop(CellEnd::error);
    return false;
}

void Seekers::stop(CellEnd end) {
    if (!stopped_.exchange(true)) end_ = end;
}

} // namespace mediarig::workload
