// SPDX-License-Identifier: GPL-3.0-or-later
/// The store: writes records to rows and reads them back.
#include "host/store/sqlite/sqlite_store.hpp"

#include <fmt/format.h>
#include <soci/soci.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "host/base/json/json_text.hpp"
#include "host/measure/encoding.hpp"
#include "host/rig/port/detachment_json.hpp"
#include "host/store/packed.hpp"
#include "host/store/record.hpp"
#include "host/store/record_json.hpp"
#include "host/store/sqlite/row_io.hpp"
#include "host/store/sqlite/rows.hpp"
#include "host/workload/json.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::store {

using soci::into;
using soci::use;

namespace {

/// Removes the placeholder record of a medium that an earlier attempt could not identify. It has no measurements.
Result<void> remove_stand_in(soci::session& sql, const std::string& campaign, const std::string& name) {
    RowId row{};
    std::string text;
    soci::statement devices =
        (sql.prepare << "SELECT id, identity_json FROM device WHERE campaign = :campaign AND name = :name AND "
                        "id NOT IN (SELECT device FROM pass)",
         use(campaign), use(name), into(row), into(text));
    std::vector<RowId> gone;
    devices.execute();
    while (devices.fetch()) {
        const auto identity = media::medium_from_json(codec::read_json(text));
        if (identity && identity->transport == media::Transport::unknown) gone.push_back(row);
    }
    for (const RowId id : gone)
        for (const char* table : {"untested", "detachment", "finding", "fs_check", "device"})
            sql << fmt::format("DELETE FROM {} WHERE {} = :id", table,
                               std::string_view(table) == "device" ? "id" : "device"),
                use(id);
    return {};
}

} // namespace

Result<void> SqliteStore::together(const std::function<Result<void>()>& writes) {
    return connection_->write("storing the measurements", writes);
}

Result<void> SqliteStore::begin(const CampaignRecord& campaign) {
    return connection_->write(fmt::format("storing campaign {}", campaign.id), [&]() -> Result<void> {
        const Origin& origin = campaign.origin;
        RowWriter(connection_->sql(), "campaign")
            .key("id", campaign.id)
            .set("name", campaign.name)
            .set("plan_json", campaign.plan)
            .set("mediarig_version", origin.mediarig_version)
            .set("host_name", origin.host_name)
            .set("kernel", origin.kernel)
            .set("cpu", origin.cpu)
            .set("agent", origin.agent)
            .set("resume_with", origin.resume_with)
            .set("retest_of", origin.retest_of)
            .set("started_ns", nanoseconds_of(campaign.started))
            .set("ended_ns", nanoseconds_of(campaign.ended))
            .set("state", std::string(name_of(campaign.state)))
            .put();
        return {};
    });
}

Result<void> SqliteStore::end(const std::string& campaign, CampaignState state, TimePoint at) {
    return connection_->write(fmt::format("storing the end of campaign {}", campaign), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        if (auto found = find_campaign(sql, campaign); !found) return found;
        const std::string name(name_of(state));
        const long long ended = nanoseconds_of(at);
        sql << "UPDATE campaign SET state = :state, ended_ns = :ended WHERE id = :id", use(name), use(ended),
            use(campaign);
        return {};
    });
}

Result<void> SqliteStore::journal(const std::string& campaign, const StepRecord& step) {
    return connection_->write(fmt::format("journalling step {}", step.key), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        if (auto found = find_campaign(sql, campaign); !found) return found;
        const std::string state(name_of(step.state));
        const long long at = nanoseconds_of(step.at);
        sql << "INSERT INTO journal (campaign, step, state, detail, at_ns) VALUES (:campaign, :step, :state, :detail, "
               ":at)",
            use(campaign), use(step.key), use(state), use(step.detail), use(at);
        return {};
    });
}

Result<void> SqliteStore::put(const std::string& campaign, const DeviceRecord& device) {
    if (auto fits = readable(device); !fits) return fits;
    return connection_->write(fmt::format("storing device {}", device.key), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        if (auto found = find_campaign(sql, campaign); !found) return found;
        const media::Medium& identity = device.identity;
        RowWriter(sql, "device")
            .key("campaign", campaign)
            .key("key", device.key)
            .set("name", device.name)
            .set("lot", device.lot)
            .set("label", device.label)
            .set("slot", device.slot)
            .set("model", identity.model)
            .set("serial", identity.serial)
            .set("size_bytes", column_of(identity.size.count))
            .set("identity_json", codec::json_line(media::to_json(identity)))
            .set_once("found_json", json_column(device.found))
            .clear("grade")
            .clear("verdict_json")
            .put();
        if (!is_placeholder(device))
            if (auto gone = remove_stand_in(sql, campaign, device.name); !gone) return gone;
        // The new attempt repeats the tests that an earlier attempt could not perform, and reports them again if they
        // fail again.
        sql << "DELETE FROM untested WHERE device = (SELECT id FROM device WHERE campaign = :campaign AND key = :key)",
            use(campaign), use(device.key);
        return {};
    });
}

