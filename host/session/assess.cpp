// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/session/assess.hpp"

#include <algorithm>

#include "host/measure/finding.hpp"
#include "host/metrics/metrics.hpp"

namespace mediarig::session {
namespace {

void append(measure::Findings& to, const measure::Findings& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// Of one pass and its cells; errors of a medium that was gone are left to the finding that says so.
measure::Findings findings_of(const store::PassView& pass) {
    measure::Findings findings;
    for (const store::FindingRecord& record : pass.findings) findings.push_back(record.finding);
    for (const workload::CellResult& cell : pass.cells) append(findings, cell.findings);
    const bool lost = std::ranges::any_of(
        findings, [](const measure::Finding& finding) { return finding.kind == measure::FindingKind::medium_lost; });
    if (lost)
        std::erase_if(findings,
                      [](const measure::Finding& finding) { return measure::comes_with_a_loss(finding.kind); });
    return findings;
}

} // namespace

measure::Verdict assess(const store::DeviceView& device, const std::vector<measure::Limit>& limits) {
    std::vector<measure::Measured> measured;
    measure::Findings findings;
    for (const store::FindingRecord& record : device.findings) findings.push_back(record.finding);
    for (const store::PassView& pass : device.passes) {
        metrics::merge(measured, metrics::metrics_of(pass.pass.job.suite, pass.pass.format, pass.cells));
        append(findings, findings_of(pass));
    }
    measure::Verdict verdict = measure::judge(limits, measured, findings, device.untested);
    verdict.headlines = metrics::headlines_of(measured);
    return verdict;
}

} // namespace mediarig::session
