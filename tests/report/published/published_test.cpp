// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "host/measure/statistics.hpp"
#include "host/report/published/checks.hpp"
#include "host/report/published/conclusions.hpp"
#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"

using namespace mediarig::published;

namespace {

const ClaimCheck& conclusion_with(const std::vector<ClaimCheck>& all, const std::string& part) {
    for (const ClaimCheck& one : all)
        if (one.claim.find(part) != std::string::npos) return one;
    throw std::runtime_error("no conclusion with " + part);
}

std::size_t misfits(const std::vector<Check>& checks) {
    std::size_t count = 0;
    for (const Check& check : checks) count += check.fits() ? 0 : 1;
    return count;
}

} // namespace

TEST_CASE("all 78 recomputed figures agree with the printed figures") {
    std::map<std::string, int> of_tool;
    for (const Check& check : check_all()) {
        CAPTURE(check.table, check.what, check.printed, check.least, check.most);
        CHECK(check.fits());
        ++of_tool[check.table.substr(0, check.table.find('-'))];
    }
    CHECK(of_tool == std::map<std::string, int>{
                         {"xbench", 44}, {"quickbench", 8}, {"disktester", 8}, {"blogbench", 8}, {"video", 10}});
}

TEST_CASE("a published figure that contradicts the others is found") {
    PublishedTable wrong = *find_table("xbench-sandisk-exfat");
    CHECK(misfits(check_xbench(wrong)) == 0);
    wrong.rows[1].values[0] += 1; // a part was changed, so its score, its section and the total do not match any more
    CHECK(misfits(check_xbench(wrong)) == 3);

    wrong = *find_table("quickbench-pny-exfat");
    wrong.rows[3].values[2] += 0.02;
    CHECK(misfits(check_quickbench(wrong)) == 1);

    wrong = *find_table("disktester-iops");
    wrong.rows[0].values[0] += 8;
    CHECK(misfits(check_disktester_iops(wrong)) == 2);

    wrong = *find_table("blogbench-apfs");
    wrong.scores[0] += 1;
    CHECK(misfits(check_blogbench(wrong)) == 1);
    wrong.scores[1] *= 1.01; // 3.2 % above the articles read / 50.5 as printed
    CHECK(misfits(check_blogbench(wrong)) == 2);

    wrong = *find_table("video");
    wrong.rows[2].values[3] = 59.94;
    CHECK(misfits(check_video(wrong)) == 1);
}

TEST_CASE("members of a group of published tables apply to each table, and a table may replace them") {
    const auto read = publications_from_json(R"({"unchecked": [], "tables": [
        {"source": "s", "place": "p", "host": "h", "device": "d", "decimals": 1, "differs": "-", "tables": [
          {"tool": "T", "suite": "t", "columns": ["one", "two"], "format": "f", "tables": [
            {"name": "a", "rows": [["r", 1.5, null]]},
            {"name": "b", "format": "g", "rows": [["r", "+++++", 2]]}]}]}]})");
    REQUIRE(read);
    REQUIRE(read->tables.size() == 2);
    CHECK(read->tables[0].source == "s");
    CHECK(read->tables[0].format == "f");
    CHECK(read->tables[1].format == "g");
    CHECK(std::isnan(read->tables[0].rows[0].values[1]));
    CHECK(read->tables[1].rows[0].values == std::vector<double>{too_fast, 2});
}

TEST_CASE("the first fault of a published table is reported with its path") {
    const auto fault = [](const std::string& members) {
        const auto read = publications_from_json(
            R"({"unchecked": [], "tables": [{"name": "a", "source": "s", "place": "p", "host": "h", "device": "d",
                "decimals": 1, "differs": "-", "tool": "T", "suite": "t", "format": "f", "columns": ["one"], )" +
            members + "}]}");
        return read ? "" : read.error().detail;
    };
    CHECK(fault(R"("rows": [["r", 1]])").empty());
    CHECK(fault(R"("unit": "s")") == "tables[0].rows: missing");
    CHECK_THAT(fault(R"("rows": [])"), ContainsSubstring("tables[0].rows: "));
    CHECK(fault(R"("rows": [["r", 1, 2]])") == "tables[0].rows: a row must have one figure per column");
    CHECK(fault(R"("rows": [[1, 2]])") == "tables[0].rows[0]: must be a list that begins with the label");
    CHECK(fault(R"("rows": [["r", "-"]])") == R"(tables[0].rows[0][1]: must be a number, null or "+++++")");
    CHECK(fault(R"("rows": [["r", 1]], "scores": [1])") == "tables[0].scores: must be the scores for writes and reads");
    CHECK(publications_from_json("{").error().code == mediarig::Errc::bad_format);
}

