// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/metrics/inconsistent_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "host/measure/pass_levels.hpp"
#include "host/measure/plausibility.hpp"
#include "host/measure/statistics.hpp"
#include "host/workload/metrics/metrics.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::metrics {
namespace {

using measure::Finding, measure::FindingKind, measure::Severity;

/// The passes of one suite, format and payload in time order.
using Groups = std::map<std::tuple<std::string, std::string, workload::PayloadKind>, std::vector<const PassCells*>>;

std::string title_of(const Groups::key_type& key) {
    const std::string &suite = std::get<0>(key), &place = std::get<1>(key);
    const suites::Suite* const known = suites::find_suite(suite);
    return fmt::format("{} {}", known != nullptr ? known->title : std::string_view(suite), place);
}

/// Returns the levels of the passes from the cells that all passes have; empty without such a cell.
std::vector<double> levels_of(const std::vector<const PassCells*>& passes) {
    std::map<std::string, std::vector<double>> rates; // cell -> ln of its rate in each pass
    for (const PassCells* pass : passes)
        for (const workload::CellResult& cell : *pass->cells)
            if (counts(cell))
                rates[cell.cell.id].push_back(std::log(rate_of(cell.moved, cell.elapsed).bytes_per_second));
    std::vector<std::vector<double>> apart(passes.size());
    for (const auto& [id, values] : rates) {
        if (values.size() != passes.size()) continue;
        const double usual = *measure::median(values);
        for (std::size_t pass = 0; pass < passes.size(); ++pass) apart[pass].push_back(values[pass] - usual);
    }
    std::vector<double> levels;
    for (const auto& pass : apart) {
        if (pass.empty()) return {};
        levels.push_back(*measure::median(pass));
    }
    return levels;
}

/// The load of the host in words if it was busy during half of the cells of a pass; empty otherwise.
std::string busy_text(const std::vector<const PassCells*>& passes) {
    for (const PassCells* pass : passes) {
        std::string first;
        std::size_t all = 0, busy = 0;
        for (const workload::CellResult& cell : *pass->cells) {
            if (!counts(cell)) continue;
            ++all;
            const std::string text = cell.host_load ? busy_title(*cell.host_load) : std::string();
            if (text.empty()) continue;
            ++busy;
            if (first.empty()) first = text;
        }
        if (busy > 0 && busy * 2 >= all) return first;
    }
    return {};
}

/// The least difference, as a logarithm, that is attributed to the medium although the host was busy.
const double busy_least_difference = std::log1p(measure::busy_monotone_tolerance);

bool is_too_small(double difference, const std::string& busy) {
    return !busy.empty() && std::abs(difference) < busy_least_difference;
}

/// The causes of a difference: the busy host first, if it was busy.
std::string causes_text(const std::string& busy, std::string_view of_medium) {
    return busy.empty() ? std::string(of_medium)
                        : fmt::format("probably the busy host ({}), otherwise {}", busy, of_medium);
}

std::vector<double> logarithms_of(const std::vector<const PassCells*>& passes, const std::string& cell) {
    std::vector<double> rates;
    for (const PassCells* pass : passes)
        for (const workload::CellResult& one : *pass->cells)
            if (one.cell.id == cell && counts(one) && workload::writes(one.cell.access))
                rates.push_back(std::log(rate_of(one.moved, one.elapsed).bytes_per_second));
    return rates;
}

/// Returns how much faster zeros are written than random data, as a logarithm: the median over the cells that the
/// passes of both payloads have. Returns nothing if the ratio is small, or within the scatter of passes of one payload.
std::optional<double> gain_of_zeros(const std::vector<const PassCells*>& zeros,
                                    const std::vector<const PassCells*>& random) {
    std::vector<double> gains, scatters;
    for (const workload::CellResult& cell : *zeros.front()->cells) {
        const auto some = logarithms_of(zeros, cell.cell.id), others = logarithms_of(random, cell.cell.id);
        if (some.empty() || others.empty()) continue;
        gains.push_back(*measure::median(some) - *measure::median(others));
        const auto [least, most] = std::ranges::minmax(some);
        const auto [lowest, highest] = std::ranges::minmax(others);
        scatters.push_back(std::max(most - least, highest - lowest));
    }
    if (gains.empty()) return std::nullopt;
    const double gain = *measure::median(gains);
    if (gain < measure::least_level_change || gain < *measure::median(scatters)) return std::nullopt;
    return gain;
}

/// The largest finding of a kind, and the number of findings of that kind.
struct Largest {
    double size{};
    Finding finding;
    void take(double value, std::string detail) {
        ++finding.count;
        if (std::abs(value) <= size) return;
        size = std::abs(value);
        finding.detail = std::move(detail);
    }
};
Largest none_of(FindingKind kind, Severity severity) {
    return {.size = 0, .finding = {.kind = kind, .severity = severity, .detail = {}, .count = 0}};
}

double percent(double logarithm) {
    return 100 * std::expm1(logarithm);
}

} // namespace

