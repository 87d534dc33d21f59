// SPDX-License-Identifier: GPL-3.0-or-later
/// Kills a campaign through one station at every point. No card is repeated, omitted or put into the wrong bin.
#include "host/campaign/run/campaign.hpp"
#include "host/plan/parse_plan.hpp"
#include "tests/fakes/memory_store.hpp"
#include "tests/rig/station/station_fixture.hpp"

using namespace mediarig;
using namespace mediarig::rig;

namespace {

constexpr std::uint8_t cards = 3;

const std::string all_slots = R"({
    "mediarig_plan": 1, "name": "magazine", "slots": [1, 2, 3],
    "formats": ["exfat"],
    "suites": [{"suite": "quickbench", "quick": true, "blocks": ["64KiB"], "accesses": ["seq_read"], "span": "4MiB", "volume": "1MiB"}]
})";

/// State that outlives each controller.
struct LastingState {
    FakeMagazine magazine;
    MemoryRigLog log;
    store::MemoryStore store;
    StationSetup setup = quick_setup(cards);
    std::map<std::uint8_t, unsigned> measured; ///< number of cells by card
    std::size_t board_calls{};                 ///< number of calls in the last life of the controller

    LastingState() {
        for (std::uint8_t pocket = 0; pocket < cards; ++pocket) magazine.put(pocket, {card_medium(pocket)});
        // Each card fails in another way, so that no two verdicts are equal by chance.
        magazine.cards[1].medium.model = "Broken";
    }

    Result<campaign::Summary> live(
        bool resumed, const std::function<void(StationLife&)>& fate = [](StationLife&) {}) {
        log.fails_from.reset();
        store.fails_from.reset();
        StationLife life(magazine, log, setup);
        fate(life);
        life.board.on_death = [&] { log.fails_from = store.fails_from = 0; };
        life.link.measure = [&](const workload::CellSpec& spec) {
            auto cell = agent::FakeAgentLink::default_measure(spec);
            const auto card = magazine.card_at("port 0");
            REQUIRE(card);
            REQUIRE(magazine.powered.contains(PortIndex{0}));
            REQUIRE(may_write(life.rig.state_of(slot_of(Pocket{*card}))));
            ++measured[*card];
            if (magazine.cards[*card].medium.model == "Broken")
                cell.findings.push_back({.kind = measure::FindingKind::io_error,
                                         .severity = measure::Severity::fault,
                                         .detail = "a read failed"});
            return cell;
        };
        const auto plan = plan::parse_plan(all_slots);
        REQUIRE(plan);
        const campaign::Campaign campaign{.id = "c1", .origin = {}, .resumed = resumed};
        campaign::StopSignal stop;
        const auto played = [&]() -> boost::asio::awaitable<Result<campaign::Summary>> {
            store::AsyncStore kept(store, co_await boost::asio::this_coro::executor);
            const campaign::CampaignPorts ports{life.client, kept, [](const campaign::SessionEvent&) {},
                                                campaign::Clock::system(), &life.rig};
            co_return co_await campaign::run_campaign(*plan, campaign, ports, stop);
        };
        auto ended = life.run(played());
        board_calls = life.board.calls;
        return ended;
    }

    void check_finished(unsigned most_cells) {
        CHECK(magazine.places[0] == "bin 0");
        CHECK(magazine.places[1] == "bin 1");
        CHECK(magazine.places[2] == "bin 0");
        CHECK(magazine.powered.empty());
        const auto& devices = store.views["c1"].devices;
        REQUIRE(devices.size() == cards);
        for (std::uint8_t card = 0; card < cards; ++card) {
            const store::DeviceView& device = devices[card];
            CAPTURE(int{card});
            CHECK(device.device.identity.serial == magazine.cards[card].medium.serial);
            CHECK(device.device.slot == std::to_string(card + 1));
            REQUIRE(device.verdict);
            CHECK(device.verdict->grade == (card == 1 ? measure::Grade::fail : measure::Grade::measured));
            REQUIRE(device.passes.size() == 1);
            CHECK(device.passes[0].cells.size() == 1);
            CHECK(measured[card] >= 1);
            CHECK(measured[card] <= most_cells);
        }
    }
};

} // namespace

TEST_CASE("a magazine through one reader measures each card once and sorts it by its verdict") {
    LastingState lasting;
    const auto summary = lasting.live(false);
    REQUIRE(summary);
    CHECK(summary->state == store::CampaignState::finished);
    lasting.check_finished(1);
    for (const LoggedJob& job : lasting.log.jobs) CHECK(job.state == LoggedJob::State::done);
}

