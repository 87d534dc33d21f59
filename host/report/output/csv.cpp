// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "host/base/json/json_text.hpp"
#include "host/report/cards/card.hpp"
#include "host/report/output/results_json.hpp"
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
std::string maybe(const std::optional<std::uint64_t>& count) {
    return count ? number(*count) : std::string();
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

/// Returns the grade of the device; nothing for a device without a verdict.
std::string verdict_of(const store::DeviceView& device) {
    return device.verdict ? std::string(measure::name_of(device.verdict->grade)) : std::string();
}

/// Returns a figure of the verify or probe of the pass; for other passes, of the test that the device's card shows.
/// Nothing without one.
template <class T>
std::string verified(const Place& place, T workload::VerifyOutcome::*figure) {
    const auto own = place.pass.end ? place.pass.end->verify : std::nullopt;
    const auto outcome = own ? own : capacity_of(place.device).outcome;
    return outcome ? maybe((*outcome).*figure) : std::string();
}
/// Returns a value of the host's load; nothing if it was not read.
template <class T>
std::string load_of(const Place& place, T workload::HostLoad::*value) {
    return place.cell.host_load ? maybe((*place.cell.host_load).*value) : std::string();
}

/// Returns each kind once: "io_error medium_lost".
std::string kinds_of(const measure::Findings& findings) {
    std::set<std::string_view> kinds;
    for (const measure::Finding& finding : findings) kinds.insert(measure::name_of(finding.kind));
    return fmt::format("{}", fmt::join(kinds, " "));
}

struct CsvColumn {
    std::string_view name;
    std::string (*field)(const Place&);
    bool of_device{}; ///< also printed for a device without cells
};

template <std::size_t index>
constexpr CsvColumn percentile() {
    return {measure::percentiles[index].column,
            [](const Place& p) { return maybe(p.cell.latency.quantile(measure::percentiles[index].fraction)); }};
}
static_assert(measure::percentiles.size() == 4, "each percentile is a column below");

constexpr CsvColumn csv_columns[] = {
    {"campaign", [](const Place& p) { return p.campaign.campaign.id; }, true},
    {"device", [](const Place& p) { return p.device.device.name; }, true},
    {"device_key", [](const Place& p) { return p.device.device.key; }, true},
    {"lot", [](const Place& p) { return p.device.device.lot; }, true},
    {"label", [](const Place& p) { return p.device.device.label; }, true},
    {"slot", [](const Place& p) { return p.device.device.slot; }, true},
    {"vendor", [](const Place& p) { return p.device.device.identity.vendor; }, true},
    {"model", [](const Place& p) { return p.device.device.identity.model; }, true},
    {"serial", [](const Place& p) { return p.device.device.identity.serial; }, true},
    {"size", [](const Place& p) { return number(p.device.device.identity.size.count); }, true},
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
    {"verdict", [](const Place& p) { return verdict_of(p.device); }, true},
    {"reason",
     [](const Place& p) {
         const auto& verdict = p.device.verdict;
         return verdict && !verdict->reasons.empty() ? verdict->reasons.front() : std::string();
     },
     true},
    {"claimed", [](const Place& p) { return verified(p, &workload::VerifyOutcome::claimed); }, true},
    {"written", [](const Place& p) { return verified(p, &workload::VerifyOutcome::written); }, true},
    {"good", [](const Place& p) { return verified(p, &workload::VerifyOutcome::good); }, true},
    {"damaged", [](const Place& p) { return verified(p, &workload::VerifyOutcome::damaged_bytes); }, true},
    {"true_capacity", [](const Place& p) { return verified(p, &workload::VerifyOutcome::true_capacity); }, true},
    {"device_findings", [](const Place& p) { return kinds_of(p.device.findings); }, true},
    {"findings", [](const Place& p) { return kinds_of(p.cell.findings); }},
    {"pass_findings", [](const Place& p) { return kinds_of(p.pass.findings); }},
    {"prepare_ns", [](const Place& p) { return number(p.cell.prepare_time.count()); }},
    {"processor_ns", [](const Place& p) { return maybe(p.cell.processor_time); }},
    {"load_over_ns", [](const Place& p) { return load_of(p, &workload::HostLoad::over); }},
    {"processor_waits_ns", [](const Place& p) { return load_of(p, &workload::HostLoad::processor_waits); }},
    {"memory_waits_ns", [](const Place& p) { return load_of(p, &workload::HostLoad::memory_waits); }},
    {"io_waits_ns", [](const Place& p) { return load_of(p, &workload::HostLoad::io_waits); }},
    {"stolen_ns", [](const Place& p) { return load_of(p, &workload::HostLoad::stolen); }},
    {"involuntary_switches", [](const Place& p) { return load_of(p, &workload::HostLoad::involuntary_switches); }},
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
    if (!cells.empty()) return;
    const store::PassView no_pass{};
    const CellResult no_cell{};
    const Place place{campaign, device, no_pass, no_cell};
    for (const CsvColumn& column : csv_columns) cells.push_back(column.of_device ? column.field(place) : std::string());
    out += csv_row(cells);
}

using nlohmann::json;

/// The rows of one list of the results.
class ListTable {
public:
    ListTable(std::string_view list, std::string campaign) : list_(list) { keys_[0] = std::move(campaign); }

    /// Adds an element with all lists in it. `list`: the name of the list that contains it.
    void add(const json& element, const std::string& list, const json::json_pointer& at) {
        lists_.insert(list);
        const auto outer = keys_;
        if (list == "devices") keys_[1] = text_of(element["name"]);
        if (list == "passes") keys_[2] = text_of(element["id"]);
        if (list == "cells") keys_[3] = text_of(element["cell"]["id"]);
        const bool plain = list == "campaign" || list == "devices" || list == "passes" || list == "cells";
        Row row{.wanted = list == list_,
                .prefix = plain ? "" : list + '.',
                .keys = keys_,
                .at = at.to_string(),
                .fields = {}};
        if (element.is_object())
            add_members(row, element, {}, at);
        else
            put(row, "value", element);
        if (row.wanted) rows_.push_back(std::move(row));
        keys_ = outer;
    }

    [[nodiscard]] Result<std::string> text() const {
        if (rows_.empty())
            return fail(Errc::bad_request, fmt::format("--table: this campaign has no list '{}'; use one of: {}", list_,
                                                       fmt::join(lists_, ", ")));
        std::string out(list_begins);
        out += csv_row(columns_);
        for (const Row& row : rows_) {
            std::vector<std::string> cells(row.keys.begin(), row.keys.end());
            cells.push_back(row.at);
            cells.resize(cells.size() + columns_.size());
            for (const auto& [column, field] : row.fields) cells[row.keys.size() + 1 + column] = field;
            out += csv_row(cells);
        }
        return out;
    }

private:
    using Keys = std::array<std::string, 4>; ///< campaign, device, pass and cell
    struct Row {
        bool wanted{};      ///< an element of the chosen list
        std::string prefix; ///< prefix of the names of the lists in the element
        Keys keys;
        std::string at;
        std::vector<std::pair<std::size_t, std::string>> fields; ///< index of the column, text
    };

    static std::string text_of(const json& value) {
        if (value.is_string()) return value.get<std::string>();
        return value.is_boolean() ? truth(value.get<bool>()) : codec::json_line(value);
    }
    void put(Row& row, const std::string& column, const json& value) {
        if (!row.wanted) return;
        const auto known = std::ranges::find(columns_, column);
        row.fields.emplace_back(static_cast<std::size_t>(known - columns_.begin()), text_of(value));
        if (known == columns_.end()) columns_.push_back(column);
    }
    void add_members(Row& row, const json& object, const std::string& within, const json::json_pointer& at) {
        for (const auto& [name, value] : object.items()) {
            const std::string path = within + name;
            const json::json_pointer place = at / name;
            const bool is_list = value.is_array() && !value.empty();
            if (value.is_object())
                add_members(row, value, path + '.', place);
            else if (is_list && (value.front().is_object() || name == "raw_log_ns"))
                for (std::size_t i = 0; i < value.size(); ++i) add(value[i], row.prefix + path, place / i);
            else if (is_list || (value.is_primitive() && !value.is_null()))
                put(row, path, value);
        }
    }

    std::string_view list_;
    Keys keys_;
    std::set<std::string> lists_;
    std::vector<std::string> columns_;
    std::vector<Row> rows_;
};

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

Result<std::string> render_list(store::CampaignView&& outline, const LoadDevice& load, std::string_view list) {
    ListTable table(list, outline.campaign.id);
    store::CampaignView one{.campaign = std::move(outline.campaign), .devices = {}};
    table.add(results_json(one)["campaign"], "campaign", json::json_pointer("/campaign"));
    for (std::size_t i = 0; i < outline.devices.size(); ++i) {
        if (auto loaded = load(outline.devices[i]); !loaded) return fail(loaded.error());
        one.devices = {std::move(outline.devices[i])};
        table.add(results_json(one)["devices"].front(), "devices", json::json_pointer("/devices") / i);
    }
    return table.text();
}

} // namespace mediarig::report
