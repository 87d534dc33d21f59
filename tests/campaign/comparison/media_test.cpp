// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/comparison/media.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/measure/comparison/worlds.hpp"

using namespace mediarig;
using namespace mediarig::comparison_campaign;
using workload::Access;

namespace {

/// MB/s in a repeat; repeats count from 1.
using RateOf = std::function<double(std::uint32_t repeat)>;

store::DeviceView card(const std::string& name, const std::string& lot, std::uint32_t repeats, const RateOf& rate) {
    store::DeviceView device;
    device.device.name = device.device.key = name;
    device.device.lot = lot;
    for (std::uint32_t repeat = 1; repeat <= repeats; ++repeat) {
        store::PassView view;
        view.pass.id = fmt::format("m0.r{}.exfat.quickbench", repeat);
        view.pass.format = "exfat";
        view.pass.repeat = repeat;
        view.pass.job.suite = "quickbench";
        workload::SweepJob sweep;
        for (const Bytes size : {4_KiB, 64_KiB}) {
            view.cells.push_back(fakes::sample_cell("standard", Access::random_write, size, 64_MiB, rate(repeat)));
            sweep.cells.push_back(view.cells.back().cell);
        }
        view.pass.job.kind = std::move(sweep);
        view.end = store::PassEnd{};
        device.passes.push_back(std::move(view));
    }
    return device;
}

/// Rates around `level`, with a scatter of half a per cent.
RateOf about(double level) {
    return [level](std::uint32_t repeat) { return level * (1 + 0.0025 * static_cast<double>(repeat * 3 % 5)); };
}

std::vector<MeasuredMedium> all_of(const store::CampaignView& campaign) {
    std::vector<MeasuredMedium> media;
    for (const store::DeviceView& device : campaign.devices) media.push_back({&campaign, &device});
    return media;
}

store::CampaignView campaign_of(std::vector<store::DeviceView> devices) {
    store::CampaignView view;
    view.campaign.id = "c1";
    view.devices = std::move(devices);
    return view;
}

std::string refusal(const std::vector<MeasuredMedium>& media) {
    const auto compared = compare_media(media, 0.05);
    REQUIRE_FALSE(compared);
    CHECK(compared.error().code == Errc::bad_request);
    return compared.error().detail;
}

} // namespace

TEST_CASE("compare_media names the faster of two cards and makes no claim about their types") {
    const auto campaign = campaign_of({card("fast", "a", 5, about(22)), card("slow", "b", 5, about(20))});
    const auto compared = compare_media(all_of(campaign), 0.05);
    REQUIRE(compared);
    REQUIRE(compared->between_media.size() == 1);
    const MediaPairResult& pair_result = compared->between_media[0];
    CHECK(pair_result.verdict == MediaVerdict::faster);
    CHECK(std::expm1(pair_result.value) == Approx(0.1).margin(0.002));
    CHECK(compared->between_types.empty());
    CHECK(compared->differs.empty());
    CHECK_THAT(sentences_of(*compared, 0.05).at(0),
               ContainsSubstring("random write, fast against slow: fast faster by 10.0 % [") &&
                   ContainsSubstring("valid only for these cards, not for their types"));
}

TEST_CASE("two similar cards are the same within the margin, and cards with too few repeats stay undecided") {
    const auto alike = campaign_of({card("one", "", 6, about(20)), card("other", "", 6, about(20.02))});
    const auto same = compare_media(all_of(alike), 0.05);
    REQUIRE(same);
    CHECK(same->between_media[0].verdict == MediaVerdict::same);
    CHECK_THAT(sentences_of(*same, 0.05).at(0),
               ContainsSubstring("same within 5 %: between ") && ContainsSubstring(" % at 90 %, by which"));
    CHECK(same->types.size() == 1);
    CHECK(same->types[0].title == "of unknown type");
    CHECK(same->types[0].cards == 2);

    const auto close = campaign_of({card("one", "", 6, about(20.4)), card("other", "", 6, about(20))});
    const auto little = compare_media(all_of(close), 0.05);
    REQUIRE(little);
    CHECK_THAT(sentences_of(*little, 0.05).at(0),
               ContainsSubstring("one faster by ") && ContainsSubstring("too little to matter"));

    const auto few = campaign_of({card("one", "", 3, about(20)), card("other", "", 6, about(10))});
    const auto untold = compare_media(all_of(few), 0.05);
    REQUIRE(untold);
    CHECK(untold->between_media[0].verdict == MediaVerdict::cannot_tell);
    CHECK_THAT(sentences_of(*untold, 0.05).at(0), ContainsSubstring("fewer than 4 repeats"));
}

