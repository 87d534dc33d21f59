// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/session/assess.hpp"

#include "host/metrics/metrics.hpp"

namespace mediarig::session {
namespace {

void append(measure::Findings& to, const measure::Findings& more) {
    to.insert(to.end(), more.begin(), more.end());
}

} // namespace

measure::Verdict assess(const store::DeviceView& device, const std::vector<measure::Limit>& limits) {
    std::vector<measure::Measured> measured;
    measure::Findings findings;
    for (const store::FindingRecord& record : device.findings) findings.push_back(record.finding);
    for (const store::PassView& pass : device.passes) {
        metrics::merge(measured, metrics::metrics_of(pass.pass.job.suite, pass.pass.format, pass.cells));
        for (const store::FindingRecord& record : pass.findings) findings.push_back(record.finding);
        for (const workload::CellResult& cell : pass.cells) append(findings, cell.findings);
    }
    return measure::judge(limits, measured, findings, device.untested);
}

} // namespace mediarig::session
