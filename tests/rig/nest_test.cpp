// SPDX-License-Identifier: GPL-3.0-or-later
// Nest readings as identity and as text. The registers are published ones of a real card.
#include "host/rig/port/nest_reading.hpp"

#include "host/cli/text/nest_text.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_reading.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using Catch::Matchers::StartsWith;
using rigproto::NestEnd;
using rigproto::RegisterState;

namespace {

constexpr media::CalendarMonth then{2026, 11};

rig::NestReading real_card() {
    rig::NestReading reading = rig::sample_reading(0x29, Bytes{15523119104});
    reading.report.job = reading.registers.job = 10;
    reading.report.supply = rigproto::NestSupply::none;
    reading.report.rest_ua = reading.report.most_ua = 0;
    reading.registers.ssr[10] = 0x90;
    return reading;
}

} // namespace

TEST_CASE("nest: the registers become the identity of a card with capacity and indications") {
    const media::SdIdentity sd = rig::sd_identity(real_card());
    CHECK(sd.cid == "275048534431364730da89b82900fb61");
    CHECK(sd.product_name == "SD16G");
    CHECK(sd.serial == 0xDA89B829);
    CHECK(sd.csd_capacity == Bytes{15523119104});
    CHECK(sd.allocation_unit == 4_MiB);
    CHECK(sd.ocr == "0xc0ff8000");
    media::Medium card;
    card.sd = sd;
    media::Medium behind_a_reader;
    behind_a_reader.serial = "000000000820";
    CHECK(media::device_key(card) != media::device_key(behind_a_reader));
    CHECK_THAT(media::device_key(card), ContainsSubstring("275048534431364730da89b82900fb"));
}

TEST_CASE("nest: an unread register is empty, whatever its bytes are") {
    auto reading = real_card();
    reading.report.cid = RegisterState::damaged;
    reading.report.ssr = RegisterState::no_data;
    const media::SdIdentity sd = rig::sd_identity(reading);
    CHECK(sd.cid.empty());
    CHECK(sd.ssr.empty());
    CHECK(sd.csd_capacity == Bytes{15523119104});
    CHECK(rig::is_about_a_card(reading.report));
    CHECK_FALSE(rig::is_whole(reading.report));
    CHECK_THAT(cli::nest_text(reading, then), StartsWith("CID: wrong checksum\nSSR: the card sends no data\nSECTION"));
}

TEST_CASE("nest: every result and state of a reading has a name and a sentence without a line break") {
    std::vector<std::string> seen;
    for (int i = 0; i <= static_cast<int>(NestEnd::interrupted); ++i) {
        CAPTURE(i);
        rigproto::NestReply report{.end = static_cast<NestEnd>(i), .command = 41};
        CHECK(rig::name_of(report.end) != "unlisted");
        const std::string sentence = rig::explain(report);
        CHECK(sentence.empty() == (report.end == NestEnd::finished));
        CHECK(sentence.find('\n') == std::string::npos);
        CHECK(std::find(seen.begin(), seen.end(), sentence) == seen.end());
        seen.push_back(sentence);
    }
    CHECK(rig::name_of(static_cast<NestEnd>(200)) == "unlisted");
    CHECK(rig::name_of(static_cast<RegisterState>(200)) == "unlisted");
    CHECK_THAT(rig::explain({.end = NestEnd::no_answer, .command = 41}), ContainsSubstring("does not answer ACMD41"));
    CHECK_THAT(rig::explain({.end = NestEnd::no_answer, .command = 55}), ContainsSubstring("does not answer CMD55"));
}

TEST_CASE("nest: the output is the table of an inspection with bits and signs of a fake") {
    const std::string text = cli::nest_text(real_card(), then);
    CHECK_THAT(text, ContainsSubstring("SECTION") && ContainsSubstring("FROM"));
    CHECK_THAT(text, ContainsSubstring("CID [103:64]") && ContainsSubstring("SD16G"));
    CHECK_THAT(text, ContainsSubstring("CSD [69:48]") && ContainsSubstring("15523119104"));
    CHECK_THAT(text, !ContainsSubstring("signs of a fake"));

    auto forged = real_card();
    forged.registers.cid[0] = 0;
    CHECK_THAT(cli::nest_text(forged, then),
               ContainsSubstring("signs of a fake (indications, not proof") && ContainsSubstring("mid_zero: 0x00"));
}

TEST_CASE("nest: a measured supply current is in identity and table") {
    auto reading = real_card();
    CHECK_FALSE(rig::sd_identity(reading).supply_rest_ua);
    CHECK_THAT(cli::nest_text(reading, then), !ContainsSubstring("supply"));
    CHECK(cli::nest_json(reading, then).at("supply") == nlohmann::json{{"state", "none"}});

    reading.report.supply = rigproto::NestSupply::measured;
    reading.report.rest_ua = 2'100;
    reading.report.most_ua = 48'700;
    const media::SdIdentity sd = rig::sd_identity(reading);
    CHECK(sd.supply_rest_ua == 2'100U);
    CHECK(sd.supply_most_ua == 48'700U);
    CHECK_THAT(cli::nest_text(reading, then), ContainsSubstring("supply_at_rest") && ContainsSubstring("48.7"));
    CHECK(cli::nest_json(reading, then).at("supply") ==
          nlohmann::json{{"state", "measured"}, {"rest_ua", 2'100}, {"most_ua", 48'700}});

    reading.report.supply = rigproto::NestSupply::offset;
    CHECK_FALSE(rig::sd_identity(reading).supply_most_ua);
    CHECK_THAT(cli::nest_text(reading, then), StartsWith("the card's supply current is unknown"));
    CHECK(cli::nest_json(reading, then).at("supply").at("state") == "offset");
    CHECK(rig::is_whole(reading.report));
    for (int i = 0; i <= static_cast<int>(rigproto::NestSupply::offset); ++i)
        CHECK(rig::name_of(static_cast<rigproto::NestSupply>(i)) != "unlisted");
    CHECK(rig::name_of(static_cast<rigproto::NestSupply>(200)) == "unlisted");
}

TEST_CASE("nest: the JSON has raw registers, read results, rows and signs") {
    auto reading = real_card();
    reading.report.scr = RegisterState::no_answer;
    const auto json = cli::nest_json(reading, then);
    CHECK(json.at("mediarig_rig_nest") == 1);
    CHECK(json.at("end") == "finished");
    CHECK(json.at("registers").at("csd") == "400e00325b59000073a77f800a4000eb");
    CHECK(json.at("registers").at("scr") == "");
    CHECK(json.at("states") == nlohmann::json{{"CID", "read"}, {"CSD", "read"}, {"SCR", "no_answer"}, {"SSR", "read"}});
    CHECK(json.at("identity_rows").at(0).at("section") == "CID");
    CHECK(json.at("indications").is_array());
}