TEST_CASE("each published table has a name, a source and a note on differences") {
    std::set<std::string_view> names;
    for (const PublishedTable& table : all_tables()) {
        CAPTURE(table.name);
        CHECK(names.insert(table.name).second);
        CHECK_FALSE(table.source.empty());
        CHECK_FALSE(table.place.empty());
        CHECK_FALSE(table.differs.empty());
        CHECK(find_table(table.name) == &table);
    }
    CHECK(names.size() == 25);
    CHECK(find_table("xbench") == nullptr);
}

TEST_CASE("a figure that was not printed is absent and not zero") {
    for (const Row& row : find_table("quickbench-pny-larger")->rows) {
        CAPTURE(row.label);
        CHECK((std::isnan(row.values[2]) && std::isnan(row.values[3])));
    }
    for (const PublishedTable& table : all_tables()) {
        if (table.name == "stibium-difference") continue; // 0 %: no difference
        CAPTURE(table.name);
        for (const Row& row : table.rows)
            for (const double value : row.values) CHECK(value != 0);
    }
}

TEST_CASE("a table that was printed in MB of 2^20 bytes has the unit MiB/s and names the printed unit") {
    for (const PublishedTable& table : all_tables()) {
        CAPTURE(table.name);
        const bool binary = table.unit == "MiB/s" || std::ranges::find(table.columns, "MiB/s") != table.columns.end();
        CHECK((!binary || table.suite == "blackmagic" || table.differs.find("printed as MB/s") != std::string::npos));
        CHECK((table.unit != "MB/s" || table.suite == "stibium"));
    }
}

TEST_CASE("each published table belongs to a suite, and the name of its tool begins with the title of that suite") {
    for (const PublishedTable& table : all_tables()) {
        CAPTURE(table.name, table.tool);
        CHECK(std::ranges::any_of(mediarig::suites::all_suites(), [&](const mediarig::suites::Suite* suite) {
            return table.tool.starts_with(suite->title);
        }));
    }
}

TEST_CASE("each column of a published table is recomputed or has a reason") {
    std::set<std::string> checked;
    for (const Check& check : check_all()) checked.insert(check.table);
    for (const PublishedTable& table : all_tables()) {
        CAPTURE(table.name);
        // A recomputed column has sources, which are named as well.
        CHECK(std::ranges::any_of(unchecked(), [&](const UncheckedFigures& one) { return one.is_of(table.name); }));
    }
    CHECK(checked.size() == 4 + 2 + 1 + 4 + 1);
    for (const UncheckedFigures& one : unchecked()) {
        CAPTURE(one.table, one.what);
        CHECK_FALSE(one.why.empty());
        CHECK(std::ranges::any_of(all_tables(), [&](const PublishedTable& table) { return one.is_of(table.name); }));
    }
    CHECK_FALSE(UncheckedFigures{"dd", "", ""}.is_of("dd-direct"));
}

TEST_CASE("Blogbench reads more on HFS+ than on APFS at equal numbers of blogs, contrary to the published scores") {
    const PublishedTable &hfs = *find_table("blogbench-hfs+"), &apfs = *find_table("blogbench-apfs");
    CHECK(std::lround(reads_at(hfs, 0, 500)) == 2576);
    CHECK(std::lround(reads_at(apfs, 0, 500)) == 2532);
    CHECK(std::lround(reads_at(hfs, 1500, 1850)) == 2641);
    CHECK(std::lround(reads_at(apfs, 1500, 1850)) == 2440);
    CHECK(std::isnan(reads_at(apfs, 5000, 6000)));
    CHECK(apfs.scores[1] > hfs.scores[1]);
}

TEST_CASE("formats in published tables are compared by the geometric mean of their ratios") {
    const PublishedTable &exfat = *find_table("quickbench-other-exfat"), &hfs = *find_table("quickbench-other-hfs+j");
    CHECK(geometric_mean_ratio(exfat, hfs, 0).value() == Approx(1.10).margin(0.005));
    CHECK(geometric_mean_ratio(exfat, hfs, 3).value() == Approx(3.38).margin(0.005));
    CHECK_FALSE(geometric_mean_ratio(exfat, *find_table("video"), 0));
}

TEST_CASE("three published sweeps violate monotonicity, and the wrong cells are named") {
    std::set<std::string> found;
    for (const PublishedTable& table : all_tables())
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            const auto sweep = sweep_of(table, column);
            CHECK((sweep.empty() || sweep.size() == 9));
            for (const std::size_t index : mediarig::measure::outside_envelope(sweep))
                found.insert(table.name + " " + table.columns[column] + " " +
                             std::to_string(sweep[index].block.count / 1024));
        }
    CHECK(found == std::set<std::string>{"quickbench-other-exfat R.Write 1024", "quickbench-pny-exfat S.Write 128",
                                         "quickbench-pny-exfat R.Write 512"});
}

