// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/prices.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/plan/names.hpp"
#include "host/plan/plan.hpp"
#include "host/plan/steps.hpp"
#include "host/report/terminal.hpp"
#include "host/report/text.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/report/rendered.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace mediarig::tests;
using workload::Access;

namespace {

const char* const plan_text = R"({"mediarig_plan": 1, "media": [{"slot": 1, "name": "card"}], "repeats": 6,
    "price": {"baseline": "exfat", "deviations": ["misaligned", {"cluster_size": "4KiB"}]}})";

media::FormatReport made(const std::string& heap, std::optional<Bytes> partition) {
    media::FormatReport report{.fs = media::FileSystem::exfat, .tool = "mkfs.exfat"};
    report.parameters = {{"cluster_heap_offset", heap}, {"cluster_size", "32768"}, {"volume_serial", heap}};
    if (partition) report.partition = media::MadePartition{.table = media::TableScheme::mbr, .start = *partition};
    return report;
}

/// A campaign of the plan above on a card that loses 1 % with each pass; what is misaligned writes at half the rate.
store::CampaignView campaign(const char* text = plan_text) {
    const auto plan = plan::parse_plan(text);
    REQUIRE(plan);
    const auto names = plan::format_names(*plan);
    store::CampaignView view;
    view.campaign.id = "c1";
    view.campaign.plan = to_json(*plan).dump();
    view.devices.resize(1);
    view.devices[0].device.name = "card";
    view.devices[0].device.key = "k";
    double left = 1;
    const auto orders = plan::format_order(*plan);
    for (std::size_t repeat = 0; repeat < orders.size(); ++repeat)
        for (const std::size_t format : orders[repeat]) {
            store::PassView pass;
            pass.pass.format = names[format];
            pass.pass.repeat = static_cast<std::uint32_t>(repeat + 1);
            pass.pass.job.suite = "quickbench";
            pass.pass.formatted = format == 1 ? made("2097152", Bytes{32256}) : made("2097152", {});
            const double cost = format == 1 ? 0.5 : 1;
            pass.cells = {fakes::sample_cell("standard", Access::sequential_read, 1_MiB, 64_MiB, 80 * left),
                          fakes::sample_cell("standard", Access::random_write, 64_KiB, 64_MiB, 20 * left * cost)};
            left *= 0.99;
            view.devices[0].passes.push_back(std::move(pass));
        }
    return view;
}

} // namespace

TEST_CASE(
    "each deviation of a campaign has its price in each thing measured, and what is slower by itself costs nothing") {
    const auto all = prices_of(campaign());
    REQUIRE(all.size() == 1);
    CHECK(all[0].baseline == "exfat");
    CHECK(all[0].comparisons == 4);
    CHECK(all[0].repeats == 6);
    CHECK(all[0].balanced);
    REQUIRE(all[0].deviations.size() == 2);
    const PricedDeviation& misaligned = all[0].deviations[0];
    CHECK(misaligned.words == "boundary 512 bytes, partition start 31.5 KiB, partition table mbr");
    CHECK(misaligned.format == "exfat-2");
    REQUIRE(misaligned.metrics.size() == 2);
    CHECK(misaligned.metrics[0].metric == "seq_read.1024KB.mb_per_s");
    CHECK(misaligned.metrics[0].title == "sequential read 1024 KB, MB/s");
    CHECK(misaligned.metrics[0].price.verdict == measure::PriceVerdict::not_found);
    CHECK(misaligned.metrics[1].metric == "random_write.64KB.iops");
    CHECK(misaligned.metrics[1].title == "random write 64 KB, ops/s");
    CHECK(misaligned.metrics[1].price.verdict == measure::PriceVerdict::costs);
    CHECK(misaligned.metrics[1].price.price.value() == Approx(0.5).margin(0.001));
    CHECK(misaligned.metrics[1].price.by_place.value() == Approx(-0.01).margin(0.001));
    CHECK(misaligned.metrics[1].with.value() == Approx(misaligned.metrics[1].baseline.value() / 2).margin(0.5));
    for (const PricedMetric& metric : all[0].deviations[1].metrics)
        CHECK(metric.price.verdict == measure::PriceVerdict::not_found);
}

TEST_CASE("what changes with a deviation without having been asked about is said") {
    const auto all = prices_of(campaign());
    CHECK(all[0].deviations[0].confounded ==
          std::vector<std::string>{"What was measured lay elsewhere on the medium: clusters begin at byte 2129408, a "
                                   "multiple of 512 bytes; those "
                                   "of the baseline at byte 2097152, a multiple of 2 MiB."});
    CHECK(all[0].deviations[1].confounded.empty());
    auto view = campaign();
    for (store::PassView& pass : view.devices[0].passes)
        if (pass.pass.format == "exfat-3") {
            pass.pass.formatted->tool = "newfs_exfat";
            pass.pass.formatted->parameters = {{"cluster_size", "4096"}, {"volume_serial", "7"}};
        }
    CHECK(prices_of(view)[0].deviations[1].confounded ==
          std::vector<std::string>{"Where on the medium the test file lay is up to the driver, and may differ.",
                                   "Read back, it differs in: cluster_size 32768 → 4096.",
                                   "It was made by newfs_exfat, the baseline by mkfs.exfat."});
}

