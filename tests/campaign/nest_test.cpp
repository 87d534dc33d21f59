// SPDX-License-Identifier: GPL-3.0-or-later
/// Cards whose registers the nest of a rig reads: tests their keys in the record, and reports about contradicting
/// registers.
#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tests/campaign/campaign_fixture.hpp"
#include "tests/fakes/sample_reading.hpp"

using namespace mediarig;
using namespace mediarig::campaign;
using measure::FindingKind;
using measure::Severity;

namespace {

constexpr const char* key_of_card_1 = "sd-275048534431364730da89b80100fb";
constexpr const char* key_of_card_2 = "sd-275048534431364730da89b80200fb";

/// For both cards the agent reports the serial number of the reader, as for every card in a reader.
struct NestCampaign : CampaignFixture {
    NestCampaign() {
        rig.slots[1] = rig.slots[2] = stick("/dev/sdz", "READER");
        rig.readings[1] = rig::sample_reading(1, 4_GiB);
        rig.readings[2] = rig::sample_reading(2, 4_GiB);
    }
    /// Findings about the identity of the card, each as "severity kind: detail".
    std::vector<std::string> findings(std::size_t index) {
        std::vector<std::string> lines;
        for (const measure::Finding& finding : device(index).findings)
            if (finding.kind == FindingKind::identity_changed || finding.kind == FindingKind::capacity_unclear)
                lines.push_back(std::string(measure::name_of(finding.severity)) + " " +
                                std::string(measure::name_of(finding.kind)) + ": " + finding.detail);
        return lines;
    }
    /// An earlier finished campaign with one card.
    void earlier_identities(std::uint8_t number, const std::string& lot, Bytes size) {
        store::CampaignView view;
        view.campaign.id = "c0";
        view.campaign.name = "last week";
        view.campaign.state = store::CampaignState::finished;
        store::DeviceView device;
        device.device = {.key = "sd-before", .name = "slot-9", .lot = lot, .label = "", .slot = "9", .identity = {}};
        device.device.identity = stick("/dev/sdq", "READER");
        device.device.identity.size = size;
        device.device.identity.sd = rig::sd_identity(rig::sample_reading(number, size));
        view.devices.push_back(device);
        store.views["c0"] = view;
    }
};

const std::string a_lot = R"({
    "mediarig_plan": 1, "name": "a lot",
    "media": [{"slot": 1, "lot": "B"}],
    "formats": ["exfat"],
    "suites": [{"suite": "disktester", "quick": true}]
})";

} // namespace

TEST_CASE("a card read on the nest is recorded by its own CID, not by the values of its reader") {
    NestCampaign campaign;
    const auto summary = campaign.run(plan_of(two_slots));
    REQUIRE(summary);
    CHECK(campaign.device(0).device.key == key_of_card_1);
    CHECK(campaign.device(1).device.key == key_of_card_2);
    CHECK(campaign.device(0).device.identity.serial == "READER");
    CHECK(campaign.device(0).device.identity.sd->product_name == "SD16G");
    CHECK(campaign.findings(0).empty());
    CHECK(campaign.device(0).verdict->grade == measure::Grade::measured);
    // The formatted card was inspected, although the agent itself cannot read registers.
    CHECK(campaign.device(0).made.at(0).seen);
}

TEST_CASE("two cards with the same CID have separate records, and the second card is reported as a duplicate") {
    NestCampaign campaign;
    campaign.rig.readings[2] = campaign.rig.readings[1];
    REQUIRE(campaign.run(plan_of(two_slots)));
    CHECK(campaign.device(1).device.key == std::string(key_of_card_1) + "-slot-2");
    REQUIRE(campaign.findings(1).size() == 1);
    CHECK_THAT(campaign.findings(1)[0],
               Catch::Matchers::StartsWith("warning identity_changed: identity duplicated: its CID is "
                                           "275048534431364730da89b80100fb61; slot-1 has the same (both are in this "
                                           "campaign)") &&
                   ContainsSubstring("counterfeits are copied in this way, and so are genuine cards"));
    // A resumed campaign that repeats the step does not report the duplicate again.
    campaign.store.journals["c1"].erase("m1.r1.exfat.check");
    REQUIRE(campaign.run(plan_of(two_slots), true));
    CHECK(campaign.findings(1).size() == 1);
}