TEST_CASE("compare_media does not count a repeat with a missing cell") {
    auto campaign = campaign_of({card("one", "", 5, about(20)), card("other", "", 5, about(20))});
    campaign.devices[0].passes[2].cells.pop_back();
    const auto compared = compare_media(all_of(campaign), 0.05);
    REQUIRE(compared);
    CHECK(compared->media[0].repeats == 4);
    CHECK(compared->media[1].repeats == 5);
}

TEST_CASE("compare_media refuses incomparable media with a one-line error") {
    auto campaign = campaign_of({card("one", "", 5, about(20)), card("other", "", 5, about(20))});
    auto media = all_of(campaign);
    CHECK_THAT(refusal({media[0]}), ContainsSubstring("one medium alone"));
    CHECK(refusal({media[0], media[1], media[0]}) == "one is named twice");
    for (store::PassView& pass : campaign.devices[1].passes) pass.pass.format = "apfs";
    CHECK(refusal(media) ==
          "fewer than two media can be compared: other: it has 0 of the 2 cells of one; run 'mediarig bench' on each "
          "medium, or one plan for all");
    campaign.devices[1] = card("other", "", 5, about(20));
    for (store::PassView& pass : campaign.devices[1].passes) pass.cells.clear();
    CHECK_THAT(refusal(all_of(campaign)), ContainsSubstring("other: no rate was measured"));
    CHECK_THAT(refusal(std::vector(most_compared_media + 1, media[0])), ContainsSubstring("at most 100"));
}

TEST_CASE("compare_media omits fakes and media without enough cells, and gives the reasons") {
    auto campaign = campaign_of({card("red", "", 5, about(22)), card("bargain", "", 5, about(99)),
                                 card("dead", "", 0, about(1)), card("blue", "", 5, about(20))});
    campaign.devices[1].verdict = measure::Verdict{.grade = measure::Grade::fake};
    const auto compared = compare_media(all_of(campaign), 0.05);
    REQUIRE(compared);
    REQUIRE(compared->omitted.size() == 2);
    CHECK(compared->omitted[0].title == "bargain");
    CHECK(compared->omitted[0].reason == "a fake, which holds less than it claims");
    CHECK(compared->omitted[1].reason == "no rate was measured");
    REQUIRE(compared->media.size() == 2);
    CHECK(compared->media[1].name == "blue");
    // The user may compare a fake by its name.
    auto named = all_of(campaign);
    named[1].named = true;
    CHECK(compare_media({named[0], named[1]}, 0.05)->media.size() == 2);
}

TEST_CASE("compare_media uses the cells that all media have") {
    auto campaign = campaign_of({card("red", "", 5, about(22)), card("blue", "", 5, about(20))});
    // One of two cells is missing in all repeats of a medium: it has half of them.
    for (store::PassView& pass : campaign.devices[1].passes) pass.cells.pop_back();
    const auto compared = compare_media(all_of(campaign), 0.05);
    REQUIRE(compared);
    CHECK(compared->cells == 1);
    CHECK(compared->media[0].repeats == 5);
    CHECK(compared->media[1].repeats == 5);
}

