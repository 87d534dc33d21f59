// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/demo_events.hpp"

namespace mediarig::cli {
namespace {

using namespace std::chrono_literals;
using campaign::SessionEvent;
using plan::StepKind;
using How = campaign::StepEnded::How;

plan::Step step_of(const std::string& key, StepKind kind) {
    plan::Step step{.key = key, .kind = kind};
    if (key.find(".exfat.") != std::string::npos) step.format_name = "exfat";
    if (kind == StepKind::run) {
        step.entry = "quickbench";
        step.pass = "m0.r1.exfat.quickbench";
    }
    return step;
}

} // namespace

std::vector<SessionEvent> demo_events() {
    std::vector<SessionEvent> events;
    const auto tell = [&](std::chrono::nanoseconds at, campaign::EventBody body) {
        events.push_back({at, std::move(body)});
    };
    const auto step = [&](std::size_t index, const plan::Step& what, std::chrono::nanoseconds from,
                          std::chrono::nanoseconds to, How how, const std::string& detail) {
        tell(from, campaign::StepStarted{.index = index, .step = what, .medium = "fast", .expected = 2s});
        tell(to, campaign::StepEnded{.index = index, .step = what, .how = how, .detail = detail});
    };
    const auto skipped = [&](std::size_t index, const plan::Step& what, std::chrono::nanoseconds at,
                             const std::string& why) {
        tell(at, campaign::StepEnded{.index = index, .step = what, .how = How::skipped, .detail = why});
    };

    tell(0s, campaign::CampaignStarted{.campaign = "0193-77", .name = "demo", .steps = 8, .resumed = 1});
    skipped(0, step_of("m0.identify", StepKind::identify), 0s, "done before the interruption");
    step(1, step_of("m0.claim", StepKind::claim), 10ms, 110ms, How::done, "/dev/loop7");
    step(2, step_of("m0.r1.exfat.format", StepKind::format), 200ms, 1500ms, How::done,
         "exFAT by exfatprogs 1.2.0, 0.5 GB usable");
    step(3, step_of("m0.r1.exfat.mount", StepKind::mount), 1500ms, 1700ms, How::done, "driver exfat, 0.5 GB free");

    const plan::Step run = step_of("m0.r1.exfat.quickbench.run", StepKind::run);
    tell(2s, campaign::StepStarted{.index = 4, .step = run, .medium = "fast", .expected = 45s});
    constexpr std::uint32_t cells = 36, steps_a_cell = 5;
    for (std::uint32_t i = 0; i <= cells * steps_a_cell; ++i) {
        const std::uint32_t cell = i / steps_a_cell;
        tell(2s + 228ms * i, campaign::StepProgress{.index = 4,
                                                    .phase = cell == 0 ? "layout" : "random write 4 KB",
                                                    .done = Bytes{1'500'000} * i,
                                                    .total = Bytes{1'500'000} * cells * steps_a_cell,
                                                    .cell = cell,
                                                    .cells = cells});
    }
    tell(43s, campaign::CellFinished{.medium = "fast",
                                     .step = run,
                                     .result = {.cell = {.id = "standard.random_write.4096",
                                                         .table = "standard",
                                                         .access = workload::Access::random_write,
                                                         .block = 4_KiB,
                                                         .volume = 2_MiB}}});
    tell(43s, campaign::FindingReported{.medium = "fast",
                                        .finding = {.kind = measure::FindingKind::rate_unstable,
                                                    .severity = measure::Severity::warning,
                                                    .detail = "the rate changed level during the cell",
                                                    .offset = 4_MiB,
                                                    .length = {},
                                                    .count = 2,
                                                    .pass = run.pass}});
    tell(43200ms, campaign::StepEnded{.index = 4, .step = run, .how = How::done, .detail = "36 cells"});

    step(5, step_of("m0.r1.exfat.unmount", StepKind::unmount), 43500ms, 44s, How::failed,
         "/run/mediarig/m0 is busy; close what uses it");
    skipped(6, step_of("m0.release", StepKind::release), 44s, "the medium is set aside");
    skipped(7, step_of("m0.verdict", StepKind::verdict), 44s, "the medium is set aside");
    tell(45s, campaign::VerdictReached{
                  .medium = "fast",
                  .verdict = {.grade = measure::Grade::fail,
                              .limits = {},
                              .reasons = {"io_error: write failed", "seq_write.1024KB.mb_per_s is 3.1, limit 12"},
                              .cause = measure::Finding{.kind = measure::FindingKind::io_error,
                                                        .severity = measure::Severity::fault,
                                                        .detail = "write failed: I/O error",
                                                        .count = 2}}});
    tell(45s, campaign::CampaignEnded{.campaign = "0193-77", .state = store::CampaignState::finished, .detail = ""});
    return events;
}

} // namespace mediarig::cli
