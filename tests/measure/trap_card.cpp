// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/measure/trap_card.hpp"

#include <algorithm>
#include <cmath>

namespace mediarig::tests {

using workload::Access, workload::CellResult, workload::CellSpec;
using namespace std::chrono_literals;

double TrapCard::normal() { // sum of twelve uniform values less the mean
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
}

double TrapCard::seconds_for(const CellSpec& cell, Bytes offset, Bytes span) {
    const bool writing = workload::writes(cell.access);
    if (writing && cell.block <= spec_.host_cache_up_to) return 60e-6;
    const double overhead = writing ? 400e-6 : 150e-6;
    double rate = 1e6 * (writing ? spec_.write_mb : spec_.read_mb);
    if (writing && in_fast_cache_ < spec_.fast_cache) {
        rate *= 3;
        in_fast_cache_ += cell.block;
    }
    rate *= 1 - spec_.inner_loss * static_cast<double>(offset.count) / static_cast<double>(span.count);
    double time = overhead + static_cast<double>(cell.block.count) / rate;
    if (spec_.hot_after.count > 0 && moved_in_cell_ >= spec_.hot_after) time *= 2;
    if (passes_ == 1) time /= 1 + spec_.first_pass_gain;
    time *= std::pow(1 + spec_.loss_of_each_pass, passes_ - 1);
    if (writing && payload_ == workload::PayloadKind::zeros) time /= 1 + spec_.zeros_gain;
    if (cell.block.count == spec_.odd_block) time *= 3;
    if (spec_.spike_every > 0 && operations_ % spec_.spike_every == spec_.spike_every - 1) time += 0.6;
    return time;
}

CellResult TrapCard::measured(const CellSpec& cell, Bytes span) {
    CellResult result;
    result.cell = cell;
    measure::HistogramRecorder latencies;
    double now = 0;
    double of_cell = std::exp(spec_.scatter * normal());
    if (uniform() * 100 < spec_.busy_percent) of_cell *= 3;
    in_fast_cache_ = moved_in_cell_ = {};
    workload::SeriesSample second;
    Bytes offset;
    while (result.moved < cell.volume) {
        if (workload::random(cell.access))
            offset = Bytes{draws_.next() % (span / cell.block) * cell.block.count};
        else if (offset + cell.block > span)
            offset = {};
        const double time = of_cell * std::exp(spec_.scatter * normal()) * seconds_for(cell, offset, span);
        const std::chrono::nanoseconds latency(std::llround(time * 1e9));
        const double before = now;
        now += time;
        if (std::floor(now) > std::floor(before)) { // a second begins: the operations before it are reported
            second.length = 1s;
            result.series.push_back(second);
            for (double full = std::floor(before) + 1; full < std::floor(now); ++full)
                result.series.push_back({.length = 1s, .moved = {}, .operations = 0, .worst = {}});
            second = {};
        }
        latencies.record(static_cast<std::uint64_t>(latency.count()));
        second.moved += cell.block;
        ++second.operations;
        second.worst = std::max(second.worst, latency);
        offset += cell.block;
        result.moved += cell.block;
        moved_in_cell_ += cell.block;
        ++result.operations;
        ++operations_;
    }
    result.elapsed = std::chrono::nanoseconds(std::llround(now * 1e9));
    second.length = std::chrono::nanoseconds(std::llround((now - std::floor(now)) * 1e9));
    if (second.length.count() > 0) result.series.push_back(second);
    if (workload::writes(cell.access))
        result.prepare_time = std::chrono::nanoseconds(std::llround(now * spec_.payload_part * 1e9));
    result.latency = latencies.histogram();
    return result;
}

std::vector<CellResult> TrapCard::pass(const workload::SweepJob& job, workload::PayloadKind payload) {
    ++passes_;
    payload_ = payload;
    std::vector<CellResult> cells;
    for (const CellSpec& cell : job.cells) cells.push_back(measured(cell, job.span));
    return cells;
}

} // namespace mediarig::tests
