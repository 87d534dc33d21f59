// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "host/base/text_layout.hpp"
#include "host/report/text/display_text.hpp"

#include "tests/catch.hpp"
#include "tests/cli/demo_events.hpp"
#include "tests/cli/screen.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::cli;
using namespace std::chrono_literals;
using campaign::SessionEvent;
using campaign::StepEnded;

namespace {

std::string all_of(ProgressStyle style, unsigned columns = 80) {
    ProgressView view(style, columns);
    std::string text;
    for (const SessionEvent& event : demo_events()) text += view.show(event);
    return text;
}

/// A view that is in the middle of the step "quickbench on exfat".
ProgressView in_a_run(ProgressStyle style, unsigned columns, std::chrono::seconds expected = 0s) {
    ProgressView view(style, columns);
    (void)view.show({0s, campaign::CampaignStarted{.campaign = "c1", .name = "", .steps = 24}});
    plan::Step step{.key = "m0.r1.exfat.quickbench.run", .kind = plan::StepKind::run};
    step.format_name = "exfat";
    step.entry = "quickbench";
    step.pass = "m0.r1.exfat.quickbench";
    (void)view.show({10s, campaign::StepStarted{.index = 4, .step = step, .medium = "fast", .expected = expected}});
    return view;
}

SessionEvent progress(std::chrono::nanoseconds at, Bytes done, Bytes total, std::uint32_t cell = 0,
                      std::uint32_t cells = 0, const std::string& phase = "layout") {
    return {at, campaign::StepProgress{
                    .index = 4, .phase = phase, .done = done, .total = total, .cell = cell, .cells = cells}};
}

/// The lines that contain `words`, or with `without` the others.
std::string lines_with(const std::string& text, const std::string& words, bool without = false) {
    std::string found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if ((line.find(words) != line.npos) != without) found += line + '\n';
    return found;
}

std::string live_line(const std::string& output, unsigned columns) {
    Screen screen(columns);
    screen.write(output);
    return screen.lines().back();
}

} // namespace

TEST_CASE("a pipe receives one line per start, end, finding and minute without control characters") {
    const std::string text = all_of(ProgressStyle::plain);
    CHECK(text.find_first_of("\r\x1b") == std::string::npos);
    const std::string periodic = lines_with(text, " %, ");
    CHECK_FALSE(periodic.empty());
    CHECK(lines_with(periodic, "[5/8] fast: quickbench on exfat: ") == periodic);
    CHECK(lines_with(text, " %, ", true) ==
          "campaign 0193-77 \"demo\": 8 steps, 1 of them already done\n"
          "[1/8] identify skipped: done before the interruption\n"
          "[2/8] fast: claim …\n"
          "[2/8] fast: claim done in 0.1 s: /dev/loop7\n"
          "[3/8] fast: format exfat …\n"
          "[3/8] fast: format exfat done in 1.3 s: exFAT by exfatprogs 1.2.0, 0.5 GB usable\n"
          "[4/8] fast: mount exfat …\n"
          "[4/8] fast: mount exfat done in 0.2 s: driver exfat, 0.5 GB free\n"
          "[5/8] fast: quickbench on exfat …, about 45 s\n"
          "fast: warning: the rate changed level during the cell; at byte 4194304 (2 times) [quickbench on exfat]\n"
          "[5/8] fast: quickbench on exfat done in 41 s: 36 cells\n"
          "[6/8] fast: unmount exfat …\n"
          "[6/8] fast: unmount exfat FAILED after 0.5 s: /run/mediarig/m0 is busy; close what uses it\n"
          "[7/8] release and 1 more skipped: the medium is set aside\n"
          "fast: FAIL\n"
          "  Write failed: I/O error (2 times).\n"
          "campaign 0193-77 finished after 45 s\n");
}

