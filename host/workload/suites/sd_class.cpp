// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/text.hpp"
#include "host/workload/suites/speed_marks.hpp"
#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using workload::CellResult;

// Recording units are the base of class 10 and UHS ratings; 256 random units are read. Applications: random 4 KB within
// 256 MB for 10 s with a queue. Recording writes each place once: a second write may go to a faster part of the card.
constexpr Bytes recorded = 1_GiB, quick_recorded = 64_MiB;
constexpr Bytes random_within = 256_MiB, quick_random_within = 32_MiB;
constexpr std::array reads_only{Access::random_read};
constexpr std::array writes_only{Access::sequential_write};
constexpr std::array tables{
    SuiteTable{.name = "recording",
               .shape = Shape::named_views,
               .names = MetricNaming::table,
               .sizes = {recording_unit, recording_unit, {}},
               .accesses = writes_only,
               .full = {recorded, {}},
               .quick = {quick_recorded, seconds(3)},
               .shows_latencies = true},
    SuiteTable{.name = "playback",
               .shape = Shape::named_views,
               .names = MetricNaming::table,
               .sizes = {recording_unit, recording_unit, {}},
               .accesses = reads_only,
               .full = {128_MiB, {}},
               .quick = {16_MiB, seconds(2)}},
    SuiteTable{.name = "application",
               .shape = Shape::named_views,
               .names = MetricNaming::table,
               .sizes = {4_KiB, 4_KiB, {}},
               .accesses = random_accesses,
               .full = {256_MiB, seconds(10)},
               .quick = {16_MiB, milliseconds(800)},
               .queue_depth = 32,
               .shows_latencies = true},
};

constexpr Metric recording(Value value) {
    return {.table = "recording", .access = Access::sequential_write, .block = {}, .value = value};
}
constexpr Metric playback{.table = "playback", .access = Access::random_read, .block = {}, .value = Value::mb_per_s};
constexpr Metric application(Access access) {
    return {.table = "application", .access = access, .block = {}, .value = Value::iops};
}
constexpr std::array headlines{
    Headline{recording(Value::mb_per_s), "recording, MB/s", 1},
    Headline{recording(Value::max_us), "longest write of 512 KB, us", 0},
    Headline{playback, "playback, MB/s", 1},
    Headline{application(Access::random_read), "random read, IOPS", 0},
    Headline{application(Access::random_write), "random write, IOPS", 0},
};

constexpr double longest_busy_us = std::chrono::duration<double, std::micro>(longest_unit).count();

struct ApplicationMark {
    std::string_view name;
    double reads, writes;
};
constexpr std::array application_marks{ApplicationMark{"A1", 1500, 500}, ApplicationMark{"A2", 4000, 2000}};
constexpr double application_megabytes = 10;

/// Results derived from the rate of each second and the latency of each write.
struct SdClassRates {
    std::optional<double> slowest_second; ///< MB/s
    double longest_us{};
};
SdClassRates recorded_in(const DeviceResults& measured) {
    SdClassRates recorded{.slowest_second = {}, .longest_us = measured.value_of(recording(Value::max_us)).value_or(0)};
    for (const auto& pass : measured.passes)
        for (const CellResult& cell : pass) {
            if (cell.cell.table != "recording" || cell.latency.empty()) continue;
            for (const double rate : whole_seconds_of(cell))
                recorded.slowest_second = std::min(recorded.slowest_second.value_or(rate), rate);
            recorded.longest_us = std::max(recorded.longest_us, static_cast<double>(cell.latency.max().count()) / 1e3);
        }
    return recorded;
}

/// Returns the reason why these numbers cannot support any mark; empty if they can support one.
std::string_view what_hides_the_medium(const DeviceResults& measured) {
    if (measured.served_by_process)
        return "Undecided: a process serves this file system (FUSE). It buffers in this computer, takes one request at "
               "a time, and so is a part of every number: use --raw.";
    const bool buffered = std::ranges::any_of(measured.passes, [](const auto& pass) {
        return std::ranges::any_of(
            pass, [](const CellResult& cell) { return cell.evidence.used != workload::CachePolicy::direct; });
    });
    return buffered ? "Undecided: the data went through this computer's page cache, so the times of seconds and single "
                      "writes are those of memory: use --raw, or a file system that accepts direct I/O."
                    : "";
}

/// Returns the rate with as many digits as the comparison with the marks needs.
std::string recording_text(double megabytes) {
    std::string text = fmt::format("{:.1f}", megabytes);
    for (const SpeedMark& mark : speed_marks)
        if (std::string beside = text_beside(mark.megabytes, at_mark(megabytes, mark.megabytes), 1);
            beside.size() > text.size())
            text = std::move(beside);
    return text;
}

