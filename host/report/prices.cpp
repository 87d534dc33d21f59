// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/prices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "host/measure/counterbalance.hpp"
#include "host/measure/statistics.hpp"
#include "host/metrics/metrics.hpp"
#include "host/plan/names.hpp"
#include "host/plan/plan.hpp"
#include "host/plan/price_change.hpp"
#include "host/plan/steps.hpp"
#include "host/report/display_text.hpp"

namespace mediarig::report {
namespace {

/// What a cell is compared by: rates of what goes in order, operations of what does not.
std::string metric_of(const workload::CellSpec& cell) {
    using suites::Value;
    const bool counted = suites::shape_of(cell.table) == suites::Shape::operations;
    const Value value = !workload::random(cell.access) ? Value::mb_per_s : counted ? Value::ops_per_s : Value::iops;
    return metrics::name_of(metrics::metric_of(cell, value));
}

std::string title_of(const workload::CellSpec& cell) {
    return fmt::format("{} {}, {}", text_for(cell.access), block_title(cell.block),
                       workload::random(cell.access) ? "ops/s" : "MB/s");
}

/// One number, of every format in every repeat that measured it.
struct Series {
    std::string suite, metric, title;
    std::map<std::string, std::map<std::uint32_t, double>> by_format;
};

std::vector<Series> series_of(const store::DeviceView& device) {
    std::vector<Series> all;
    for (const store::PassView& view : device.passes) {
        const store::PassRecord& pass = view.pass;
        const auto measured = metrics::metrics_of(pass.job.suite, pass.format, view.cells);
        for (const workload::CellResult& result : view.cells) {
            const std::string metric = metric_of(result.cell);
            const auto found = std::find_if(measured.begin(), measured.end(),
                                            [&](const measure::Measured& each) { return each.metric == metric; });
            if (found == measured.end()) continue;
            auto series = std::find_if(all.begin(), all.end(), [&](const Series& each) {
                return each.suite == pass.job.suite && each.metric == metric;
            });
            if (series == all.end())
                series = all.insert(all.end(), {pass.job.suite, metric, title_of(result.cell), {}});
            series->by_format[pass.format].try_emplace(pass.repeat, found->values.front());
        }
    }
    return all;
}

/// Where each format stood in each repeat.
class Places {
public:
    explicit Places(const plan::Plan& plan) : orders_(plan::format_order(plan)) {}
    /// How many places behind the first format of the plan; nothing for a repeat that the plan does not have.
    [[nodiscard]] std::optional<double> behind_baseline(std::size_t format, std::uint32_t repeat) const {
        if (repeat == 0 || repeat > orders_.size()) return std::nullopt;
        const auto& order = orders_[repeat - 1];
        const auto at = [&](std::size_t wanted) {
            return static_cast<double>(std::find(order.begin(), order.end(), wanted) - order.begin());
        };
        return at(format) - at(0);
    }
    /// Whether these repeats are as many as whole cycles have, and each format stood at each place equally often.
    [[nodiscard]] bool whole_cycles(const std::vector<std::uint32_t>& repeats) const {
        const std::size_t formats = orders_.empty() ? 0 : orders_.front().size();
        if (repeats.empty() || repeats.size() % measure::rows_of_full_cycle(formats) != 0) return false;
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> at_place;
        for (const std::uint32_t repeat : repeats)
            for (std::size_t place = 0; place < formats; ++place) ++at_place[{orders_[repeat - 1][place], place}];
        return std::all_of(at_place.begin(), at_place.end(),
                           [&](const auto& entry) { return entry.second * formats == repeats.size(); });
    }

private:
    std::vector<std::vector<std::size_t>> orders_;
};

const media::FormatReport* made(const store::DeviceView& device, const std::string& format) {
    for (const store::PassView& pass : device.passes)
        if (pass.pass.format == format && pass.pass.formatted) return &*pass.pass.formatted;
    return nullptr;
}

std::string parameter(const media::FormatReport& report, std::string_view name) {
    for (const auto& [key, value] : report.parameters)
        if (key == name) return value;
    return "";
}

/// Where the first cluster is on the medium; nothing for formats that have no such place.
std::optional<std::uint64_t> heap_of(const media::FormatReport& report) {
    std::string text = parameter(report, "cluster_heap_offset");
    if (text.empty()) text = parameter(report, "data_offset");
    std::uint64_t offset = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), offset).ec != std::errc() || text.empty())
        return std::nullopt;
    return offset + (report.partition ? report.partition->start.count : 0);
}

