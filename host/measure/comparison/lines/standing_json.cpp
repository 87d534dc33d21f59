// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/lines/standing_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/measure/comparison/sentence.hpp"

namespace mediarig::measure::comparison {
namespace {

using nlohmann::json;

/// Ratio of the first format to the second one, minus 1; null if it exceeds the range of a double.
json ratio(double logarithm) {
    const double parts = std::expm1(logarithm);
    return std::isfinite(parts) ? json(parts) : json();
}

} // namespace

std::string_view decision_of(ComparisonVerdict verdict) {
    switch (verdict) {
        case ComparisonVerdict::open:
            return "continue";
        case ComparisonVerdict::faster:
            return "faster";
        case ComparisonVerdict::same:
            return "same";
        default:
            return "cannot_tell";
    }
}

json to_json(const Standing& standing, const Comparison& of, const std::vector<std::string>& formats) {
    json out{{"decision", decision_of(standing.verdict)},
             {"blocks", standing.look.blocks},
             {"by", {}},
             {"lo", {}},
             {"hi", {}},
             {"text", text_of(standing, of, formats)}};
    if (decision_of(standing.verdict) == "cannot_tell") out["why"] = name_of(standing.verdict);
    if (standing.verdict == ComparisonVerdict::faster) out["format"] = formats[standing.faster_format()];
    if (standing.failures.first + standing.failures.second > 0)
        out["failed"] = {{formats[standing.first], standing.failures.first},
                         {formats[standing.second], standing.failures.second}};
    if (standing.look.blocks < fewest_blocks) return out;
    out["by"] = ratio(standing.look.counts().value);
    out["lo"] = ratio(standing.look.from());
    out["hi"] = ratio(standing.look.to());
    out["p"] = standing.adjusted;
    return out;
}

} // namespace mediarig::measure::comparison
