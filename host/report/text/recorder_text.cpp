// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/recorder_text.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <vector>

#include "host/base/text.hpp"
#include "host/base/text_layout.hpp"
#include "host/measure/recorder_buffer.hpp"
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

std::string text_of(const RecorderBuffer& buffer, const std::string& title, unsigned width) {
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
    return text;
}

} // namespace

std::string recorder_text(const store::CampaignView& campaign, unsigned width) {
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
                text += text_of(buffer,
                                printable(fmt::format("{}, {}", device.device.name, workload::cell_title(cell.cell))),
                                width);
            }
    if (text.empty())
        return paragraph("No pass has ten seconds of sequential writing: run verify, or bench --suite disktester-fill.",
                         width);
    return text + '\n' +
           paragraph(
               "The longest operation of each second counts as a pause. A recorder leaves a medium idle time, in "
               "which many media recover, so the rates are lower limits; a longer recording may need more.",
               width);
}

} // namespace mediarig::report
