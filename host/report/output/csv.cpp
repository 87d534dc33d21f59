// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/csv.hpp"

#include <string_view>
#include <vector>

#include "host/report/text/display_text.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::report {
namespace {

using workload::CellResult;

struct Place {
    const store::CampaignView& campaign;
    const store::DeviceView& device;
    const store::PassView& pass;
    const CellResult& cell;
};

template <class T>
std::string number(T value) {
    return std::to_string(value);
}
std::string maybe(const std::optional<Bytes>& amount) {
    return amount ? number(amount->count) : std::string();
}
std::string maybe(const std::optional<std::chrono::nanoseconds>& time) {
    return time ? number(time->count()) : std::string();
}
std::string truth(bool value) {
    return value ? "1" : "0";
}

/// Returns the size of a sweep's test file; nothing for other kinds of jobs.
std::string span_of(const workload::JobSpec& job) {
    const auto* const sweep = job.as<workload::SweepJob>();
    return sweep != nullptr ? number(sweep->span.count) : std::string();
}

struct CsvColumn {
    std::string_view name;
    std::string (*field)(const Place&);
};

template <std::size_t index>
constexpr CsvColumn percentile() {
    return {measure::percentiles[index].column,
            [](const Place& p) { return maybe(p.cell.latency.quantile(measure::percentiles[index].fraction)); }};
}
static_assert(measure::percentiles.size() == 4, "each percentile is a column below");

constexpr CsvColumn csv_columns[] = {
    {"campaign", [](const Place& p) { return p.campaign.campaign.id; }},
    {"device", [](const Place& p) { return p.device.device.name; }},
    {"device_key", [](const Place& p) { return p.device.device.key; }},
    {"lot", [](const Place& p) { return p.device.device.lot; }},
    {"label", [](const Place& p) { return p.device.device.label; }},
    {"slot", [](const Place& p) { return p.device.device.slot; }},
    {"vendor", [](const Place& p) { return p.device.device.identity.vendor; }},
    {"model", [](const Place& p) { return p.device.device.identity.model; }},
    {"serial", [](const Place& p) { return p.device.device.identity.serial; }},
    {"size", [](const Place& p) { return number(p.device.device.identity.size.count); }},
    {"pass", [](const Place& p) { return p.pass.pass.id; }},
    {"format", [](const Place& p) { return p.pass.pass.format; }},
    {"repeat", [](const Place& p) { return number(p.pass.pass.repeat); }},
    {"position", [](const Place& p) { return number(p.pass.pass.position); }},
    {"driver", [](const Place& p) { return p.pass.pass.mounted ? p.pass.pass.mounted->driver : std::string(); }},
    {"driver_version",
     [](const Place& p) { return p.pass.pass.mounted ? p.pass.pass.mounted->driver_version : std::string(); }},
    {"suite", [](const Place& p) { return p.pass.pass.job.suite; }},
    {"suite_version", [](const Place& p) { return number(p.pass.pass.job.suite_version); }},
    {"cell", [](const Place& p) { return p.cell.cell.id; }},
    {"table", [](const Place& p) { return p.cell.cell.table; }},
    {"access", [](const Place& p) { return std::string(workload::name_of(p.cell.cell.access)); }},
    {"block", [](const Place& p) { return number(p.cell.cell.block.count); }},
    {"queue_depth", [](const Place& p) { return number(p.cell.cell.queue_depth); }},
    {"moved", [](const Place& p) { return number(p.cell.moved.count); }},
    {"operations", [](const Place& p) { return number(p.cell.operations); }},
    {"elapsed_ns", [](const Place& p) { return number(p.cell.elapsed.count()); }},
    {"sync_ns", [](const Place& p) { return number(p.cell.sync_time.count()); }},
    {"min_ns", [](const Place& p) { return p.cell.latency.empty() ? "" : number(p.cell.latency.min().count()); }},
    {"mean_ns", [](const Place& p) { return maybe(p.cell.latency.mean()); }},
    percentile<0>(),
    percentile<1>(),
    percentile<2>(),
    percentile<3>(),
    {"max_ns", [](const Place& p) { return p.cell.latency.empty() ? "" : number(p.cell.latency.max().count()); }},
    {"end", [](const Place& p) { return std::string(workload::name_of(p.cell.end)); }},
    {"engine", [](const Place& p) { return std::string(workload::name_of(p.cell.evidence.engine)); }},
    {"cache", [](const Place& p) { return std::string(workload::name_of(p.cell.evidence.used)); }},
    {"sync", [](const Place& p) { return std::string(workload::name_of(p.cell.evidence.sync)); }},
    {"page_cache_dropped", [](const Place& p) { return truth(p.cell.evidence.page_cache_dropped); }},
    {"write_cache_flushed", [](const Place& p) { return truth(p.cell.evidence.write_cache_flushed); }},
    {"device_read", [](const Place& p) { return maybe(p.cell.evidence.device_read); }},
    {"device_written", [](const Place& p) { return maybe(p.cell.evidence.device_written); }},
    {"quick", [](const Place& p) { return truth(p.pass.pass.job.quick); }},
    {"payload", [](const Place& p) { return std::string(workload::name_of(p.pass.pass.job.payload.kind)); }},
    {"span", [](const Place& p) { return span_of(p.pass.pass.job); }},
};

std::string head_row() {
    std::vector<std::string> cells;
    for (const CsvColumn& column : csv_columns) cells.emplace_back(column.name);
    return csv_row(cells);
}

void add_rows(std::string& out, const store::CampaignView& campaign, const store::DeviceView& device) {
    std::vector<std::string> cells;
    for (const store::PassView& pass : device.passes)
        for (const CellResult& cell : pass.cells) {
            const Place place{campaign, device, pass, cell};
            cells.clear();
            for (const CsvColumn& column : csv_columns) cells.push_back(column.field(place));
            out += csv_row(cells);
        }
}

} // namespace

std::string render_csv(const store::CampaignView& campaign) {
    std::string out = head_row();
    for (const store::DeviceView& device : campaign.devices) add_rows(out, campaign, device);
    return out;
}

Result<std::string> render_csv(store::CampaignView&& outline, const LoadDevice& load) {
    std::string out = head_row();
    for (store::DeviceView& device : outline.devices) {
        if (auto loaded = load(device); !loaded) return fail(loaded.error());
        add_rows(out, outline, device);
        forget(device);
    }
    return out;
}

} // namespace mediarig::report
