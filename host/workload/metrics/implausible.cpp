// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/metrics/implausible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "host/measure/payload_rates.hpp"
#include "host/measure/plausibility.hpp"
#include "host/workload/metrics/metrics.hpp"
#include "host/workload/suites/payload_tables.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::metrics {
namespace {

using measure::FindingKind, measure::Severity;
using workload::Access, workload::CellResult, workload::JobSpec;
using Cells = std::vector<std::reference_wrapper<const CellResult>>; ///< cells that were not interrupted

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}
double milliseconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

std::string text_for(const CellResult& cell) {
    return fmt::format("{} {}", workload::title_of(cell.cell.access), workload::block_title(cell.cell.block));
}

/// Collects the findings of one kind in a pass and keeps the worst.
class FindingCollector {
public:
    FindingCollector(FindingKind kind, Severity severity) : kind_(kind), severity_(severity) {}

    /// `size` orders the findings: the largest is the worst.
    void add(const CellResult& cell, double size, std::string detail) {
        ++count_;
        if (count_ > 1 && size <= size_) return;
        size_ = size;
        cell_ = cell.cell.id;
        detail_ = std::move(detail);
    }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    void tell(std::size_t all, measure::Findings& found, std::string_view advice = {}) const {
        if (count_ == 0) return;
        std::string detail = detail_;
        if (count_ > 1) detail += fmt::format("; the same in {} of {} cells, strongest in this one", count_, all);
        detail += advice;
        found.push_back({.kind = kind_, .severity = severity_, .detail = detail, .count = count_, .cell = cell_});
    }

private:
    FindingKind kind_;
    Severity severity_;
    std::uint64_t count_{};
    double size_{};
    std::string cell_, detail_;
};

/// More cells than this are not explained by occasional garbage collection: the whole pass is then weak evidence about
/// block sizes.
constexpr std::size_t most_by_chance = 3;

bool is_brief(const CellResult* cell) {
    return cell->elapsed < measure::longest_busy;
}

/// The load of the host during a cell in words; empty if the host was not busy, or if its load is unknown.
std::string busy_text(const CellResult& cell) {
    return cell.host_load ? busy_title(*cell.host_load) : std::string();
}
bool host_was_busy(const CellResult& cell) {
    return !busy_text(cell).empty();
}
/// The causes of an observation: the busy host first, if it was busy.
std::string causes_text(const CellResult& cell, std::string_view of_medium) {
    const std::string busy = busy_text(cell);
    return busy.empty() ? fmt::format("probably {}", of_medium)
                        : fmt::format("probably the busy host ({}), otherwise {}", busy, of_medium);
}

measure::SweepPoint point_of(const CellResult& cell) {
    return {.block = cell.cell.block, .rate = rate_of(cell.moved, cell.elapsed), .host_was_busy = host_was_busy(cell)};
}

/// The load of the host during a cell of a sweep, or during a cell next to it; empty if it was not busy.
std::string busy_text_near(const std::vector<const CellResult*>& sweep, std::size_t index) {
    for (const std::size_t at : {index, index - 1, index + 1})
        if (at < sweep.size())
            if (std::string text = busy_text(*sweep[at]); !text.empty()) return text;
    return {};
}

/// Through the page cache a write waits only for its flush, and a sequential read finds its data already read ahead.
/// The times of their single requests are those of this host by design.
bool waits_for_medium(const CellResult& cell) {
    if (cell.moved == 0_B) return false; // operations on names are served from memory
    return cell.evidence.used == workload::CachePolicy::direct ||
           (cell.evidence.used == workload::CachePolicy::dropped && workload::random(cell.cell.access) &&
            !workload::writes(cell.cell.access));
}

/// Returns true if the device moved all data of a cell through the page cache: no cache served it. Read-ahead and the
/// layout of the file then decide the rate, and a file system that copies on write changes the layout in each cell.
bool reached_medium(const CellResult& cell) {
    const auto& counted = workload::writes(cell.cell.access) ? cell.evidence.device_written : cell.evidence.device_read;
    return cell.evidence.used == workload::CachePolicy::dropped && counted && *counted >= cell.moved;
}