TEST_CASE("without a terminal, a running step has a line after 10 s and then at least each minute") {
    auto view = in_a_run(ProgressStyle::plain, 80, 5s); // the expected time is far too short
    std::vector<std::chrono::seconds> when;
    std::string first;
    for (std::chrono::seconds at = 10s; at <= 610s; at += 1s) {
        const std::string text = view.show(progress(at, Bytes{1'000'000} * static_cast<std::uint64_t>(at.count() - 10),
                                                    {2'000'000'000}, 0, 0, "write"));
        if (text.empty()) continue;
        if (when.empty()) first = text;
        when.push_back(at);
    }
    REQUIRE(when.size() >= 5);
    CHECK(when.front() == 20s);
    CHECK(first == "[5/24] fast: quickbench on exfat: 0 %, write, 10.0 MB, 1.0 MB/s\n");
    for (std::size_t i = 1; i < when.size(); ++i) CHECK(when[i] - when[i - 1] <= 60s);
    // The estimate follows the measured rate: 600 MB of 2 GB after ten minutes.
    CHECK_THAT(view.show(progress(700s, {690'000'000}, {2'000'000'000}, 0, 0, "write")),
               ContainsSubstring("34 %") && ContainsSubstring("21 min") && ContainsSubstring(" left"));
}

TEST_CASE("a stalled step still prints its progress lines") {
    auto view = in_a_run(ProgressStyle::plain, 80);
    std::string text;
    for (std::chrono::seconds at = 20s; at <= 320s; at += 30s) text += view.show(progress(at, 1_MiB, 4_MiB));
    CHECK(std::ranges::count(text, '\n') >= 5);
    CHECK_THAT(text, ContainsSubstring("25 %"));
}

TEST_CASE("the first failed transfer is printed at once, and later lines count the failures") {
    for (const ProgressStyle style : {ProgressStyle::plain, ProgressStyle::live}) {
        auto view = in_a_run(style, 200);
        const auto failing = [&](std::chrono::seconds at, std::uint64_t failures) {
            return view.show(
                {at, campaign::StepProgress{.index = 4,
                                            .phase = "read",
                                            .done = 8_MiB,
                                            .total = 32_MiB,
                                            .failures = failures,
                                            .first_failure = "read failed: Input/output error; at byte 8388608"}});
        };
        CHECK(failing(11s, 0).find("failed") == std::string::npos);
        CHECK_THAT(failing(12s, 1),
                   ContainsSubstring("fast: quickbench on exfat: read failed: Input/output error; at byte 8388608; the "
                                     "test continues\n"));
        CHECK(failing(13s, 2).find("failed:") == std::string::npos);
        if (style == ProgressStyle::plain) CHECK_THAT(failing(25s, 40), ContainsSubstring("40 faulty transfers"));
    }
}

TEST_CASE("the progress line shows the remaining time of the campaign if it is known") {
    const auto left = [](std::chrono::seconds time, bool at_most = false) {
        return SessionEvent{13s, campaign::TimeLeft{.left = time, .within = std::nullopt, .at_most = at_most}};
    };
    auto view = in_a_run(ProgressStyle::live, 100, 60s);
    CHECK_THAT(live_line(view.show(progress(12s, {20'000'000}, {80'000'000})), 100), !ContainsSubstring("about"));
    CHECK_THAT(live_line(view.show(left(720s)), 100), ContainsSubstring("  about 12 min left"));
    CHECK_THAT(live_line(view.show(left(3900s, true)), 100), ContainsSubstring("  at most 1 h 5 min left"));
    Screen screen(100);
    screen.write(view.show(left(20s)));
    CHECK(screen.lines().size() == 1);

    auto plain = in_a_run(ProgressStyle::plain, 100, 60s);
    CHECK(plain.show(left(3900s, true)).empty());
    const std::string line = plain.show(progress(25s, {20'000'000}, {80'000'000}));
    CHECK_THAT(line, ContainsSubstring(", at most 1 h 5 min left\n"));
    CHECK(line.find("left") == line.rfind("left")); // the time of the step is not shown in addition
}

TEST_CASE("the remaining time of several lanes is shown below them if it is longer than theirs") {
    auto view = in_a_run(ProgressStyle::live, 100, 60s);
    plan::Step other{.key = "m1.r1.raw.verify.run", .kind = plan::StepKind::run};
    other.format_name = "raw";
    other.entry = "verify";
    other.pass = "m1.r1.raw.verify";
    Screen screen(100);
    screen.write(view.show({11s, campaign::StepStarted{.index = 5, .step = other, .medium = "slow", .expected = 60s}}));
    const auto left = [&](std::chrono::seconds time) {
        screen.write(view.show({13s, campaign::TimeLeft{.left = time, .within = std::nullopt, .at_most = false}}));
    };
    left(3900s);
    REQUIRE(screen.lines().size() == 3);
    CHECK(screen.lines().back() == "about 1 h 5 min left for all media");
    left(20s);
    CHECK(screen.text().find("for all media") == std::string::npos);
}

TEST_CASE("lines of a comparison wrap between words on a narrow terminal, but not in a pipe") {
    const campaign::ConclusionReached reached{
        .medium = "card",
        .conclusion = {.key = "",
                       .text = "",
                       .decisions = "",
                       .lines = {"sequential write exFAT against HFS+: ................|...=)===o===...  +8.1 % [+4.3, "
                                 "+12.0] exFAT is faster"},
                       .title = "block 4 of at most 12"}};
    const auto shown = [&](ProgressStyle style, unsigned columns) {
        return ProgressView(style, columns).show({0s, reached});
    };
    const std::string whole =
        "card: block 4 of at most 12\n"
        "  sequential write exFAT against HFS+: ................|...=)===o===...  +8.1 % [+4.3, +12.0] exFAT is "
        "faster\n";
    CHECK(shown(ProgressStyle::plain, 80) == whole);
    CHECK_THAT(shown(ProgressStyle::live, 120), ContainsSubstring(whole));
    CHECK_THAT(shown(ProgressStyle::live, 80),
               ContainsSubstring("  sequential write exFAT against HFS+: ................|...=)===o===...\n"
                                 "    +8.1 % [+4.3, +12.0] exFAT is faster\n"));
}

TEST_CASE("a terminal keeps lines of finished steps without step numbers and clears the live line at the end") {
    for (const unsigned columns : {200u, 80u}) {
        CAPTURE(columns);
        Screen screen(columns);
        screen.write(all_of(ProgressStyle::live, columns));
        CHECK(screen.text() ==
              "campaign 0193-77 \"demo\": 8 steps, 1 of them already done\n"
              "identify skipped: done before the interruption\n"
              "fast: format exfat done in 1.3 s: exFAT by exfatprogs 1.2.0, 0.5 GB usable\n"
              "fast: warning: the rate changed level during the cell; at byte 4194304 (2 times) "
              "[quickbench on exfat]\n"
              "fast: quickbench on exfat done in 41 s: 36 cells\n"
              "fast: unmount exfat FAILED after 0.5 s: /run/mediarig/m0 is busy; close what uses it\n"
              "release and 1 more skipped: the medium is set aside\n"
              "fast: FAIL\n"
              "  Write failed: I/O error (2 times).\n"
              "campaign 0193-77 finished after 45 s\n");
    }
}

TEST_CASE("the quiet style prints nothing") {
    CHECK(all_of(ProgressStyle::quiet).empty());
    CHECK(in_a_run(ProgressStyle::quiet, 80).close().empty());
}

TEST_CASE("the live line shows step, fraction, rate and time left") {
    auto view = in_a_run(ProgressStyle::live, 140, 60s);
    std::string out = view.show(progress(10s, 0_B, 200_MiB, 0, 36));
    CHECK(live_line(out, 140) ==
          "[5/24]  fast  quickbench on exfat  [..............................]    0 %  cell 1/36  layout  1 min left");
    out += view.show(progress(12s, {20'000'000}, {80'000'000}, 2, 36, "random write 4 KB"));
    CHECK(live_line(out, 140) ==
          "[5/24]  fast  quickbench on exfat  [#######.......................]   25 %  cell 3/36  random write 4 KB  "
          "20.0 MB  10.0 MB/s  45 s left");
}

TEST_CASE("the live line never reaches the last column or wraps at any width") {
    for (unsigned columns = 0; columns <= 160; ++columns) {
        CAPTURE(columns);
        auto view = in_a_run(ProgressStyle::live, columns, 60s);
        std::string out = view.show(progress(11s, {1'000'000}, {80'000'000}, 1, 36, "random write 4 KB"));
        out += view.show(progress(14s, {20'000'000}, {80'000'000}, 2, 36, "random write 4 KB"));
        Screen screen(columns + 1);
        screen.write(out);
        CHECK(screen.lines().size() == 1);
        CHECK(display_width(screen.lines().back()) <= (columns > 0 ? columns - 1 : 0));
    }
}

TEST_CASE("on a narrow terminal the live line omits the least important parts first") {
    const auto at_width = [](unsigned columns) {
        auto view = in_a_run(ProgressStyle::live, columns, 60s);
        (void)view.show(progress(10s, 0_B, {80'000'000}, 0, 36));
        return live_line(view.show(progress(12s, {20'000'000}, {80'000'000}, 2, 36, "random write 4 KB")), columns);
    };
    CHECK(at_width(110) ==
          "[5/24]  fast  quickbench on exfat  [##.......]   25 %  cell 3/36  random write 4 KB  10.0 MB/s  45 s left");
    CHECK(at_width(100) ==
          "[5/24]  fast  quickbench on exfat  [####..............]   25 %  cell 3/36  10.0 MB/s  45 s left");
    CHECK(at_width(80) == "[5/24]  fast  quickbench on exfat  [##........]   25 %  10.0 MB/s  45 s left");
    CHECK(at_width(74) == "[5/24]  fast  quickbench on exfat   25 %  10.0 MB/s  45 s left");
    CHECK(at_width(60) == "[5/24]  fast  quickbench on exfat   25 %  10.0 MB/s");
    CHECK(at_width(36) == "fast  quickbench on exfat   25 %");
    CHECK(at_width(20) == "quickbench on exfa…");
    CHECK(at_width(1).empty());
}

TEST_CASE("the bar keeps position and length while other parts change, and no cell count appears for a single cell") {
    for (const unsigned columns : {80U, 100U, 140U}) {
        CAPTURE(columns);
        auto view = in_a_run(ProgressStyle::live, columns, 60s);
        const auto bar_end = [&](const SessionEvent& event) {
            const std::string line = live_line(view.show(event), columns);
            CHECK_THAT(line, !ContainsSubstring("cell "));
            return line.find(']', line.find('%') - 10);
        };
        const std::size_t end = bar_end(progress(10s, 0_B, {80'000'000}, 0, 1));
        CHECK(end != std::string::npos);
        CHECK(bar_end(progress(11s, {1'000'000}, {80'000'000}, 0, 1)) == end);
        CHECK(bar_end(progress(12s, {20'000'000}, {80'000'000}, 0, 1)) == end);
        CHECK(bar_end(progress(13s, {79'000'000}, {80'000'000}, 0, 1)) == end);
    }
}

TEST_CASE("the rate is the average of the last three seconds") {
    auto view = in_a_run(ProgressStyle::live, 140);
    std::string out;
    for (int second = 0; second <= 10; ++second)
        out = view.show(
            progress(10s + std::chrono::seconds(second), Bytes{1'000'000} * static_cast<unsigned>(second), {}));
    CHECK_THAT(out, ContainsSubstring("1.0 MB/s"));
    for (int second = 1; second <= 3; ++second)
        out = view.show(progress(20s + std::chrono::seconds(second),
                                 Bytes{10'000'000} + Bytes{50'000'000} * static_cast<unsigned>(second), {}));
    CHECK_THAT(out, ContainsSubstring("  50.0 MB/s"));
}

TEST_CASE("restarted byte counts give no negative rate") {
    auto view = in_a_run(ProgressStyle::live, 140);
    (void)view.show(progress(11s, {90'000'000}, {}));
    CHECK_THAT(view.show(progress(12s, {10'000'000}, {})), !ContainsSubstring("MB/s"));
    CHECK_THAT(view.show(progress(13s, {20'000'000}, {})), ContainsSubstring("10.0 MB/s"));
}

TEST_CASE("cells that end by their time limit count as complete and the bar never moves back") {
    auto view = in_a_run(ProgressStyle::live, 140);
    CHECK_THAT(view.show(progress(11s, {1'000'000}, {100'000'000}, 18, 36)), ContainsSubstring(" 50 %"));
    CHECK_THAT(view.show(progress(12s, {2'000'000}, {100'000'000}, 0, 36)), ContainsSubstring(" 50 %"));
    CHECK_THAT(view.show(progress(13s, {99'999'999}, {100'000'000}, 35, 36)), ContainsSubstring(" 99 %"));
    CHECK_THAT(view.show(progress(14s, {300'000'000}, {100'000'000}, 36, 36)), ContainsSubstring("100 %  cell 36/36"));
}

TEST_CASE("the time left comes from the estimate until there are measurements") {
    auto view = in_a_run(ProgressStyle::live, 140, 100s);
    CHECK_THAT(view.show(progress(11s, {1'000'000}, {100'000'000})), ContainsSubstring("1 min 39 s left"));
    CHECK_THAT(view.show(progress(60s, {90'000'000}, {100'000'000})), ContainsSubstring("  6 s left"));
    auto unknown = in_a_run(ProgressStyle::live, 140, 0s);
    CHECK_THAT(unknown.show(progress(11s, {1'000'000}, {100'000'000})), !ContainsSubstring("left"));
    CHECK_THAT(unknown.show(progress(40s, {1'000'001}, {100'000'000})), !ContainsSubstring("left"));
}

TEST_CASE("the time left converges to the measured value within seconds without a jump") {
    const auto expected = GENERATE(5s, 60s, 900s);
    ProgressView view = in_a_run(ProgressStyle::live, 140, expected);
    constexpr auto truth = 120s;
    std::optional<std::chrono::seconds> before;
    for (auto spent = 250ms; spent < truth; spent += 250ms) {
        // The progress of a medium that pauses now and then is up to two seconds late.
        const auto counted = spent - spent % 2s;
        (void)view.show(progress(10s + spent, {static_cast<std::uint64_t>(counted.count())},
                                 {static_cast<std::uint64_t>(std::chrono::milliseconds(truth).count())}));
        const auto left = view.running(4)->left;
        CAPTURE(expected.count(), spent.count());
        if (spent > 30s) {
            REQUIRE(left);
            const double exactly = std::chrono::duration<double>(truth - spent).count();
            CHECK(std::abs(static_cast<double>(left->count()) - exactly) <= 2.5 + 0.1 * exactly);
        }
        if (before && left && spent > 4s) {
            const auto apart = static_cast<double>(std::abs(left->count() - before->count()));
            CHECK(apart <= 2 + 0.15 * static_cast<double>(before->count()));
        }
        before = left;
    }
}

TEST_CASE("progress of a step that is not running is not drawn") {
    auto view = in_a_run(ProgressStyle::live, 100);
    const SessionEvent stray{11s, campaign::StepProgress{.index = 9, .phase = "layout", .done = 1_MiB, .total = 2_MiB}};
    CHECK_THAT(view.show(stray), !ContainsSubstring("%"));
}

TEST_CASE("an interrupted session leaves a clean line for the error") {
    auto view = in_a_run(ProgressStyle::live, 80);
    Screen screen(80);
    screen.write(view.show(progress(11s, 1_MiB, 2_MiB)));
    screen.write(view.close() + "mediarig: the agent is gone\n");
    CHECK(screen.lines().front() == "mediarig: the agent is gone");
    CHECK(view.close().empty());
}

TEST_CASE("many steps skipped for one reason give one line") {
    ProgressView view(ProgressStyle::plain, 80);
    (void)view.show({0s, campaign::CampaignStarted{.campaign = "c1", .name = "", .steps = 9}});
    const auto skipped = [&](std::size_t index, const std::string& why) {
        plan::Step step{.key = "m0.r" + std::to_string(index + 1) + ".exfat.check"};
        return view.show({0s, StepEnded{.index = index, .step = step, .how = StepEnded::How::skipped, .detail = why}});
    };
    CHECK(skipped(0, "done before").empty());
    CHECK(skipped(1, "done before").empty());
    CHECK(skipped(2, "set aside") == "[1/9] check exfat and 1 more skipped: done before\n");
    CHECK(view.close() == "[3/9] check exfat, repeat 3 skipped: set aside\n");
}

TEST_CASE("a campaign that ends early prints its number of finished steps, not each open step") {
    ProgressView view(ProgressStyle::plain, 80);
    (void)view.show({0s, campaign::CampaignStarted{.campaign = "c1", .name = "", .steps = 9, .resumed = 2}});
    plan::Step step{.key = "m0.r1.exfat.check", .kind = plan::StepKind::check};
    step.format_name = "exfat";
    (void)view.show({0s, campaign::StepStarted{.index = 3, .step = step, .medium = "fast"}});
    CHECK(view.show({1s, StepEnded{.index = 3, .step = step, .how = StepEnded::How::done}}) ==
          "[4/9] fast: check exfat done in 1.0 s\n");
    for (std::size_t index = 4; index < 9; ++index)
        CHECK(view.show({1s, StepEnded{.index = index, .step = step, .how = StepEnded::How::not_begun}}).empty());
    CHECK(view.show({2s, campaign::CampaignEnded{.campaign = "c1", .state = store::CampaignState::interrupted}}) ==
          "campaign c1 interrupted after 2.0 s, 3 of 9 steps done\n");
}

TEST_CASE("a failure that many media share is printed in full only for the first medium") {
    ProgressView view(ProgressStyle::plain, 80);
    (void)view.show({0s, campaign::CampaignStarted{.campaign = "c1", .name = "", .steps = 9}});
    const auto failed = [&](std::size_t index, const std::string& medium, const std::string& why) {
        plan::Step step{.key = "m0.r1.exfat.check", .kind = plan::StepKind::check};
        step.format_name = "exfat";
        (void)view.show({0s, campaign::StepStarted{.index = index, .step = step, .medium = medium}});
        return view.show({0s, StepEnded{.index = index, .step = step, .how = StepEnded::How::failed, .detail = why}});
    };
    CHECK(failed(0, "card01", "no driver") == "[1/9] card01: check exfat FAILED after 0.0 s: no driver\n");
    CHECK(failed(1, "card01", "no driver") == "[2/9] card01: check exfat FAILED after 0.0 s: no driver\n");
    CHECK(failed(2, "card02", "no driver") == "[3/9] card02: check exfat FAILED after 0.0 s: as card01\n");
    CHECK(failed(3, "card03", "I/O error") == "[4/9] card03: check exfat FAILED after 0.0 s: I/O error\n");
}

TEST_CASE("the titles of steps distinguish repeats, raw suites, directories, and suites that a plan names twice") {
    ProgressView view(ProgressStyle::plain, 80);
    (void)view.show({0s, campaign::CampaignStarted{.campaign = "c1", .name = "", .steps = 9}});
    const auto started = [&](plan::StepKind kind, const char* format, const char* pass, std::uint32_t repeat) {
        plan::Step step{.kind = kind, .repeat = repeat};
        step.format_name = format;
        step.entry = plan::entry_of(pass);
        step.pass = pass;
        return view.show({0s, campaign::StepStarted{.index = 0, .step = step, .medium = "m"}});
    };
    using plan::StepKind;
    CHECK(started(StepKind::run, "raw", "m0.r1.raw.verify", 1) == "[1/9] m: verify raw …\n");
    CHECK(started(StepKind::run, "directory", "m0.r1.directory.verify", 1) == "[1/9] m: verify in a directory …\n");
    CHECK(started(StepKind::run, "exfat-2", "m0.r3.exfat-2.quickbench-2", 3) ==
          "[1/9] m: quickbench-2 on exfat-2, repeat 3 …\n");
    CHECK(started(StepKind::mount, "keep", "", 1) == "[1/9] m: mount the present volume …\n");
    CHECK(started(StepKind::check, "apfs", "", 2) == "[1/9] m: check apfs, repeat 2 …\n");
}

TEST_CASE("a medium's own text cannot control the terminal") {
    for (const ProgressStyle style : {ProgressStyle::plain, ProgressStyle::live}) {
        ProgressView view(style, 100);
        std::string out = view.show({0s, campaign::CampaignStarted{.campaign = "c1", .name = "\x1b[2J", .steps = 1}});
        out += view.show({0s, campaign::FindingReported{.medium = "a\rb", .finding = {.detail = "x\n\x1b]0;y\x07"}}});
        CHECK(out == "campaign c1 \"\uFFFD[2J\": 1 steps\na\uFFFDb: note: x\uFFFD\uFFFD]0;y\uFFFD\n");
        out = view.show({0s, campaign::StepStarted{.index = 0, .step = {}, .medium = "\x1b[2J\n"}});
        CHECK(out.find("\x1b[2J") == std::string::npos);
    }
}

TEST_CASE("a note is printed once per medium, and a warning every time") {
    ProgressView view(ProgressStyle::plain, 100);
    const auto seen = [&](const char* medium, measure::FindingKind kind, measure::Severity severity) {
        return view.show({0s, campaign::FindingReported{
                                  .medium = medium, .finding = {.kind = kind, .severity = severity, .detail = "x"}}});
    };
    using measure::FindingKind, measure::Severity;
    CHECK(seen("a", FindingKind::too_short, Severity::note) == "a: note: x\n");
    CHECK(seen("a", FindingKind::too_short, Severity::note).empty());
    CHECK(seen("b", FindingKind::too_short, Severity::note) == "b: note: x\n");
    CHECK(seen("a", FindingKind::driver_limit, Severity::note) == "a: note: x\n");
    CHECK(seen("a", FindingKind::slow_region, Severity::warning) == "a: warning: x\n");
    CHECK(seen("a", FindingKind::slow_region, Severity::warning) == "a: warning: x\n");
}

TEST_CASE("display_width() counts columns like a terminal, and cut_to() never splits a character") {
    CHECK(display_width("fast") == 4);
    CHECK(display_width("Prüfung") == 7);
    CHECK(display_width("記憶") == 4);
    CHECK(display_width("u\xCC\x88") == 1); // u and a combining diaeresis
    CHECK(display_width("\xFF\xC3") == 2);  // invalid UTF-8: one column per byte
    CHECK(cut_to("Prüfung", 7) == "Prüfung");
    CHECK(cut_to("Prüfung", 4) == "Prü…");
    CHECK(cut_to("記憶媒体", 6) == "記憶…");
    CHECK(cut_to("記憶媒体", 2) == "…");
    CHECK(cut_to("記憶", 0).empty());
}

TEST_CASE("each lane has its own line, and finished lines scroll above them") {
    ProgressView view(ProgressStyle::live, 80);
    Screen screen(80);
    const auto show = [&](campaign::EventBody body) { screen.write(view.show({1s, std::move(body)})); };
    const auto verify = [](std::size_t medium) {
        plan::Step step{.key = fmt::format("m{}.r1.raw.verify.run", medium), .kind = plan::StepKind::run};
        step.format_name = "raw";
        step.entry = "verify";
        step.pass = fmt::format("m{}.r1.raw.verify", medium);
        return step;
    };
    show(campaign::CampaignStarted{.campaign = "c1", .name = "", .steps = 9});
    show(campaign::StepStarted{.index = 3, .step = verify(0), .medium = "first", .expected = 0s});
    show(campaign::StepStarted{.index = 4, .step = verify(1), .medium = "second", .expected = 0s});
    show(campaign::StepProgress{.index = 3, .phase = "write", .done = 1_MiB, .total = 4_MiB, .cell = 0, .cells = 0});
    CHECK(screen.lines().size() == 3);
    CHECK(screen.lines()[1].find("first") != std::string::npos);
    CHECK(screen.lines()[1].find("25 %") != std::string::npos);
    CHECK(screen.lines()[2].find("second") != std::string::npos);
    show(campaign::StepEnded{.index = 3, .step = verify(0), .how = StepEnded::How::done, .detail = "good"});
    CHECK(screen.lines().size() == 3);
    CHECK(screen.lines()[1].find("first: verify raw done in 0.0 s: good") != std::string::npos);
    CHECK(screen.lines()[2].find("second") != std::string::npos);
    screen.write(view.close());
    CHECK(screen.lines().size() == 3);
    CHECK(screen.lines()[2].empty());
}