TEST_CASE("compare_media ranks the media of each operation, with a claim only for four repeats") {
    const auto often =
        campaign_of({card("old", "", 5, about(10)), card("red", "", 5, about(22)), card("blue", "", 5, about(10.01))});
    const auto claimed = compare_media(all_of(often), 0.05);
    REQUIRE(claimed);
    CHECK(claimed->operations == std::vector{Access::random_write});
    REQUIRE(claimed->rankings.size() == 1);
    CHECK(claimed->rankings[0].claims);
    REQUIRE(claimed->rankings[0].groups.size() == 2);
    CHECK(claimed->rankings[0].groups[0].members == std::vector<std::size_t>{1});
    CHECK(claimed->rankings[0].groups[1].members == std::vector<std::size_t>{2, 0});
    CHECK(claimed->media[1].rates.at(0).at(1) == Approx(22 * 1.0025));

    const auto once = campaign_of({card("old", "", 1, about(10)), card("red", "", 1, about(22))});
    const auto ordered = compare_media(all_of(once), 0.05);
    REQUIRE(ordered);
    CHECK_FALSE(ordered->rankings.at(0).claims);
    CHECK(ordered->rankings[0].groups.at(0).members == std::vector<std::size_t>{1});
}

TEST_CASE("compare_media compares two types by the variation between five cards each, not between repeats") {
    // Cards of a type differ by some per cent: a hundred repeats of each card would not change that.
    const double of_card[5] = {0.97, 1.02, 0.99, 1.03, 1.0};
    const auto lots = [&](double first) {
        std::vector<store::DeviceView> devices;
        for (std::size_t i = 0; i < 5; ++i) {
            devices.push_back(card(fmt::format("a{}", i), "A", 5, about(first * of_card[i])));
            devices.push_back(card(fmt::format("b{}", i), "B", 5, about(20 * of_card[4 - i])));
        }
        return campaign_of(std::move(devices));
    };
    const auto apart = lots(22), alike = lots(20.4);
    const auto told = compare_media(all_of(apart), 0.05);
    REQUIRE(told);
    REQUIRE(told->between_types.size() == 1);
    CHECK(told->between_types[0].verdict == MediaVerdict::faster);
    CHECK(told->types[0].cards == 5);
    CHECK(told->types[0].between_cards == Approx(0.024).margin(0.003));
    CHECK(told->types[0].within_a_card < 0.006);
    CHECK_THAT(sentences_of(*told, 0.05).at(0),
               ContainsSubstring("A against B: A faster by ") && ContainsSubstring("valid for the types"));
    const auto untold = compare_media(all_of(alike), 0.05);
    REQUIRE(untold);
    CHECK(untold->between_types[0].verdict != MediaVerdict::faster);
    // The individual cards differ.
    CHECK(std::ranges::any_of(untold->between_media,
                              [](const MediaPairResult& each) { return each.verdict == MediaVerdict::faster; }));
}

TEST_CASE("a card that was measured in two campaigns counts as one card of its type") {
    const auto first = campaign_of({card("one", "A", 5, about(20)), card("two", "A", 5, about(20))});
    auto second = campaign_of({card("one", "A", 5, about(19))});
    second.campaign.id = "c2";
    auto media = all_of(first);
    media.push_back({&second, &second.devices[0]});
    const auto compared = compare_media(media, 0.05);
    REQUIRE(compared);
    CHECK(compared->types[0].cards == 2);
    CHECK(compared->media[0].title == "one (c1)"); // the id is used if there is no number
    CHECK(compared->media[1].title == "two");
    CHECK(compared->media[2].title == "one (c2)");
    media[0].number = 17;
    media[2].number = 18;
    const auto numbered = compare_media(media, 0.05);
    REQUIRE(numbered);
    CHECK(numbered->media[0].title == "one (campaign 17)");
    CHECK(numbered->media[2].title == "one (campaign 18)");
}

