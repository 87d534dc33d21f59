// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests cards that the operator inserts into the readers of a board without a carriage.
#include "host/rig/bank/board_supply.hpp"
#include "tests/fakes/magazine_board.hpp"
#include "tests/fakes/memory_rig_log.hpp"
#include "tests/rig/bank/bank_fixture.hpp"

using namespace mediarig;
using namespace mediarig::rig;

namespace {

struct BoardBench : BankBench {
    FakeMagazine magazine;
    MemoryRigLog log;
    MagazineBoard board{magazine, log, link};

    explicit BoardBench(std::uint8_t ports) {
        std::vector<SwitchedSlot> slots;
        auto guarded = std::make_shared<PortSet>();
        for (std::uint8_t port = 0; port < ports; ++port) {
            SwitchedSlot slot;
            slot.supply = std::make_unique<BoardSupply>(board, PortIndex{port}, guarded);
            slots.push_back(std::move(slot));
        }
        build(std::move(slots));
    }
    void fill(std::uint8_t port, FakeCard::Kind kind = FakeCard::Kind::good) {
        const std::string letter(1, static_cast<char>('b' + port));
        magazine.cards[port] = {.medium = usb_medium("/dev/sd" + letter, "SERIAL-" + letter), .kind = kind};
        magazine.places[port] = "port " + std::to_string(port);
    }
};

} // namespace

TEST_CASE("a card in a reader of a bank is handed out after its presence handshake and left without power") {
    BoardBench bench(2);
    bench.fill(0);
    bench.fill(1);
    const auto loaded = bench.load(2);
    REQUIRE(reason(loaded) == "success");
    CHECK(loaded->medium.serial == "SERIAL-c");
    REQUIRE(loaded->detachment);
    CHECK(loaded->detachment->reached() == DetachLevel::supply_cut);
    CHECK(loaded->detachment->evidence().supply->ramp == std::chrono::microseconds(1200));
    CHECK(bench.load(2)->how == "still in its slot");
    const auto unloaded = bench.unload(2, rigproto::Bin::pass);
    REQUIRE(reason(unloaded) == "success");
    REQUIRE(unloaded->detachment);
    CHECK(unloaded->detachment->reached() == DetachLevel::supply_cut);
    CHECK(bench.person.told ==
          std::vector<std::string>{
              "slot 2 is without power: its medium may be taken out and put with those that passed"});
    CHECK(bench.magazine.actions ==
          std::vector<std::string>{"on 1", "guard 0", "off 1", "on 1", "guard 2", "guard 0", "off 1"});
}

TEST_CASE("a reload cuts the power of a card in a bank without the operator") {
    BoardBench bench(1);
    bench.fill(0);
    REQUIRE(bench.load(1));
    bench.magazine.actions.clear();
    const auto again = bench.run(bench.rig->reload(SlotId{1}, bench.client));
    REQUIRE(reason(again) == "success");
    CHECK(again->medium.serial == "SERIAL-b");
    REQUIRE(again->detachment);
    CHECK(again->detachment->reached() == DetachLevel::supply_cut);
    CHECK(bench.person.told.empty());
    REQUIRE(bench.magazine.actions.size() >= 4);
    bench.magazine.actions.erase(bench.magazine.actions.begin() + 3, bench.magazine.actions.end() - 1);
    CHECK(bench.magazine.actions == std::vector<std::string>{"guard 0", "off 0", "on 0", "guard 1"});
}

TEST_CASE("for an empty reader of a bank the rig asks the operator, who can skip the slot") {
    BoardBench bench(1);
    bench.person.obey = [&](const std::string& line) {
        if (line.find("put the card of slot 1 into its reader, at port 1 of the board") == 0) bench.fill(0);
    };
    CHECK(reason(bench.load(1)) == "success");
    BoardBench lonely(1);
    lonely.person.types = {"skip"};
    CHECK(reason(lonely.load(1)) == "slot 1: skipped by the operator");
    CHECK(reason(lonely.load(1)) == "slot 1: no card was inserted within 0 s");
    CHECK(reason(lonely.load(2)) == "the rig has no slot 2: it has 1 slots");
}

