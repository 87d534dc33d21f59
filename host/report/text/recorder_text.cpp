// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/recorder_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include "host/base/text.hpp"
#include "host/base/text_layout.hpp"
#include "host/measure/recorder_buffer.hpp"
#include "host/workload/suites/speed_marks.hpp"
#include "host/workload/suites/suite.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::report {
namespace {

using measure::RecorderBuffer, measure::WriteInterval;

constexpr std::chrono::seconds shortest_series{10};
constexpr std::array buffers{Bytes{0},          Bytes{1'000'000},   Bytes{4'000'000},    Bytes{16'000'000},
                             Bytes{64'000'000}, Bytes{256'000'000}, Bytes{1'000'000'000}};

struct TypicalRecorder {
    const char* name;
    double megabits_per_second;
};
/// Bit rates that makers publish for these modes.
constexpr std::array recorders{TypicalRecorder{"dash cam, 1080p", 16}, TypicalRecorder{"dash cam, 4K", 60},
                               TypicalRecorder{"action camera, 5.3K", 120},
                               TypicalRecorder{"camera, 4K all-intra", 400},
                               TypicalRecorder{"camera, 4K 60p all-intra", 600}};

std::string buffer_text(const RecorderBuffer& buffer, double megabits_per_second) {
    const Rate rate{megabits_per_second * 1e6 / 8};
    if (rate > buffer.mean()) return "faster than the medium";
    return "needs a buffer of " + size_text(buffer.buffer_for(rate));
}

/// "consistent with V30" at most: only recording was measured.
std::string mark_text(const workload::CellResult& cell) {
    using suites::SpeedMark;
    if (cell.evidence.used != workload::CachePolicy::direct)
        return "marks: undecided, the data went through the page cache of this computer";
    std::optional<double> slowest;
    for (const double rate : suites::whole_seconds_of(cell)) slowest = std::min(slowest.value_or(rate), rate);
    if (!slowest) return "marks: undecided, no whole second was measured";
    std::chrono::nanoseconds longest{};
    for (const workload::SeriesSample& sample : cell.series) longest = std::max(longest, sample.worst);
    const auto units = std::max<std::uint64_t>(cell.cell.block.count / suites::recording_unit.count, 1);
    const auto allowed = suites::longest_unit * static_cast<std::int64_t>(units);
    const auto milliseconds = [](std::chrono::nanoseconds time) {
        return std::chrono::duration<double, std::milli>(time).count();
    };
    if (longest > allowed)
        return fmt::format("marks: consistent with none, a write took {:.0f} ms, and {} ms are allowed",
                           milliseconds(longest), allowed.count());
    const SpeedMark* reached = nullptr;
    for (const SpeedMark& mark : suites::speed_marks)
        if (suites::at_mark(*slowest, mark.megabytes) >= mark.megabytes) reached = &mark;
    const std::string second = fmt::format("slowest second {:.1f} MB/s", *slowest);
    if (reached == nullptr) return fmt::format("marks: consistent with none, {}", second);
    return fmt::format("marks: consistent with {} in recording, {}", reached->names, second);
}

std::string wanted_text(const RecorderBuffer& buffer, Rate wanted) {
    if (wanted > buffer.mean())
        return fmt::format("{:.1f} MB/s is faster than this medium: no buffer is sufficient",
                           wanted.megabytes_per_second());
    return fmt::format("{:.1f} MB/s on this medium needs {} of buffer", wanted.megabytes_per_second(),
                       size_text(buffer.buffer_for(wanted)));
}

std::string text_of(const RecorderBuffer& buffer, const workload::CellResult& cell, const std::string& title,
                    std::optional<Rate> wanted, unsigned width) {
    std::string text = paragraph(
        fmt::format("{}: {:.0f} s of sequential writing, {:.1f} MB/s in the mean. A recorder of constant rate "
                    "loses no frame in this time up to:",
                    title, std::chrono::duration<double>(buffer.length()).count(),
                    buffer.mean().megabytes_per_second()),
        width);
    for (const Bytes size : buffers)
        text += fmt::format("  buffer {:>8}  {:8.1f} MB/s\n", size_text(size),
                            buffer.highest_rate(size).megabytes_per_second());
    for (const TypicalRecorder& recorder : recorders)
        text += fmt::format("  {} ({:.0f} Mbit/s) {}\n", recorder.name, recorder.megabits_per_second,
                            buffer_text(buffer, recorder.megabits_per_second));
    if (wanted) text += "  " + wanted_text(buffer, *wanted) + '\n';
    return text + "  " + mark_text(cell) + '\n';
}

} // namespace

std::string recorder_text(const store::CampaignView& campaign, unsigned width, std::optional<Rate> wanted) {
    std::string text;
    for (const store::DeviceView& device : campaign.devices)
        for (const store::PassView& pass : device.passes)
            for (const workload::CellResult& cell : pass.cells) {
                if (cell.cell.access != workload::Access::sequential_write || cell.end == workload::CellEnd::cancelled)
                    continue;
                std::vector<WriteInterval> series;
                for (const workload::SeriesSample& sample : cell.series)
                    series.push_back({.length = sample.length, .moved = sample.moved, .longest = sample.worst});
                const RecorderBuffer buffer(series);
                if (buffer.length() < shortest_series) continue;
                if (!text.empty()) text += '\n';
                text += text_of(buffer, cell,
                                printable(fmt::format("{}, {}", device.device.name, workload::cell_title(cell.cell))),
                                wanted, width);
            }
    if (text.empty())
        return paragraph("No pass has ten seconds of sequential writing: run verify, or bench --suite disktester-fill.",
                         width);
    return text + '\n' +
           paragraph(
               "The longest operation of each second counts as a pause. A recorder leaves a medium idle time, in "
               "which many media recover, so the rates are lower limits; a longer recording may need more. Consistent "
               "with a mark: nothing in the series contradicts it; suite sd-class also measures playback.",
               width);
}

} // namespace mediarig::report
