// SPDX-License-Identifier: GPL-3.0-or-later
/// Signs of use, their false alarms on published pages of new cards, and the verdict.
#include "host/media/history/earlier_use.hpp"

#include <algorithm>

#include "host/media/identity/health/card_health.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/media/identity/health_pages.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

Medium card_with(const CardPage& page) {
    Medium medium;
    medium.node = "/dev/mmcblk0";
    medium.size = 64'000'000'000_B;
    medium.health = health_of(page, "CMD56");
    return medium;
}

InspectReport content_with(std::uint32_t places_with_data, std::vector<StaleSignature> stale = {}) {
    InspectReport report{.size = 64'000'000'000_B, .scheme = "none", .volumes = {}};
    InspectedVolume& volume = report.volumes.emplace_back();
    volume.file_system = "exfat";
    volume.free_space = FreeSpaceSample{.sampled = 64, .with_data = places_with_data, .unreadable = 0, .first = {}};
    report.stale_signatures = std::move(stale);
    return report;
}

std::vector<std::string> names_of(const EarlierUse& use) {
    std::vector<std::string> names;
    for (const UseSign& sign : use.signs) names.push_back(sign.name);
    return names;
}
using Names = std::vector<std::string>;

Medium worn_card() {
    Medium medium = card_with(*parse_phison_page(kingston_sdcit2()));
    medium.health->life_used = 12;
    medium.health->erase_mean = 360;
    medium.health->power_ups = 900;
    return medium;
}

} // namespace

TEST_CASE("the false alarms of the counters are those on published pages of new cards") {
    const std::vector<CardPage> of_new_cards{*parse_card_page(western_digital()), *parse_card_page(swissbit()),
                                             *parse_card_page(adata()),           *parse_card_page(micron()),
                                             *parse_phison_page(kingston_sdce()), *parse_phison_page(viofo())};
    const auto alarms = std::ranges::count_if(of_new_cards, [](const CardPage& page) {
        return !earlier_use_of(card_with(page), std::nullopt).signs.empty();
    });
    CHECK(alarms_of_counters ==
          FalseAlarms{static_cast<std::uint32_t>(alarms), static_cast<std::uint32_t>(of_new_cards.size())});
}

TEST_CASE("each counter above its limit is a sign of one source") {
    const EarlierUse use = earlier_use_of(worn_card(), std::nullopt);
    CHECK(names_of(use) == Names{"life_used", "erase_count", "power_ups"});
    CHECK(use.verdict == UseVerdict::not_sufficient);
    CHECK(verdict_text(use) ==
          "signs of use: life used (12 %); erase count (360 erases of a block on average); power ups (900); not "
          "sufficient for a verdict");
    CHECK(text_of(use.signs[0]) ==
          "life used: 12 %: the tests of a factory use less than 2 % of the rated life (false "
          "alarms: 0 of 6 new media)");
}

TEST_CASE("SMART values of a used disk are signs without a measured rate of false alarms") {
    Medium disk;
    disk.node = "/dev/sda";
    disk.size = 500'000'000'000_B;
    disk.smart = SmartReport{};
    CHECK(earlier_use_of(disk, std::nullopt).verdict == UseVerdict::unknown);
    disk.smart->power_on_hours = 23;
    disk.smart->power_cycles = 50;
    disk.smart->percentage_used = 1;
    disk.smart->written = disk.size - 1_B;
    CHECK(earlier_use_of(disk, std::nullopt).verdict == UseVerdict::no_sign);
    disk.smart->power_on_hours = 24;
    disk.smart->power_cycles = 51;
    disk.smart->percentage_used = 2;
    disk.smart->written = disk.size;
    const EarlierUse use = earlier_use_of(disk, std::nullopt);
    CHECK(names_of(use) == Names{"life_used", "power_ups", "power_on_time", "written"});
    CHECK(use.verdict == UseVerdict::not_sufficient);
    CHECK_THAT(text_of(use.signs[2]), ContainsSubstring("(false alarms: not measured)"));
}

TEST_CASE("data in free space is a sign from four places on") {
    const Medium reader;
    CHECK(earlier_use_of(reader, content_with(3)).verdict == UseVerdict::no_sign);
    const EarlierUse use = earlier_use_of(reader, content_with(4));
    CHECK(names_of(use) == Names{"data_in_free_space"});
    CHECK(use.signs[0].found == "4 of 64 places");
    CHECK(use.verdict == UseVerdict::not_sufficient);
}

TEST_CASE("a signature of an earlier format counts only outside the volumes") {
    const Medium reader;
    const StaleSignature inside{.what = "FAT boot sector", .at = 4_MiB, .in_volume = true};
    const StaleSignature outside{.what = "GPT header", .at = 512_B, .in_volume = false};
    CHECK(earlier_use_of(reader, content_with(0, {inside})).signs.empty());
    const EarlierUse use = earlier_use_of(reader, content_with(0, {inside, outside}));
    CHECK(names_of(use) == Names{"earlier_format"});
    CHECK(use.signs[0].found == "GPT header");
    CHECK(use.verdict == UseVerdict::not_sufficient);
}

TEST_CASE("a verdict needs signs from two sources") {
    const EarlierUse use = earlier_use_of(worn_card(), content_with(40));
    CHECK(use.verdict == UseVerdict::used);
    CHECK(verdict_text(use) ==
          "used: life used (12 %); erase count (360 erases of a block on average); power ups "
          "(900); data in free space (40 of 64 places)");
    CHECK(use.examined == std::vector{UseSource::counters, UseSource::free_space, UseSource::earlier_format});
}

TEST_CASE("a medium without signs is not proven to be new, and one without examined sources has no verdict") {
    CHECK(verdict_text(earlier_use_of(card_with(*parse_card_page(swissbit())), content_with(0))) ==
          "no sign of use in counters, free space, earlier format; this does not prove that the medium is new");
    CHECK(earlier_use_of(Medium{}, std::nullopt).verdict == UseVerdict::unknown);
    InspectReport blank{.size = 64_MiB, .scheme = "none", .volumes = {}};
    CHECK(verdict_text(earlier_use_of(Medium{}, blank)) ==
          "not known: the medium has no counters, and its content has no free clusters to examine");
    Medium rejected = worn_card();
    rejected.health->state = HealthState::rejected;
    CHECK(earlier_use_of(rejected, std::nullopt).verdict == UseVerdict::unknown);
}

TEST_CASE("a faster first write is reported and removes no sign") {
    const EarlierUse use = earlier_use_of(worn_card(), content_with(40), 0.6931);
    CHECK(use.verdict == UseVerdict::used);
    CHECK_THAT(verdict_text(use),
               ContainsSubstring("; the first write was 100 % faster than the later ones, as on erased flash"));
    const nlohmann::json object = to_json(use);
    CHECK(object.at("verdict") == "used");
    CHECK(object.at("signs").size() == 4);
    CHECK(object.at("signs").at(0).at("false_alarms") == nlohmann::json{{"alarms", 0}, {"media", 6}});
    CHECK(object.at("examined") == nlohmann::json{"counters", "free_space", "earlier_format"});
}