TEST_CASE("a lot that was measured twice is compared card by card, each card with itself") {
    std::vector<store::DeviceView> then, now;
    for (int i = 0; i < 20; ++i) {
        then.push_back(card(fmt::format("card-{}", i), "A", 5, about(20)));
        now.push_back(card(fmt::format("card-{}", i), "A", 5, about(i == 7 ? 15 : 20)));
    }
    const auto first = campaign_of(std::move(then));
    auto second = campaign_of(std::move(now));
    second.campaign.id = "c2";
    second.campaign.origin.kernel = "6.6";
    auto media = all_of(first);
    CHECK_FALSE(has_duplicate_medium(media));
    for (const MeasuredMedium& each : all_of(second)) media.push_back(each);
    CHECK(has_duplicate_medium(media));
    const auto compared = compare_media(media, 0.05, MediaPairs::same_medium);
    REQUIRE(compared);
    REQUIRE(compared->between_media.size() == 20);
    for (const MediaPairResult& pair_result : compared->between_media) {
        CHECK(pair_result.second == pair_result.first + 20);
        CHECK((pair_result.verdict == MediaVerdict::faster) == (pair_result.first == 7));
    }
    CHECK(compared->differs ==
          std::vector<std::string>{"The kernel differs: unknown (campaign c1); 6.6 (campaign c2)."});
    CHECK(compare_media(media, 0.05)->between_media.size() == 40 * 39 / 2);
}

TEST_CASE("conditions_that_differ() names every differing condition with the affected media") {
    const auto first = campaign_of({card("one", "", 5, about(20)), card("two", "", 5, about(20))});
    auto second = campaign_of({card("three", "", 5, about(19))});
    second.campaign.origin.kernel = "6.6";
    second.campaign.started += std::chrono::hours(30);
    for (store::PassView& pass : second.devices[0].passes) {
        pass.pass.mounted = media::MountReport{};
        pass.pass.mounted->driver = "exfat-fuse";
        pass.cells[0].cell.volume = 1_MiB;
    }
    auto media = all_of(first);
    media.push_back({&second, &second.devices[0]});
    const auto compared = compare_media(media, 0.05);
    REQUIRE(compared);
    std::string all;
    for (const std::string& line : compared->differs) all += line + "\n";
    CHECK_THAT(all, ContainsSubstring("The kernel differs: unknown (one, two); 6.6 (three).\n") &&
                        ContainsSubstring("The start of the campaign differs: 1970-01-01 00:00 UTC (one, two); "
                                          "1970-01-02 06:00 UTC (three).\n") &&
                        ContainsSubstring("The driver differs: ") && ContainsSubstring("exfat-fuse") &&
                        ContainsSubstring("The volume of a pass differs: "));
    CHECK(compared->differs.size() == 4);
}

TEST_CASE("equal types whose cards differ are rarely judged different") {
    comparison_worlds::Draws draws(1);
    constexpr int campaigns = 200;
    int wrong = 0, wrong_if_repeats_counted = 0;
    for (int run = 0; run < campaigns; ++run) {
        std::vector<store::DeviceView> devices;
        for (std::size_t i = 0; i < 10; ++i) {
            const double own = 20 * std::exp(0.05 * draws.normal());
            devices.push_back(card(fmt::format("{}", i), i < 5 ? "A" : "B", 4,
                                   [&](std::uint32_t) { return own * std::exp(0.01 * draws.normal()); }));
        }
        const auto campaign = campaign_of(std::move(devices));
        const auto compared = compare_media(all_of(campaign), 0.05);
        REQUIRE(compared);
        wrong += compared->between_types[0].verdict == MediaVerdict::faster ? 1 : 0;
        const MediaPairResult& first_against_sixth = compared->between_media[4];
        wrong_if_repeats_counted += first_against_sixth.verdict == MediaVerdict::faster ? 1 : 0;
    }
    CHECK(wrong <= 0.05 * campaigns + 3 * std::sqrt(0.05 * 0.95 * campaigns));
    // Two single cards of the same type do differ, which is why five cards are required.
    CHECK(wrong_if_repeats_counted > campaigns / 4);
}