void check_sweeps(const Cells& cells, measure::Findings& found) {
    std::map<std::pair<std::string, Access>, std::vector<const CellResult*>> sweeps;
    for (const CellResult& cell : cells) sweeps[{cell.cell.table, cell.cell.access}].push_back(&cell);

    FindingCollector odd(FindingKind::not_monotone, Severity::warning);
    FindingCollector cached(FindingKind::cache_suspected, Severity::warning);
    for (auto& [key, sweep] : sweeps) {
        std::ranges::stable_sort(sweep, std::less(), [](const CellResult* cell) { return cell->cell.block; });
        // Cells of one size are no evidence about sizes.
        if (sweep.front()->cell.block == sweep.back()->cell.block) continue;
        std::vector<measure::SweepPoint> points;
        for (const CellResult* cell : sweep) points.push_back(point_of(*cell));
        const std::string operation(workload::title_of(key.second));
        std::string busy;
        for (const CellResult* cell : sweep)
            if (busy.empty() && (cell->cell.block == 4_KiB || cell->cell.block == 256_KiB)) busy = busy_text(*cell);
        const auto finding = measure::small_blocks_too_fast(operation, points, busy);
        if (finding && !reached_medium(*sweep.front())) {
            // The rule about rates that fall as blocks grow would report the same cell again.
            cached.add(*sweep.front(), points.front().rate.bytes_per_second, finding->detail);
            continue;
        }
        // A cell that is shorter than one pause of the medium is no evidence about its block size, nor is one whose
        // requests have another size.
        std::erase_if(sweep, [](const CellResult* cell) { return is_brief(cell) || !waits_for_medium(*cell); });
        points.clear();
        for (const CellResult* cell : sweep) points.push_back(point_of(*cell));
        for (const std::size_t index : measure::outside_envelope(points))
            odd.add(*sweep[index], measure::distance_from_neighbours(points, index),
                    measure::not_monotone(operation, points, index, busy_text_near(sweep, index)).detail);
    }
    odd.tell(
        cells.size(), found,
        odd.count() > most_by_chance && odd.count() * 8 > cells.size()
            ? "; the pass was too short or the host too busy to compare block sizes by it: repeat it in full on an "
              "idle host"
            : "");
    cached.tell(sweeps.size(), found);
}

void check_links(const Cells& cells, std::span<const measure::BusLink> links, measure::Findings& found) {
    FindingCollector impossible(FindingKind::impossible_rate, Severity::warning);
    const measure::BusLink* slowest = nullptr;
    for (const measure::BusLink& link : links)
        if (link.ceiling && (slowest == nullptr || *link.ceiling < *slowest->ceiling)) slowest = &link;
    const bool usb = std::ranges::any_of(links, &measure::BusLink::usb);
    for (const CellResult& cell : cells) {
        const Rate rate = rate_of(cell.moved, cell.elapsed);
        const auto median = cell.latency.quantile(0.5);
        if (slowest != nullptr && rate > *slowest->ceiling)
            impossible.add(cell, rate.bytes_per_second / slowest->ceiling->bytes_per_second,
                           fmt::format("{}: {:.1f} MB/s over {}, which carries {:.1f} MB/s at most; this host's memory "
                                       "served the requests: use direct I/O, or write more than it has",
                                       text_for(cell), rate.megabytes_per_second(), slowest->name,
                                       slowest->ceiling->megabytes_per_second()));
        else if (usb && waits_for_medium(cell) && cell.cell.queue_depth == 1 && median &&
                 *median < measure::least_usb_latency)
            impossible.add(
                cell, 0,
                fmt::format("{}: half of the requests took less than {:.1f} µs, and none over USB takes less "
                            "than {} µs; this host's memory served the requests: use direct I/O, or write more than it "
                            "has",
                            text_for(cell), milliseconds(*median) * 1e3, measure::least_usb_latency.count()));
    }
    impossible.tell(cells.size(), found);
}