TEST_CASE("only the arithmetic mean reproduces the Average of QuickBench, which large blocks dominate") {
    struct Expected {
        const char* table;
        std::array<double, 4> time_weighted;
    };
    const Expected expected[] = {{"quickbench-pny-exfat", {27.7, 4.1, 22.2, 4.0}},
                                 {"quickbench-pny-hfs+j", {28.0, 5.4, 24.9, 4.0}}};
    for (const auto& [name, time_weighted] : expected)
        for (std::size_t column = 0; column < 4; ++column) {
            CAPTURE(name, column);
            std::vector<double> rates;
            for (const auto& point : sweep_of(*find_table(name), column))
                rates.push_back(point.rate.megabytes_per_second());
            const double printed = find_row(*find_table(name), "Average")->values[column];
            CHECK(mediarig::measure::column_score(rates).value().time_weighted ==
                  Approx(time_weighted[column]).margin(0.05));
            CHECK(std::abs(mediarig::measure::geometric_mean(rates).value() - printed) > 1);
        }
}

TEST_CASE("the MB of DiskTester is 2^20 bytes, because a decimal MB contradicts the printed figures") {
    using namespace mediarig::measure;
    const auto score = iops_score(disktester_iops_volume, 32768, std::chrono::milliseconds(24900)).value();
    const double printed = find_row(*find_table("disktester-iops"), "exFAT, read")->values[1];
    CHECK(std::abs(score.rate.mebibytes_per_second() - printed) <= 0.051);
    CHECK(std::abs(score.rate.megabytes_per_second() - printed) > 0.4);
}

TEST_CASE("each refuted conclusion cites the tables") {
    const auto all = conclusions();
    CHECK(all.size() == 10);
    for (const ClaimCheck& one : all) {
        CAPTURE(one.claim);
        CHECK_FALSE(one.found.empty());
        CHECK_FALSE(one.rule.empty());
    }
    CHECK(conclusion_with(all, "4K writes").found.size() == 4);
    CHECK(conclusion_with(all, "single pass").found.size() == 3);
    CHECK_THAT(conclusion_with(all, "20 to 22 %").found[1], ContainsSubstring("HFS+ write: 148 MB/s on the first half, "
                                                                              "116 on the second (-21.6 %)"));
    CHECK(conclusion_with(all, "14 to 23 %").found ==
          std::vector<std::string>{"first half: APFS 149 MB/s, HFS+ 149 (APFS +0.0 % of HFS+), one pass",
                                   "second half: APFS 124 MB/s, HFS+ 118 (APFS +5.1 % of HFS+), one pass"});
    CHECK_THAT(conclusion_with(all, "X5").found[0], ContainsSubstring("687 MB/s, read at 2600: 3.8 times as fast"));
    const auto walks = conclusion_with(all, "15 to 20 times");
    CHECK(walks.found[0] == "at the start: 3.0 to 4.0 times");
    CHECK(walks.found[1] == "after 20 cycles: 11.1 to 19.0 times");
    const auto total = conclusion_with(all, "14.67 against 22.09");
    CHECK(total.found == std::vector<std::string>{
                             "xbench-sandisk-exfat: random write 256K (1.6 MiB/s) makes 79 % of the random section",
                             "xbench-sandisk-hfs+j: random write 256K (0.91 MiB/s) makes 87 % of the random section"});
    // A claim is attributed to a source only if the source states it and does not refute it.
    for (const ClaimCheck& one : all) {
        CAPTURE(one.claim, one.origin);
        CHECK(one.said == (one.claim.find("15 to 20 times") != std::string::npos ||
                           one.claim.find("about 5 % faster") != std::string::npos));
        CHECK(one.said == one.origin.starts_with("stated by "));
    }
    CHECK_THAT(conclusion_with(all, "20 to 22 %").origin, ContainsSubstring("refutes the claim"));
    CHECK_THAT(conclusion_with(all, "are uncached").origin,
               ContainsSubstring("a comment on the article refutes this claim"));
    const auto tools = conclusion_with(all, "different tools");
    CHECK_THAT(tools.found[0], ContainsSubstring("exFAT, sequential read: Xbench 67.12, QuickBench 67.329, DiskTester "
                                                 "67.4 MiB/s: 0.4 % apart"));
    CHECK_THAT(tools.found[1], ContainsSubstring("42.7 % apart"));
}