TEST_CASE("a dead card, a short circuit and a wrong card in a bank set their slots aside") {
    BoardBench bench(3);
    bench.fill(0, FakeCard::Kind::dead);
    bench.fill(1, FakeCard::Kind::shorted);
    bench.fill(2, FakeCard::Kind::impostor);
    const auto dead = bench.load(1);
    REQUIRE_FALSE(dead);
    CHECK(dead.error().code == Errc::no_medium);
    CHECK_THAT(reason(dead), ContainsSubstring("no block device appeared"));
    CHECK(bench.unload(1, std::nullopt)->how == "left in its slot, without power");
    CHECK_FALSE(bench.magazine.powered.contains(PortIndex{0}));
    CHECK(bench.load(2).error().code == Errc::no_medium);
    CHECK_THAT(reason(bench.load(3)), ContainsSubstring("another medium came back with its supply"));
}

TEST_CASE("a mounted medium keeps its supply") {
    BoardBench bench(1);
    bench.fill(0);
    REQUIRE(bench.load(1));
    bench.link.media["/dev/sdb"].refusals.push_back({.kind = media::RefusalKind::mounted, .detail = "on /mnt"});
    const auto unloaded = bench.unload(1, std::nullopt);
    REQUIRE_FALSE(unloaded);
    CHECK(unloaded.error().code == Errc::refused);
    CHECK_THAT(reason(unloaded), ContainsSubstring("is still in use (on /mnt), so its supply stays on"));
    CHECK(bench.magazine.powered.contains(PortIndex{0}));
}

TEST_CASE("a slot whose switch does not separate its medium is left to the operator") {
    BoardBench bench(1);
    bench.fill(0, FakeCard::Kind::stays);
    bench.person.obey = [&](const std::string& line) {
        if (line.find("put the card") == 0) bench.link.media["/dev/sdx"] = usb_medium("/dev/sdx", "NEW");
        if (line.find("to erase it as the card of slot 1") != std::string::npos) bench.person.types = {"1"};
        if (line.find("take the card") == 0) bench.link.media.erase("/dev/sdx");
    };
    const auto loaded = bench.load(1);
    REQUIRE(reason(loaded) == "success");
    CHECK(loaded->medium.serial == "NEW");
    CHECK_FALSE(loaded->detachment);
    const auto unloaded = bench.unload(1, rigproto::Bin::fail);
    REQUIRE(reason(unloaded) == "success");
    CHECK(unloaded->detachment->reached() == DetachLevel::withdrawn);
}

TEST_CASE("the operator inserts and removes the medium of a slot without a switch") {
    BankBench bench;
    std::vector<SwitchedSlot> slots(1);
    bench.build(std::move(slots));
    bench.person.obey = [&](const std::string& line) {
        if (line.find("put the card") == 0) bench.link.media["/dev/sdx"] = usb_medium("/dev/sdx", "A");
        if (line.find("to erase it as the card of slot 1") != std::string::npos) bench.person.types = {"1"};
        if (line.find("take the card") == 0) bench.link.media.clear();
    };
    CHECK(bench.load(1)->medium.serial == "A");
    CHECK(bench.unload(1, rigproto::Bin::pass)->detachment->reached() == DetachLevel::withdrawn);
}

TEST_CASE("an emergency stop during a test in a bank is a fault of the rig, not of the medium") {
    BoardBench bench(1);
    bench.fill(0);
    REQUIRE(bench.load(1));
    bench.board.press_estop();
    const auto rig_fault = bench.run(bench.rig->rig_fault());
    REQUIRE(rig_fault);
    CHECK(rig_fault->code == Errc::rig_fault);
}

TEST_CASE("in a bank, a medium that is missing because of the emulation is not reported as faulty") {
    BankBench bench;
    BankSetup setup;
    setup.trouble_of_emulation = [] { return Error{Errc::rig_fault, "no card server"}; };
    BankRig rig({}, bench.person, std::move(setup));
    const auto rig_fault = bench.run(rig.rig_fault());
    CHECK(rig_fault == Error{Errc::rig_fault, "no card server"});
}
