// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/mix.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <numeric>
#include <system_error>

#include "host/measure/rate_course.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/platform/buffer.hpp"
#include "host/workload/io/work_names.hpp"
#include "host/workload/jobs/cache_checks.hpp"
#include "host/workload/jobs/job_checks.hpp"
#include "host/workload/jobs/sweep.hpp"

namespace mediarig::workload {
namespace {

constexpr std::uint32_t fill_generation = 1; // each cell of each round uses the next generation

CellSpec of_direction(CellSpec cell, bool writing) {
    cell.id += writing ? ".write" : ".read";
    if (random(cell.access))
        cell.access = writing ? Access::random_write : Access::random_read;
    else
        cell.access = writing ? Access::sequential_write : Access::sequential_read;
    return cell;
}

bool is_done(const MixCell& cell, const std::vector<PreviousCell>& already_done) {
    const auto is_measured = [&](bool writing) { return holds(already_done, of_direction(cell.cell, writing).id); };
    return (cell.reads == 0 || is_measured(false)) && (cell.writes == 0 || is_measured(true));
}

class Mix {
public:
    Mix(const System& system, const JobSpec& job, const BackingDevice& device, MixFiles& files, JobControl& control,
        Reporter& reporter)
        : system_(system),
          clock_(system.clock()),
          job_(job),
          mix_(*job.as<MixJob>()),
          device_(device),
          files_(files),
          control_(control),
          reporter_(reporter) {}

    Result<void> run() {
        for (std::uint32_t i = 0; i < mix_.cells.size(); ++i)
            if (mix_.cells[i].on_new_files)
                if (auto ran = run_and_deliver(i); !ran) return ran;
        if (auto filled = fill(); !filled) return filled;
        if (mix_.rounds) return run_rounds(*mix_.rounds);
        for (std::uint32_t i = 0; i < mix_.cells.size(); ++i)
            if (!mix_.cells[i].on_new_files)
                if (auto ran = run_and_deliver(i); !ran) return ran;
        return {};
    }

private:
    Result<void> fill() {
        reporter_.phase("layout");
        const PayloadSource payload(job_.payload, fill_generation);
        IoErrors errors = new_errors();
        for (const auto& file : files_.files()) {
            const auto complete = lay_out(*file, files_.length(), payload, errors, control_);
            if (!complete) return fail(complete.error());
            if (!*complete) {
                reporter_.add_job_finding(errors.take_findings());
                return interrupted_job(errors, "while the test files were written");
            }
            const Ticks start = clock_.now();
            if (const int error = file->flush(); error != 0) {
                if (auto ours = fault_of_host(error)) return fail(std::move(*ours));
                reporter_.add_job_finding(flush_failed(error));
                if (!errors.failed_flush(clock_.since(start))) {
                    reporter_.add_job_finding(errors.take_findings());
                    return interrupted_job(errors, "while the test files were written");
                }
            }
        }
        reporter_.add_job_finding(errors.take_findings());
        reporter_.add_job_finding(CacheChecks(*files_.files().front(), device_).path_findings());
        return {};
    }

    /// Writes everything in order, repeatedly, until `volume` bytes are written.
    Result<void> precondition(Bytes volume) {
        reporter_.phase("precondition");
        const MixCell in_order{.cell = {.id = "precondition",
                                        .table = {},
                                        .access = Access::sequential_write,
                                        .block = 128_KiB,
                                        .volume = volume,
                                        .time_limit = {},
                                        .queue_depth = 1},
                               .reads = 0,
                               .writes = 1,
                               .on_new_files = false};
        const auto results = run_cell(in_order, 0);
        return results ? Result<void>{} : fail(results.error());
    }