void check_payload(const JobSpec& job, const Cells& cells, measure::Findings& found) {
    const auto* const mix = job.as<workload::MixJob>();
    const bool in_flight =
        job.engine == workload::Engine::uring || (mix != nullptr && mix->mode == workload::MixMode::async);
    const bool checks_reads = job.as<workload::VerifyJob>() != nullptr;
    FindingCollector bound(FindingKind::processor_bound, Severity::warning);
    for (const CellResult& cell : cells) {
        const double part = seconds(cell.prepare_time) / seconds(cell.elapsed);
        const bool writing = workload::writes(cell.cell.access);
        if ((!writing && !checks_reads) || part * measure::least_headroom <= 1) continue;
        const std::string busy = busy_text(cell);
        bound.add(cell, part,
                  fmt::format("{}: {} took {:.0f} ms {} {:.0f} ms of {}, and the medium {}; {}repeat it on a faster "
                              "processor{}",
                              text_for(cell), writing ? "generating the payload" : "waiting for the check of the data",
                              milliseconds(cell.prepare_time), in_flight ? "of" : "beside", milliseconds(cell.elapsed),
                              writing ? "writing" : "reading",
                              in_flight ? "may have been idle during that time" : "was idle during that time",
                              busy.empty() ? "" : fmt::format("probably the busy host ({}), otherwise ", busy),
                              writing ? ", or from a plan with a payload of zeros" : ""));
    }
    bound.tell(cells.size(), found);
}

/// Returns true if the cell visits ascending positions once.
bool goes_once_over(const JobSpec& job, const CellResult& cell) {
    const auto* sweep = job.as<workload::SweepJob>();
    return sweep != nullptr && !workload::random(cell.cell.access) && cell.moved <= sweep->span;
}

struct RateCourse {
    const CellResult* cell{};
    std::optional<measure::LevelChange> level;
    std::optional<measure::SteadySlope> slope;
    std::optional<measure::SteadySlope> weak_slope;
    /// Largest change of the rate, as a fraction of the larger one; 0 without a course.
    [[nodiscard]] double change() const {
        if (slope) return std::abs(slope->change());
        if (!level) return 0;
        const auto [less, more] = std::minmax(level->before.bytes_per_second, level->after.bytes_per_second);
        return more > 0 ? 1 - less / more : 0;
    }
    [[nodiscard]] bool falls() const {
        return (level && level->after < level->before) || (slope && slope->change() < 0);
    }
};

/// Returns true if both cells visit the same positions once, in opposite directions of transfer.
bool is_counterpart(const JobSpec& job, const RateCourse& course, const RateCourse& other) {
    return goes_once_over(job, *course.cell) && goes_once_over(job, *other.cell) &&
           workload::writes(other.cell->cell.access) != workload::writes(course.cell->cell.access);
}

/// Returns true if reading and writing have the same slope over the same positions: the position determines the rate,
/// and not the time. One of the two may be weak, e.g. writes that scatter by more than they fall.
bool is_of_place(const JobSpec& job, const std::vector<RateCourse>& courses, const RateCourse& course) {
    return course.slope && std::ranges::any_of(courses, [&](const RateCourse& other) {
               return is_counterpart(job, course, other) && other.weak_slope &&
                      (other.weak_slope->change() < 0) == (course.slope->change() < 0);
           });
}

/// Returns true if a slope may be one of time or of position: no cell of the other direction visited these positions.
bool may_be_of_place(const JobSpec& job, const std::vector<RateCourse>& courses, const RateCourse& course) {
    return course.slope && goes_once_over(job, *course.cell) &&
           std::ranges::none_of(courses, [&](const RateCourse& other) { return is_counterpart(job, course, other); });
}

/// A files job has one sample per file, which is no period of time. Rates of rounds fall until the medium reaches its
/// steady state, which is the purpose of rounds. The threads of a blog job read less as blogs grow.
bool has_a_course(const JobSpec& job) {
    const auto* const mix = job.as<workload::MixJob>();
    return !workload::makes_files(job) && (mix == nullptr || !mix->rounds);
}

