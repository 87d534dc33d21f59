// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares two ways to store the latencies of one cell: Store::put_cell, which stores all data of the cell, and one
/// row per latency with 10,000 rows per transaction. Both alternate, with the same library, disk and durability. Each
/// turn begins with a new file and ends when the file is closed, so that later writes count as well.
///
///   bench_store [--runs N] [--directory PATH]   one line of JSON on standard output
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "host/store/sqlite/open_store.hpp"

namespace {

using namespace mediarig;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t sample_count = 1'000'000;
constexpr std::size_t rows_a_transaction = 10'000;

struct Turn {
    double seconds{};
    std::uintmax_t bytes{};
};

[[noreturn]] void give_up(const std::string& why) {
    std::cerr << "bench_store: " << why << '\n';
    std::exit(3);
}

/// Latencies like those of random reads from a card: at least 100 us, most below 1 ms, a few of several ms.
std::vector<std::uint32_t> latencies() {
    std::mt19937_64 random(20241119);
    std::lognormal_distribution<double> microseconds(std::log(500.0), 0.6);
    std::vector<std::uint32_t> result(sample_count);
    for (std::uint32_t& ns : result)
        ns = static_cast<std::uint32_t>(std::clamp(microseconds(random), 100.0, 50'000.0) * 1000);
    return result;
}

workload::CellResult cell_of(const std::vector<std::uint32_t>& samples) {
    workload::CellResult cell;
    cell.cell = {.id = "iops.random_read.8192",
                 .table = "iops",
                 .access = workload::Access::random_read,
                 .block = 8_KiB,
                 .volume = 8_KiB * sample_count,
                 .time_limit = std::nullopt,
                 .queue_depth = 1};
    measure::HistogramRecorder latencies;
    for (const std::uint32_t ns : samples) {
        latencies.record(ns);
        cell.elapsed += std::chrono::nanoseconds(ns);
    }
    cell.latency = latencies.histogram();
    cell.moved = cell.cell.volume;
    cell.operations = samples.size();
    const auto seconds = static_cast<std::size_t>(cell.elapsed / std::chrono::seconds(1));
    cell.series.assign(seconds, {std::chrono::seconds(1), 14_MiB, 1800, std::chrono::milliseconds(9)});
    cell.evidence.alignment = 4_KiB;
    cell.raw_log = samples;
    return cell;
}

void remove_database(const fs::path& file) {
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(file.string() + suffix);
}

void must(const Result<void>& result) {
    if (!result) give_up(result.error().detail);
}

Turn store_chunks(const fs::path& file, const workload::CellResult& cell) {
    remove_database(file);
    auto store = store::open_store(file);
    if (!store) give_up(store.error().detail);
    store::DeviceRecord device{.key = "device"};
    device.identity.node = "/dev/sdx";
    store::PassRecord pass{.id = "pass", .device = "device", .format = "exfat"};
    pass.job.suite = "disktester";
    pass.job.kind = workload::SweepJob{.cells = {cell.cell}, .span = 256_MiB};
    must((*store)->begin({.id = "campaign"}));
    must((*store)->put("campaign", device));
    must((*store)->put("campaign", pass));

    const auto start = Clock::now();
    must((*store)->put_cell("campaign", "pass", cell));
    store->reset();
    return {std::chrono::duration<double>(Clock::now() - start).count(), fs::file_size(file)};
}

void run(sqlite3* database, const char* sql) {
    if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) give_up(sqlite3_errmsg(database));
}

Turn store_rows(const fs::path& file, const std::vector<std::uint32_t>& samples) {
    remove_database(file);
    sqlite3* database = nullptr;
    if (sqlite3_open(file.c_str(), &database) != SQLITE_OK) give_up("cannot open " + file.string());
    run(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    // With this primary key, rows permit the same as the store: the latencies of one cell are found in order, and a new
    // measurement replaces them. This is the fastest of the suitable tables.
    run(database,
        "CREATE TABLE sample (cell INTEGER NOT NULL, operation INTEGER NOT NULL, latency_ns INTEGER NOT NULL, "
        "PRIMARY KEY (cell, operation)) WITHOUT ROWID");
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(database, "INSERT INTO sample VALUES (1, ?, ?)", -1, &insert, nullptr);

    const auto start = Clock::now();
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (i % rows_a_transaction == 0) run(database, "BEGIN IMMEDIATE");
        sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(i));
        sqlite3_bind_int64(insert, 2, samples[i]);
        if (sqlite3_step(insert) != SQLITE_DONE) give_up(sqlite3_errmsg(database));
        sqlite3_reset(insert);
        if ((i + 1) % rows_a_transaction == 0) run(database, "COMMIT");
    }
    sqlite3_finalize(insert);
    if (sqlite3_close(database) != SQLITE_OK) give_up("cannot close " + file.string());
    return {std::chrono::duration<double>(Clock::now() - start).count(), fs::file_size(file)};
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Returns an interval of the median with at least 95 % confidence, without an assumption about the distribution. The
/// interval is the narrowest pair of order statistics with that coverage, or all values if there are fewer than six.
std::pair<double, double> interval_of_median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    // probability that exactly `k` values are below the median
    double outside = 0, chance = std::pow(0.5, static_cast<double>(n));
    std::size_t k = 0;
    for (; k < n / 2; ++k) {
        outside += 2 * chance;
        if (outside > 0.05) break;
        chance *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    }
    const std::size_t cut = k == 0 ? 0 : k - 1;
    return {values[cut], values[n - 1 - cut]};
}

} // namespace

int main(int argc, char** argv) {
    int runs = 11;
    fs::path parent = fs::temp_directory_path();
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i];
        if (option == "--runs")
            runs = std::max(1, std::atoi(argv[i + 1]));
        else if (option == "--directory")
            parent = argv[i + 1];
        else
            give_up("unknown option " + option);
    }
    std::string directory = (parent / "bench-store-XXXXXX").string();
    if (::mkdtemp(directory.data()) == nullptr) give_up("cannot make a directory in " + parent.string());

    const auto samples = latencies();
    const auto cell = cell_of(samples);
    const fs::path chunks_file = fs::path(directory) / "chunks.db", rows_file = fs::path(directory) / "rows.db";
    std::vector<double> ratios, chunk_rates, row_rates;
    Turn chunks, rows;
    for (int i = 0; i < runs; ++i) {
        // Both forms alternate, so that a disk that becomes slower affects both equally.
        if (i % 2 == 0) chunks = store_chunks(chunks_file, cell);
        rows = store_rows(rows_file, samples);
        if (i % 2 == 1) chunks = store_chunks(chunks_file, cell);
        ratios.push_back(rows.seconds / chunks.seconds);
        chunk_rates.push_back(sample_count / chunks.seconds);
        row_rates.push_back(sample_count / rows.seconds);
    }
    fs::remove_all(directory);

    const auto [low, high] = interval_of_median(ratios);
    fmt::print(
        R"({{"name":"store","ratio_rate":{:.1f},"ratio_low":{:.1f},"ratio_high":{:.1f},"bytes_per_sample":{:.3f},)"
        R"("row_bytes_per_sample":{:.1f},"samples_per_s":{:.0f},"rows_per_s":{:.0f},"runs":{}}})"
        "\n",
        median(ratios), low, high, static_cast<double>(chunks.bytes) / sample_count,
        static_cast<double>(rows.bytes) / sample_count, median(chunk_rates), median(row_rates), runs);
    return 0;
}