TEST_CASE("repeats that measured one of the two alone do not count, and three of them say nothing") {
    auto view = campaign();
    auto& passes = view.devices[0].passes;
    std::erase_if(passes,
                  [](const store::PassView& pass) { return pass.pass.format == "exfat-2" && pass.pass.repeat > 3; });
    const auto all = prices_of(view);
    const PricedMetric& few = all[0].deviations[0].metrics[1];
    CHECK(few.price.pairs == 3);
    CHECK(few.price.verdict == measure::PriceVerdict::too_few);
    CHECK(all[0].deviations[1].metrics[1].price.pairs == 6);
    CHECK(all[0].comparisons == 2);
    CHECK_THAT(render_tables(view, {.width = 100, .colour = Colour::plain}),
               ContainsSubstring("too few repeats to say"));
}

TEST_CASE("whole cycles are told by the pairs that were measured, not by what was asked for") {
    auto view = campaign();
    CHECK_THAT(render_tables(view, {.width = 100, .colour = Colour::plain}), !ContainsSubstring("whole cycles"));
    // Three formats have a cycle of six repeats, and the last two were not made.
    std::erase_if(view.devices[0].passes, [](const store::PassView& pass) { return pass.pass.repeat > 4; });
    CHECK_FALSE(prices_of(view)[0].balanced);
    CHECK_THAT(price_tables_of(view)[0].notes[0],
               ContainsSubstring("6 asked for, in counterbalanced order, though not all of them in whole cycles of 6 "
                                 "repeats."));

    // Four formats have a cycle of four: six repeats hold a whole one, and two more.
    const auto four = [](const char* repeats) {
        return campaign((R"({"mediarig_plan": 1, "media": [{"slot": 1, "name": "card"}], "repeats": )" +
                         std::string(repeats) +
                         R"(, "price": {"baseline": "exfat", "deviations": ["misaligned", {"cluster_size": "4KiB"},
                         {"cluster_size": "8KiB"}]}})")
                            .c_str());
    };
    auto six = four("6");
    CHECK_FALSE(prices_of(six)[0].balanced);
    CHECK_THAT(price_tables_of(six)[0].notes[0], ContainsSubstring("not all of them in whole cycles of 4 repeats"));
    // Stopped after the first four, these are a whole cycle.
    std::erase_if(six.devices[0].passes, [](const store::PassView& pass) { return pass.pass.repeat > 4; });
    CHECK(prices_of(six)[0].balanced);
    // Four others are none.
    six = four("6");
    std::erase_if(six.devices[0].passes,
                  [](const store::PassView& pass) { return pass.pass.repeat == 3 || pass.pass.repeat == 4; });
    CHECK_FALSE(prices_of(six)[0].balanced);
    CHECK(prices_of(four("8"))[0].balanced);
    six.devices[0].passes.clear();
    CHECK_FALSE(prices_of(six)[0].balanced);
}

TEST_CASE("prices stand in the terminal, in the page and in a table for spreadsheets") {
    const auto view = campaign();
    const std::string text = render_tables(view, {.width = 100, .colour = Colour::plain});
    CHECK_THAT(text, ContainsSubstring("Price of boundary 512 bytes, partition start 31.5 KiB, partition table mbr "
                                       "(exfat-2) against exFAT: card"));
    CHECK_THAT(text, ContainsSubstring("costs 50.0 % [50.0, 50.0]"));
    CHECK_THAT(text, ContainsSubstring("no price found: below 0.1 % either way"));
    CHECK_THAT(text, ContainsSubstring("on this medium: 4 comparisons"));
    // Whatever is wider than a terminal stands below: no price is torn apart.
    std::istringstream lines(render_tables(view, {.width = 80, .colour = Colour::plain}));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("random write") || line.starts_with("sequential")) CHECK(display_width(line) <= 80);
    CHECK_THAT(page_of(view),
               ContainsSubstring("<h2>Price of each deviation</h2>") && ContainsSubstring("costs 50.0 % [50.0, 50.0]"));
    const std::string csv = render_price_csv(view);
    CHECK_THAT(
        csv,
        ContainsSubstring(
            "c1,card,k,exfat,\"boundary 512 bytes, partition start 31.5 KiB, partition table mbr\",exfat-2,quickbench,"
            "random_write.64KB.iops,"));
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);
}

TEST_CASE("a driver's limit stands above the price that rests on it") {
    auto view = campaign();
    for (store::PassView& pass : view.devices[0].passes) {
        pass.pass.mounted = media::MountReport{.mount_point = "/m", .driver = "exfat"};
        if (pass.pass.format != "exfat-2") continue;
        pass.pass.mounted->driver = "exfat-fuse";
        pass.pass.mounted->limits.push_back({.kind = measure::FindingKind::driver_limit,
                                             .severity = measure::Severity::warning,
                                             .detail = "a limit",
                                             .offset = {}});
    }
    const auto tables = price_tables_of(view);
    REQUIRE(tables.size() == 2);
    CHECK_THAT(tables[0].caution, ContainsSubstring("exfat-fuse"));
    CHECK(tables[1].caution.empty());
}

TEST_CASE("a campaign that asks for no price has none") {
    CHECK(prices_of(fakes::sample_campaign()).empty());
    CHECK(price_tables_of(fakes::sample_campaign()).empty());
    auto view = campaign();
    view.campaign.plan = R"({"price": "none that we can read"})";
    CHECK(prices_of(view).empty());
    CHECK(render_price_csv(view).find("\r\n") + 2 == render_price_csv(view).size());
    view = campaign();
    view.devices[0].passes.clear();
    CHECK(price_tables_of(view).empty());
}
