// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <sstream>

#include "host/base/text.hpp"
#include "host/report/charts/comparison_drawing.hpp"
#include "host/report/output/terminal.hpp"
#include "host/report/tables/comparison_record.hpp"
#include "host/report/text/display_text.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/compared_campaign.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/json.hpp"
#include "tests/report/rendered.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace mediarig::tests;
using Catch::Matchers::StartsWith;

namespace {

constexpr const char* two = R"({"formats": ["exfat", "hfs+j"], "blocks": 12})";
constexpr const char* misaligned = R"({"baseline": "exfat", "deviations": ["misaligned", {"cluster_size": "4KiB"}]})";

/// The first format is faster by a tenth, on a card that loses 1 % with each pass.
std::optional<double> a_tenth(std::size_t format, std::uint32_t block, std::size_t place) {
    const double scatter = static_cast<double>((block * 7 + format * 3) % 5) * 0.002;
    return (format == 0 ? 22 : 20) * (1 + scatter) * (1 - 0.01 * static_cast<double>(place));
}

store::CampaignView recorded_campaign(const char* section = two, std::uint32_t blocks = 6,
                                      const fakes::RateOf& rate = a_tenth) {
    return fakes::compared_campaign(fakes::compared_plan(section), blocks, rate);
}

media::FormatReport made(const std::string& heap, std::optional<Bytes> partition) {
    media::FormatReport report{.fs = media::FileSystem::exfat, .tool = "mkfs.exfat"};
    report.parameters = {{"cluster_heap_offset", heap}, {"cluster_size", "32768"}, {"volume_serial", heap}};
    if (partition) report.partition = media::CreatedPartition{.table = media::TableScheme::mbr, .start = *partition};
    return report;
}

std::string plain(const store::CampaignView& view, unsigned width = 100) {
    return render_tables(view, {.width = width, .colour = Colour::plain});
}

bool says(const std::vector<std::string>& notes, const std::string& text) {
    return std::any_of(notes.begin(), notes.end(),
                       [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

} // namespace

TEST_CASE("the terminal report of a comparison begins with its result, followed by its tables") {
    const std::string text = plain(recorded_campaign());
    const auto answer = text.find("card: random write, exFAT against HFS+ Journaled: exFAT faster by ");
    REQUIRE(answer != std::string::npos);
    CHECK(answer < text.find("Comparison: card"));
    CHECK_THAT(text, ContainsSubstring("Compared by cell: card") && ContainsSubstring("Course of the decision: card") &&
                         ContainsSubstring("Budget: 12 blocks, fixed before the first pass") &&
                         ContainsSubstring("start value 1") && !ContainsSubstring("Formats compared"));
}

TEST_CASE("no line of a comparison exceeds a terminal of 80 columns") {
    for (const auto& view : {recorded_campaign(), recorded_campaign(misaligned)}) {
        std::istringstream lines(plain(view, 80));
        for (std::string line; std::getline(lines, line);) {
            CAPTURE(line);
            CHECK(display_width(line) <= 80);
        }
    }
}

TEST_CASE("the page of a comparison contains drawing, sentences and tables") {
    const std::string page = page_of(recorded_campaign());
    CHECK(page.find("<h2>Which is faster</h2>") < page.find("<h2>Devices</h2>"));
    CHECK_THAT(page, ContainsSubstring("<h2>Which is faster</h2>") &&
                         ContainsSubstring("<strong>random write, exFAT against HFS+ Journaled: exFAT faster by ") &&
                         ContainsSubstring("<svg class=\"chart comparison\"") &&
                         ContainsSubstring("<title>random write 64 KB: +"));
    const auto of = comparison_of(recorded_campaign());
    REQUIRE(of);
    const std::string svg = comparison_svg(of->devices[0], *of);
    // A point for each block with a value, for the single comparison.
    std::size_t points = 0;
    for (auto at = svg.find("<title>block "); at != std::string::npos; at = svg.find("<title>block ", at + 1)) ++points;
    CHECK(points == of->devices[0].course.blocks.size());
    // Intervals and courses are side by side if the width permits.
    CHECK_THAT(page, ContainsSubstring("<div class=\"pair\"><svg ") && ContainsSubstring(", block by block, -"));
    CHECK(comparison_svg(comparison_of(recorded_campaign(two, 3))->devices[0], *of).empty());
}

TEST_CASE("unrequested differences between formats are reported") {
    auto view = recorded_campaign(misaligned);
    for (store::PassView& pass : view.devices[0].passes)
        pass.pass.formatted = pass.pass.format == "misaligned" ? made("2097152", Bytes{32256}) : made("2097152", {});
    const auto notes = [&] { return comparison_of(view)->devices[0].notes; };
    CHECK(says(notes(),
               "the measured data was at different places on the medium, so place cannot be separated from format: "
               "clusters begin at byte 2097152, a multiple of 2 MiB and at byte 2129408, a multiple of 512 B."));
    CHECK_FALSE(says(notes(), "exFAT and cluster size 4 KiB"));
    for (store::PassView& pass : view.devices[0].passes)
        if (pass.pass.format == "cluster-size-4-KiB") {
            pass.pass.formatted->tool = "newfs_exfat";
            pass.pass.formatted->parameters = {{"cluster_size", "4096"}, {"volume_serial", "7"}};
        }
    CHECK(says(notes(), "exFAT and cluster size 4 KiB: the driver chose the place of the test file on the medium"));
    CHECK(says(notes(), "exFAT and cluster size 4 KiB: read back, the formats differ in cluster_size 32768 → 4096."));
    CHECK(says(notes(), "exFAT and cluster size 4 KiB: made by mkfs.exfat and newfs_exfat."));
}

TEST_CASE("failed passes, interrupted blocks and the early end of a comparison are reported") {
    auto view = recorded_campaign(two, 6, [](std::size_t format, std::uint32_t block, std::size_t place) {
        if (format == 1 && block == 2) return std::optional<double>();
        const double sign = (block + format) % 2 == 0 ? 1 : -1;
        return std::optional(20 * (1 + 0.03 * sign + 0.0001 * static_cast<double>(place)));
    });
    view.devices[0].passes.pop_back();
    const auto notes = comparison_of(view)->devices[0].notes;
    CHECK(says(notes, "HFS+ Journaled failed in block 2: quickbench on hfs+j, repeat 2: the medium said no."));
    CHECK(says(notes, "Block 6 was cut off and does not count."));
    CHECK(says(notes, "The comparison ended after 5 of 12 blocks: the decision is based on the valid blocks"));
    CHECK_THAT(plain(view), ContainsSubstring("failed passes: exFAT 0, HFS+ Journaled 1"));
}

TEST_CASE("if the time budget ended a comparison, the report names the time budget") {
    auto plan = fakes::compared_plan(two);
    plan.time_budget = std::chrono::seconds(600);
    const auto view = fakes::compared_campaign(plan, 4, [](std::size_t format, std::uint32_t block, std::size_t) {
        return 20 * (1 + ((block + format) % 2 == 0 ? 0.04 : -0.04));
    });
    CHECK(says(comparison_of(view)->devices[0].notes,
               "The comparison ended after 4 of 12 blocks: the time budget of 600 s was used up."));
}

TEST_CASE("the preparation of the medium before each pass is reported, and differences of that preparation too") {
    auto view = recorded_campaign();
    const auto notes = [&] { return comparison_of(view)->devices[0].notes; };
    CHECK(says(notes(),
               "Before each pass the medium was formatted, without a rest; whether it was discarded is not known."));
    const media::DiscardReport zeros{.taken = true, .length = 64_GiB, .zeros = media::mark_count};
    const media::DiscardReport old{.taken = true, .length = 64_GiB, .kept = media::mark_count};
    struct Row {
        media::DiscardReport report;
        const char* words;
    };
    for (const Row& row : {Row{zeros, "; all of it was discarded, and read as zeros."},
                           Row{{.taken = true, .ones = 8}, "and read as bytes of FF."},
                           Row{old, "and old data was still read, which may affect the figures."},
                           Row{{.taken = true, .zeros = 1, .kept = 7}, "and different positions read differently"},
                           Row{{.taken = true}, "the effect could not be read back."},
                           Row{{}, "; it does not support discard, so that old data may affect the figures."}}) {
        for (store::PassView& pass : view.devices[0].passes) pass.pass.discarded = row.report;
        CAPTURE(row.words);
        CHECK(says(notes(), row.words));
    }
    for (store::PassView& pass : view.devices[0].passes) pass.pass.discarded = pass.pass.repeat == 1 ? old : zeros;
    CHECK(says(notes(),
               "its passes began in different states: before 10 of them all of it was discarded, and read as zeros; "
               "before 2 of them all of it was discarded, and old data was still read"));
    for (store::PassView& pass : view.devices[0].passes) {
        pass.pass.discarded = media::DiscardReport{};
        pass.pass.condition = store::Condition{.filled = store::Fill{.length = 1_GiB}};
    }
    CHECK(says(notes(), "; it does not support discard, and its first 1.07 GB were written sequentially instead."));
    view.devices[0].passes.front().pass.condition.reset();
    CHECK(says(notes(), "it does not support discard, so that old data may affect the figures"));
    view = recorded_campaign(R"({"formats": ["exfat", "hfs+j"], "blocks": 12, "discard": false, "rest_s": 30})");
    CHECK(says(notes(), "Before each pass the medium was left idle for 30 s and formatted; it was not discarded"));
}

TEST_CASE("passes with unequal preparation are counted by format") {
    auto view = recorded_campaign(R"({"formats": ["exfat", "hfs+j"], "blocks": 12, "rest_s": 30})");
    const auto notes = [&] { return comparison_of(view)->devices[0].notes; };
    const auto meet = [&](bool back, bool silent, Bytes by_itself) {
        for (store::PassView& pass : view.devices[0].passes) {
            const bool first = pass.pass.format == "exfat";
            pass.pass.condition =
                store::Condition{.rested = store::Rest{.until = store::RestUntil::rate, .reached = back || first},
                                 .idle = media::IdleReport{
                                     .counted = true, .silent = silent || first, .written = first ? 0_B : by_itself}};
        }
    };
    meet(true, true, 0_B);
    CHECK(says(
        notes(),
        "Before each pass the rate or temperature of the medium had returned to its value before the first pass."));
    CHECK_FALSE(says(notes(), "by itself"));
    meet(false, false, 2_MiB);
    CHECK(says(notes(),
               "not returned to its first value after the longest rest of 300 s: before passes of exFAT 0 of 6, HFS+ "
               "Journaled 6 of "
               "6."));
    CHECK(says(notes(),
               "Internal work of the medium was in progress at the start of these passes: exFAT 0 of 6, HFS+ Journaled "
               "6 of 6."));
    CHECK(says(notes(), "awaited before measuring: HFS+ Journaled up to 2.10 MB."));
}

TEST_CASE("the position of the test file is reported for both formats, whether equal or different") {
    auto view = recorded_campaign();
    for (store::PassView& pass : view.devices[0].passes) {
        const bool first = pass.pass.format == "exfat";
        pass.pass.formatted = media::FormatReport{.tool = first ? "mkfs.exfat" : "mkfs.hfsplus"};
        pass.pass.mounted = media::MountReport{.mount_point = "/m", .driver = "d"};
        pass.pass.mounted->volume = media::VolumeSpan{.start = 1_MiB};
        for (workload::CellResult& cell : pass.cells) cell.evidence.file_at = first ? 3_MiB : 9_MiB;
    }
    const auto notes = [&] { return comparison_of(view)->devices[0].notes; };
    CHECK(says(notes(),
               "exFAT and HFS+ Journaled: the test file began at byte 4194304, a multiple of 4 MiB and at byte "
               "10485760, a multiple of 2 MiB."));
    for (store::PassView& pass : view.devices[0].passes)
        for (workload::CellResult& cell : pass.cells) cell.evidence.file_at = 3_MiB;
    CHECK(says(notes(), "the test file began at the same place, byte 4194304"));
    for (workload::CellResult& cell : view.devices[0].passes.front().cells) cell.evidence.file_at = 5_MiB;
    CHECK(says(notes(), "bytes 4194304 to 6291456"));
}

TEST_CASE("the CSV of a comparison has a row per block with both rates and the decision so far") {
    const std::string csv = render_comparison_csv(recorded_campaign());
    CHECK_THAT(csv, StartsWith("campaign,device,device_key,operation,first,second,block,"));
    CHECK_THAT(csv, ContainsSubstring("c1,card,k,random write,exfat,hfs+j,1,") && ContainsSubstring(",faster,"));
    const auto blocks = comparison_of(recorded_campaign())->devices[0].course.blocks.size();
    CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) == 1 + blocks);
}

TEST_CASE("the JSON of a comparison contains result, history, passes and cells") {
    const auto of = comparison_of(recorded_campaign());
    const nlohmann::json out = to_json(of->devices[0], *of);
    const auto& pair_result = out.at("pairs").at(0);
    CHECK(pair_result.at("decision") == "faster");
    CHECK(pair_result.at("format") == "exfat");
    CHECK(pair_result.at("operation") == "random_write");
    CHECK(pair_result.at("by").get<double>() == Approx(0.1).margin(0.02));
    CHECK(pair_result.at("history").size() == out.at("blocks").size());
    CHECK(pair_result.at("history").front().at("decision") == "continue");
    CHECK(out.at("blocks").at(0).at("passes").at(0).at("bytes_per_second").at("random_write").is_number());
    CHECK(out.at("cells").size() == 2);
    CHECK(out.at("ended") == true);
}

TEST_CASE("the limit of a driver is printed next to the result that depends on that driver") {
    auto view = recorded_campaign();
    for (store::PassView& pass : view.devices[0].passes) {
        pass.pass.mounted = media::MountReport{.mount_point = "/m", .driver = "exfat"};
        if (pass.pass.format != "hfs+j") continue;
        pass.pass.mounted->driver = "hfsplus (journal not used)";
        pass.pass.mounted->limits.push_back({.kind = measure::FindingKind::driver_limit,
                                             .severity = measure::Severity::warning,
                                             .detail = "a limit",
                                             .offset = {}});
    }
    const auto answers = comparison_answers_of(view);
    REQUIRE(answers.size() == 1);
    CHECK_THAT(
        answers[0],
        StartsWith("card: random write, exFAT against HFS+ Journaled: exFAT faster by ") &&
            ContainsSubstring("; with reservations: HFS+ Journaled through the driver hfsplus (journal not used)"));
    CHECK_THAT(page_of(view), ContainsSubstring("with reservations: HFS+ Journaled through the driver hfsplus"));
}

TEST_CASE("cells limited by a cache or the processor are named in the first line of the result") {
    auto view = recorded_campaign();
    std::size_t cached = 0, bound = 0;
    for (store::PassView& pass : view.devices[0].passes)
        if (pass.pass.format == "exfat") {
            if (cached++ < 2)
                pass.findings.push_back(
                    {.kind = measure::FindingKind::cache_suspected, .detail = "c", .cell = pass.cells.front().cell.id});
        } else if (bound++ < 3) {
            pass.findings.push_back(
                {.kind = measure::FindingKind::processor_bound, .detail = "p", .cell = pass.cells.front().cell.id});
        }
    const std::string blocks = std::to_string(comparison_of(view)->devices[0].course.blocks.size());
    CHECK_THAT(comparison_answers_of(view).front(),
               ContainsSubstring("; with reservations: exFAT answered by a cache of this host in 2 of " + blocks +
                                 " passes, HFS+ Journaled waiting for the processor in 3 of " + blocks + " passes"));
}

TEST_CASE("the result of a comparison reports a mix of page cache and direct I/O") {
    auto view = recorded_campaign();
    for (store::PassView& pass : view.devices[0].passes)
        for (workload::CellResult& cell : pass.cells)
            cell.evidence.used =
                pass.pass.format == "exfat" ? workload::CachePolicy::direct : workload::CachePolicy::dropped;
    CHECK_THAT(comparison_answers_of(view).front(),
               ContainsSubstring("; with reservations: HFS+ Journaled without O_DIRECT"));
    for (store::PassView& pass : view.devices[0].passes)
        for (workload::CellResult& cell : pass.cells) cell.evidence.used = workload::CachePolicy::cached;
    CHECK_THAT(comparison_answers_of(view).front(),
               ContainsSubstring("; with reservations: both answered by a cache of this host in "));
}

TEST_CASE("the report of a campaign without a comparison contains no comparison") {
    CHECK_FALSE(comparison_of(fakes::sample_campaign()));
    CHECK(comparison_tables_of(fakes::sample_campaign()).empty());
    CHECK(comparison_answers_of(fakes::sample_campaign()).empty());
    auto view = recorded_campaign();
    view.campaign.plan = R"({"compare": "nothing that we can read"})";
    CHECK_FALSE(comparison_of(view));
    CHECK(render_comparison_csv(view).find("\r\n") + 2 == render_comparison_csv(view).size());
    view = recorded_campaign();
    view.devices[0].passes.clear();
    CHECK(comparison_tables_of(view).empty());
}
