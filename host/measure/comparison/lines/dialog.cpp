// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/lines/dialog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/measure/comparison/lines/pair_result_json.hpp"
#include "host/measure/counterbalance.hpp"

namespace mediarig::measure::comparison {
namespace {

using nlohmann::json;
using DialogAnswer = std::optional<json>;

json to_json(const Comparison& comparison, const std::vector<std::string>& formats) {
    if (!comparison.ended()) return {{"decision", "continue"}};
    const std::vector<PairResult>& pair_results = comparison.pair_results();
    if (pair_results.size() == 1) return to_json(pair_results.front(), comparison, formats);
    json pairs = json::array(), group = json::array();
    for (const PairResult& each : pair_results) {
        json pair = to_json(each, comparison, formats);
        pair["formats"] = {formats[each.first], formats[each.second]};
        pairs.push_back(std::move(pair));
    }
    const auto fastest = comparison.fastest(0);
    for (const std::size_t format : fastest) group.push_back(formats[format]);
    json out{{"decision", fastest.size() == 1                 ? "faster"
                          : comparison.same_among(fastest, 0) ? "same"
                                                              : "cannot_tell"},
             {"fastest", std::move(group)},
             {"pairs", std::move(pairs)}};
    if (fastest.size() == 1) out["format"] = formats[fastest.front()];
    return out;
}

/// The passes in the order of the line, each format once.
Result<std::vector<Pass>> passes_of(const MeasuredBlock& block, const std::vector<std::string>& formats) {
    std::vector<Pass> passes;
    for (const MeasuredPass& each : block.passes) {
        const auto found = std::find(formats.begin(), formats.end(), each.format);
        if (found == formats.end())
            return fail(Errc::bad_request, fmt::format("\"{}\" is not one of the compared formats", each.format));
        const auto format = static_cast<std::size_t>(found - formats.begin());
        if (std::any_of(passes.begin(), passes.end(), [&](const Pass& pass) { return pass.format == format; }))
            return fail(Errc::bad_request,
                        fmt::format("\"{}\" occurs twice: a block has each format once", each.format));
        passes.push_back({.format = format, .figures = {each.rate}, .failed = each.failed});
    }
    if (passes.size() != formats.size())
        return fail(
            Errc::bad_request,
            fmt::format(
                "{} of {} formats are present: a block has each format once, with a rate of null if it has no rate",
                passes.size(), formats.size()));
    return passes;
}

} // namespace

Result<DialogAnswer> Dialog::answer(std::string_view line) {
    ++lines_;
    if (line.find_first_not_of(" \t\r\n") == std::string_view::npos) return DialogAnswer();
    asked_ = true;
    const auto message = read_message(line);
    auto answered = message ? std::visit([&](const auto& kind) { return answer_to(kind); }, *message)
                            : Result<DialogAnswer>(fail(message.error()));
    if (!answered) return fail(answered.error().code, fmt::format("line {}: {}", lines_, answered.error().detail));
    return answered;
}

Result<DialogAnswer> Dialog::answer_to(const Start& start) {
    const Design design{.formats = start.formats.size(), .terms = start.terms};
    trial_.emplace(Trial{start.formats, Comparison(design)});
    json orders = json::array();
    for (const auto& row : random_orders(start.formats.size(), *start.terms.budget, SplitMix(start.seed))) {
        json& order = orders.emplace_back(json::array());
        for (const std::size_t format : row) order.push_back(start.formats[format]);
    }
    return json{{"orders", std::move(orders)}};
}

Result<DialogAnswer> Dialog::answer_to(const MeasuredBlock& block) {
    if (!trial_)
        return fail(Errc::bad_request, "a block before the start: send \"start\" with the compared formats first");
    if (block.block != trial_->blocks + 1)
        return fail(Errc::bad_request,
                    fmt::format("block {} comes where block {} was expected", block.block, trial_->blocks + 1));
    const auto passes = passes_of(block, trial_->formats);
    if (!passes) return fail(passes.error());
    ++trial_->blocks;
    trial_->comparison.add(*passes);
    return to_json(trial_->comparison, trial_->formats);
}

Result<DialogAnswer> Dialog::answer_to(const End&) {
    if (!trial_)
        return fail(Errc::bad_request, "an end before the start: send \"start\" with the compared formats first");
    trial_.reset();
    return DialogAnswer();
}

} // namespace mediarig::measure::comparison
