// SPDX-License-Identifier: GPL-3.0-or-later
/// Rows back into records. Each call sees one state of the store, whatever is written meanwhile.
#include <fmt/format.h>
#include <soci/soci.h>

#include <nlohmann/json.hpp>

#include "host/json/json_text.hpp"
#include "host/measure/varint.hpp"
#include "host/rig/detach/detachment_json.hpp"
#include "host/store/packed.hpp"
#include "host/store/record_json.hpp"
#include "host/store/sqlite/row_io.hpp"
#include "host/store/sqlite/rows.hpp"
#include "host/store/sqlite/sqlite_store.hpp"
#include "host/workload/json.hpp"

namespace mediarig::store {

using soci::use;

namespace {

/// A record that does not read back: somebody wrote into the file, or the disk did.
auto damaged(const std::string& what, const std::string& why) {
    return fail(Errc::store_failed, fmt::format("the store is damaged at {}: {}", what, why));
}

template <class From>
auto parsed(const std::string& what, const std::string& text, From from) -> decltype(from(nlohmann::json())) {
    const auto json = codec::read_json(text);
    if (json.is_discarded()) return damaged(what, "no JSON");
    auto record = from(json);
    if (!record) return damaged(what, record.error().detail);
    return record;
}

/// The same for a column that may be NULL.
template <class T, class From>
Result<void> parse_into(std::optional<T>& out, const std::string& what, const Column<std::string>& text, From from) {
    out.reset();
    if (!text.get()) return {};
    auto record = parsed(what, text.value, from);
    if (!record) return fail(std::move(record.error()));
    out = std::move(*record);
    return {};
}

template <class View>
struct Loaded {
    RowId row{};
    View view;
};
using LoadedDevice = Loaded<DeviceView>;
using LoadedPass = Loaded<PassView>;

/// How much is read of a device: what it says of itself and its verdict, or all of it.
enum class Depth : std::uint8_t { outline, whole };

/// All devices of a campaign, or the one of that key.
Result<std::vector<LoadedDevice>> load_devices(soci::session& sql, const std::string& campaign, Depth depth,
                                               const std::optional<std::string>& key = std::nullopt) {
    std::vector<LoadedDevice> devices;
    LoadedDevice next;
    DeviceRecord record;
    std::string identity;
    Column<std::string> found, verdict;
    const std::string wanted = key.value_or("");
    RowReader rows(sql);
    rows.column("device.id", next.row)
        .column("key", record.key)
        .column("device.name", record.name)
        .column("lot", record.lot)
        .column("label", record.label)
        .column("slot", record.slot)
        .column("identity_json", identity)
        .column(depth == Depth::whole ? "found_json" : "NULL", found)
        .column("verdict_json", verdict)
        .from(fmt::format("device JOIN campaign ON campaign.id = device.campaign "
                          "WHERE campaign = :campaign AND key {} :key ORDER BY {}",
                          key ? "=" : "<>", in_plan_order),
              campaign, wanted);
    while (rows.next()) {
        const std::string what = fmt::format("device {}", record.key);
        auto medium = parsed(what, identity, media::medium_from_json);
        if (!medium) return fail(std::move(medium.error()));
        record.identity = std::move(*medium);
        if (auto ok = parse_into(record.found, what, found, media::inspect_report_from_json); !ok)
            return fail(ok.error());
        if (auto ok = parse_into(next.view.verdict, what, verdict, measure::verdict_from_json); !ok)
            return fail(ok.error());
        next.view.device = record;
        devices.push_back(next);
    }
    return devices;
}

Result<std::vector<LoadedPass>> load_passes(soci::session& sql, const LoadedDevice& device) {
    std::vector<LoadedPass> passes;
    LoadedPass next;
    PassRecord& record = next.view.pass;
    record.device = device.view.device.key;
    long long repeat = 0, position = 0, started = 0;
    int complete = 0;
    Column<long long> ended;
    std::string job;
    Column<std::string> discarded, condition, formatted, mounted, verify;
    RowReader rows(sql);
    rows.column("id", next.row)
        .column("key", record.id)
        .column("format", record.format)
        .column("repeat", repeat)
        .column("position", position)
        .column("started_ns", started)
        .column("ended_ns", ended)
        .column("complete", complete)
        .column("job_json", job)
        .column("discarded_json", discarded)
        .column("condition_json", condition)
        .column("formatted_json", formatted)
        .column("mounted_json", mounted)
        .column("verify_json", verify)
        .from("pass WHERE device = :device ORDER BY position, id", device.row);
    while (rows.next()) {
        const std::string what = fmt::format("pass {}", record.id);
        record.repeat = static_cast<std::uint32_t>(repeat);
        record.position = static_cast<std::uint32_t>(position);
        record.started = time_at(started);
        auto spec = parsed(what, job, workload::job_from_json);
        if (!spec) return fail(std::move(spec.error()));
        record.job = std::move(*spec);
        if (auto ok = parse_into(record.discarded, what, discarded, media::discard_report_from_json); !ok)
            return fail(ok.error());
        if (auto ok = parse_into(record.condition, what, condition, condition_from_json); !ok) return fail(ok.error());
        if (auto ok = parse_into(record.formatted, what, formatted, media::format_report_from_json); !ok)
            return fail(ok.error());
        if (auto ok = parse_into(record.mounted, what, mounted, media::mount_report_from_json); !ok)
            return fail(ok.error());

        next.view.end.reset();
        if (complete != 0) {
            PassEnd end;
            end.ended = time_at(ended.get().value_or(0));
            if (auto ok = parse_into(end.verify, what, verify, workload::verify_outcome_from_json); !ok)
                return fail(ok.error());
            next.view.end = std::move(end);
        }
        passes.push_back(next);
    }
    return passes;
}

/// What the view of measurements shows beside a record.
struct CellColumns {
    long long block{}, depth{}, bytes{}, operations{}, elapsed{};

