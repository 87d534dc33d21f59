// SPDX-License-Identifier: GPL-3.0-or-later
/// Recomputes what the published tables print from the tables' own rows.
#include <cmath>

#include "host/measure/plausibility.hpp"
#include "host/measure/scores.hpp"
#include "host/measure/statistics.hpp"
#include "tests/catch.hpp"
#include "tests/measure/published_tables.hpp"

using namespace mediarig;
using namespace mediarig::measure;
using mediarig::tests::published;
using mediarig::tests::Row;

namespace {

const char* const operations[] = {"seq_read", "seq_write", "random_read", "random_write"};

/// The nine rows 4 … 1024 KB of one column.
std::vector<SweepPoint> column(const std::string& card, const std::string& format, const std::string& operation) {
    std::vector<SweepPoint> points;
    for (const Row& row : published("quickbench.csv")) {
        if (row.text("card") != card || row.text("format") != format) continue;
        if (row.text("row").find("average") != std::string::npos) continue;
        points.push_back({Bytes{std::stoull(row.text("row")) * 1024}, Rate{row.number(operation).value() * 1e6}});
    }
    return points;
}

std::vector<double> megabytes(const std::vector<SweepPoint>& points) {
    std::vector<double> rates;
    rates.reserve(points.size());
    for (const SweepPoint& point : points) rates.push_back(point.rate.megabytes_per_second());
    return rates;
}

} // namespace

TEST_CASE("the Average that QuickBench prints is the arithmetic mean of its nine rows, 8 of 8") {
    int checked = 0;
    for (const Row& row : published("quickbench.csv")) {
        if (row.text("row") != "average") continue;
        for (const std::string operation : operations) {
            CAPTURE(row.text("format"), operation);
            const auto rates = megabytes(column(row.text("card"), row.text("format"), operation));
            REQUIRE(rates.size() == 9);
            const double printed = row.number(operation).value();
            const auto score = column_score(rates);
            REQUIRE(score);
            CHECK(std::abs(score->average - printed) <= 0.0011);
            // The other two means miss it by far: the rule is not a coincidence.
            CHECK(std::abs(score->time_weighted - printed) > 1);
            CHECK(std::abs(geometric_mean(rates).value() - printed) > 1);
            ++checked;
        }
    }
    CHECK(checked == 8);
}

TEST_CASE("the time-weighted means of the published columns show how much big blocks weigh in the Average") {
    struct Expected {
        const char* format;
        double rates[4];
    };
    const Expected expected[] = {{"exfat", {27.7, 4.1, 22.2, 4.0}}, {"hfs+j", {28.0, 5.4, 24.9, 4.0}}};
    for (const Expected& row : expected)
        for (std::size_t i = 0; i < 4; ++i) {
            CAPTURE(row.format, operations[i]);
            const auto score = column_score(megabytes(column("PNY", row.format, operations[i])));
            REQUIRE(score);
            CHECK(std::abs(score->time_weighted - row.rates[i]) <= 0.05);
        }
}

TEST_CASE("the IOPS table of DiskTester is 256 MiB in operations of 8 KiB, with MB = 2^20, 8 of 8") {
    const std::vector<Row> rows = published("disktester-iops.csv");
    REQUIRE(rows.size() == 4);
    const std::uint64_t count = disktester_iops_volume / disktester_iops_block;
    CHECK(count == 32768);
    for (const Row& row : rows) {
        CAPTURE(row.text("format"), row.text("access"));
        // The seconds are printed to one decimal; what was measured lies within half of that.
        const double seconds = row.number("seconds").value();
        const auto at = [&](double s) {
            return iops_score(disktester_iops_volume, count, std::chrono::nanoseconds(std::llround(s * 1e9))).value();
        };
        const double printed_rate = row.number("ops_per_s").value();
        CHECK(at(seconds + 0.05).operations_per_second - 1 <= printed_rate);
        CHECK(printed_rate <= at(seconds - 0.05).operations_per_second + 1);
        CHECK(std::abs(at(seconds).rate.mebibytes_per_second() - row.number("mb_per_s").value()) <= 0.051);
        CHECK(at(seconds).seconds == Approx(seconds));
    }
    // With a decimal MB the fit is lost: 268.4 / 24.9 is 10.8, and 10.3 was printed.
    const auto score = iops_score(disktester_iops_volume, count, std::chrono::milliseconds(24900)).value();
    CHECK(std::abs(score.rate.megabytes_per_second() - 10.3) > 0.4);
}

TEST_CASE("three published sweeps break the rule that larger blocks are not slower, and the right cells are named") {
    struct Found {
        std::string card, format, operation;
        std::uint64_t kb;
    };
    std::vector<Found> found;
    for (const std::string card : {"lane", "PNY"})
        for (const std::string format : {"exfat", "hfs+j"})
            for (const std::string operation : operations) {
                const auto points = column(card, format, operation);
                REQUIRE(points.size() == 9);
                for (const std::size_t index : outside_envelope(points))
                    found.push_back({card, format, operation, points[index].block.count / 1024});
            }
    REQUIRE(found.size() == 3);
    CHECK((found[0].card == "lane" && found[0].operation == "random_write" && found[0].kb == 1024));
    CHECK((found[1].card == "PNY" && found[1].operation == "seq_write" && found[1].kb == 128));
    CHECK((found[2].card == "PNY" && found[2].operation == "random_write" && found[2].kb == 512));
    CHECK((found[0].format == "exfat" && found[1].format == "exfat" && found[2].format == "exfat"));
}

TEST_CASE("two published tools agree on reads of one card within one per cent, and not on writes") {
    for (const std::string format : {"exfat", "hfs+j"}) {
        CAPTURE(format);
        const auto quickbench = [&](const std::string& operation) {
            for (const SweepPoint& point : column("lane", format, operation))
                if (point.block == 256_KiB) return point.rate.megabytes_per_second();
            return 0.0;
        };
        double read = 0;
        double write = 0;
        for (const Row& row : published("disktester-sequential.csv"))
            if (row.text("card") == "lane" && row.text("format") == format && row.text("transfer_kb") == "256") {
                read = row.number("read_mb_per_s").value();
                write = row.number("write_mb_per_s").value();
            }
        CHECK(quickbench("seq_read") == Approx(read).epsilon(0.01));
        if (format == "exfat") CHECK(write / quickbench("seq_write") > 1.15);
    }
}
