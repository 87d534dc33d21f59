// SPDX-License-Identifier: GPL-3.0-or-later
/// Health pages of real cards, and their values.
#include "host/media/identity/health/card_health.hpp"
#include "host/media/identity/rows.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/media/identity/health_pages.hpp"
#include "tests/media/identity/shown.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

/// The page as a value of its layout.
template <class Page>
Page parsed(const HealthPage& page) {
    const auto result = parse_card_page(page);
    REQUIRE(reason(result) == "success");
    REQUIRE(std::holds_alternative<Page>(*result));
    return std::get<Page>(*result);
}

PhisonPage phison_page(const HealthPage& page) {
    const auto result = parse_phison_page(page);
    REQUIRE(reason(result) == "success");
    return *result;
}

HealthPage with_byte(HealthPage page, std::size_t at, unsigned value) {
    page.at(at) = static_cast<std::byte>(value);
    return page;
}

} // namespace

TEST_CASE("the recorded page of a Western Digital card is decoded") {
    CHECK(parsed<SanDiskPage>(western_digital()) == SanDiskPage{.made = "200710",
                                                                .life_step = 1,
                                                                .feature_revision = 0x1F,
                                                                .generation = 6,
                                                                .power_ups = 17,
                                                                .product = "Western Digital"});
    const CardHealth health = health_of(*parse_card_page(western_digital()), "CMD56 0x00000001");
    CHECK(health.state == HealthState::reported);
    CHECK(health.life_used == 0); // step 1: less than 1 %
    CHECK(health.made == "2020-07-10");
    CHECK(health.features == "1f, 6");
    CHECK_FALSE(health.erase_mean);
}

TEST_CASE("the recorded page of a Transcend card is decoded by Transcend's table") {
    CHECK(parsed<SmiPage>(transcend()) == SmiPage{.maker = "Transcend",
                                                  .factory_bad_blocks = 11,
                                                  .spare_blocks = 192,
                                                  .later_bad_blocks = 0,
                                                  .erase_least = 0,
                                                  .erase_most = 5,
                                                  .erase_total = 1565,
                                                  .erase_mean = 0,
                                                  .rated_erases = 3000,
                                                  .life_left = 100,
                                                  .power_ups = 89,
                                                  .power_losses = 0,
                                                  .flash_id = "453e9803766c",
                                                  .controller = "SM2706",
                                                  .firmware = "U1115"});
}

TEST_CASE("pages rebuilt from published values of ADATA, Micron and Swissbit cards are decoded") {
    const auto of_adata = parsed<SmiPage>(adata());
    CHECK(of_adata.maker == "ADATA");
    CHECK(of_adata.factory_bad_blocks == 10);
    CHECK(of_adata.erase_most == 1);
    CHECK(of_adata.erase_total == 2);
    CHECK(of_adata.life_left == 100);
    CHECK(of_adata.power_ups == 8);
    CHECK(of_adata.flash_id == "453e98037664");
    CHECK(of_adata.controller == "SM2706");
    CHECK(of_adata.firmware == "V0217");
    CHECK(parsed<MicronPage>(micron()) == MicronPage{.life_used = 1, .tlc_used = 0, .slc_used = 0});
    CHECK(parsed<SwissbitPage>(swissbit()) == SwissbitPage{.firmware = "W0112",
                                                           .rated_erases = 100000,
                                                           .erase_most = 3,
                                                           .erase_total = 2230,
                                                           .erase_mean = 1,
                                                           .system_erase_most = 1,
                                                           .system_erase_total = 40,
                                                           .system_erase_mean = 0,
                                                           .life_left = 99,
                                                           .spare_blocks = 482,
                                                           .system_spare_blocks = 99,
                                                           .later_bad_blocks = 0,
                                                           .system_later_bad_blocks = 0,
                                                           .power_ups = 19});
}

TEST_CASE("pages rebuilt from published values of Kingston cards are decoded") {
    const PhisonPage sdce = phison_page(kingston_sdce());
    CHECK(sdce.flash_id == "983ea8037ae4081600");
    CHECK(sdce.firmware == "19.143");
    CHECK(sdce.spare_blocks == 12);
    CHECK(sdce.factory_bad_blocks == 24);
    CHECK(sdce.good_blocks == Approx(99.81));
    CHECK(sdce.life_left == Approx(99.97));
    CHECK(sdce.erase_total == 66);
    CHECK(sdce.erase_mean == 1);
    CHECK(sdce.power_ups == 16);
    CHECK(sdce.written_sectors == 0u);
    const PhisonPage sdcit2 = phison_page(kingston_sdcit2());
    CHECK(sdcit2.erase_least == 1);
    CHECK(sdcit2.erase_mean == 1);
    CHECK(sdcit2.erase_most == 13);
    CHECK(sdcit2.erase_total == 1707);
    CHECK(sdcit2.power_ups == 46);
    CHECK(sdcit2.life_left == Approx(100));
    CHECK_FALSE(sdcit2.written_sectors);
}