void check_courses(const JobSpec& job, const Cells& cells, measure::Findings& found) {
    std::vector<RateCourse> courses;
    for (const CellResult& cell : cells) {
        std::vector<measure::RateSample> series;
        for (const workload::SeriesSample& second : cell.series) series.push_back({second.length, second.moved});
        RateCourse course{.cell = &cell,
                          .level = measure::level_change(series),
                          .slope = measure::steady_slope(series),
                          .weak_slope = measure::weak_slope(series)};
        // Other processes change the rate by as much as a warm medium does.
        if (host_was_busy(cell) && course.change() < measure::busy_least_change) {
            course.level.reset();
            course.slope.reset();
        }
        courses.push_back(course);
    }
    // A read has no write cache that could become full. An effect that slows down reads slows down writes too.
    const bool hot = std::ranges::any_of(courses, [&](const RateCourse& course) {
        return course.falls() && !workload::writes(course.cell->cell.access) && !is_of_place(job, courses, course) &&
               !may_be_of_place(job, courses, course) && !host_was_busy(*course.cell);
    });
    FindingCollector placed(FindingKind::position_dependent, Severity::note);
    FindingCollector throttled(FindingKind::throttled, Severity::warning);
    FindingCollector unstable(FindingKind::rate_unstable, Severity::warning);
    for (const RateCourse& course : courses) {
        const std::string operation = text_for(*course.cell);
        if (is_of_place(job, courses, course)) {
            const std::string busy = busy_text(*course.cell);
            placed.add(
                *course.cell, std::abs(course.slope->change()),
                fmt::format(
                    "{} over its positions, and the other direction changes likewise{}: compare formats "
                    "at equal positions only",
                    measure::slope_text(operation, *course.slope),
                    busy.empty() ? "" : fmt::format("; probably the busy host ({}), otherwise the position", busy)));
        } else if (may_be_of_place(job, courses, course)) {
            unstable.add(
                *course.cell, course.change(),
                fmt::format(
                    "{}; {}: measure the other direction over the same positions, or a second pass",
                    measure::slope_text(operation, *course.slope),
                    causes_text(*course.cell, "positions that differ, or a medium that becomes hot or fills a cache")));
        } else if (course.falls() && (hot || course.slope)) {
            throttled.add(*course.cell, course.change(),
                          fmt::format("{}; {}: let it rest, cool it, or measure for less time",
                                      course.slope ? measure::slope_text(operation, *course.slope)
                                                   : measure::level_text(operation, *course.level),
                                      causes_text(*course.cell, "a medium or reader that becomes hot")));
        } else if (course.level) {
            unstable.add(*course.cell, course.change(),
                         measure::rate_unstable(operation, *course.level, busy_text(*course.cell)).detail);
        }
    }
    placed.tell(cells.size(), found);
    throttled.tell(cells.size(), found);
    unstable.tell(cells.size(), found);
}

void check_spikes(const Cells& cells, measure::Findings& found) {
    FindingCollector spikes(FindingKind::latency_spikes, Severity::note);
    for (const CellResult& cell : cells) {
        const auto median = cell.latency.quantile(0.5);
        const auto longest = cell.latency.max();
        if (!median || longest <= measure::longest_busy) continue;
        const double times = seconds(longest) / seconds(*median);
        const bool by_excess = longest - *median >= measure::spike_excess && times >= measure::least_spike_factor;
        if (times < measure::spike_factor && !by_excess) continue;
        const std::string busy = busy_text(cell);
        if (!busy.empty() && longest < measure::busy_least_spike) continue;
        const std::string_view cause = waits_for_medium(cell)
                                           ? "the medium collected garbage, or retried after an error"
                                           : "the page cache was written back, or the medium paused";
        spikes.add(
            cell, seconds(longest),
            fmt::format("{}: one operation took {:.0f} ms, and half of them less than {:.1f} ms; {}{}: a "
                        "recording may have a gap there",
                        text_for(cell), milliseconds(longest), milliseconds(*median),
                        busy.empty() ? "" : fmt::format("probably the busy host ({}), otherwise ", busy), cause));
    }
    spikes.tell(cells.size(), found);
}

void check_lengths(const JobSpec& job, const Cells& cells, measure::Findings& found) {
    const auto* sweep = job.as<workload::SweepJob>();
    const bool verified = job.as<workload::VerifyJob>() != nullptr;
    if (job.as<workload::MixJob>() == nullptr && !verified && (sweep == nullptr || sweep->pace)) return;
    FindingCollector few(FindingKind::too_short, Severity::warning);
    FindingCollector brief(FindingKind::too_short, Severity::note);
    bool any_few = false;
    for (const CellResult& cell : cells) {
        if (has_few_operations(cell)) {
            any_few = true;
            few.add(cell, -static_cast<double>(cell.operations),
                    fmt::format("{}: its time limit ended it after {} operation{} in {:.0f} ms, so one pause decides "
                                "the figure; give it more time: without --quick, or by a time limit in a plan",
                                text_for(cell), cell.operations, cell.operations == 1 ? "" : "s",
                                milliseconds(cell.elapsed)));
        } else if (is_brief(&cell)) {
            brief.add(cell, -seconds(cell.elapsed),
                      fmt::format("{}: took {:.1f} ms, less than the {} ms that a card may pause for one write{}",
                                  text_for(cell), milliseconds(cell.elapsed), measure::longest_busy.count(),
                                  verified ? ", and its rate is that of caches on the way"
                                           : "; move more data for each number: without --quick, or by a volume in a "
                                             "plan"));
        }
    }
    // Keep one finding of each kind: the more serious finding.
    (any_few ? few : brief).tell(cells.size(), found);
}

