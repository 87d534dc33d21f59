// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/run/assess.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

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

/// Finding for a medium whose only test was the verification of a part of it. Without a span, all free space of a file
/// system is verified.
std::optional<measure::Finding> only_in_part(const store::DeviceView& device) {
    if (device.passes.empty()) return std::nullopt;
    const bool all = std::ranges::all_of(device.passes, [](const store::PassView& pass) {
        const auto* job = pass.pass.job.as<workload::VerifyJob>();
        return job != nullptr &&
               (plan::pass_target_from(pass.pass.format) == plan::PassTarget::raw || job->span > Bytes{}) && pass.end &&
               pass.end->verify && workload::is_good_in_part(*pass.end->verify);
    });
    return all ? std::optional(workload::only_in_part(*device.passes.front().end->verify)) : std::nullopt;
}

} // namespace

measure::Verdict assess(const store::DeviceView& device, const std::vector<measure::Limit>& limits) {
    std::vector<measure::MetricValues> measured;
    measure::Findings findings = device.findings;
    for (const store::PassView& pass : device.passes) {
        metrics::merge(measured, metrics::metrics_of(pass.pass.job.suite, pass.pass.format, pass.cells));
        std::ranges::move(causes_in(pass), std::back_inserter(findings));
    }
    if (limits.empty())
        if (const auto part = only_in_part(device)) findings.push_back(*part);
    const bool only_formatted = device.passes.empty() && !device.checks.empty() &&
                                std::ranges::all_of(device.checks, &media::CheckReport::clean);
    measure::Verdict verdict = measure::judge(limits, measured, findings, device.untested, only_formatted);
    verdict.headlines = metrics::headlines_of(measured);
    return verdict;
}

} // namespace mediarig::campaign
