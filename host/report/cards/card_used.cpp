// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "host/measure/pass_levels.hpp"
#include "host/measure/statistics.hpp"
#include "host/media/history/earlier_use.hpp"
#include "host/report/cards/card.hpp"
#include "host/workload/metrics/metrics.hpp"

namespace mediarig::report {
namespace {

/// Median logarithm of the rates of the sequential writes in a pass.
std::optional<double> write_level(const store::PassView& pass) {
    std::vector<double> rates;
    for (const workload::CellResult& cell : pass.cells)
        if (metrics::counts(cell) && cell.cell.access == workload::Access::sequential_write)
            rates.push_back(std::log(rate_of(cell.moved, cell.elapsed).bytes_per_second));
    return measure::median(rates);
}

/// How much faster the first write to the medium was than the same writes later; only if the medium was not discarded
/// before them, because a discard brings flash back into the erased state.
std::optional<double> first_write_of(const store::DeviceView& device) {
    std::vector<double> levels;
    for (const store::PassView& pass : device.passes) {
        const store::PassRecord& first = device.passes.front().pass;
        if (pass.pass.discarded) return std::nullopt;
        if (pass.pass.job.suite != first.job.suite || pass.pass.format != first.format) continue;
        const auto level = write_level(pass);
        if (!level) return std::nullopt;
        levels.push_back(*level);
    }
    const auto apart = measure::first_pass_apart(levels);
    return apart && *apart > 0 ? apart : std::nullopt;
}

} // namespace

std::vector<std::string> used_lines(const store::DeviceView& device) {
    const media::EarlierUse use =
        media::earlier_use_of(device.device.identity, device.device.found, first_write_of(device));
    if (use.signs.empty()) return {};
    return {capitalised(media::verdict_text(use)) + "."};
}

} // namespace mediarig::report