TEST_CASE("two cards with the same CID that two lanes identify at once give only one duplicate finding") {
    NestCampaign campaign;
    campaign.rig.can = {.most = 2, .independent = 2};
    campaign.rig.slots[2].node = "/dev/sdy";
    campaign.rig.readings[2] = campaign.rig.readings[1];
    // Both lanes wait until both have reached this point. Then both query the store at the same time.
    campaign.link.held.insert("inspect");
    boost::asio::co_spawn(
        campaign.io,
        [&]() -> boost::asio::awaitable<void> {
            boost::asio::steady_timer timer(campaign.io);
            while (std::ranges::count(campaign.link.calls, "inspect", &agent::FakeAgentLink::Call::method) < 2) {
                timer.expires_after(std::chrono::milliseconds(1));
                co_await timer.async_wait(boost::asio::use_awaitable);
            }
            campaign.link.release();
        },
        boost::asio::detached);
    auto plan = plan_of(two_slots);
    plan.lanes = 2;
    REQUIRE(reason(campaign.run(plan)) == "success");
    REQUIRE(campaign.store.views["c1"].devices.size() == 2);
    const auto first = campaign.findings(0), second = campaign.findings(1);
    REQUIRE(first.size() + second.size() == 1);
    CHECK_THAT((first.empty() ? second : first)[0], ContainsSubstring("(both are in this campaign)"));
}

TEST_CASE("two cards with the same serial number and different CIDs are reported as duplicates") {
    NestCampaign campaign;
    auto& other = campaign.rig.readings[2];
    other = campaign.rig.readings[1];
    other.registers.cid[14] = 0xFA; // the cards were made in different months
    REQUIRE(campaign.run(plan_of(two_slots)));
    CHECK(campaign.device(1).device.key != campaign.device(0).device.key);
    REQUIRE(campaign.findings(1).size() == 1);
    CHECK_THAT(campaign.findings(1)[0], ContainsSubstring("its serial number is 0xda89b801, of maker 0x27 and product "
                                                          "SD16G; slot-1 has the same"));
}

TEST_CASE("a card with the CID of a card of another lot in an earlier campaign is reported as a duplicate") {
    struct Row {
        const char* lot;
        Bytes size;
        const char* says;
    };
    const Row rows[] = {
        {"A", 4_GiB, "slot-9 of campaign last week has the same (that card is in lot A, this card in lot B)"},
        {"B", 2_GiB, "slot-9 of campaign last week has the same (that card has 2.15 GB, this card 4.29 GB)"},
        {"B", 4_GiB, ""}, // the store treats both as one card
        {"", 4_GiB, ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.lot, row.size.count);
        NestCampaign campaign;
        campaign.earlier_identities(1, row.lot, row.size);
        REQUIRE(campaign.run(plan_of(a_lot)));
        const auto found = campaign.findings(0);
        REQUIRE(found.size() == (*row.says == '\0' ? 0U : 1U));
        if (!found.empty()) CHECK_THAT(found[0], ContainsSubstring(row.says));
    }
}

TEST_CASE("a card gets no PASS if its CSD and its reader report different capacities") {
    NestCampaign campaign;
    campaign.rig.readings[1] = rig::sample_reading(1, 8_GiB);
    REQUIRE(campaign.run(plan_of(two_slots)));
    REQUIRE(campaign.findings(0).size() == 1);
    CHECK_THAT(campaign.findings(0)[0],
               Catch::Matchers::StartsWith("warning capacity_unclear: the card's CSD claims 8.59 GB, and its "
                                           "reader shows 4.29 GB"));
    CHECK(campaign.device(0).verdict->grade == measure::Grade::inconclusive);
    CHECK(campaign.device(1).verdict->grade == measure::Grade::measured);
}

TEST_CASE("a capacity that is not a multiple of the CSD unit agrees with the next lower multiple in the CSD") {
    NestCampaign campaign;
    campaign.rig.slots[1].size = 4_GiB + 511_KiB;
    REQUIRE(campaign.run(plan_of(two_slots)));
    CHECK(campaign.findings(0).empty());
}

