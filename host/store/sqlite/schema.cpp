// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/schema.hpp"

#include <fmt/format.h>
#include <soci/soci.h>

#include <string>
#include <string_view>

#include "host/measure/histogram.hpp"

namespace mediarig::store {
namespace {

/// Plain columns contain the values for SQL queries; JSON columns (…_json) and BLOBs contain the complete record.
/// Format strings for create_schema().
constexpr const char* statements[] = {
    // AUTOINCREMENT: the number of a deleted campaign is not assigned again.
    R"(CREATE TABLE campaign (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        plan_json TEXT NOT NULL,
        mediarig_version TEXT NOT NULL,
        host_name TEXT NOT NULL,
        kernel TEXT NOT NULL,
        cpu TEXT NOT NULL,
        agent TEXT NOT NULL,
        resume_with TEXT NOT NULL,
        retest_of TEXT NOT NULL,
        started_ns INTEGER NOT NULL,
        ended_ns INTEGER,
        state TEXT NOT NULL))",
    // Append only: the last entry of a step is its state.
    R"(CREATE TABLE journal (
        id INTEGER PRIMARY KEY,
        campaign TEXT NOT NULL REFERENCES campaign (id),
        step TEXT NOT NULL,
        state TEXT NOT NULL,
        detail TEXT NOT NULL,
        at_ns INTEGER NOT NULL))",
    "CREATE INDEX journal_of_campaign ON journal (campaign)",
    R"(CREATE TABLE device (
        id INTEGER PRIMARY KEY,
        campaign TEXT NOT NULL REFERENCES campaign (id),
        key TEXT NOT NULL,
        name TEXT NOT NULL,
        lot TEXT NOT NULL,
        label TEXT NOT NULL,
        slot TEXT NOT NULL,
        model TEXT NOT NULL,
        serial TEXT NOT NULL,
        size_bytes INTEGER NOT NULL,
        grade TEXT,
        identity_json TEXT NOT NULL,
        found_json TEXT,
        verdict_json TEXT,
        UNIQUE (campaign, key)))",
    R"(CREATE TABLE pass (
        id INTEGER PRIMARY KEY,
        campaign TEXT NOT NULL REFERENCES campaign (id),
        device INTEGER NOT NULL REFERENCES device (id),
        key TEXT NOT NULL,
        format TEXT NOT NULL,
        repeat INTEGER NOT NULL,
        position INTEGER NOT NULL,
        suite TEXT NOT NULL,
        suite_version INTEGER NOT NULL,
        driver TEXT,
        started_ns INTEGER NOT NULL,
        ended_ns INTEGER,
        complete INTEGER NOT NULL,
        job_json TEXT NOT NULL,
        discarded_json TEXT,
        condition_json TEXT,
        formatted_json TEXT,
        mounted_json TEXT,
        verify_json TEXT,
        UNIQUE (campaign, key)))",
    "CREATE INDEX pass_of_device ON pass (device)",
    R"(CREATE TABLE cell (
        id INTEGER PRIMARY KEY,
        pass INTEGER NOT NULL REFERENCES pass (id),
        key TEXT NOT NULL,
        access TEXT NOT NULL,
        block_bytes INTEGER NOT NULL,
        queue_depth INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        ops INTEGER NOT NULL,
        elapsed_ns INTEGER NOT NULL,
        sync_ns INTEGER NOT NULL,
        min_ns INTEGER,
        mean_ns INTEGER,
        {percentiles},
        max_ns INTEGER,
        latency BLOB NOT NULL,
        series BLOB NOT NULL,
        result_json TEXT NOT NULL,
        UNIQUE (pass, key)))",
    R"(CREATE TABLE sample_chunk (
        cell INTEGER NOT NULL REFERENCES cell (id),
        first INTEGER NOT NULL,
        samples INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (cell, first)))",
    R"(CREATE TABLE finding (
        id INTEGER PRIMARY KEY,
        device INTEGER NOT NULL REFERENCES device (id),
        pass INTEGER REFERENCES pass (id),
        cell TEXT NOT NULL,
        kind TEXT NOT NULL,
        severity TEXT NOT NULL,
        times INTEGER NOT NULL,
        detail TEXT NOT NULL,
        finding_json TEXT NOT NULL))",
    "CREATE INDEX finding_of_device ON finding (device)",
    R"(CREATE TABLE fs_check (
        id INTEGER PRIMARY KEY,
        device INTEGER NOT NULL REFERENCES device (id),
        tool TEXT NOT NULL,
        clean INTEGER NOT NULL,
        check_json TEXT NOT NULL))",
    "CREATE INDEX fs_check_of_device ON fs_check (device)",
    // A detachment of the medium from its host, with the proven detachment level (docs/guide/rig.md).
    R"(CREATE TABLE detachment (
        id INTEGER PRIMARY KEY,
        device INTEGER NOT NULL REFERENCES device (id),
        level INTEGER NOT NULL,
        emulated INTEGER NOT NULL,
        detachment_json TEXT NOT NULL))",
    "CREATE INDEX detachment_of_device ON detachment (device)",
    R"(CREATE TABLE untested (
        id INTEGER PRIMARY KEY,
        device INTEGER NOT NULL REFERENCES device (id),
        key TEXT NOT NULL,
        why TEXT NOT NULL,
        UNIQUE (device, key, why)))",
    // The history of a device over all its campaigns, with computed rates, for queries with sqlite3.
    "CREATE INDEX device_by_key ON device (key)",
    R"(CREATE VIEW measurement AS
        SELECT campaign.id AS campaign, campaign.name AS campaign_name, device.key AS device, device.name AS device_name,
               device.lot AS lot, device.model AS model, pass.key AS pass, pass.format AS format, pass.repeat AS repeat,
               pass.position AS position, pass.suite AS suite, pass.driver AS driver, cell.key AS cell,
               cell.access AS access, cell.block_bytes AS block_bytes, cell.queue_depth AS queue_depth,
               cell.bytes AS bytes, cell.ops AS ops, cell.elapsed_ns AS elapsed_ns,
               CASE WHEN cell.elapsed_ns > 0 THEN cell.bytes * 1e9 / cell.elapsed_ns END AS bytes_per_s,
               CASE WHEN cell.elapsed_ns > 0 THEN cell.ops * 1e9 / cell.elapsed_ns END AS ops_per_s,
               {percentiles_of_cell},
               cell.max_ns AS max_ns
        FROM cell
        JOIN pass ON pass.id = cell.pass
        JOIN device ON device.id = pass.device
        JOIN campaign ON campaign.id = pass.campaign)",
    // The rig's ledger: jobs and events of the boards, with the numbering of docs/reference/rig-protocol.md.
    R"(CREATE TABLE rig_board (
        board TEXT PRIMARY KEY NOT NULL,
        epoch INTEGER NOT NULL,
        passed_over INTEGER NOT NULL))",
    R"(CREATE TABLE rig_job (
        board TEXT NOT NULL REFERENCES rig_board (board),
        job INTEGER NOT NULL,
        op TEXT NOT NULL,
        arguments_json TEXT NOT NULL,
        why TEXT NOT NULL,
        state TEXT NOT NULL,
        fault INTEGER NOT NULL,
        detail INTEGER NOT NULL,
        intended_ns INTEGER NOT NULL,
        resolved_ns INTEGER,
        PRIMARY KEY (board, job)))",
    R"(CREATE TABLE rig_event (
        board TEXT NOT NULL REFERENCES rig_board (board),
        epoch INTEGER NOT NULL,
        id INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        payload BLOB NOT NULL,
        kept_ns INTEGER NOT NULL,
        PRIMARY KEY (board, epoch, id)))",
    // Mating cycles of a reader after this time belong to a new socket.
    R"(CREATE TABLE socket_replaced (
        board TEXT NOT NULL REFERENCES rig_board (board),
        port INTEGER NOT NULL,
        at_ns INTEGER NOT NULL))",
    // Each format that was made, with the results of the formatter and the inspector; a format need not have passes.
    R"(CREATE TABLE made_format (
        id INTEGER PRIMARY KEY,
        campaign TEXT NOT NULL REFERENCES campaign (id),
        device INTEGER NOT NULL REFERENCES device (id),
        step TEXT NOT NULL,
        format TEXT NOT NULL,
        repeat INTEGER NOT NULL,
        tool TEXT NOT NULL,
        usable_bytes INTEGER NOT NULL,
        formatted_json TEXT NOT NULL,
        seen_json TEXT,
        UNIQUE (campaign, step)))",
    "CREATE INDEX made_format_of_device ON made_format (device)",
};

/// Applies `pattern`, a format string with one argument, to the column of each percentile; separates the results by
/// commas.
std::string for_percentiles(std::string_view pattern) {
    std::string columns;
    for (const measure::Percentile& each : measure::percentiles)
        columns += fmt::format("{}{}", columns.empty() ? "" : ", ", fmt::format(fmt::runtime(pattern), each.column));
    return columns;
}

} // namespace

SchemaState schema_state(soci::session& sql) {
    SchemaState state;
    sql << "PRAGMA application_id", soci::into(state.application);
    sql << "PRAGMA user_version", soci::into(state.version);
    sql << "SELECT count(*) FROM sqlite_master", soci::into(state.tables);
    return state;
}

void create_schema(soci::session& sql) {
    for (const char* statement : statements)
        sql << fmt::format(fmt::runtime(statement), fmt::arg("percentiles", for_percentiles("{} INTEGER")),
                           fmt::arg("percentiles_of_cell", for_percentiles("cell.{0} AS {0}")));
    // Pragmas take no placeholders. Both numbers are in the file's header and are part of the transaction.
    sql << fmt::format("PRAGMA application_id = {}", application_id);
    sql << fmt::format("PRAGMA user_version = {}", schema_version);
}

} // namespace mediarig::store