namespace {

/// Adds each kind of entry to its table.
struct EntryWriter {
    soci::session& sql;
    const std::string& campaign;
    const std::string& device;
    RowId row; ///< row of the device

    Result<void> operator()(const measure::Finding& finding) const {
        std::optional<RowId> pass;
        if (!finding.pass.empty()) {
            const auto found = find_pass(sql, campaign, finding.pass);
            if (!found) return fail(found.error());
            if (found->device != row)
                return fail(Errc::bad_request,
                            fmt::format("pass '{}' is not one of device '{}'", finding.pass, device));
            pass = found->id;
        }
        NullableColumn<RowId> pass_row(pass);
        const std::string kind(measure::name_of(finding.kind));
        const std::string severity(measure::name_of(finding.severity));
        const long long times = column_of(finding.count);
        const std::string json = codec::json_line(measure::to_json(finding));
        // A resumed attempt may report the same finding again: store the finding only once.
        sql << R"(INSERT INTO finding (device, pass, cell, kind, severity, times, detail, finding_json)
                  SELECT :device, :pass, :cell, :kind, :severity, :times, :detail, :json
                  WHERE NOT EXISTS (SELECT 1 FROM finding WHERE device = :device2 AND finding_json = :json2))",
            use(row), use(pass_row.value, pass_row.state), use(finding.cell), use(kind), use(severity), use(times),
            use(finding.detail), use(json), use(row), use(json);
        return {};
    }
    Result<void> operator()(const media::CheckReport& check) const {
        const int clean = check.clean ? 1 : 0;
        const std::string json = codec::json_line(media::to_json(check));
        sql << "INSERT INTO fs_check (device, tool, clean, check_json) VALUES (:device, :tool, :clean, :json)",
            use(row), use(check.tool), use(clean), use(json);
        return {};
    }
    Result<void> operator()(const rig::Detachment& detachment) const {
        const int level = static_cast<int>(number_of(detachment.reached()));
        const int emulated = detachment.emulated() ? 1 : 0;
        const std::string json = codec::json_line(rig::to_json(detachment));
        sql << R"(INSERT INTO detachment (device, level, emulated, detachment_json)
                  VALUES (:device, :level, :emulated, :json))",
            use(row), use(level), use(emulated), use(json);
        return {};
    }
    Result<void> operator()(const measure::Untested& untested) const {
        sql << "INSERT INTO untested (device, key, why) VALUES (:device, :key, :why) ON CONFLICT DO NOTHING", use(row),
            use(untested.key), use(untested.why);
        return {};
    }
    Result<void> operator()(const measure::Verdict& verdict) const {
        const std::string grade(measure::name_of(verdict.grade));
        const std::string json = codec::json_line(to_json(verdict));
        sql << "UPDATE device SET grade = :grade, verdict_json = :verdict WHERE id = :id", use(grade), use(json),
            use(row);
        return {};
    }
};

} // namespace

Result<void> SqliteStore::add(const std::string& campaign, const std::string& device, const DeviceEntry& entry) {
    if (auto fits = readable(entry); !fits) return fits;
    return connection_->write(
        fmt::format("storing the record \"{}\" of {}", kind_of(entry), device), [&]() -> Result<void> {
            soci::session& sql = connection_->sql();
            const auto row = find_device(sql, campaign, device);
            if (!row) return fail(row.error());
            return std::visit(EntryWriter{.sql = sql, .campaign = campaign, .device = device, .row = *row}, entry);
        });
}

Result<void> SqliteStore::put(const std::string& campaign, const FormatRecord& made) {
    if (auto fits = readable(made); !fits) return fits;
    return connection_->write(fmt::format("storing the format made by {}", made.step), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        const auto device = find_device(sql, campaign, made.device);
        if (!device) return fail(device.error());
        RowWriter(sql, "made_format")
            .key("campaign", campaign)
            .key("step", made.step)
            .set("device", *device)
            .set("format", made.format)
            .set("repeat", made.repeat)
            .set("tool", made.formatted.tool)
            .set("usable_bytes", column_of(made.formatted.usable.count))
            .set("formatted_json", codec::json_line(media::to_json(made.formatted)))
            .set("seen_json", json_column(made.seen))
            .put();
        return {};
    });
}