TEST_CASE("a Longsys page has the signature of no other layout and is not read as SanDisk's") {
    const auto page = parsed<LongsysPage>(longsys());
    CHECK(page.factory_bad_blocks == 5);
    CHECK(page.later_bad_blocks == 2);
    CHECK(page.spare_blocks == 300);
    const CardHealth health = health_of(page, "CMD56 0x00000001");
    CHECK(health.life_used == 3);
    CHECK(health.erase_mean == Approx(1.5));
    CHECK(health.rated_erases == 3000);
    CHECK(health.written == 32_GiB);
}

TEST_CASE("a page with an impossible value is refused") {
    struct Row {
        HealthPage page;
        const char* why;
    };
    for (const Row& row :
         {Row{with_byte(western_digital(), 8, 0), "the SanDisk page has an impossible value: life step 0"},
          Row{with_byte(longsys(), 44, 101), "the Longsys page has an impossible value: remaining life"},
          Row{with_byte(transcend(), 0x46, 101), "the Silicon Motion page has an impossible value: card life"},
          Row{with_byte(transcend(), 0x2F, 6), "the Silicon Motion page has an impossible value: erase counts"},
          Row{with_byte(swissbit(), 80, 255), "the Swissbit page has an impossible value: remaining life"},
          Row{with_byte(swissbit(), 63, 4), "the Swissbit page has an impossible value: erase counts"},
          Row{HealthPage{}, "the page has an unknown layout and begins with 0000000000000000"}}) {
        CAPTURE(row.why);
        CHECK(reason(parse_card_page(row.page)) == row.why);
    }
    CHECK(reason(parse_phison_page(boot_sector_of_ld())) == "the Phison page has an impossible value: flash id");
    CHECK(reason(parse_phison_page(with_byte(kingston_sdce(), 64, 0x28))) ==
          "the Phison page has an impossible value: good blocks");
    CHECK(reason(parse_phison_page(with_byte(kingston_sdce(), 96, 0x28))) ==
          "the Phison page has an impossible value: remaining life");
    CHECK(reason(parse_phison_page(with_byte(kingston_sdce(), 101, 9))) ==
          "the Phison page has an impossible value: erase counts");
}

TEST_CASE("the health bytes of an EXT_CSD are ranges of life time") {
    const auto health = parse_ext_csd_health(ext_csd(2, 3, 1));
    REQUIRE(reason(health) == "success");
    CHECK(health->life_a == 2);
    CHECK(health->life_b == 3);
    CHECK(health->pre_eol == 1);
    CHECK(health->firmware == "3100000000000000");
    const CardHealth values = health_of(*health);
    CHECK(values.life_used == 20); // code 3: 20 to 30 %
    CHECK(values.life_code_b == 3);
    CHECK(health_of(*parse_ext_csd_health(ext_csd(1, 11, 3))).life_used == 100);
    CHECK(reason(parse_ext_csd_health(ext_csd(12, 0, 1))) ==
          "the EXT_CSD page has an impossible value: life time estimation");
    CHECK(reason(parse_ext_csd_health(ext_csd(1, 1, 4))) ==
          "the EXT_CSD page has an impossible value: pre-EOL information");
    CHECK(reason(parse_ext_csd_health(ext_csd(0, 0, 0))) == "the EXT_CSD defines no health values");
    CHECK(reason(parse_ext_csd_health(with_byte(ext_csd(1, 1, 1), 192, 6))) ==
          "EXT_CSD revision 6 has no health values: eMMC 5.0 is the first");
}

TEST_CASE("health values appear as rows and survive JSON") {
    Medium card;
    card.node = "/dev/mmcblk0";
    card.health = health_of(*parse_card_page(transcend()), "CMD56 0x110005f9");
    const auto rows = identity_rows(card);
    CHECK(shown(rows, "health", "state") == "reported (CMD56 0x110005f9)");
    CHECK(shown(rows, "health", "life_used") == "0 % (CMD56 0x110005f9)");
    CHECK(shown(rows, "health", "spare_blocks") == "192 blocks (CMD56 0x110005f9)");
    CHECK(shown(rows, "health", "erase_mean") == "0 erases (CMD56 0x110005f9)");
    CHECK(shown(rows, "health", "power_ups") == "89 (CMD56 0x110005f9)");
    const auto back = medium_from_json(nlohmann::json::parse(to_json(card).dump()));
    REQUIRE(reason(back) == "success");
    CHECK(back->health == card.health);
}