TEST_CASE("a card that does not answer on the nest is reported, and recorded by the values of its reader") {
    NestCampaign campaign;
    campaign.rig.readings[1] = {};
    campaign.rig.readings[1].report = {.job = 1, .end = rigproto::NestEnd::no_answer, .command = 8};
    campaign.rig.readings[2].report.scr = rigproto::RegisterState::damaged;
    REQUIRE(campaign.run(plan_of(two_slots)));
    CHECK_FALSE(campaign.device(0).device.identity.sd);
    CHECK_THAT(campaign.device(0).device.key, ContainsSubstring("READER"));
    REQUIRE(campaign.findings(0).size() == 1);
    CHECK_THAT(campaign.findings(0)[0],
               Catch::Matchers::StartsWith("note identity_changed: not all registers were read on the rig's nest: "
                                           "the card on the nest does not answer CMD8"));
    REQUIRE(campaign.findings(1).size() == 1);
    CHECK_THAT(campaign.findings(1)[0], ContainsSubstring("SCR: wrong checksum"));
    CHECK(campaign.device(1).device.key == key_of_card_2);
    CHECK(campaign.device(0).verdict->grade == measure::Grade::measured);
}

TEST_CASE("a card without a supply current measurement is tested and the record contains the reason") {
    NestCampaign campaign;
    campaign.rig.readings[1].report.supply = rigproto::NestSupply::offset;
    campaign.rig.readings[2].report.supply = rigproto::NestSupply::measured;
    campaign.rig.readings[2].report.rest_ua = 2'000;
    campaign.rig.readings[2].report.most_ua = 40'000;
    REQUIRE(campaign.run(plan_of(two_slots)));
    REQUIRE(campaign.findings(0).size() == 1);
    CHECK_THAT(campaign.findings(0)[0],
               Catch::Matchers::StartsWith("note identity_changed: on the rig's nest the card's supply current is "
                                           "unknown: a current is measured before the supply is on"));
    CHECK_FALSE(campaign.device(0).device.identity.sd->supply_rest_ua);
    CHECK(campaign.device(0).verdict->grade == measure::Grade::measured);
    CHECK(campaign.findings(1).empty());
    CHECK(campaign.device(1).device.identity.sd->supply_most_ua == 40'000U);
}

TEST_CASE("a resumed campaign identifies its cards by their own numbers and refuses another card in the same reader") {
    NestCampaign campaign;
    campaign.rig.fails_to_unload[1] = {Errc::rig_fault, "the emergency stop is pressed"};
    REQUIRE(campaign.run(plan_of(two_slots)));
    campaign.rig.fails_to_unload.clear();
    campaign.store.journals["c1"].erase("m0.r1.exfat.check");
    campaign.rig.readings[1] = rig::sample_reading(3, 4_GiB);
    REQUIRE(campaign.run(plan_of(two_slots), true));
    CHECK(campaign.ended(StepEnded::How::failed).back() == "m0.identify");
    CHECK(campaign.device(0).device.key == key_of_card_1);
    const auto& devices = campaign.store.views["c1"].devices;
    const auto second =
        std::ranges::find_if(devices, [](const auto& each) { return each.device.key == key_of_card_2; });
    REQUIRE(second != devices.end());
    CHECK(second->verdict->grade == measure::Grade::measured);
}

TEST_CASE("a record that began without a nest reading keeps its key after a later nest reading") {
    NestCampaign campaign;
    const auto good = campaign.rig.readings[1];
    campaign.rig.readings[1] = {};
    campaign.rig.readings[1].report = {.job = 1, .end = rigproto::NestEnd::no_answer, .command = 8};
    REQUIRE(campaign.run(plan_of(two_slots)));
    const std::string key = campaign.device(0).device.key;
    campaign.rig.readings[1] = good;
    campaign.store.journals["c1"].erase("m0.r1.exfat.check");
    REQUIRE(campaign.run(plan_of(two_slots), true));
    CHECK(campaign.device(0).device.key == key);
    CHECK(campaign.device(0).device.identity.sd->cid == "275048534431364730da89b80100fb61");
    CHECK(campaign.device(0).verdict->grade == measure::Grade::measured);
}