namespace {

std::optional<long long> count_of(std::optional<std::chrono::nanoseconds> time) {
    return time ? std::optional<long long>(time->count()) : std::nullopt;
}

void store_samples(soci::session& sql, RowId cell, std::span<const std::uint32_t> samples) {
    long long first = 0;
    int count = 0;
    soci::blob data(sql);
    soci::statement insert =
        (sql.prepare << "INSERT INTO sample_chunk (cell, first, samples, data) VALUES (:c, :f, :n, :d)", use(cell),
         use(first), use(count), use(data));
    std::vector<std::uint8_t> bytes;
    while (!samples.empty()) {
        const auto chunk = samples.first(std::min(measure::samples_per_chunk, samples.size()));
        count = static_cast<int>(chunk.size());
        bytes.clear();
        measure::encode_varints(chunk, bytes);
        fill(data, bytes);
        insert.execute(true);
        first += count;
        samples = samples.subspan(chunk.size());
    }
}

} // namespace

Result<void> SqliteStore::put(const std::string& campaign, const PassRecord& pass) {
    if (auto fits = readable(pass); !fits) return fits;
    return connection_->write(fmt::format("storing pass {}", pass.id), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        const auto device = find_device(sql, campaign, pass.device);
        if (!device) return fail(device.error());
        // A pass that begins again has no end yet; its finished cells are kept, so that they are not measured again.
        RowWriter(sql, "pass")
            .key("campaign", campaign)
            .key("key", pass.id)
            .set("device", *device)
            .set("format", pass.format)
            .set("repeat", pass.repeat)
            .set("position", pass.position)
            .set("suite", pass.job.suite)
            .set("suite_version", pass.job.suite_version)
            .set("driver", pass.mounted ? std::optional(pass.mounted->driver) : std::nullopt)
            .set("started_ns", nanoseconds_of(pass.started))
            .clear("ended_ns")
            .set("complete", 0)
            .set("job_json", codec::json_line(workload::to_json(pass.job)))
            .set("discarded_json", json_column(pass.discarded))
            .set("condition_json", json_column(pass.condition))
            .set("formatted_json", json_column(pass.formatted))
            .set("mounted_json", json_column(pass.mounted))
            .clear("verify_json")
            .put();
        return {};
    });
}

Result<void> SqliteStore::put_cell(const std::string& campaign, const std::string& pass,
                                   const workload::CellResult& cell) {
    if (auto fits = readable(cell); !fits) return fits;
    return connection_->write(fmt::format("storing cell {} of pass {}", cell.cell.id, pass), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        const auto found = find_pass(sql, campaign, pass);
        if (!found) return fail(found.error());
        const RowId pass_row = found->id;
        const measure::Histogram& latency = cell.latency;
        const bool measured = !latency.empty();
        soci::blob histogram(sql);
        fill(histogram, pack(latency));
        soci::blob series(sql);
        fill(series, pack(cell.series));
        RowWriter writer(sql, "cell");
        writer.key("pass", pass_row)
            .key("key", cell.cell.id)
            .set("access", std::string(workload::name_of(cell.cell.access)))
            .set("block_bytes", column_of(cell.cell.block.count))
            .set("queue_depth", cell.cell.queue_depth)
            .set("bytes", column_of(cell.moved.count))
            .set("ops", column_of(cell.operations))
            .set("elapsed_ns", cell.elapsed.count())
            .set("sync_ns", cell.sync_time.count())
            .set("min_ns", count_of(measured ? std::optional(latency.min()) : std::nullopt))
            .set("mean_ns", count_of(latency.mean()));
        for (const measure::Percentile& each : measure::percentiles)
            writer.set(each.column, count_of(latency.quantile(each.fraction)));
        writer.set("max_ns", count_of(measured ? std::optional(latency.max()) : std::nullopt))
            .set("latency", histogram)
            .set("series", series)
            .set("result_json", codec::json_line(workload::facts_to_json(cell)))
            .put();

        RowId row = 0;
        sql << "SELECT id FROM cell WHERE pass = :pass AND key = :key", use(pass_row), use(cell.cell.id),
            soci::into(row);
        sql << "DELETE FROM sample_chunk WHERE cell = :cell", use(row);
        store_samples(sql, row, cell.raw_log);
        return {};
    });
}

Result<void> SqliteStore::put_end(const std::string& campaign, const std::string& pass, const PassEnd& end) {
    if (auto fits = readable(end); !fits) return fits;
    return connection_->write(fmt::format("storing the end of pass {}", pass), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        const auto found = find_pass(sql, campaign, pass);
        if (!found) return fail(found.error());
        const long long ended = nanoseconds_of(end.ended);
        NullableColumn<std::string> verify(json_column(end.verify));
        sql << "UPDATE pass SET ended_ns = :ended, complete = 1, verify_json = :verify WHERE id = :id", use(ended),
            use(verify.value, verify.state), use(found->id);
        return {};
    });
}