TEST_CASE("loop devices that other lanes and programs attach and detach send no good card to another bin") {
    LastingState lasting;
    std::uint64_t attached = 0;
    const auto summary = lasting.live(false, [&](StationLife& life) {
        life.link.answers["devices"] = [&](const nlohmann::json&, const auto&) -> Result<nlohmann::json> {
            media::Medium device;
            device.node = attached % 3 == 0 ? "/dev/loop0" : attached % 3 == 1 ? "/dev/loop7" : "/dev/dm-0";
            device.transport = attached % 3 == 2 ? media::Transport::other : media::Transport::loop;
            device.disk_sequence = ++attached;
            device.size = 16_MiB;
            nlohmann::json list{media::to_json(device)};
            for (const auto& [node, medium] : life.link.media) list.push_back(media::to_json(medium));
            return nlohmann::json{{"devices", list}};
        };
    });
    REQUIRE(summary);
    CHECK(summary->state == store::CampaignState::finished);
    CHECK(attached > 3 * cards);
    lasting.check_finished(1);
}

TEST_CASE("a magazine through one reader and a nest records each card under its own number") {
    LastingState lasting;
    lasting.setup.has_nest = true;
    // Each reader reports its own serial number for every card, as real readers do.
    for (auto& [pocket, card] : lasting.magazine.cards) card.medium.serial = "READER";
    const auto summary = lasting.live(false);
    REQUIRE(summary);
    CHECK(summary->state == store::CampaignState::finished);
    lasting.check_finished(1);
    const auto& devices = lasting.store.views["c1"].devices;
    for (std::uint8_t card = 0; card < cards; ++card) {
        CAPTURE(int{card});
        CHECK(devices[card].device.key == fmt::format("sd-275048534431364730da89b8{:02x}00fb", card));
        CHECK(devices[card].device.identity.sd->csd_capacity == devices[card].device.identity.size);
        CHECK(devices[card].device.identity.sd->supply_rest_ua == 2'000U);
        CHECK(devices[card].device.identity.sd->supply_most_ua == 40'000U);
        for (const measure::Finding& finding : devices[card].findings) {
            CHECK(finding.kind != measure::FindingKind::identity_changed);
            CHECK(finding.kind != measure::FindingKind::capacity_unclear);
        }
    }
}

TEST_CASE("a controller crash at any board call repeats or omits no card on resume") {
    const bool nest = GENERATE(false, true);
    LastingState whole;
    whole.setup.has_nest = nest;
    REQUIRE(whole.live(false));
    const std::size_t calls = whole.board_calls;
    REQUIRE(calls > 20);
    const bool after = GENERATE(false, true);
    const bool power_too = GENERATE(false, true);
    for (std::size_t at = 0; at < calls; ++at) {
        CAPTURE(nest, at, after, power_too);
        LastingState lasting;
        lasting.setup.has_nest = nest;
        (void)lasting.live(false, [&](StationLife& life) {
            life.board.dies_at = at;
            life.board.dies_after_the_act = after;
            life.board.power_goes_too = power_too;
        });
        const auto resumed = lasting.live(!lasting.store.views.empty());
        REQUIRE(resumed);
        CHECK(resumed->state == store::CampaignState::finished);
        lasting.check_finished(1);
    }
}

TEST_CASE("a controller crash at any journal write omits no card and repeats at most the cell of the write") {
    LastingState whole;
    REQUIRE(whole.live(false));
    const std::size_t writes = whole.store.log.size();
    REQUIRE(writes > 40);
    for (std::size_t at = 1; at < writes; ++at) {
        CAPTURE(at);
        LastingState lasting;
        (void)lasting.live(false, [&](StationLife& life) {
            lasting.store.fails_from = at;
            life.board.killed = [&] { return lasting.store.log.size() >= at; };
        });
        const auto resumed = lasting.live(true);
        REQUIRE(resumed);
        CHECK(resumed->state == store::CampaignState::finished);
        lasting.check_finished(2);
    }
}

TEST_CASE("an emergency stop during a measurement counts against no card") {
    LastingState lasting;
    const auto stopped = lasting.live(false, [&](StationLife& life) {
        life.link.answers["check"] = [&](const nlohmann::json&, const auto&) -> Result<nlohmann::json> {
            life.board.press_estop();
            return fail(Errc::io_failed, "the medium is gone");
        };
    });
    REQUIRE(stopped);
    CHECK(stopped->state == store::CampaignState::interrupted);
    CHECK_FALSE(lasting.store.views["c1"].devices[0].verdict);
    CHECK(lasting.magazine.places[0] == "port 0");

    const auto still_pressed = lasting.live(true);
    REQUIRE(still_pressed);
    CHECK(still_pressed->state == store::CampaignState::interrupted);
    CHECK(still_pressed->detail == "the emergency stop is pressed or a door is open; release it, then continue");

    lasting.magazine.estop = false;
    const auto resumed = lasting.live(true);
    REQUIRE(resumed);
    CHECK(resumed->state == store::CampaignState::finished);
    lasting.check_finished(1);
}
