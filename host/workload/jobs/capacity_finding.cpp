// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/capacity_finding.hpp"

#include <algorithm>
#include <utility>

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

measure::Finding writes_refused(bool accepted_before, std::optional<Bytes> offset) {
    return {.kind = FindingKind::write_refused,
            .severity = Severity::fault,
            .detail = accepted_before
                          ? "the medium has stopped accepting writes, also where it accepted them before: it "
                            "has turned read-only"
                          : "the medium refuses all writes: it is write-protected or has turned read-only",
            .offset = offset};
}

std::optional<Bytes> first_unwritten(const VerifyOutcome& probed) {
    const auto first = std::ranges::find(probed.places, PlaceState::unwritten, &CheckedPlace::state);
    return first == probed.places.end() ? std::nullopt : std::optional(first->offset);
}

namespace {

/// Returns the predicate of "3 of the checked places".
std::string_view damage_words(const VerifyOutcome& probed) {
    const auto all = [&](DamageKind kind) {
        return std::ranges::all_of(probed.damaged, [&](const DamagedRange& range) { return range.kind == kind; });
    };
    if (all(DamageKind::unwritten)) return "cannot be written";
    return all(DamageKind::unreadable) ? "cannot be read" : "do not keep their data";
}

/// Returns one finding about all damaged places of this kind; nothing if there is none.
std::optional<measure::Finding> transfers_failed(const VerifyOutcome& probed, DamageKind kind, std::string_view words) {
    measure::Finding finding{
        .kind = FindingKind::io_error, .severity = Severity::fault, .detail = {}, .offset = {}, .count = 0};
    for (const DamagedRange& range : probed.damaged) {
        if (range.kind != kind) continue;
        if (!finding.offset) finding.offset = range.offset;
        finding.length += range.length;
        finding.end = range.offset + range.length;
        ++finding.count;
    }
    if (finding.count == 0) return std::nullopt;
    finding.detail = std::string(words) + std::to_string(finding.count) + " of the checked places";
    return finding;
}

} // namespace

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
        findings.push_back({.kind = FindingKind::data_damaged,
                            .severity = Severity::fault,
                            .detail = std::to_string(probed.damaged.size()) + " of the checked places " +
                                      std::string(damage_words(probed)) +
                                      "; verify the whole medium to find the others",
                            .offset = probed.damaged.front().offset,
                            .length = probed.damaged_bytes,
                            .end = probed.damaged.back().offset + probed.damaged.back().length,
                            .count = probed.damaged.size()});
    for (const auto& [kind, words] :
         {std::pair{DamageKind::unwritten, "writes failed at "}, std::pair{DamageKind::unreadable, "reads failed at "}})
        if (auto failed = transfers_failed(probed, kind, words)) findings.push_back(std::move(*failed));
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

namespace {

bool are_nearly_all(Bytes part, Bytes claimed) {
    // The metadata of a file system uses a little of the space that was free at the start of the test.
    constexpr double nearly_all = 0.999;
    return static_cast<double>(part.count) >= nearly_all * static_cast<double>(claimed.count);
}

} // namespace

bool is_of_part(const VerifyOutcome& outcome) {
    Bytes tried = outcome.written;
    for (const DamagedRange& range : outcome.damaged)
        if (range.kind == DamageKind::unwritten) tried += range.length;
    return !outcome.probe && !are_nearly_all(tried, outcome.claimed);
}

bool is_good_in_part(const VerifyOutcome& outcome) {
    const bool good = !outcome.fake && !outcome.true_capacity && outcome.damaged.empty() &&
                      outcome.verdict.value_or(CapacityVerdict::good) == CapacityVerdict::good;
    return good && !outcome.probe && !are_nearly_all(outcome.good, outcome.claimed);
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