    /// Returns one result per direction; its findings are already reported.
    Result<std::vector<CellResult>> run_cell(const MixCell& cell, std::uint32_t index) {
        const std::uint32_t at_once = mix_.mode == MixMode::async ? mix_.backlog : 1;
        auto buffer = TransferBuffer::allocate(static_cast<std::size_t>((cell.cell.block * at_once).count));
        if (!buffer) return fail(buffer.error());
        std::unique_ptr<RequestQueue> queue; // destroyed before the buffer
        if (mix_.mode == MixMode::async) {
            auto made = system_.make_request_queue(at_once);
            if (!made) return fail(made.error());
            queue = std::move(*made);
        }
        bool dropped = cell.reads > 0;
        const auto drop = [&] {
            for (const auto& file : files_.files())
                dropped = CacheChecks(*file, device_).drop_caches(files_.length()) && dropped;
        };
        if (cell.reads > 0) drop();

        if (mix_.mode == MixMode::mmap)
            if (auto mapped = files_.map(); !mapped) return fail(mapped.error());

        const std::uint64_t operations = cell.cell.volume / cell.cell.block;
        const auto raw = job_.keep_raw_log ? Recorder::RawLog::on : Recorder::RawLog::off;
        const std::uint64_t most = most_operations(cell.cell);
        Recorder reads(clock_, cell.cell.block, raw, cell.reads > 0 ? most : 0);
        Recorder writes(clock_, cell.cell.block, raw, cell.writes > 0 ? most : 0);
        const PayloadSource payload(job_.payload, fill_generation + 1 + index);
        IoErrors errors = new_errors();
        const auto counters = device_.totals();
        const std::uint64_t done_before = control_.bytes_done.load(std::memory_order_relaxed);
        MixLoop::Parts parts{files_, payload, reads, writes, errors, control_};
        // Dropping also writes back unflushed data, outside the clock. A mapping keeps its pages.
        if (cell.writes == 0 && job_.cache != CachePolicy::cached && mix_.mode != MixMode::mmap) parts.forget = drop;
        MixLoop loop(job_, cell, std::move(parts), buffer->bytes(), queue.get(), job_.order_seed + index);
        const auto end = loop.run();
        queue.reset(); // waits for the requests in flight if the cell was interrupted
        files_.unmap();

        std::vector<CellResult> results;
        for (Recorder* recorder : {&reads, &writes}) {
            const bool writing = recorder == &writes;
            if ((writing ? cell.writes : cell.reads) == 0) continue;
            CellResult result;
            result.cell = of_direction(cell.cell, writing);
            result.evidence.used = files_.files().front()->used();
            result.evidence.sync = job_.sync;
            result.evidence.engine = Engine::psync;
            result.evidence.alignment = {std::min<std::uint64_t>(
                std::uint64_t{1} << std::countr_zero(cell.cell.block.count), TransferBuffer::alignment)};
            result.evidence.page_cache_dropped = !writing && dropped;
            std::move(*recorder).deliver(result);
            if (!writing) result.sync_time = {};
            if (writing) result.evidence.sync_calls = loop.syncs();
            result.evidence.write_cache_flushed = writing && loop.syncs() > 0 && end && *end != CellEnd::error;
            if (end) result.end = *end;
            results.push_back(std::move(result));
        }
        CellResult& first = results.front();
        reporter_.add_cell_finding(first, errors.take_findings());
        if (!end) return fail(end.error());
        if (*end == CellEnd::error || *end == CellEnd::cancelled)
            return interrupted_job(errors, "in cell " + cell.cell.id);
        for (CellResult& result : results)
            reporter_.add_cell_finding(result, CacheChecks(*files_.files().front(), device_)
                                                   .weigh(result, counters, mix_.file_size * mix_.files,
                                                          loop.repeated(workload::writes(result.cell.access))));
        const std::uint64_t tried = control_.bytes_done.load(std::memory_order_relaxed) - done_before;
        control_.bytes_total.fetch_sub(operations * cell.cell.block.count - tried, std::memory_order_relaxed);
        return results;
    }

    Result<void> run_and_deliver(std::uint32_t index) {
        const MixCell& cell = mix_.cells[index];
        control_.cell_index.store(index, std::memory_order_relaxed);
        reporter_.phase(cell.cell.id);
        auto results = run_cell(cell, index);
        if (!results) return fail(results.error());
        for (CellResult& result : *results) reporter_.deliver(std::move(result));
        return {};
    }

