// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes, their cells and their ends: the measured part of the record.
#include <fmt/format.h>
#include <soci/soci.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/json/json_text.hpp"
#include "host/measure/varint.hpp"
#include "host/store/packed.hpp"
#include "host/store/record_json.hpp"
#include "host/store/sqlite/row_io.hpp"
#include "host/store/sqlite/rows.hpp"
#include "host/store/sqlite/sqlite_store.hpp"
#include "host/workload/json.hpp"
#include "host/workload/names.hpp"

namespace mediarig::store {

using soci::use;

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
        // A pass that begins again has not ended; its finished cells stay, so that they need not be measured twice.
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
        Column<std::string> verify(json_column(end.verify));
        sql << "UPDATE pass SET ended_ns = :ended, complete = 1, verify_json = :verify WHERE id = :id", use(ended),
            use(verify.value, verify.state), use(found->id);
        return {};
    });
}

} // namespace mediarig::store