/// Conversion of rows to records. Each call reads one state of the store, even if other processes write to it.
namespace {

/// Error for an unreadable record; the cause is a manual change of the file or a disk error.
auto damaged(const std::string& what, const std::string& why) {
    return fail(Errc::store_failed, fmt::format("the store is damaged at {}: {}", what, why));
}

template <class From>
auto parsed(const std::string& what, const std::string& text, From from) -> decltype(from(nlohmann::json())) {
    const auto json = codec::read_json(text);
    if (json.is_discarded()) return damaged(what, "not JSON");
    auto record = from(json);
    if (!record) return damaged(what, record.error().detail);
    return record;
}

/// Like parsed(), for a column that may be NULL.
template <class T, class From>
Result<void> parse_into(std::optional<T>& out, const std::string& what, const NullableColumn<std::string>& text,
                        From from) {
    out.reset();
    if (!text.get()) return {};
    auto record = parsed(what, text.value, from);
    if (!record) return fail(std::move(record.error()));
    out = std::move(*record);
    return {};
}

template <class View>
struct CampaignRow {
    RowId row{};
    View view;
};
using LoadedDevice = CampaignRow<DeviceView>;
using LoadedPass = CampaignRow<PassView>;

/// Amount of data to read about a device: identity and verdict, or everything.
enum class Depth : std::uint8_t { outline, whole };

/// Reads all devices of a campaign, or only the device with this key.
Result<std::vector<LoadedDevice>> load_devices(soci::session& sql, const std::string& campaign, Depth depth,
                                               const std::optional<std::string>& key = std::nullopt) {
    std::vector<LoadedDevice> devices;
    LoadedDevice next;
    DeviceRecord record;
    std::string identity;
    NullableColumn<std::string> found, verdict;
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
    NullableColumn<long long> ended;
    std::string job;
    NullableColumn<std::string> discarded, condition, formatted, mounted, verify;
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

/// Columns for SQL queries that duplicate parts of a record.
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
        if (!columns.are_of(*cell)) return damaged(what, "its columns differ from its record");
        const auto histogram = unpack_histogram(bytes_of(latency));
        if (!histogram) return damaged(what, "its histogram cannot be read");
        auto seconds = unpack_series(bytes_of(series));
        if (!seconds) return damaged(what, "its series cannot be read");
        cell->latency = *histogram;
        cell->series = std::move(*seconds);
        cells.push_back(std::move(*cell));
    }
    return cells;
}

Result<void> load_made(soci::session& sql, LoadedDevice& device) {
    FormatRecord made;
    made.device = device.view.device.key;
    long long repeat = 0;
    std::string formatted;
    NullableColumn<std::string> seen;
    RowReader rows(sql);
    rows.column("step", made.step)
        .column("format", made.format)
        .column("repeat", repeat)
        .column("formatted_json", formatted)
        .column("seen_json", seen)
        .from("made_format WHERE device = :device ORDER BY id", device.row);
    while (rows.next()) {
        const std::string what = fmt::format("the format made by {}", made.step);
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
    std::string json;
    RowReader rows(sql);
    rows.column("finding_json", json).from("finding WHERE device = :device ORDER BY id", device.row);
    while (rows.next()) {
        auto finding = parsed(fmt::format("a finding on {}", device.view.device.key), json, measure::finding_from_json);
        if (!finding) return fail(std::move(finding.error()));
        const auto pass =
            std::ranges::find(passes, finding->pass, [](const LoadedPass& each) { return each.view.pass.id; });
        (pass == passes.end() ? device.view.findings : pass->view.findings).push_back(std::move(*finding));
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
        auto one = parsed(fmt::format("the detachment of {}", device.view.device.key), text, rig::detachment_from_json);
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
    NullableColumn<long long> ended;
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
        .column("retest_of", next.origin.retest_of)
        .column("started_ns", started)
        .column("ended_ns", ended)
        .column("state", state)
        .from(fmt::format("campaign WHERE {} ORDER BY number DESC", condition), id);
    while (rows.next()) {
        const auto known_state = from_name<CampaignState>(state);
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
        const auto known = from_name<StepState>(state);
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
            NullableColumn<std::string> grade;
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
                                   "a chunk of samples cannot be read");
                samples.insert(samples.end(), chunk->begin(), chunk->end());
            }
            return samples;
        });
}

} // namespace mediarig::store