std::string note_of_recording(double mean, const SdClassRates& recorded) {
    return fmt::format(
        "{}, mean {} MB/s; longest write of 512 KB {} ms, where one of {:.0f} ms is allowed.",
        recorded.slowest_second
            ? fmt::format("Slowest second of recording {} MB/s", recording_text(*recorded.slowest_second))
            : "Recording took less than a second, and the slowest whole second decides",
        recording_text(mean), text_beside(longest_busy_us / 1e3, recorded.longest_us / 1e3, 1), longest_busy_us / 1e3);
}

std::optional<View> marks(const DeviceResults& measured) {
    const auto mean = measured.value_of(recording(Value::mb_per_s));
    if (!mean) return std::nullopt;
    const SdClassRates recorded = recorded_in(measured);
    const auto& slowest = recorded.slowest_second;
    const std::string_view hidden = what_hides_the_medium(measured);
    View view{.title = "Requirements of the marks on cards",
              .columns = {"asked", "measured", "answer"},
              .rows = {},
              .notes = {hidden.empty() ? note_of_recording(*mean, recorded) : std::string(hidden)}};
    if (hidden.empty() && !slowest) view.notes.emplace_back("To see it, leave --quick out, or let a plan write more.");
    // The mean is at least as high as the slowest second: a mark above the mean is also above the slowest second.
    const double sustained = hidden.empty() ? std::min(slowest.value_or(*mean), *mean) : *mean;
    const bool stalled = recorded.longest_us > longest_busy_us;
    const auto read = measured.value_of(playback);
    view.notes.emplace_back(read ? "Measured: written / read. A mark requires both, reading in random units of 512 KB."
                                 : "Playback was not measured, which each mark requires as well.");
    const bool by_second = slowest && *slowest <= *mean;
    const auto answer_for = [&](double written, std::optional<double> played, double mark) {
        if (!hidden.empty()) return "undecided";
        if (written < mark) return by_second ? "no, its slowest second" : "no, its mean";
        if (stalled) return "no, it stalls";
        if (played && *played < mark) return "no, it reads slower";
        if (!slowest) return "undecided";
        return played ? "consistent" : "consistent in recording";
    };
    const auto text_of = [](double rate, double mark) { return text_beside(mark, rate, 1); };
    for (const SpeedMark& mark : speed_marks) {
        const double written = at_mark(sustained, mark.megabytes);
        std::optional<double> played;
        if (read) played = at_mark(*read, mark.megabytes);
        std::string rates = text_of(written, mark.megabytes);
        if (played) rates += " / " + text_of(*played, mark.megabytes);
        view.rows.push_back({std::string(mark.names),
                             {fmt::format("{:.0f} MB/s", mark.megabytes), rates + " MB/s",
                              answer_for(written, played, mark.megabytes)}});
    }
    const auto reads = measured.value_of(application(Access::random_read));
    const auto writes = measured.value_of(application(Access::random_write));
    if (reads && writes)
        for (const ApplicationMark& mark : application_marks)
            view.rows.push_back(
                {std::string(mark.name),
                 {fmt::format("{:.0f} / {:.0f} IOPS", mark.reads, mark.writes),
                  fmt::format("{} / {} IOPS", text_beside(mark.reads, *reads, 0), text_beside(mark.writes, *writes, 0)),
                  !hidden.empty()                                                     ? "undecided"
                  : *reads < mark.reads                                               ? "no, random reads"
                  : *writes < mark.writes                                             ? "no, random writes"
                  : at_mark(sustained, application_megabytes) < application_megabytes ? "no, recording"
                  : slowest                                                           ? "consistent"
                                                                                      : "undecided"}});
    view.notes.emplace_back(
        "This is not a compliance test, which writes single allocation units between updates of the FAT, "
        "at a given bus speed, and A2 needs commands that readers on USB do not pass on.");
    return view;
}

Result<workload::JobKind> classes_of(const Suite& suite, const SuiteRequest& request, Bytes available) {
    auto kind = sweep_of(suite, request, available);
    if (!kind) return kind;
    auto& sweep = std::get<workload::SweepJob>(*kind);
    sweep.random_span = request.quick ? quick_random_within : random_within;
    for (const workload::CellSpec& cell : sweep.cells) sweep.random_span = std::max(sweep.random_span, cell.block);
    return kind;
}

} // namespace

extern const Suite sd_class;
constexpr Suite sd_class{.name = "sd-class",
                         .title = "SD speed classes",
                         .version = 2,
                         .tables = tables,
                         .headlines = headlines,
                         .full_span = recorded,
                         .quick_span = quick_recorded,
                         .kind_of = classes_of,
                         .view = marks,
                         .view_of_all_passes = true};

} // namespace mediarig::suites