/// "byte 2097152, a multiple of 2 MiB"
std::string place_words(std::uint64_t offset) {
    constexpr std::uint64_t largest = 1ULL << 30;
    std::uint64_t unit = 512;
    while (unit < largest && offset % (unit * 2) == 0) unit *= 2;
    return fmt::format("byte {}, a multiple of {}", offset, plan::size_words(unit));
}

/// Differs from format to format whatever is asked for.
bool names_one_volume(std::string_view name) {
    constexpr std::string_view parts[] = {"serial", "uuid",    "_id",      "label", "time",
                                          "date",   "created", "checksum", "crc"};
    return std::any_of(std::begin(parts), std::end(parts),
                       [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

std::vector<std::string> confounded_by(const store::DeviceView& device, const std::string& baseline,
                                       const std::string& deviation) {
    const auto *const base = made(device, baseline), *const other = made(device, deviation);
    if (base == nullptr || other == nullptr) return {};
    std::vector<std::string> lines;
    const auto from = heap_of(*base), to = heap_of(*other);
    if (from && to && *from != *to)
        lines.push_back(
            fmt::format("What was measured lay elsewhere on the medium: clusters begin at {}; those of the "
                        "baseline at {}.",
                        place_words(*to), place_words(*from)));
    else if (!from || !to)
        lines.emplace_back("Where on the medium the test file lay is up to the driver, and may differ.");
    std::string changed;
    for (const auto& [name, value] : other->parameters) {
        const std::string before = parameter(*base, name);
        if (before.empty() || before == value || names_one_volume(name)) continue;
        changed += fmt::format("{}{} {} → {}", changed.empty() ? "" : ", ", name, before, value);
    }
    if (!changed.empty()) lines.push_back("Read back, it differs in: " + changed + ".");
    if (base->tool != other->tool)
        lines.push_back(fmt::format("It was made by {}, the baseline by {}.", other->tool, base->tool));
    return lines;
}

DevicePrices prices_of(const store::DeviceView& device, const plan::Plan& plan) {
    const std::vector<std::string> names = plan::format_names(plan);
    const Places places(plan);
    DevicePrices out{.baseline = names.front(), .repeats = plan.repeats};
    bool any = false, all_balanced = true;
    const std::vector<Series> measured = series_of(device);
    std::vector<std::vector<measure::PricePair>> comparisons;
    for (std::size_t format = 1; format < names.size(); ++format) {
        PricedDeviation deviation{.words = plan.price->deviations[format - 1], .format = names[format]};
        for (const Series& series : measured) {
            const auto base = series.by_format.find(names.front()), with = series.by_format.find(names[format]);
            if (base == series.by_format.end() || with == series.by_format.end()) continue;
            std::vector<double> of_base, of_deviation;
            std::vector<std::uint32_t> repeats;
            std::vector<measure::PricePair>& pairs = comparisons.emplace_back();
            for (const auto& [repeat, value] : with->second) {
                const auto before = base->second.find(repeat);
                const auto behind = places.behind_baseline(format, repeat);
                if (before == base->second.end() || !behind) continue;
                pairs.push_back({.baseline = before->second, .deviation = value, .places = *behind});
                repeats.push_back(repeat);
                of_base.push_back(before->second);
                of_deviation.push_back(value);
            }
            any = true;
            all_balanced = all_balanced && places.whole_cycles(repeats);
            deviation.metrics.push_back({.suite = series.suite,
                                         .metric = series.metric,
                                         .title = series.title,
                                         .baseline = measure::geometric_mean(of_base),
                                         .with = measure::geometric_mean(of_deviation),
                                         .price = {}});
        }
        deviation.confounded = confounded_by(device, names.front(), names[format]);
        out.deviations.push_back(std::move(deviation));
    }
    out.balanced = any && all_balanced;
    const auto prices = measure::prices_of(comparisons);
    std::size_t next = 0;
    for (PricedDeviation& deviation : out.deviations)
        for (PricedMetric& metric : deviation.metrics) metric.price = prices[next++];
    out.comparisons = prices.empty() ? 0 : prices.front().comparisons;
    return out;
}

} // namespace

std::vector<DevicePrices> prices_of(const store::CampaignView& campaign) {
    // Every other plan is spared the parser.
    if (campaign.campaign.plan.find("\"price\"") == std::string::npos) return {};
    const auto plan = plan::parse_plan(campaign.campaign.plan);
    if (!plan || !plan->price) return {};
    std::vector<DevicePrices> all;
    for (std::size_t device = 0; device < campaign.devices.size(); ++device) {
        all.push_back(prices_of(campaign.devices[device], *plan));
        all.back().device = device;
    }
    return all;
}

} // namespace mediarig::report