/// Compares the rates of cells that have their own data with those of noise.
void check_data(const Cells& cells, measure::Findings& found) {
    const auto& tables = suites::payload_tables;
    const auto reference = static_cast<std::size_t>(
        std::ranges::find(tables, suites::reference_payload, &suites::PayloadTable::table) - tables.begin());
    std::map<std::pair<Access, Bytes>, std::vector<measure::PayloadRates>> all;
    std::map<std::pair<Access, Bytes>, const CellResult*> firsts;
    for (const CellResult& cell : cells) {
        const auto table = cell.cell.payload
                               ? std::ranges::find(tables, *cell.cell.payload, &suites::PayloadTable::kind)
                               : tables.end();
        if (table == tables.end()) continue;
        const std::pair key{cell.cell.access, cell.cell.block};
        auto& rates = all[key];
        rates.resize(tables.size());
        rates[static_cast<std::size_t>(table - tables.begin())].push_back(
            rate_of(cell.moved, cell.elapsed).megabytes_per_second());
        firsts.try_emplace(key, &cell);
    }
    FindingCollector depends(FindingKind::data_dependent, Severity::note);
    for (const auto& [key, rates] : all) {
        const auto difference = measure::payload_difference(rates, reference);
        if (!difference) continue;
        const double ratio = difference->ratio;
        depends.add(*firsts.at(key), std::abs(std::log(ratio)),
                    fmt::format("{}: {} are {:.2f} times as fast as noise ({} rates each, which differ by {:.0f} % at "
                                "most); the controller treats such data specially: compare media by noise, which is "
                                "like the files of cameras",
                                text_for(*firsts.at(key)), tables[difference->payload].title, ratio,
                                rates[reference].size(), 100 * (difference->spread - 1)));
    }
    depends.tell(all.size(), found);
}

/// If the host was busy, adds a finding about it before all others. It is only a note if no other rule fired.
void add_busy_host(const Cells& cells, measure::Findings& found) {
    const Severity severity = found.empty() ? Severity::note : Severity::warning;
    FindingCollector busy(FindingKind::host_busy, severity);
    for (const CellResult& cell : cells) {
        const std::string text = busy_text(cell);
        if (text.empty()) continue;
        const workload::HostLoad& load = *cell.host_load;
        const double size =
            seconds(load.processor_waits.value_or(load.stolen.value_or(load.over))) / seconds(load.over);
        busy.add(
            cell, size,
            fmt::format("{}: the host was busy: {}; its rates and latencies are partly those of the host: repeat it "
                        "on an idle host",
                        text_for(cell), text));
    }
    measure::Findings first;
    busy.tell(cells.size(), first);
    found.insert(found.begin(), first.begin(), first.end());
}

} // namespace

measure::Findings implausible(const JobSpec& job, const std::vector<CellResult>& cells,
                              std::span<const measure::BusLink> links) {
    Cells whole;
    std::ranges::copy_if(cells, std::back_inserter(whole), counts);
    measure::Findings found;
    // File sizes are no transfer sizes: a larger file need not be faster.
    if (job.as<workload::SweepJob>() != nullptr) check_sweeps(whole, found);
    check_links(whole, links, found);
    // The pauses of a paced job cannot be distinguished from the generation of its payload.
    const auto* const sweep = job.as<workload::SweepJob>();
    if (!sweep || !sweep->pace) check_payload(job, whole, found);
    if (has_a_course(job)) check_courses(job, whole, found);
    check_spikes(whole, found);
    check_lengths(job, whole, found);
    check_data(whole, found);
    add_busy_host(whole, found);
    return found;
}

} // namespace mediarig::metrics
