// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/lines/pair_result_json.hpp"

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

json to_json(const PairResult& pair_result, const Comparison& of, const std::vector<std::string>& formats) {
    json out{{"decision", decision_of(pair_result.verdict)},
             {"blocks", pair_result.look.blocks},
             {"by", {}},
             {"lo", {}},
             {"hi", {}},
             {"text", text_of(pair_result, of, formats)}};
    if (decision_of(pair_result.verdict) == "cannot_tell") out["why"] = name_of(pair_result.verdict);
    if (pair_result.verdict == ComparisonVerdict::faster) out["format"] = formats[pair_result.faster_format()];
    if (pair_result.failures.first + pair_result.failures.second > 0)
        out["failed"] = {{formats[pair_result.first], pair_result.failures.first},
                         {formats[pair_result.second], pair_result.failures.second}};
    if (pair_result.look.blocks < fewest_blocks) return out;
    out["by"] = ratio(pair_result.look.counts().value);
    out["lo"] = ratio(pair_result.look.from());
    out["hi"] = ratio(pair_result.look.to());
    out["p"] = pair_result.adjusted;
    return out;
}

} // namespace mediarig::measure::comparison
