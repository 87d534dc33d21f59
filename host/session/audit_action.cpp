// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes that were measured beside other media: what is recorded of that, and how some of them are repeated alone.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "common/fnv1a.hpp"
#include "host/session/step_actions.hpp"
#include "host/text.hpp"

namespace mediarig::session {
namespace {

/// What a medium's own scatter from pass to pass may be.
constexpr double audit_tolerance = 0.1;

Rate cell_rate(const workload::CellResult& cell) {
    return rate_of(cell.moved, cell.elapsed);
}

std::string rate_text(Rate rate) {
    return fmt::format("{:.1f} MB/s", rate.megabytes_per_second());
}

measure::Finding about_neighbours(measure::Severity severity, std::string detail) {
    return {.kind = measure::FindingKind::beside_others, .severity = severity, .detail = std::move(detail)};
}

/// Of 2^32 equally likely numbers, the same one whenever it is asked for.
std::uint32_t drawn_for(const std::string& campaign, const std::string& pass) {
    const std::uint32_t hash = fnv1a<std::uint32_t>(campaign + "\n" + pass);
    // Its lower bits follow the last character too closely.
    return (hash ^ hash >> 15) * 0x2c1b3c6d;
}

} // namespace

measure::Findings findings_of(const BesideOthers& beside, std::size_t cells) {
    measure::Findings findings;
    for (const auto& [neighbour, during] : beside) {
        std::string when = during.size() == cells
                               ? fmt::format("in all {} cells", cells)
                               : fmt::format("in {} of {} cells: {}", during.size(), cells, fmt::join(during, ", "));
        findings.push_back(about_neighbours(
            measure::Severity::note,
            fmt::format("{} was at work on the same uplink ({}) {}", neighbour.medium, neighbour.step, when)));
    }
    return findings;
}

bool StepActions::audit_is_due(const MediumState& medium) const {
    if (context_.plan.compare || context_.ports.uplinks.measure || context_.stopped() || medium.tested.passes.empty())
        return false;
    const store::PassView& pass = medium.tested.passes.back();
    const bool beside = std::ranges::any_of(pass.findings, [](const store::FindingRecord& record) {
        return record.finding.kind == measure::FindingKind::beside_others;
    });
    return beside && workload::disturbance_of(pass.pass.job) == workload::Disturbance::by_lack_of_bytes &&
           drawn_for(context_.campaign.id, pass.pass.id) < context_.ports.uplinks.audited * 4294967296.0;
}

StepActions::Done StepActions::audit(std::size_t index, const plan::Step& step, MediumState& medium) {
    const store::PassView& pass = medium.tested.passes.back();
    std::vector<workload::CellResult> alone;
    agent::RunHandlers handlers;
    handlers.on_progress = [&](const agent::RunProgress& progress) { tell_progress(index, progress, pass.pass.job); };
    handlers.on_cell = [&](const workload::CellResult& cell) { alone.push_back(cell); };
    const agent::RunTarget target = target_of(step, medium);
    const std::vector<workload::DoneCell> none;
    auto report = co_await context_.ports.agent.run(target, pass.pass.job, none, std::move(handlers));
    measure::Findings findings;
    if (!report) {
        if (report.error().code == Errc::cancelled) co_return Result<void>{};
        findings.push_back(
            about_neighbours(measure::Severity::note, "could not be repeated alone: " + report.error().detail));
    } else {
        findings.push_back(compared_with_alone(pass.cells, alone));
    }
    co_return co_await keep_findings(medium, pass.pass.id, findings);
}

measure::Finding compared_with_alone(const std::vector<workload::CellResult>& beside,
                                     const std::vector<workload::CellResult>& alone) {
    const workload::CellResult *worst = nullptr, *its_own = nullptr;
    double most = 0;
    std::size_t compared = 0;
    for (const workload::CellResult& one : beside)
        for (const workload::CellResult& other : alone) {
            if (one.cell.id != other.cell.id || one.elapsed.count() <= 0 || other.elapsed.count() <= 0) continue;
            ++compared;
            const double change = std::abs(cell_rate(one).bytes_per_second / cell_rate(other).bytes_per_second - 1);
            if (worst != nullptr && change <= most) continue;
            most = change;
            worst = &one;
            its_own = &other;
        }
    if (worst == nullptr) return about_neighbours(measure::Severity::note, "repeated alone: no cell can be compared");
    const std::string seen = fmt::format(
        "repeated alone: {} gives {} beside others and {} alone, which is the largest difference of {} "
        "cells",
        worst->cell.id, rate_text(cell_rate(*worst)), rate_text(cell_rate(*its_own)), compared);
    if (most <= audit_tolerance) return about_neighbours(measure::Severity::note, seen);
    return about_neighbours(measure::Severity::warning,
                            seen + "; use fewer lanes, or measure the uplink again with --measure-uplinks");
}

} // namespace mediarig::session