measure::Findings inconsistent_passes(const std::vector<PassCells>& passes) {
    Groups groups;
    for (const PassCells& pass : passes)
        if (std::ranges::any_of(*pass.cells, counts)) groups[{pass.suite, pass.place, pass.payload}].push_back(&pass);

    Largest single = none_of(FindingKind::single_pass, Severity::note);
    Largest first = none_of(FindingKind::first_pass, Severity::warning);
    Largest drift = none_of(FindingKind::state_drift, Severity::warning);
    Largest compressed = none_of(FindingKind::compressible_data, Severity::note);
    for (const auto& [key, of_group] : groups) {
        const auto& [suite, place, payload] = key;
        const std::string busy = busy_text(of_group);
        if (payload == workload::PayloadKind::zeros)
            if (const auto random = groups.find({suite, place, workload::PayloadKind::incompressible});
                random != groups.end()) {
                const std::string of_both = busy.empty() ? busy_text(random->second) : busy;
                if (const auto gain = gain_of_zeros(of_group, random->second); gain && !is_too_small(*gain, of_both))
                    compressed.take(
                        *gain,
                        fmt::format("{}: zeros are written {:.0f} % faster than data that cannot be compressed; {}: "
                                    "compare figures of one payload only",
                                    title_of(key), percent(*gain),
                                    causes_text(of_both,
                                                "the medium or the file system compresses them or leaves them out")));
            }
        if (of_group.size() == 1) {
            single.take(
                1, title_of(key) +
                       " was measured once: how far its figures scatter is not known, and a pause of the medium cannot "
                       "be distinguished from a property of the format; measure it again, best by repeats in a plan");
            continue;
        }
        const std::vector<double> levels = levels_of(of_group);
        if (const auto found = measure::drift_of(levels); found && !is_too_small(found->change, busy)) {
            drift.take(found->change,
                       fmt::format("{}: the passes become {} one after the other, by {:.0f} % from the first to the "
                                   "last of {} (p {:.2g}); {}: bring it into the same state before each pass, or "
                                   "compare in both orders",
                                   title_of(key), found->change < 0 ? "slower" : "faster",
                                   std::abs(percent(found->change)), levels.size(), found->p,
                                   causes_text(busy, "the medium fills, wears or warms up")));
        } else if (const auto apart = measure::first_pass_apart(levels); apart && !is_too_small(*apart, busy)) {
            first.take(*apart, fmt::format("{}: the first of {} passes is {:.0f} % {} than the others; {}: leave it out, or "
                                           "make one pass before the first",
                                           title_of(key), levels.size(), std::abs(percent(*apart)),
                                           *apart < 0 ? "slower" : "faster",
                                           causes_text(busy, "it met another state of the medium")));
        }
    }
    measure::Findings found;
    for (Largest& largest : {std::ref(single), std::ref(first), std::ref(drift), std::ref(compressed)}) {
        Finding& finding = largest.finding;
        if (finding.count == 0) continue;
        if (finding.count > 1)
            finding.detail += fmt::format("; the same applies to {} suites and formats", finding.count);
        found.push_back(std::move(finding));
    }
    return found;
}

} // namespace mediarig::metrics
