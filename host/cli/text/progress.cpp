// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "host/base/text.hpp"
#include "host/cli/text/text.hpp"
#include "host/plan/steps.hpp"
#include "host/report/cards/card.hpp"
#include "host/report/text/display_text.hpp"
#include "host/store/record_json.hpp"

namespace mediarig::cli {
namespace {

constexpr std::string_view gap = "  ";
constexpr std::size_t shortest_bar = 8, longest_bar = 30; ///< lengths without the brackets

/// Fields of the line in display order.
enum Field : std::size_t { counter, medium, what, bar, percent, cell, phase, bytes, rate, left, field_count };
using Fields = std::array<std::string, field_count>;

/// Fields to omit, in this order, if the line is too narrow.
constexpr std::array dispensable{bytes, phase, cell, bar, left, rate, counter, medium};

/// Minimum width of each column, so that missing and longer values do not move the other columns.
using Widths = std::array<std::size_t, field_count>;

std::size_t sum_of(const Widths& widths) {
    std::size_t columns = 0;
    for (const std::size_t width : widths)
        if (width > 0) columns += (columns == 0 ? 0 : gap.size()) + width;
    return columns;
}

Widths widths_of(const Fields& fields, const ProgressLine& line) {
    Widths widths{};
    for (std::size_t i = 0; i < field_count; ++i) widths[i] = display_width(fields[i]);
    const auto at_least = [&](Field field, std::string_view longest) {
        widths[field] = std::max(widths[field], display_width(longest));
    };
    if (!fields[cell].empty()) at_least(cell, fmt::format("cell {0}/{0}", line.cells));
    if (!fields[cell].empty()) at_least(phase, "random write 4 KB");
    if (!line.fraction) return widths;
    at_least(bytes, "20.0 MB");
    at_least(rate, "100.0 MB/s");
    at_least(left, line.campaign_left.empty() ? "10 min left" : "about 10 min left");
    return widths;
}

std::string bar_of(double fraction, std::size_t length) {
    const auto filled = static_cast<std::size_t>(std::floor(fraction * static_cast<double>(length)));
    return fmt::format("[{}{}]", std::string(filled, '#'), std::string(length - filled, '.'));
}

} // namespace

std::string render(const ProgressLine& line, std::size_t columns) {
    Fields fields;
    fields[counter] = fmt::format("[{}/{}]", line.step, line.steps);
    fields[medium] = printable(line.medium);
    fields[what] = printable(line.what);
    const double fraction = std::clamp(line.fraction.value_or(0), 0.0, 1.0);
    if (line.fraction) {
        fields[bar] = bar_of(fraction, shortest_bar);
        // Round down, so that 100 % appears only at the end.
        fields[percent] = fmt::format("{:3.0f} %", std::floor(fraction * 100));
    }
    if (line.cells > 1) fields[cell] = fmt::format("cell {}/{}", line.cell, line.cells);
    fields[phase] = printable(line.phase);
    if (line.done.count > 0) fields[bytes] = size_text(line.done);
    if (line.rate) fields[rate] = readable_rate(*line.rate);
    if (!line.campaign_left.empty())
        fields[left] = line.campaign_left;
    else if (line.left)
        fields[left] = readable_time(line.left->count()) + " left";

    Widths widths = widths_of(fields, line);
    for (const Field least : dispensable) {
        if (sum_of(widths) <= columns) break;
        widths[least] = 0;
        fields[least].clear();
    }
    if (!fields[bar].empty()) {
        const std::size_t over = columns - sum_of(widths);
        fields[bar] = bar_of(fraction, std::min(shortest_bar + over, longest_bar));
    }

    std::string text;
    for (const std::string& field : fields) {
        if (field.empty()) continue;
        if (!text.empty()) text += gap;
        text += field;
    }
    return cut_to(text, columns);
}

std::string readable_rate(Rate rate) {
    return fmt::format("{:.1f} MB/s", rate.megabytes_per_second());
}

namespace {

using namespace std::chrono_literals;
using campaign::StepEnded;
using plan::StepKind;

constexpr std::string_view clear_to_end = "\x1b[K";
constexpr std::string_view clear_below = "\x1b[J";
/// Maximum number of displayed lanes: more would scroll finished steps off the screen.
constexpr std::size_t most_lines = 8;
/// Window of the displayed rate: long enough to be readable, short enough to follow the cells.
constexpr auto rate_window = 3s;
/// Minimum time for an extrapolation: shorter times give only noise.
constexpr auto shortest_base = 2s;
constexpr double smallest_fraction = 0.02;
/// Time constant of the displayed remaining time: within this time it moves by two thirds towards the measured value.
constexpr auto settles_in = 4s;
/// Progress lines without a terminal.
constexpr std::chrono::nanoseconds first_line_after = 10s, line_each = 60s;

double seconds_of(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

std::string spent(std::chrono::nanoseconds time) {
    const double seconds = seconds_of(time);
    return seconds < 9.95 ? fmt::format("{:.1f} s", seconds)
                          : readable_time(std::chrono::round<std::chrono::seconds>(time).count());
}

/// True for steps whose end is reported only if no live lines are shown.
bool is_minor(StepKind kind) {
    return kind == StepKind::load || kind == StepKind::unload || kind == StepKind::claim || kind == StepKind::mount ||
           kind == StepKind::unmount || kind == StepKind::release || kind == StepKind::verdict;
}

} // namespace

std::string ProgressView::show(const campaign::SessionEvent& event) {
    if (style_ == ProgressStyle::quiet) return {};
    std::string lines;
    const bool is_skip =
        std::holds_alternative<StepEnded>(event.body) && std::get<StepEnded>(event.body).how == StepEnded::How::skipped;
    if (!is_skip) lines = report_skipped();
    lines += std::visit([&](const auto& body) { return lines_for(body, event.since_start); }, event.body);
    if (style_ == ProgressStyle::plain) return lines;

    // Overwrite the lines if nothing else is printed: clearing the lines first causes flicker.
    const bool fewer = lines_to_draw() < drawn_;
    std::string out = to_first_line(fewer || !lines.empty());
    out += lines;
    out += draw();
    return out;
}

std::string ProgressView::to_first_line(bool clear) const {
    if (drawn_ == 0) return {};
    std::string out = drawn_ > 1 ? fmt::format("\x1b[{}A\r", drawn_ - 1) : std::string("\r");
    if (clear) out += drawn_ > 1 ? clear_below : clear_to_end;
    return out;
}

std::string ProgressView::draw() {
    std::string out;
    drawn_ = 0;
    for (auto& [index, running] : running_) {
        if (drawn_ == most_lines) break;
        if (drawn_++ > 0) out += '\n';
        // The remaining time of several lanes is on a separate line.
        running.line.campaign_left = running_.size() == 1 ? total_left() : std::string();
        out += render(running.line, columns_ > 0 ? columns_ - 1 : 0);
        out += clear_to_end;
    }
    if (has_total_line()) {
        ++drawn_;
        out += '\n' + cut_to(total_left() + " for all media", columns_ > 0 ? columns_ - 1 : 0);
        out += clear_to_end;
    }
    return out;
}

std::string ProgressView::close() {
    if (style_ == ProgressStyle::quiet) return {};
    std::string out = to_first_line(true);
    drawn_ = 0;
    running_.clear();
    return out + report_skipped();
}

const ProgressLine* ProgressView::running(std::size_t step) const {
    const auto found = running_.find(step);
    return found != running_.end() ? &found->second.line : nullptr;
}

std::string ProgressView::lines_for(const campaign::CampaignStarted& event, Time) {
    steps_ = event.steps;
    done_ = event.resumed;
    std::string text = fmt::format("campaign {}{}: {} steps", event.campaign,
                                   event.name.empty() ? "" : fmt::format(" \"{}\"", event.name), event.steps);
    if (event.resumed > 0) text += fmt::format(", {} of them already done", event.resumed);
    return line_of(text);
}

std::string ProgressView::lines_for(const campaign::StepStarted& event, Time now) {
    RunningStep running;
    running.line = {
        .step = event.index + 1, .steps = steps_, .medium = event.medium, .what = plan::text_of(event.step)};
    if (event.expected > 0s) running.line.left = event.expected;
    running.place = fmt::format("{}{}: {}", counter(event.index), event.medium, running.line.what);
    running.started = now;
    running.line_at = now + first_line_after;
    running.expected = event.expected;
    const std::string place = running.place;
    running_[event.index] = std::move(running);
    if (style_ == ProgressStyle::live) return {};
    const std::string about =
        event.expected >= 5s ? fmt::format(", about {}", readable_time(event.expected.count())) : std::string();
    return line_of(fmt::format("{} …{}", place, about));
}

std::string ProgressView::lines_for(const campaign::StepProgress& event, Time now) {
    const auto running = running_.find(event.index);
    if (running == running_.end()) return {};
    ProgressLine& shown = running->second.line;
    shown.phase = event.phase;
    shown.done = event.done;
    shown.cells = event.cells;
    shown.cell = std::min(event.cell + 1, event.cells);
    std::optional<double> fraction;
    if (event.total.count > 0)
        fraction = static_cast<double>(event.done.count) / static_cast<double>(event.total.count);
    // A cell may end by its time limit before its bytes are moved; then the count of cells is ahead of the bytes.
    if (event.cells > 0)
        fraction = std::max(fraction.value_or(0), static_cast<double>(event.cell) / static_cast<double>(event.cells));
    if (fraction) shown.fraction = std::clamp(*fraction, shown.fraction.value_or(0), 1.0); // never decreases
    update_rate(running->second, now, event.done);
    shown.left = time_left(running->second, now);
    shown.left_within = left_within(shown, event.total);
    std::string lines;
    if (event.failures > 0 && !std::exchange(running->second.failure_told, true))
        lines =
            line_of(fmt::format("{}: {}; the test continues", running->second.place, printable(event.first_failure)));
    if (style_ == ProgressStyle::plain) lines += periodic_line(running->second, event.failures, now);
    return lines;
}

std::string ProgressView::periodic_line(RunningStep& running, std::uint64_t failures, Time now) const {
    if (now < running.line_at) return {};
    // Soon at first, because an expected time may be wrong, then each minute.
    running.line_at = now + std::clamp<Time>(now - running.started, first_line_after, line_each);
    const ProgressLine& line = running.line;
    std::string text = running.place + ":";
    const auto add = [&](const std::string& part) {
        if (!part.empty()) text += (text.ends_with(':') ? " " : ", ") + part;
    };
    if (line.fraction) add(fmt::format("{:.0f} %", std::floor(*line.fraction * 100)));
    if (line.cells > 1) add(fmt::format("cell {}/{}", line.cell, line.cells));
    add(printable(line.phase));
    if (line.done.count > 0) add(size_text(line.done));
    if (line.rate) add(readable_rate(*line.rate));
    if (failures > 0) add(fmt::format("{} faulty transfer{}", failures, failures == 1 ? "" : "s"));
    if (const std::string total = total_left(); !total.empty())
        add(total);
    else if (line.left)
        add(readable_time(line.left->count()) + " left");
    return line_of(text);
}

std::string ProgressView::total_left() const {
    if (!left_) return {};
    return fmt::format("{} {} left", left_->at_most ? "at most" : "about", readable_time(left_->left.count()));
}

bool ProgressView::has_total_line() const {
    if (!left_ || running_.size() < 2) return false;
    std::chrono::seconds longest{};
    for (const auto& [index, running] : running_) longest = std::max(longest, running.line.left.value_or(0s));
    return left_->left >= longest + 5s;
}

std::size_t ProgressView::lines_to_draw() const {
    return std::min(running_.size(), most_lines) + (has_total_line() ? 1 : 0);
}

std::string ProgressView::lines_for(const StepEnded& event, Time now) {
    // The closing line includes these steps in its count.
    if (event.how == StepEnded::How::not_begun) return {};
    if (event.how == StepEnded::How::skipped) {
        std::string earlier;
        if (skipped_.count > 0 && skipped_.reason != event.detail) earlier = report_skipped();
        if (skipped_.count == 0) skipped_ = {counter(event.index) + plan::text_of_key(event.step.key), event.detail, 0};
        ++skipped_.count;
        return earlier;
    }
    if (event.how == StepEnded::How::done) ++done_;
    const auto running = running_.extract(event.index);
    const std::string place = running ? running.mapped().place : counter(event.index) + plan::text_of(event.step);
    const Time took = running ? now - running.mapped().started : Time{};
    // Print the bin into which a rig moved a medium.
    const bool tells_a_bin = event.step.kind == StepKind::unload && !event.detail.empty();
    if (style_ == ProgressStyle::live && event.how == StepEnded::How::done && is_minor(event.step.kind) && !tells_a_bin)
        return {};
    const std::string_view how = event.how == StepEnded::How::done     ? "done in"
                                 : event.how == StepEnded::How::failed ? "FAILED after"
                                                                       : "cancelled after";
    const std::string detail = event.how == StepEnded::How::failed && running
                                   ? once_in_full(running.mapped().line.medium, event.detail)
                                   : event.detail;
    return line_of(fmt::format("{} {} {}{}{}", place, how, spent(took), detail.empty() ? "" : ": ", detail));
}

std::string ProgressView::lines_for(const campaign::MediumIdentified&, Time) {
    return {}; // the end of the step reports it
}

std::string ProgressView::lines_for(const campaign::CellFinished&, Time) {
    return {}; // a pass has dozens of cells, and the final tables list them
}

std::string ProgressView::lines_for(const campaign::FindingReported& event, Time) {
    const measure::Finding& finding = event.finding;
    // A note explains how to read the figures: print it once per medium. Results and report contain the count of each
    // note.
    if (finding.severity == measure::Severity::note && !noted_.insert({event.medium, finding.kind}).second) return {};
    std::string text = fmt::format("{}: {}: {}", event.medium, measure::name_of(finding.severity), finding.detail);
    if (finding.offset && finding.end)
        text += fmt::format("; between bytes {} and {}", finding.offset->count, finding.end->count);
    else if (finding.offset)
        text += fmt::format("; at byte {}", finding.offset->count);
    if (finding.count > 1) text += fmt::format(" ({} times)", finding.count);
    if (!event.finding.pass.empty()) text += fmt::format(" [{}]", plan::text_of_key(event.finding.pass));
    return line_of(text);
}

std::string ProgressView::lines_for(const campaign::ConclusionReached& event, Time) {
    std::string text = line_of(fmt::format("{}: {}", event.medium, event.conclusion.title));
    const std::size_t width = style_ == ProgressStyle::live ? columns_ - 1 : std::numeric_limits<std::size_t>::max();
    for (const std::string& line : event.conclusion.lines) {
        // Two blanks separate the figures from the axis; on a narrow terminal the figures follow below it.
        const std::size_t apart = line.rfind("  ");
        if (apart == line.npos || display_width(line) + 2 <= width)
            text += line_of("  " + line);
        else
            text += paragraph(line.substr(0, apart), width, 2) + paragraph(line.substr(apart + 2), width, 4);
    }
    return text;
}

std::string ProgressView::lines_for(const campaign::VerdictReached& event, Time) {
    return line_of(fmt::format("{}: {}", event.medium, measure::name_of(event.verdict.grade))) +
           line_of("  " + report::verdict_text(event.verdict, store::CampaignState::running));
}

std::string ProgressView::lines_for(const campaign::CampaignEnded& event, Time now) {
    running_.clear();
    left_.reset();
    // The command prints the reason and the way to continue when it ends.
    const bool whole = event.state == store::CampaignState::finished || done_ > steps_;
    return line_of(fmt::format("campaign {} {} after {}{}", event.campaign, store::name_of(event.state), spent(now),
                               whole ? "" : fmt::format(", {} of {} steps done", done_, steps_)));
}

std::string ProgressView::lines_for(const campaign::PauseChanged& event, Time) {
    return line_of(event.paused ? "paused: the running step will finish, and no other step begins" : "continues");
}

std::string ProgressView::lines_for(const campaign::TimeLeft& event, Time) {
    left_ = event;
    return {}; // shown below the running steps and in the progress lines
}

std::string ProgressView::lines_for(const campaign::TemperatureRead&, Time) {
    return {}; // the end of the rest reports it
}

std::string ProgressView::counter(std::size_t index) const {
    // On a terminal the text omits minor steps, so step numbers would have gaps. The live line has a separate counter.
    return style_ == ProgressStyle::live ? std::string() : fmt::format("[{}/{}] ", index + 1, steps_);
}

std::string ProgressView::once_in_full(const std::string& medium, const std::string& detail) {
    const auto [told, is_new] = failures_.try_emplace(detail, medium);
    return is_new || told->second == medium ? detail : "as " + told->second;
}

std::string ProgressView::report_skipped() {
    const SkippedSteps told = std::exchange(skipped_, {});
    if (told.count == 0) return {};
    const std::string more = told.count > 1 ? fmt::format(" and {} more", told.count - 1) : std::string();
    return line_of(fmt::format("{}{} skipped: {}", told.place, more, told.reason));
}

void ProgressView::update_rate(RunningStep& running, Time now, Bytes done) {
    auto& recent = running.recent;
    // A resumed or repeated phase may restart its count.
    if (!recent.empty() && done < recent.back().done) recent.clear();
    recent.push_back({now, done});
    // Keep exactly one sample that is at least as old as the window.
    while (recent.size() > 2 && now - recent[1].at >= rate_window) recent.pop_front();
    const auto& oldest = recent.front();
    running.line.rate = now > oldest.at ? std::optional(rate_of(done - oldest.done, now - oldest.at)) : std::nullopt;
}

std::optional<std::chrono::seconds> ProgressView::time_left(RunningStep& running, Time now) {
    const Time elapsed = now - running.started;
    const double fraction = running.line.fraction.value_or(0);
    if (elapsed >= shortest_base && fraction >= smallest_fraction) {
        const double measured = seconds_of(elapsed) / fraction;
        auto& total = running.total_seconds;
        // No estimate is possible: the step has no expected time, or has exceeded it.
        if (!total) {
            total = running.expected > elapsed ? seconds_of(running.expected) : measured;
            running.told = running.expected > elapsed ? running.started + shortest_base : now;
        }
        const double step = 1 - std::exp(-seconds_of(now - running.told) / seconds_of(settles_in));
        *total *= std::pow(measured / *total, step);
        running.told = now;
        return std::chrono::seconds(std::llround(*total * (1 - fraction)));
    }
    if (running.expected > elapsed) return std::chrono::ceil<std::chrono::seconds>(running.expected - elapsed);
    return std::nullopt;
}

std::optional<std::chrono::seconds> ProgressView::left_within(const ProgressLine& line, Bytes total) {
    // If cells end by a time limit, the bytes do not predict the end.
    if (line.cells > 0 || !line.left || !line.rate || line.rate->bytes_per_second <= 0 || total <= line.done)
        return std::nullopt;
    const double by_rate = static_cast<double>((total - line.done).count) / line.rate->bytes_per_second;
    return std::chrono::seconds(std::llround(std::abs(by_rate - static_cast<double>(line.left->count()))));
}

} // namespace mediarig::cli