    [[nodiscard]] bool are_of(const workload::CellResult& cell) const {
        return block == column_of(cell.cell.block.count) && depth == static_cast<long long>(cell.cell.queue_depth) &&
               bytes == column_of(cell.moved.count) && operations == column_of(cell.operations) &&
               elapsed == cell.elapsed.count();
    }
};

Result<std::vector<workload::CellResult>> load_cells(soci::session& sql, const LoadedPass& pass) {
    std::vector<workload::CellResult> cells;
    std::string key, json;
    CellColumns columns;
    soci::blob latency(sql), series(sql);
    RowReader rows(sql);
    rows.column("key", key)
        .column("block_bytes", columns.block)
        .column("queue_depth", columns.depth)
        .column("bytes", columns.bytes)
        .column("ops", columns.operations)
        .column("elapsed_ns", columns.elapsed)
        .column("latency", latency)
        .column("series", series)
        .column("result_json", json)
        .from("cell WHERE pass = :pass ORDER BY id", pass.row);
    while (rows.next()) {
        const std::string what = fmt::format("cell {} of pass {}", key, pass.view.pass.id);
        auto cell = parsed(what, json, workload::cell_result_from_json);
        if (!cell) return fail(std::move(cell.error()));
        if (!columns.are_of(*cell)) return damaged(what, "its columns are not those of its record");
        const auto histogram = unpack_histogram(bytes_of(latency));
        if (!histogram) return damaged(what, "its histogram does not read back");
        auto seconds = unpack_series(bytes_of(series));
        if (!seconds) return damaged(what, "its series does not read back");
        cell->latency = *histogram;
        cell->series = std::move(*seconds);
        cells.push_back(std::move(*cell));
    }
    return cells;
}

Result<void> load_made(soci::session& sql, LoadedDevice& device) {
    MadeFormat made;
    made.device = device.view.device.key;
    long long repeat = 0;
    std::string formatted;
    Column<std::string> seen;
    RowReader rows(sql);
    rows.column("step", made.step)
        .column("format", made.format)
        .column("repeat", repeat)
        .column("formatted_json", formatted)
        .column("seen_json", seen)
        .from("made_format WHERE device = :device ORDER BY id", device.row);
    while (rows.next()) {
        const std::string what = fmt::format("what {} made", made.step);
        made.repeat = static_cast<std::uint32_t>(repeat);
        auto report = parsed(what, formatted, media::format_report_from_json);
        if (!report) return fail(std::move(report.error()));
        made.formatted = std::move(*report);
        if (auto ok = parse_into(made.seen, what, seen, media::inspect_report_from_json); !ok) return ok;
        device.view.made.push_back(made);
    }
    return {};
}

Result<void> load_findings(soci::session& sql, LoadedDevice& device, std::vector<LoadedPass>& passes) {
    Column<RowId> pass;
    std::string cell, json;
    RowReader rows(sql);
    rows.column("pass", pass)
        .column("cell", cell)
        .column("finding_json", json)
        .from("finding WHERE device = :device ORDER BY id", device.row);
    while (rows.next()) {
        auto finding = parsed(fmt::format("a finding on {}", device.view.device.key), json, measure::finding_from_json);
        if (!finding) return fail(std::move(finding.error()));
        if (!pass.get()) {
            device.view.findings.push_back({.pass = {}, .cell = cell, .finding = std::move(*finding)});
            continue;
        }
        for (LoadedPass& candidate : passes)
            if (candidate.row == pass.value)
                candidate.view.findings.push_back({.pass = candidate.view.pass.id, .cell = cell, .finding = *finding});
    }
    return {};
}

Result<void> load_checks_and_gaps(soci::session& sql, LoadedDevice& device) {
    std::string text;
    RowReader checks(sql);
    checks.column("check_json", text).from("fs_check WHERE device = :device ORDER BY id", device.row);
    while (checks.next()) {
        auto check = parsed(fmt::format("a check of {}", device.view.device.key), text, media::check_report_from_json);
        if (!check) return fail(std::move(check.error()));
        device.view.checks.push_back(std::move(*check));
    }
    RowReader detachments(sql);
    detachments.column("detachment_json", text).from("detachment WHERE device = :device ORDER BY id", device.row);
    while (detachments.next()) {
        auto one = parsed(fmt::format("how {} was detached", device.view.device.key), text, rig::detachment_from_json);
        if (!one) return fail(std::move(one.error()));
        device.view.detachments.push_back(std::move(*one));
    }
    measure::Untested gap;
    RowReader gaps(sql);
    gaps.column("key", gap.key).column("why", gap.why).from("untested WHERE device = :device ORDER BY id", device.row);
    while (gaps.next()) device.view.untested.push_back(gap);
    return {};
}

Result<void> load_rest(soci::session& sql, LoadedDevice& device) {
    auto passes = load_passes(sql, device);
    if (!passes) return fail(std::move(passes.error()));
    for (LoadedPass& pass : *passes) {
        auto cells = load_cells(sql, pass);
        if (!cells) return fail(std::move(cells.error()));
        pass.view.cells = std::move(*cells);
    }
    if (auto ok = load_made(sql, device); !ok) return ok;
    if (auto ok = load_findings(sql, device, *passes); !ok) return ok;
    if (auto ok = load_checks_and_gaps(sql, device); !ok) return ok;
    for (LoadedPass& pass : *passes) device.view.passes.push_back(std::move(pass.view));
    return {};
}

Result<std::vector<CampaignRecord>> load_campaigns(soci::session& sql, const std::string& condition,
                                                   const std::string& id) {
    std::vector<CampaignRecord> campaigns;
    CampaignRecord next;
    std::string state;
    long long started = 0;
    Column<long long> ended;
    RowReader rows(sql);
    rows.column("id", next.id)
        .column("name", next.name)
        .column("plan_json", next.plan)
        .column("mediarig_version", next.origin.mediarig_version)
        .column("host_name", next.origin.host_name)
        .column("kernel", next.origin.kernel)
        .column("cpu", next.origin.cpu)
        .column("agent", next.origin.agent)
        .column("resume_with", next.origin.resume_with)
        .column("started_ns", started)
        .column("ended_ns", ended)
        .column("state", state)
        .from(fmt::format("campaign WHERE {} ORDER BY number DESC", condition), id);
    while (rows.next()) {
        const auto known_state = campaign_state_from(state);
        if (!known_state) return damaged(fmt::format("campaign {}", next.id), known_state.error().detail);
        next.state = *known_state;
        next.started = time_at(started);
        next.ended = ended.get() ? std::optional(time_at(ended.value)) : std::nullopt;
        campaigns.push_back(next);
    }
    return campaigns;
}

Result<std::map<std::string, StepRecord>> load_steps(soci::session& sql, const std::string& campaign) {
    if (auto there = find_campaign(sql, campaign); !there) return fail(there.error());
    std::map<std::string, StepRecord> steps;
    StepRecord step;
    std::string state;
    long long at = 0;
    RowReader rows(sql);
    rows.column("step", step.key)
        .column("state", state)
        .column("detail", step.detail)
        .column("at_ns", at)
        .from("journal WHERE campaign = :campaign ORDER BY id", campaign);
    while (rows.next()) {
        const auto known = step_state_from(state);
        if (!known) return damaged(fmt::format("step {}", step.key), known.error().detail);
        step.state = *known;
        step.at = time_at(at);
        steps[step.key] = step;
    }
    return steps;
}

Result<CampaignView> load_campaign(Connection& connection, const std::string& campaign, Depth depth) {
    return connection.read_records(fmt::format("reading campaign {}", campaign), [&]() -> Result<CampaignView> {
        soci::session& sql = connection.sql();
        if (auto there = find_campaign(sql, campaign); !there) return fail(there.error());
        auto record = load_campaigns(sql, "id = :id", campaign);
        if (!record) return fail(std::move(record.error()));
        auto devices = load_devices(sql, campaign, depth);
        if (!devices) return fail(std::move(devices.error()));
        CampaignView view{.campaign = std::move(record->front()), .devices = {}};
        for (LoadedDevice& device : *devices) {
            if (depth == Depth::whole)
                if (auto ok = load_rest(sql, device); !ok) return fail(std::move(ok.error()));
            view.devices.push_back(std::move(device.view));
        }
        return view;
    });
}

} // namespace

Result<std::vector<CampaignRecord>> SqliteStore::campaigns() {
    return connection_->read_records("listing campaigns", [&]() -> Result<std::vector<CampaignRecord>> {
        return load_campaigns(connection_->sql(), "id <> :nothing", "");
    });
}

Result<CampaignView> SqliteStore::load(const std::string& campaign) {
    return load_campaign(*connection_, campaign, Depth::whole);
}

Result<CampaignView> SqliteStore::outline(const std::string& campaign) {
    return load_campaign(*connection_, campaign, Depth::outline);
}

Result<DeviceView> SqliteStore::load_device(const std::string& campaign, const std::string& device) {
    return connection_->read_records(fmt::format("reading device {}", device), [&]() -> Result<DeviceView> {
        soci::session& sql = connection_->sql();
        if (auto there = find_campaign(sql, campaign); !there) return fail(there.error());
        auto found = load_devices(sql, campaign, Depth::whole, device);
        if (!found) return fail(std::move(found.error()));
        if (found->empty())
            return fail(Errc::bad_request, fmt::format("campaign {} holds no device '{}'", campaign, device));
        if (auto ok = load_rest(sql, found->front()); !ok) return fail(std::move(ok.error()));
        return std::move(found->front().view);
    });
}

Result<std::vector<DeviceGrade>> SqliteStore::grades(const std::string& campaign) {
    return connection_->read_records(
        fmt::format("reading the grades of {}", campaign), [&]() -> Result<std::vector<DeviceGrade>> {
            soci::session& sql = connection_->sql();
            if (auto there = find_campaign(sql, campaign); !there) return fail(there.error());
            std::vector<DeviceGrade> grades;
            DeviceGrade next;
            Column<std::string> grade;
            RowReader rows(sql);
            rows.column("key", next.device)
                .column("device.name", next.name)
                .column("grade", grade)
                .from(fmt::format("device JOIN campaign ON campaign.id = device.campaign WHERE campaign = :campaign "
                                  "ORDER BY {}",
                                  in_plan_order),
                      campaign);
            while (rows.next()) {
                next.grade.reset();
                if (grade.get()) {
                    const auto known = measure::grade_from(grade.value);
                    if (!known) return damaged(fmt::format("device {}", next.device), known.error().detail);
                    next.grade = *known;
                }
                grades.push_back(next);
            }
            return grades;
        });
}

Result<std::map<std::string, StepRecord>> SqliteStore::steps(const std::string& campaign) {
    return connection_->read_records(fmt::format("reading the journal of {}", campaign),
                                     [&] { return load_steps(connection_->sql(), campaign); });
}

Result<std::vector<std::uint32_t>> SqliteStore::raw_log(const std::string& campaign, const std::string& pass,
                                                        const std::string& cell) {
    return connection_->read_records(
        fmt::format("reading the raw log of cell {} of pass {}", cell, pass),
        [&]() -> Result<std::vector<std::uint32_t>> {
            soci::session& sql = connection_->sql();
            if (auto there = find_campaign(sql, campaign); !there) return fail(there.error());
            const auto pass_row = find_pass(sql, campaign, pass);
            if (!pass_row) return fail(pass_row.error());
            RowId cell_row = 0;
            sql << "SELECT id FROM cell WHERE pass = :pass AND key = :key", use(pass_row->id), use(cell),
                soci::into(cell_row);
            if (!sql.got_data())
                return fail(Errc::bad_request,
                            fmt::format("pass '{}' of campaign '{}' holds no cell '{}'", pass, campaign, cell));

            std::vector<std::uint32_t> samples;
            long long first = 0;
            soci::blob data(sql);
            RowReader chunks(sql);
            chunks.column("first", first)
                .column("data", data)
                .from("sample_chunk WHERE cell = :cell ORDER BY first", cell_row);
            while (chunks.next()) {
                const auto chunk = measure::decode_varints(bytes_of(data));
                if (!chunk || column_of(samples.size()) != first)
                    return damaged(fmt::format("the raw log of cell {} of pass {}", cell, pass),
                                   "a chunk does not read back");
                samples.insert(samples.end(), chunk->begin(), chunk->end());
            }
            return samples;
        });
}

} // namespace mediarig::store