    Result<void> run_rounds(const Rounds& rounds) {
        if (auto written = precondition(rounds.precondition); !written) return written;
        std::vector<std::vector<CellResult>> of_round;
        std::vector<std::vector<double>> rates(mix_.cells.size()); // operations per second, by cell and round
        bool steady = false;
        while (!steady && of_round.size() < rounds.most) {
            std::vector<CellResult> all;
            steady = true;
            for (std::uint32_t i = 0; i < mix_.cells.size(); ++i) {
                control_.cell_index.store(i, std::memory_order_relaxed);
                reporter_.phase("round " + std::to_string(of_round.size() + 1) + ", " + mix_.cells[i].cell.id);
                auto results =
                    run_cell(mix_.cells[i], static_cast<std::uint32_t>(of_round.size() * mix_.cells.size() + i));
                if (!results) {
                    // Complete rounds are kept, although it is unknown whether they had settled.
                    if (!of_round.empty()) deliver_rounds(of_round, rounds.window);
                    return fail(results.error());
                }
                double operations = 0;
                for (CellResult& result : *results) {
                    operations += operations_per_second(result.operations, std::max(result.elapsed, one));
                    all.push_back(std::move(result));
                }
                rates[i].push_back(operations);
                const auto settled = measure::steadiness(rates[i], rounds.window);
                steady = steady && settled && settled->steady();
            }
            of_round.push_back(std::move(all));
        }
        const std::uint64_t rest = (rounds.most - of_round.size()) * volume_of_round().count;
        control_.bytes_total.fetch_sub(rest, std::memory_order_relaxed);
        if (!steady)
            reporter_.add_job_finding(
                measure::Finding{.kind = measure::FindingKind::rate_unstable,
                                 .severity = measure::Severity::warning,
                                 .detail = "no steady state within " + std::to_string(rounds.most) +
                                           " rounds: the figures are of the last " + std::to_string(rounds.window) +
                                           "; write longer before the test, or let the medium cool",
                                 .offset = {}});
        deliver_rounds(of_round, rounds.window);
        return {};
    }

    void deliver_rounds(const std::vector<std::vector<CellResult>>& of_round, std::size_t window) {
        for (std::size_t cell = 0; cell < of_round.front().size(); ++cell)
            reporter_.deliver(summed_up(of_round, cell, window));
    }

    [[nodiscard]] Bytes volume_of_round() const {
        return std::accumulate(mix_.cells.begin(), mix_.cells.end(), Bytes{},
                               [](Bytes sum, const MixCell& cell) { return sum + cell.cell.volume; });
    }

    static void add(std::optional<Bytes>& sum, std::optional<Bytes> one) {
        sum = sum && one ? std::optional(*sum + *one) : std::nullopt;
    }

    static void add(CacheEvidence& sum, const CacheEvidence& one) {
        sum.page_cache_dropped = sum.page_cache_dropped && one.page_cache_dropped;
        sum.write_cache_flushed = sum.write_cache_flushed && one.write_cache_flushed;
        sum.sync_calls += one.sync_calls;
        add(sum.device_read, one.device_read);
        add(sum.device_written, one.device_written);
    }

    /// Combines the last rounds into one result, with one sample per round.
    static CellResult summed_up(const std::vector<std::vector<CellResult>>& of_round, std::size_t cell,
                                std::size_t window) {
        const std::size_t first = of_round.size() - std::min(window, of_round.size());
        CellResult sum = of_round[first][cell];
        sum.moved = {};
        sum.operations = 0;
        sum.elapsed = sum.sync_time = sum.prepare_time = {};
        sum.latency = {};
        sum.series.clear();
        sum.raw_log.clear();
        sum.findings.clear();
        for (std::size_t round = 0; round < of_round.size(); ++round) {
            const CellResult& one = of_round[round][cell];
            if (one.elapsed.count() > 0) // a round in which no operation succeeded has no rate
                sum.series.push_back({.length = one.elapsed,
                                      .moved = one.moved,
                                      .operations = one.operations,
                                      .worst = one.latency.max()});
            sum.findings.insert(sum.findings.end(), one.findings.begin(), one.findings.end());
            if (round < first) continue;
            if (round > first) add(sum.evidence, one.evidence);
            sum.moved += one.moved;
            sum.operations += one.operations;
            sum.elapsed += one.elapsed;
            sum.sync_time += one.sync_time;
            sum.prepare_time += one.prepare_time;
            sum.latency.merge(one.latency);
            sum.raw_log.insert(sum.raw_log.end(), one.raw_log.begin(), one.raw_log.end());
            sum.end = one.end;
        }
        return sum;
    }

    IoErrors new_errors() const { return io_errors_of(job_, device_, control_); }

    static constexpr std::chrono::nanoseconds one{1};

