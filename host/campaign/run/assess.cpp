// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/run/assess.hpp"

#include <algorithm>
#include <iterator>

#include "host/measure/finding.hpp"
#include "host/plan/names.hpp"
#include "host/workload/jobs/capacity_finding.hpp"
#include "host/workload/metrics/metrics.hpp"

namespace mediarig::campaign {
namespace {

/// Findings of one pass and its cells. If the medium was lost, the finding about the loss replaces the errors that
/// follow from it.
measure::Findings causes_in(const store::PassView& pass) {
    measure::Findings findings = store::findings_of(pass);
    const bool lost = std::ranges::any_of(
        findings, [](const measure::Finding& finding) { return finding.kind == measure::FindingKind::medium_lost; });
    if (lost)
        std::erase_if(findings,
                      [](const measure::Finding& finding) { return measure::accompanies_loss(finding.kind); });
    return findings;
}

/// Evidence of one pass that ended.
measure::TestEvidence evidence_of(const store::PassView& pass) {
    using measure::TestDepth;
    if (!pass.end || !pass.end->verify) return {.depth = pass.cells.empty() ? TestDepth::nothing : TestDepth::measured};
    const workload::VerifyOutcome& outcome = *pass.end->verify;
    if (outcome.probe) return {.depth = TestDepth::probed, .text = workload::probe_text(outcome)};
    // A job without a span verifies all free space of a file system. The free space decreases during the job, because
    // metadata use a part of it.
    const auto* job = pass.pass.job.as<workload::VerifyJob>();
    const bool bare = plan::pass_target_from(pass.pass.format) == plan::PassTarget::raw;
    const bool part = bare ? workload::is_good_in_part(outcome) : job != nullptr && job->span > Bytes{};
    if (part) return {.depth = TestDepth::sampled, .text = workload::part_text(outcome)};
    return {.depth = TestDepth::verified, .text = workload::whole_text(outcome)};
}

measure::TestEvidence evidence_of(const store::DeviceView& device) {
    measure::TestEvidence deepest;
    if (device.passes.empty() && !device.checks.empty() &&
        std::ranges::all_of(device.checks, &media::CheckReport::clean))
        deepest.depth = measure::TestDepth::formatted;
    for (const store::PassView& pass : device.passes) {
        measure::TestEvidence evidence = evidence_of(pass);
        if (evidence.depth >= deepest.depth) deepest = std::move(evidence);
    }
    return deepest;
}

} // namespace

measure::Verdict assess(const store::DeviceView& device, const std::vector<measure::Limit>& limits) {
    std::vector<measure::MetricValues> measured;
    measure::Findings findings = device.findings;
    for (const store::PassView& pass : device.passes) {
        metrics::merge(measured, metrics::metrics_of(pass.pass.job.suite, pass.pass.format, pass.cells));
        std::ranges::move(causes_in(pass), std::back_inserter(findings));
    }
    measure::Verdict verdict = measure::judge(limits, measured, findings, device.untested, evidence_of(device));
    verdict.headlines = metrics::headlines_of(measured);
    return verdict;
}

} // namespace mediarig::campaign
