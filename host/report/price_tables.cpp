// SPDX-License-Identifier: GPL-3.0-or-later
/// How prices are told: as tables, as JSON, as CSV.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/measure/counterbalance.hpp"
#include "host/report/caution.hpp"
#include "host/report/csv_row.hpp"
#include "host/report/display_text.hpp"
#include "host/report/prices.hpp"
#include "host/report/text.hpp"

namespace mediarig::report {
namespace {

using nlohmann::json;

std::string percent(double parts) {
    return fmt::format("{:.1f} %", parts * 100);
}

TableCell figure(const std::optional<double>& value, const PricedMetric& metric) {
    if (!value) return {"–", {}};
    return {fmt::format("{:.{}f}", *value, metric.metric.ends_with("mb_per_s") ? 2 : 0), {}};
}

TableRow row_of(const PricedMetric& metric) {
    const measure::Price& price = metric.price;
    return {.label = metric.title,
            .kind = RowKind::body,
            .cells = {{measure::text_of(price), {}},
                      figure(metric.baseline, metric),
                      figure(metric.with, metric),
                      {std::to_string(price.pairs), {}},
                      {price.smallest ? percent(*price.smallest) : "–", {}}}};
}

std::string cycles_not_whole(const DevicePrices& prices) {
    return fmt::format(", though not all of them in whole cycles of {} repeats",
                       measure::rows_of_full_cycle(prices.deviations.size() + 1));
}

/// How all prices of a medium are to be read.
std::string note_of(const DevicePrices& prices) {
    return fmt::format(
        "Pairs are repeats, {} asked for, in counterbalanced order{}. In brackets the 95 % interval of the one price. "
        "Judged together on this medium: {} {}; where nothing costs anything, at most one campaign in twenty calls any "
        "of them a cost or a gain. “Would find”: the smallest price that so many pairs, scattering so, find four times "
        "in five.",
        prices.repeats, prices.balanced ? "" : cycles_not_whole(prices), prices.comparisons,
        prices.comparisons == 1 ? "comparison" : "comparisons");
}

/// Of the two formats of one comparison alone.
std::string caution_for(const store::CampaignView& campaign, const DevicePrices& prices,
                        const PricedDeviation& deviation) {
    return caution_about(campaign, {{.device = prices.device, .format = prices.baseline, .title = {}},
                                    {.device = prices.device, .format = deviation.format, .title = {}}});
}

json json_or_null(const std::optional<double>& value) {
    return value ? json(*value) : json();
}

json to_json(const PricedMetric& metric) {
    const measure::Price& price = metric.price;
    json out{{"suite", metric.suite},
             {"metric", metric.metric},
             {"baseline", json_or_null(metric.baseline)},
             {"with", json_or_null(metric.with)},
             {"verdict", measure::name_of(price.verdict)},
             {"text", measure::text_of(price)},
             {"pairs", price.pairs},
             {"price", json_or_null(price.price)},
             {"interval", json()},
             {"chance", json_or_null(price.chance)},
             {"adjusted_chance", json_or_null(price.adjusted)},
             {"would_find", json_or_null(price.smallest)},
             {"by_place", json_or_null(price.by_place)}};
    if (price.interval) out["interval"] = {price.interval->from, price.interval->to};
    return out;
}

std::string nine_digits(const std::optional<double>& value) {
    return value ? fmt::format("{:.9g}", *value) : std::string();
}

} // namespace

std::vector<Table> price_tables_of(const store::CampaignView& campaign) {
    std::vector<Table> tables;
    for (const DevicePrices& prices : prices_of(campaign))
        for (const PricedDeviation& deviation : prices.deviations) {
            if (deviation.metrics.empty()) continue;
            Table table{
                .title = fmt::format("Price of {} ({}) against {}: {}", deviation.words, deviation.format,
                                     format_title(prices.baseline), campaign.devices[prices.device].device.name),
                .caution = caution_for(campaign, prices, deviation),
                .label_title = "",
                .notes = deviation.confounded,
                .blocks = {{"", prices.device, {"price"}},
                           {"", prices.device, {"baseline", "with it", "pairs", "would find"}}},
                .rows = {}};
            for (const PricedMetric& metric : deviation.metrics) table.rows.push_back(row_of(metric));
            if (&deviation == &prices.deviations.front()) table.notes.insert(table.notes.begin(), note_of(prices));
            tables.push_back(std::move(table));
        }
    return tables;
}

json to_json(const DevicePrices& prices) {
    json deviations = json::array();
    for (const PricedDeviation& deviation : prices.deviations) {
        json metrics = json::array();
        for (const PricedMetric& metric : deviation.metrics) metrics.push_back(to_json(metric));
        deviations.push_back({{"deviation", deviation.words},
                              {"format", deviation.format},
                              {"confounded", deviation.confounded},
                              {"metrics", std::move(metrics)}});
    }
    return {{"baseline", prices.baseline},
            {"repeats", prices.repeats},
            {"balanced", prices.balanced},
            {"comparisons", prices.comparisons},
            {"deviations", std::move(deviations)}};
}

std::string render_price_csv(const store::CampaignView& campaign) {
    static const std::vector<std::string> header{
        "campaign", "device",         "device_key", "baseline",        "deviation",  "format",  "suite",
        "metric",   "baseline_value", "value",      "verdict",         "price",      "from",    "to",
        "pairs",    "comparisons",    "chance",     "adjusted_chance", "would_find", "by_place"};
    std::string out = csv_row(header);
    for (const DevicePrices& prices : prices_of(campaign)) {
        const store::DeviceRecord& device = campaign.devices[prices.device].device;
        for (const PricedDeviation& deviation : prices.deviations)
            for (const PricedMetric& metric : deviation.metrics) {
                const measure::Price& price = metric.price;
                const std::string fields[] = {campaign.campaign.id,
                                              device.name,
                                              device.key,
                                              prices.baseline,
                                              deviation.words,
                                              deviation.format,
                                              metric.suite,
                                              metric.metric,
                                              nine_digits(metric.baseline),
                                              nine_digits(metric.with),
                                              std::string(measure::name_of(price.verdict)),
                                              nine_digits(price.price),
                                              price.interval ? nine_digits(price.interval->from) : "",
                                              price.interval ? nine_digits(price.interval->to) : "",
                                              std::to_string(price.pairs),
                                              std::to_string(price.comparisons),
                                              nine_digits(price.chance),
                                              nine_digits(price.adjusted),
                                              nine_digits(price.smallest),
                                              nine_digits(price.by_place)};
                out += csv_row(fields);
            }
    }
    return out;
}

} // namespace mediarig::report