    const System& system_;
    const TickClock& clock_;
    const JobSpec& job_;
    const MixJob& mix_;
    const BackingDevice& device_;
    MixFiles& files_;
    JobControl& control_;
    Reporter& reporter_;
};

} // namespace

Result<void> run_mix(const System& system, const JobSpec& job, const JobTarget& target,
                     const std::vector<PreviousCell>& already_done, JobControl& control, Reporter& reporter) {
    const auto device = system.backing_device(target);
    if (auto sane = check_mix(job, device->sectors()); !sane) return sane;
    JobSpec rest = job;
    std::erase_if(rest.as<MixJob>()->cells, [&](const MixCell& cell) { return is_done(cell, already_done); });
    if (rest.as<MixJob>()->cells.empty()) return {};
    auto files = MixFiles::open(system, rest, target, reporter);
    if (!files) return fail(files.error());
    const Traffic traffic = traffic_of(rest, {});
    control.bytes_total.store((traffic.written + traffic.read).count, std::memory_order_relaxed);

    Mix mix(system, rest, *device, *files, control, reporter);
    const Result<void> result = mix.run();
    reporter.phase("cleanup");
    const auto removed = files->remove();
    return result ? removed : result;
}

Result<MixFiles> MixFiles::open(const System& system, const JobSpec& job, const JobTarget& target, Reporter& reporter) {
    const MixJob& mix = *job.as<MixJob>();
    MixFiles made;
    made.count_ = mix.files;
    made.size_ = mix.file_size;
    if (target.kind == JobTarget::Kind::device) {
        auto file = system.reopen(target.device_fd, job.cache, job.sync);
        if (!file) return fail(file.error());
        if (auto fits = check_device(**file, mix.file_size * mix.files, target.path); !fits) return fail(fits.error());
        made.files_.push_back(std::move(*file));
        return made;
    }
    // Create the folder before the check of the free space: its creation removes the folders of killed jobs.
    auto folder = open_work_folder(system, target, reporter);
    if (!folder) return fail(folder.error());
    if (auto fits = check_free_space(**folder, mix.file_size * mix.files, mix.file_size, target.path, reporter); !fits)
        return fail(fits.error());
    if (auto fits = check_entries(**folder, mix.files, target.path, reporter); !fits) return fail(fits.error());
    CachePolicy cache = job.cache;
    for (std::uint32_t i = 0; i < mix.files; ++i) {
        auto file = (*folder)->create_file(piece_file(i), cache, job.sync);
        if (!file) return fail(file.error());
        made.files_.push_back(std::move(*file));
        cache = made.files_.back()->used(); // an option that was refused for one file is not requested again
    }
    made.folder_ = std::move(*folder);
    // Map before anything is written.
    if (mix.mode == MixMode::mmap)
        if (auto mapped = made.map(); !mapped) return fail(mapped.error());
    made.unmap();
    return made;
}

Result<void> MixFiles::map() {
    for (const auto& file : files_)
        if (const int error = file->map(length()); error != 0)
            return fail(Errc::bad_request, "the files cannot be mapped (" + std::generic_category().message(error) +
                                               "): choose the mode sync or another file system");
    return {};
}

void MixFiles::unmap() {
    for (const auto& file : files_) file->unmap();
}

Result<void> MixFiles::remove() {
    files_.clear(); // FUSE keeps a removed file under another name while it is open
    return folder_ ? folder_->remove() : Result<void>{};
}

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
        active_.push_back({.made = {}, .bytes = buffer.subspan(part * block, block), .start = 0});
        unused_.push_back(part);
    }
}

bool MixLoop::writes_next() const {
    // sysbench's rule: read while (reads + 1) / (writes + 1) is below the configured ratio, with the completed
    // requests.
    return cell_.reads == 0 ||
           (cell_.writes != 0 && (reads_done_ + 1) * cell_.writes >= (writes_done_ + 1) * cell_.reads);
}

MixLoop::FileOffset MixLoop::next_place() {
    const std::uint64_t block = cell_.cell.block.count, in_file = mix_.file_size.count / block;
    if (random(cell_.cell.access)) {
        __extension__ using Wide = unsigned __int128;
        const auto index =
            static_cast<std::uint64_t>((static_cast<Wide>(random_.next()) * (in_file * mix_.files)) >> 64);
        return {static_cast<std::uint32_t>(index / in_file), index % in_file * block};
    }
    const FileOffset here = next_;
    next_.offset += block;
    if (next_.offset / block == in_file) next_ = {(next_.file + 1) % mix_.files, 0};
    return here;
}

