// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/sqlite_store.hpp"

#include <fmt/format.h>
#include <soci/soci.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "host/json/json_text.hpp"
#include "host/rig/detach/detachment_json.hpp"
#include "host/store/record.hpp"
#include "host/store/record_json.hpp"
#include "host/store/sqlite/row_io.hpp"
#include "host/store/sqlite/rows.hpp"
#include "host/workload/json.hpp"

namespace mediarig::store {

using soci::into;
using soci::use;

namespace {

/// Of a medium that an earlier attempt could not identify. Nothing was measured on it.
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
    return connection_->write("storing what was measured", writes);
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
        if (!stands_in(device))
            if (auto gone = remove_stand_in(sql, campaign, device.name); !gone) return gone;
        // What an earlier attempt could not test is tried again now, and says so again if it fails again.
        sql << "DELETE FROM untested WHERE device = (SELECT id FROM device WHERE campaign = :campaign AND key = :key)",
            use(campaign), use(device.key);
        return {};
    });
}

Result<void> SqliteStore::put_verdict(const std::string& campaign, const std::string& device,
                                      const measure::Verdict& verdict) {
    return connection_->write(fmt::format("storing the verdict on {}", device), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        const auto row = find_device(sql, campaign, device);
        if (!row) return fail(row.error());
        const std::string grade(measure::name_of(verdict.grade));
        const std::string json = codec::json_line(to_json(verdict));
        sql << "UPDATE device SET grade = :grade, verdict_json = :verdict WHERE id = :id", use(grade), use(json),
            use(*row);
        return {};
    });
}

Result<void> SqliteStore::add_finding(const std::string& campaign, const std::string& device,
                                      const FindingRecord& finding) {
    if (auto fits = readable(finding); !fits) return fits;
    return connection_->write(fmt::format("storing a finding on {}", device), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        const auto row = find_device(sql, campaign, device);
        if (!row) return fail(row.error());
        std::optional<RowId> pass;
        if (!finding.pass.empty()) {
            const auto found = find_pass(sql, campaign, finding.pass);
            if (!found) return fail(found.error());
            if (found->device != *row)
                return fail(Errc::bad_request,
                            fmt::format("pass '{}' is not one of device '{}'", finding.pass, device));
            pass = found->id;
        }
        Column<RowId> pass_row(pass);
        const std::string kind(measure::name_of(finding.finding.kind));
        const std::string severity(measure::name_of(finding.finding.severity));
        const long long times = column_of(finding.finding.count);
        const std::string json = codec::json_line(to_json(finding.finding));
        // A resumed attempt that comes to the same finding again has seen nothing new.
        sql << R"(INSERT INTO finding (device, pass, cell, kind, severity, times, detail, finding_json)
                  SELECT :device, :pass, :cell, :kind, :severity, :times, :detail, :json
                  WHERE NOT EXISTS (SELECT 1 FROM finding WHERE device = :device2 AND coalesce(pass, 0) = coalesce(:pass2, 0)
                                                          AND cell = :cell2 AND finding_json = :json2))",
            use(*row), use(pass_row.value, pass_row.state), use(finding.cell), use(kind), use(severity), use(times),
            use(finding.finding.detail), use(json), use(*row), use(pass_row.value, pass_row.state), use(finding.cell),
            use(json);
        return {};
    });
}

Result<void> SqliteStore::add_check(const std::string& campaign, const std::string& device,
                                    const media::CheckReport& check) {
    if (auto fits = readable(check); !fits) return fits;
    return connection_->write(fmt::format("storing a check of {}", device), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        const auto row = find_device(sql, campaign, device);
        if (!row) return fail(row.error());
        const int clean = check.clean ? 1 : 0;
        const std::string json = codec::json_line(media::to_json(check));
        sql << "INSERT INTO fs_check (device, tool, clean, check_json) VALUES (:device, :tool, :clean, :json)",
            use(*row), use(check.tool), use(clean), use(json);
        return {};
    });
}

Result<void> SqliteStore::add_detachment(const std::string& campaign, const std::string& device,
                                         const rig::Detachment& detachment) {
    return connection_->write(fmt::format("storing how {} was detached", device), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        const auto row = find_device(sql, campaign, device);
        if (!row) return fail(row.error());
        const int rung = static_cast<int>(number_of(detachment.reached()));
        const int emulated = detachment.emulated() ? 1 : 0;
        const std::string json = codec::json_line(rig::to_json(detachment));
        sql << R"(INSERT INTO detachment (device, rung, emulated, detachment_json)
                  VALUES (:device, :rung, :emulated, :json))",
            use(*row), use(rung), use(emulated), use(json);
        return {};
    });
}

Result<void> SqliteStore::put(const std::string& campaign, const MadeFormat& made) {
    if (auto fits = readable(made); !fits) return fits;
    return connection_->write(fmt::format("storing what {} made", made.step), [&]() -> Result<void> {
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

Result<void> SqliteStore::add_untested(const std::string& campaign, const std::string& device,
                                       const measure::Untested& untested) {
    return connection_->write(fmt::format("storing what could not be tested on {}", device), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        const auto row = find_device(sql, campaign, device);
        if (!row) return fail(row.error());
        sql << "INSERT INTO untested (device, key, why) VALUES (:device, :key, :why) ON CONFLICT DO NOTHING", use(*row),
            use(untested.key), use(untested.why);
        return {};
    });
}

} // namespace mediarig::store
