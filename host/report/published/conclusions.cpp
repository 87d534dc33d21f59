// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/published/conclusions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "host/measure/statistics.hpp"
#include "host/report/published/checks.hpp"

namespace mediarig::published {
namespace {

const PublishedTable& known(std::string_view name) {
    return *find_table(name);
}
double value(std::string_view table, std::string_view row, std::size_t column) {
    return find_row(known(table), row)->values[column];
}
/// Returns "+4.9 %".
std::string change(double from, double to) {
    return fmt::format("{:+.1f} %", 100 * (to / from - 1));
}

constexpr const char* scores_only = "not stated: a comparison of the printed scores suggests it";
constexpr const char* tables_compared = "not stated: a comparison of the tables assumes it";

ClaimCheck equal_state() {
    const PublishedTable &hfs = known("blogbench-hfs+"), &apfs = known("blogbench-apfs");
    ClaimCheck result{.claim = fmt::format("APFS reads faster than HFS+ ({:.0f} against {:.0f}, {})", apfs.scores[1],
                                           hfs.scores[1], change(hfs.scores[1], apfs.scores[1])),
                      .source = hfs.source,
                      .origin = scores_only,
                      .rule = "the amount read depends on the amount written: compared at the same number of blogs",
                      .found = {}};
    constexpr std::array<std::pair<double, double>, 4> bins{{{0, 500}, {500, 1000}, {1000, 1500}, {1500, 1850}}};
    for (const auto& [above, up_to] : bins) {
        const double one = reads_at(hfs, above, up_to), other = reads_at(apfs, above, up_to);
        result.found.push_back(
            fmt::format("{:.0f} to {:.0f} blogs: HFS+ {:.0f} thousand reads in 10 s, APFS {:.0f} ({})", above, up_to,
                        one, other, change(one, other)));
    }
    return result;
}

ClaimCheck position() {
    ClaimCheck result{
        .claim = "APFS writes to hard disks 20 to 22 % faster than HFS+",
        .source = known("stibium").source,
        .origin = "measured by the article, which then exchanged the halves of one disk and so refutes the claim",
        .rule = "the same format on both halves of one disk",
        .found = {}};
    for (const Row& row : known("stibium-reversed").rows)
        result.found.push_back(fmt::format("{}: {:.0f} MB/s on the first half, {:.0f} on the second ({})", row.label,
                                           row.values[0], row.values[1], change(row.values[0], row.values[1])));
    return result;
}

ClaimCheck order_and_place() {
    ClaimCheck result{.claim = "APFS reads from hard disks 14 to 23 % faster than HFS+",
                      .source = known("stibium").source,
                      .origin = "measured by the article, which then exchanged the halves of one disk",
                      .rule =
                          "APFS came first and was on the first half of each disk, so that format, order and place are "
                          "confounded; for the one exchanged disk, both formats at the same place",
                      .found = {}};
    const Row &apfs = *find_row(known("stibium-reversed"), "APFS read"),
              &hfs = *find_row(known("stibium-reversed"), "HFS+ read");
    for (const std::size_t half : {std::size_t{0}, std::size_t{1}})
        result.found.push_back(fmt::format("{} half: APFS {:.0f} MB/s, HFS+ {:.0f} (APFS {} of HFS+), one pass",
                                           half == 0 ? "first" : "second", apfs.values[half], hfs.values[half],
                                           change(hfs.values[half], apfs.values[half])));
    return result;
}

ClaimCheck fast_cache() {
    const double write = value("stibium", "Samsung X5, write APFS", 0),
                 read = value("stibium", "Samsung X5, read APFS", 0);
    return {
        .claim = fmt::format("the Samsung X5 writes {:.0f} MB/s", write),
        .source = known("stibium").source,
        .origin = "the printed figure; the article mentions the fast cache",
        .rule =
            "53.3 GB in 160 files: a drive with a fast cache has two rates, and one figure shows the place of the "
            "change, not either rate",
        .found = {fmt::format("written at {:.0f} MB/s, read at {:.0f}: {:.1f} times as fast; the rates of the files, "
                              "which would show the change, were not printed",
                              write, read, read / write)}};
}

ClaimCheck ranges() {
    const Row &hfs = *find_row(known("enumeration"), "HFS+, throughout"),
              &start = *find_row(known("enumeration"), "APFS, at the start"),
              &end = *find_row(known("enumeration"), "APFS, cycles 10 to 20");
    const auto between = [&](double least, double most) {
        return fmt::format("{:.1f} to {:.1f} times", least / hfs.values[1], most / hfs.values[0]);
    };
    return {.claim = "walking takes 3 times as long under APFS at first, and 15 to 20 times after 20 cycles",
            .source = known("enumeration").source,
            .said = true,
            .origin = "stated by the article",
            .rule = "the ranges that the text gives, divided by each other",
            .found = {"at the start: " + between(start.values[0], start.values[0]),
                      "after 20 cycles: " + between(end.values[0], end.values[1]),
                      "each format on its own half of the disk: both figures contain the effect of the place"}};
}

ClaimCheck one_part() {
    const double exfat = value("xbench-sandisk-exfat", "Disk Test", 0),
                 hfs = value("xbench-sandisk-hfs+j", "Disk Test", 0);
    ClaimCheck result{.claim = fmt::format("the card loses a third of its speed under HFS+ Journaled (a score of {} "
                                           "against {})",
                                           hfs, exfat),
                      .source = known("xbench-sandisk-exfat").source,
                      .origin = scores_only,
                      .rule = "the worst part dominates a harmonic mean: each part's share of the sum of reciprocals",
                      .found = {}};
    for (const char* table : {"xbench-sandisk-exfat", "xbench-sandisk-hfs+j"}) {
        double sum = 0, worst = 0;
        const Row* part = nullptr;
        for (const Row& row : known(table).rows) {
            if (xbench_reference(row.label) == 0 || !row.label.starts_with("random")) continue;
            sum += 1 / row.values[0];
            if (1 / row.values[0] <= worst) continue;
            worst = 1 / row.values[0];
            part = &row;
        }
        if (part != nullptr)
            result.found.push_back(fmt::format("{}: {} ({} MiB/s) makes {:.0f} % of the random section", table,
                                               part->label, part->values[1], 100 * worst / sum));
    }
    return result;
}

ClaimCheck cached_writes() {
    ClaimCheck result{
        .claim = "Xbench's 4K writes are uncached",
        .source = known("xbench-sandisk-exfat").source,
        .origin = "the label “Uncached Write” of the program; a comment on the article refutes this claim",
        .rule = "no medium writes 4K blocks faster than 256K blocks",
        .found = {}};
    for (const PublishedTable& table : all_tables()) {
        const Row *small = find_row(table, "sequential write 4K"), *large = find_row(table, "sequential write 256K");
        if (small == nullptr || large == nullptr) continue;
        const std::array<measure::SweepPoint, 2> sweep{
            {{4_KiB, Rate{small->values[1] * 1e6}}, {256_KiB, Rate{large->values[1] * 1e6}}}};
        if (measure::small_blocks_too_fast("sequential write", sweep))
            result.found.push_back(
                fmt::format("{}: 4K at {} MiB/s, 256K at {}", table.name, small->values[1], large->values[1]));
    }
    return result;
}

ClaimCheck text_against_table() {
    const PublishedTable &exfat = known("quickbench-other-exfat"), &hfs = known("quickbench-other-hfs+j");
    ClaimCheck result{.claim = "exFAT is about 5 % faster than HFS+ Journaled in all tests",
                      .source = known("xbench-sandisk-exfat").source,
                      .said = true,
                      .origin = "stated by a comment on the article",
                      .rule = "geometric mean of the ratio over the nine sizes",
                      .found = {}};
    for (std::size_t column = 0; column < exfat.columns.size(); ++column) {
        int losses = 0;
        for (std::size_t row = 0; row < exfat.rows.size(); ++row)
            losses += exfat.rows[row].values[column] < hfs.rows[row].values[column] ? 1 : 0;
        result.found.push_back(fmt::format("{}: {:.2f} times{}", exfat.columns[column],
                                           geometric_mean_ratio(exfat, hfs, column).value_or(not_printed),
                                           losses > 0 ? fmt::format(", slower at {} of 9 sizes", losses) : ""));
    }
    return result;
}

ClaimCheck single_pass() {
    ClaimCheck result{.claim = "a single pass shows the effect of a format",
                      .source = known("xbench-sandisk-exfat").source,
                      .origin = tables_compared,
                      .rule = "a larger block is slower only through the state of the medium at that moment",
                      .found = {}};
    for (const PublishedTable& table : all_tables()) {
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            const auto sweep = sweep_of(table, column);
            for (const std::size_t point : measure::outside_envelope(sweep))
                result.found.push_back(fmt::format("{}, {} at {} KB: {} MiB/s", table.name, table.columns[column],
                                                   sweep[point].block.count / 1024,
                                                   sweep[point].rate.megabytes_per_second()));
        }
    }
    return result;
}

ClaimCheck three_tools() {
    ClaimCheck result{.claim = "rates of different tools can be compared",
                      .source = known("xbench-sandisk-exfat").source,
                      .origin = tables_compared,
                      .rule = "one card (as the comment suggests), blocks of 256K, three tools",
                      .found = {}};
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> formats{
        {{"exfat", "exFAT"}, {"hfs+j", "HFS+ Journaled"}}};
    for (const auto& [name, format] : formats) {
        const std::string xbench = fmt::format("xbench-other-{}", name);
        const std::string quickbench = fmt::format("quickbench-other-{}", name);
        const std::string row = fmt::format("{}, 256 KB", format);
        for (const bool write : {false, true}) {
            const std::array<double, 3> rates{
                value(xbench, write ? "sequential write 256K" : "sequential read 256K", 1),
                value(quickbench, "256 KB", write ? 1 : 0), value("disktester-other", row, write ? 0 : 1)};
            const auto [least, most] = std::ranges::minmax(rates);
            result.found.push_back(
                fmt::format("{}, sequential {}: Xbench {}, QuickBench {}, DiskTester {} MiB/s: {:.1f} % "
                            "apart",
                            format, write ? "write" : "read", rates[0], rates[1], rates[2], 100 * (most / least - 1)));
        }
    }
    return result;
}

} // namespace