void MixLoop::resume(Ticks now) {
    // The clock continues while requests are in flight.
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
    return error == 0 ||
           parts_.errors.failed(true, 0, length, error, std::chrono::nanoseconds(clock_.to_ns(finish - start)));
}

bool MixLoop::sync_next_file() {
    const MediumFile& file = parts_.files.flushed(next_synced_);
    if (++next_synced_ == mix_.files) {
        next_synced_ = 0;
        dirty_ = false;
    }
    return flush(file, mix_.file_size.count);
}

Result<MixLoop::RequestParameters> MixLoop::next() {
    const bool writing = writes_next();
    if (writing)
        if (auto allowed = parts_.control.may_write.check(); !allowed) return fail(allowed.error());
    const FileOffset where = next_place();
    ++(writing ? writes_ : reads_);
    dirty_ = dirty_ || writing;
    return RequestParameters{.writing = writing,
                             .place = parts_.files.at(where.file, where.offset),
                             .of_all = where.file * mix_.file_size.count + where.offset};
}

Result<bool> MixLoop::took(const RequestParameters& made, std::span<std::byte> bytes, TransferResult moved, Ticks start,
                           Ticks finish) {
    if (moved.error == EINVAL && made.place.file->used() == CachePolicy::direct) {
        if (auto reopened = made.place.file->disable_direct(); !reopened) return fail(reopened.error());
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
    if (moved.error != 0) {
        // The requests of a backlog fail at the same time.
        const std::chrono::nanoseconds took(clock_.to_ns(finish - start) / std::max<std::size_t>(active_.size(), 1));
        return parts_.errors.failed(made.writing, made.of_all, bytes.size(), moved.error, took);
    }
    if (moved.bytes != bytes.size()) {
        recorder.add_partial({moved.bytes});
        return parts_.errors.record_short_transfer(made.writing, made.of_all, bytes.size(), moved.bytes);
    }
    recorder.completed(start, finish);
    note(made, bytes.size());
    return true;
}

void MixLoop::note(const RequestParameters& made, std::uint64_t length) {
    if (touched_.empty()) return;
    const std::uint64_t block = made.of_all / mix_.file_size.count * (mix_.file_size / cell_.cell.block) +
                                made.of_all % mix_.file_size.count / length;
    if (made.writing ? written_[block] : touched_[block]) (made.writing ? rewritten_ : reread_) += Bytes{length};
    touched_[block] = true;
    if (made.writing) written_[block] = true;
}

Result<void> MixLoop::drop_touched_pages() {
    since_forgotten_ = 1; // counts the request that follows
    if (queue_ != nullptr && unused_.size() < active_.size())
        if (auto rest = take_done(static_cast<std::uint32_t>(active_.size() - unused_.size())); !rest)
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
    const TransferResult moved = made->writing ? made->place.file->write(buffer_, made->place.offset)
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
    ActiveRequest& one = active_[part];
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
    for (const RequestQueue::IoCompletion& done : done_) {
        const ActiveRequest& one = active_[done.tag];
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
        // Sysbench waits for the last requests after the flushes.
        if (end && unused_.size() < active_.size())
            if (auto rest = take_done(static_cast<std::uint32_t>(active_.size() - unused_.size())); !rest)
                return fail(rest.error());
        parts_.reads.pause(clock_.now());
        parts_.writes.pause(clock_.now());
    }
    return end;
}

Result<CellEnd> MixLoop::run_requests() {
    const CellBounds bounds(cell_.cell, cell_.cell.volume / cell_.cell.block, clock_, clock_.now());
    CellEnd end = CellEnd::volume;
    while (!bounds.volume_done(reads_ + writes_, clock_.now())) {
        if (parts_.control.cancel.load(std::memory_order_relaxed)) return CellEnd::cancelled;
        if (clock_.now() >= bounds.limit(reads_ + writes_)) {
            end = CellEnd::time;
            break;
        }
        if (mix_.sync_every != 0 && dirty_ && (reads_ + writes_) % mix_.sync_every == 0) {
            if (!sync_next_file()) return CellEnd::error;
            continue;
        }
        if (parts_.forget && !touched_.empty() && since_forgotten_++ == touched_.size())
            if (auto forgotten = drop_touched_pages(); !forgotten) return fail(forgotten.error());
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
