// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/mix.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "host/measure/steady.hpp"
#include "host/workload/broken_off.hpp"
#include "host/workload/cache_checks.hpp"
#include "host/workload/job_checks.hpp"
#include "host/workload/layout.hpp"
#include "host/workload/mix_loop.hpp"
#include "host/workload/platform/buffer.hpp"

namespace mediarig::workload {
namespace {

constexpr std::uint32_t fill_generation = 1; // each cell of each round then takes one of its own

CellSpec of_direction(CellSpec cell, bool writing) {
    cell.id += writing ? ".write" : ".read";
    if (random(cell.access))
        cell.access = writing ? Access::random_write : Access::random_read;
    else
        cell.access = writing ? Access::sequential_write : Access::sequential_read;
    return cell;
}

bool is_done(const MixCell& cell, const std::vector<DoneCell>& already_done) {
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
                reporter_.about_job(errors.take_findings());
                return broken_off(errors, "while the test files were written");
            }
            if (const int error = file->flush(); error != 0) {
                if (auto ours = fault_of_host(error)) return fail(std::move(*ours));
                reporter_.about_job(flush_failed(error));
            }
        }
        reporter_.about_job(errors.take_findings());
        reporter_.about_job(CacheChecks(*files_.files().front(), device_).about_the_way());
        return {};
    }

    /// Writes everything in order, again and again, until so much is written.
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

    /// One result for each direction; findings are told already.
    Result<std::vector<CellResult>> run_cell(const MixCell& cell, std::uint32_t index) {
        const std::uint32_t at_once = mix_.mode == MixMode::async ? mix_.backlog : 1;
        auto buffer = TransferBuffer::allocate(static_cast<std::size_t>((cell.cell.block * at_once).count));
        if (!buffer) return fail(buffer.error());
        std::unique_ptr<RequestQueue> queue; // ends before the buffer
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
        Recorder reads(clock_, cell.cell.block, raw, cell.reads > 0 ? operations : 0);
        Recorder writes(clock_, cell.cell.block, raw, cell.writes > 0 ? operations : 0);
        const PayloadSource payload(job_.payload, fill_generation + 1 + index);
        IoErrors errors = new_errors();
        const auto counters = device_.totals();
        const std::uint64_t done_before = control_.bytes_done.load(std::memory_order_relaxed);
        MixLoop::Parts parts{files_, payload, reads, writes, errors, control_};
        // Dropping writes back what nobody has flushed yet, outside the clock; a mapping holds its pages.
        if (cell.writes == 0 && job_.cache != CachePolicy::cached && mix_.mode != MixMode::mmap) parts.forget = drop;
        MixLoop loop(job_, cell, std::move(parts), buffer->bytes(), queue.get(), job_.order_seed + index);
        const auto end = loop.run();
        queue.reset(); // waits for what is under way where the cell was broken off
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
        reporter_.about_cell(first, errors.take_findings());
        if (!end) return fail(end.error());
        if (*end == CellEnd::error || *end == CellEnd::cancelled) return broken_off(errors, "in cell " + cell.cell.id);
        for (CellResult& result : results)
            reporter_.about_cell(result, CacheChecks(*files_.files().front(), device_)
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
        std::vector<std::vector<double>> rates(mix_.cells.size()); // operations a second, by cell and round
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
                    // The rounds that are whole stand, though nobody knows whether they had settled.
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
            reporter_.about_job(measure::Finding{.kind = measure::FindingKind::rate_unstable,
                                                 .severity = measure::Severity::warning,
                                                 .detail = "no steady state within " + std::to_string(rounds.most) +
                                                           " rounds: the figures are of the last " +
                                                           std::to_string(rounds.window) +
                                                           "; write longer before, or leave the medium to cool",
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

    /// The last rounds as one, with a sample for every round there was.
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
            if (one.elapsed.count() > 0) // nothing succeeded in a round without
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

    IoErrors new_errors() const {
        return {job_.on_io_error, [this] { return device_.gone(); },
                [this](Bytes length) { return device_.below().full(length); }};
    }

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

Result<void> run_mix(const System& system, const JobSpec& job, const Target& target,
                     const std::vector<DoneCell>& already_done, JobControl& control, Reporter& reporter) {
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

} // namespace mediarig::workload