double reads_at(const PublishedTable& blogbench, double above, double up_to) {
    double sum = 0;
    int rows = 0;
    for (const Row& row : blogbench.rows) {
        if (row.values[0] <= above || row.values[0] > up_to) continue;
        sum += row.values[1] + row.values[3] + row.values[5]; // articles, pictures, comments
        ++rows;
    }
    return rows == 0 ? not_printed : sum / rows / 1000;
}

std::optional<double> geometric_mean_ratio(const PublishedTable& one, const PublishedTable& other, std::size_t column) {
    std::vector<double> ratios;
    for (const Row& row : one.rows)
        if (const Row* same = find_row(other, row.label)) ratios.push_back(row.values[column] / same->values[column]);
    return measure::geometric_mean(ratios);
}

std::vector<measure::SweepPoint> sweep_of(const PublishedTable& table, std::size_t column) {
    std::vector<measure::SweepPoint> points;
    for (const Row& row : table.rows) {
        std::uint64_t kibibytes = 0;
        const char* const end = row.label.data() + row.label.size();
        const auto [rest, error] = std::from_chars(row.label.data(), end, kibibytes);
        if (error != std::errc{} || std::string_view(rest, end) != " KB") continue;
        points.push_back({Bytes{kibibytes * 1024}, Rate{row.values[column] * 1e6}});
    }
    return points;
}

std::vector<ClaimCheck> conclusions() {
    return {equal_state(),   position(),           order_and_place(), fast_cache(),  ranges(),
            cached_writes(), text_against_table(), one_part(),        single_pass(), three_tools()};
}

} // namespace mediarig::published
