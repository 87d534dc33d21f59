// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes, their cells and their ends: the measured part of the record.
#include <fmt/format.h>
#include <soci/soci.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "host/json/json_text.hpp"
#include "host/measure/varint.hpp"
#include "host/store/packed.hpp"
#include "host/store/record_json.hpp"
#include "host/store/sqlite/rows.hpp"
#include "host/store/sqlite/schema.hpp"
#include "host/store/sqlite/sqlite_store.hpp"
#include "host/workload/json.hpp"
#include "host/workload/names.hpp"

namespace mediarig::store {

using soci::use;

namespace {

Column<long long> time_column(std::optional<std::chrono::nanoseconds> time) {
    return Column<long long>(time ? std::optional<long long>(time->count()) : std::nullopt);
}

/// Everything of a cell that has no BLOB of its own.
std::string result_json(const workload::CellResult& cell) {
    return codec::json_line(workload::facts_to_json(cell));
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
        const auto repeat = static_cast<long long>(pass.repeat);
        const auto position = static_cast<long long>(pass.position);
        const auto suite_version = static_cast<long long>(pass.job.suite_version);
        Column<std::string> driver(pass.mounted ? std::optional(pass.mounted->driver) : std::nullopt);
        const long long started = nanoseconds_of(pass.started);
        const std::string job = codec::json_line(workload::to_json(pass.job));
        auto discarded = json_column(pass.discarded);
        auto condition = json_column(pass.condition);
        auto formatted = json_column(pass.formatted);
        auto mounted = json_column(pass.mounted);
        // A pass that begins again has not ended; its finished cells stay, so that they need not be measured twice.
        sql << R"(INSERT INTO pass (campaign, device, key, format, repeat, position, suite, suite_version, driver,
                                    started_ns, complete, job_json, discarded_json, condition_json,
                                    formatted_json, mounted_json)
                  VALUES (:campaign, :device, :key, :format, :repeat, :position, :suite, :version, :driver, :started,
                          0, :job, :discarded, :condition, :formatted, :mounted)
                  ON CONFLICT (campaign, key) DO UPDATE SET
                      device = excluded.device, format = excluded.format, repeat = excluded.repeat,
                      position = excluded.position, suite = excluded.suite, suite_version = excluded.suite_version,
                      driver = excluded.driver, started_ns = excluded.started_ns, ended_ns = NULL,
                      complete = 0, job_json = excluded.job_json, discarded_json = excluded.discarded_json,
                      condition_json = excluded.condition_json,
                      formatted_json = excluded.formatted_json, mounted_json = excluded.mounted_json, verify_json = NULL)",
            use(campaign), use(*device), use(pass.id), use(pass.format), use(repeat), use(position),
            use(pass.job.suite), use(suite_version), use(driver.value, driver.state), use(started), use(job),
            use(discarded.value, discarded.state), use(condition.value, condition.state),
            use(formatted.value, formatted.state), use(mounted.value, mounted.state);
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

        const std::string access(workload::name_of(cell.cell.access));
        const long long block = column_of(cell.cell.block.count);
        const auto depth = static_cast<long long>(cell.cell.queue_depth);
        const long long bytes = column_of(cell.moved.count);
        const long long operations = column_of(cell.operations);
        const long long elapsed = cell.elapsed.count();
        const long long sync = cell.sync_time.count();
        const measure::Histogram& latency = cell.latency;
        const bool measured = !latency.empty();
        auto least = time_column(measured ? std::optional(latency.min()) : std::nullopt);
        auto mean = time_column(latency.mean());
        std::array<Column<long long>, measure::percentiles.size()> at;
        std::ranges::transform(measure::percentiles, at.begin(), [&](const measure::Percentile& each) {
            return time_column(latency.quantile(each.fraction));
        });
        auto most = time_column(measured ? std::optional(latency.max()) : std::nullopt);
        soci::blob histogram(sql);
        fill(histogram, pack(latency));
        soci::blob series(sql);
        fill(series, pack(cell.series));
        const std::string json = result_json(cell);
        static const std::string insert = fmt::format(
            R"(INSERT INTO cell (pass, key, access, block_bytes, queue_depth, bytes, ops, elapsed_ns, sync_ns, min_ns,
                                 mean_ns, {}, max_ns, latency, series, result_json)
                  VALUES (:pass, :key, :access, :block, :depth, :bytes, :ops, :elapsed, :sync, :min, :mean, {}, :max,
                          :latency, :series, :json)
                  ON CONFLICT (pass, key) DO UPDATE SET
                      access = excluded.access, block_bytes = excluded.block_bytes, queue_depth = excluded.queue_depth,
                      bytes = excluded.bytes, ops = excluded.ops, elapsed_ns = excluded.elapsed_ns,
                      sync_ns = excluded.sync_ns, min_ns = excluded.min_ns, mean_ns = excluded.mean_ns,
                      {}, max_ns = excluded.max_ns, latency = excluded.latency,
                      series = excluded.series, result_json = excluded.result_json)",
            for_percentiles("{}"), for_percentiles(":{}"), for_percentiles("{0} = excluded.{0}"));
        static_assert(measure::percentiles.size() == 4, "each percentile is used below");
        sql << insert, use(pass_row), use(cell.cell.id), use(access), use(block), use(depth), use(bytes),
            use(operations), use(elapsed), use(sync), use(least.value, least.state), use(mean.value, mean.state),
            use(at[0].value, at[0].state), use(at[1].value, at[1].state), use(at[2].value, at[2].state),
            use(at[3].value, at[3].state), use(most.value, most.state), use(histogram), use(series), use(json);

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
        auto verify = json_column(end.verify);
        sql << "UPDATE pass SET ended_ns = :ended, complete = 1, verify_json = :verify WHERE id = :id", use(ended),
            use(verify.value, verify.state), use(found->id);
        return {};
    });
}

} // namespace mediarig::store
