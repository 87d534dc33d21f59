// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/capacity_finding.hpp"

#include "host/base/text.hpp"

namespace mediarig::workload {

using measure::FindingKind;
using measure::Findings;
using measure::Severity;

std::string_view text_of(FakeKind kind) {
    switch (kind) {
        case FakeKind::wrap:
            return "data written beyond that position overwrites data at lower positions";
        case FakeKind::drop:
            return "data written beyond that position is lost";
        case FakeKind::garbage:
            break;
    }
    return "reads beyond that position return data that was never written";
}

Findings capacity_findings(const VerifyOutcome& probed, const std::string& doubt) {
    Findings findings;
    if (probed.fake && probed.true_capacity) {
        const SizeTexts sizes = size_texts(probed.claimed, *probed.true_capacity);
        findings.push_back({.kind = FindingKind::capacity_missing,
                            .severity = Severity::fault,
                            .detail = "the medium is a fake: it claims " + sizes.first + " and holds " + sizes.second +
                                      ", and " + std::string(text_of(*probed.fake)),
                            .offset = *probed.true_capacity,
                            .length = probed.claimed - *probed.true_capacity,
                            .count = 1});
    }
    if (!probed.damaged.empty())
        findings.push_back(
            {.kind = FindingKind::data_damaged,
             .severity = Severity::fault,
             .detail = std::to_string(probed.damaged.size()) +
                       " of the checked places do not keep their data; verify the whole medium to find the others",
             .offset = probed.damaged.front().offset,
             .length = probed.damaged_bytes,
             .end = probed.damaged.back().offset + probed.damaged.back().length,
             .count = probed.damaged.size()});
    if (!doubt.empty())
        findings.push_back({.kind = FindingKind::capacity_unclear,
                            .severity = Severity::warning,
                            .detail = "the capacity could not be determined: " + doubt +
                                      "; try another reader, then verify the whole medium",
                            .offset = {},
                            .length = {},
                            .count = 1});
    return findings;
}

bool is_good_in_part(const VerifyOutcome& outcome) {
    // The metadata of a file system uses a little of the space that was free at the start of the test.
    constexpr double nearly_all = 0.999;
    const bool good = !outcome.fake && !outcome.true_capacity && outcome.damaged.empty() &&
                      outcome.verdict.value_or(CapacityVerdict::good) == CapacityVerdict::good;
    return good && !outcome.probe &&
           static_cast<double>(outcome.good.count) < nearly_all * static_cast<double>(outcome.claimed.count);
}

std::string part_text(const VerifyOutcome& outcome) {
    const SizeTexts sizes = size_texts(outcome.good, outcome.claimed);
    return "only " + sizes.first + " of " + sizes.second + " were checked, and a fake may have that capacity too";
}

std::string whole_text(const VerifyOutcome& outcome) {
    const std::string all = "all " + size_text(outcome.written);
    return outcome.power_cycled.empty() ? all + " were written and read back in one power cycle, no fault found"
                                        : all + " were written, and read back after a loss of power, no fault found";
}

std::string misleading_cache_text(const ProbeEffort& probe) {
    return "a cache of more than " + size_text(probe.assumed_cache) + " could have misled it";
}

std::string probe_text(const VerifyOutcome& outcome) {
    return "a probe found no sign of a fake in " + size_text(outcome.claimed) + ", and " +
           misleading_cache_text(*outcome.probe) + ": its capacity is not proven";
}

} // namespace mediarig::workload
