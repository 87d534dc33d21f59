// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "host/rig/station/manual_rig.hpp"
#include "host/rig/station/terminal.hpp"
#include "tests/catch.hpp"
#include "tests/rig/agent_bench.hpp"

using namespace mediarig;
using namespace mediarig::rig;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

namespace {

media::Medium card(const std::string& serial, Bytes size = 64_MiB) {
    media::Medium medium = usb_medium("/dev/sdb", serial, "", size);
    medium.vendor.clear();
    return medium;
}

struct Bench : AgentBench {
    Person person;
    ManualRig rig{person, {.within = 40ms, .poll_interval = 1ms}};
    std::vector<std::pair<std::string, std::optional<media::Medium>>>
        hands; ///< word in a request -> medium inserted then

    Bench() {
        person.confirms = true;
        person.obey = [this](const std::string& line) {
            for (const auto& [word, medium] : hands) {
                if (line.find(word) == std::string::npos) continue;
                link.media.clear();
                if (medium) link.media[medium->node] = *medium;
            }
        };
    }
    Result<LoadResult> load(std::uint8_t slot) { return AgentBench::load(rig, slot); }
    Result<std::string> unload(std::uint8_t slot, Sorting to) { return unload_text(rig, slot, to); }
};

const std::optional<media::Medium> nothing;

} // namespace

TEST_CASE("the operator is asked for each card by slot and receives its destination") {
    Bench bench;
    bench.hands = {{"put the card of slot 1 ", card("A")},
                   {"take the card of slot 1 ", nothing},
                   {"put the card of slot 2 ", card("B")},
                   {"take the card of slot 2 ", nothing}};
    const auto first = bench.load(1);
    REQUIRE(reason(first) == "success");
    CHECK(first->medium.serial == "A");
    CHECK(*bench.unload(1, rigproto::Bin::fail) == "withdrawn (level 7): its device disappeared");
    CHECK(bench.load(2)->medium.serial == "B");
    CHECK(bench.unload(2, rigproto::Bin::pass));
    CHECK(bench.person.told ==
          Lines{"put the card of slot 1 into the reader (type \"skip\" and Enter to omit the slot; 0 s)",
                "/dev/sdb, 67.1 MB, serial A: type 1 and Enter to erase it as the card of slot 1, or skip",
                "slot 1: /dev/sdb, thank you", "take the card of slot 1 out and put it with those that failed (0 s)",
                "put the card of slot 2 into the reader (type \"skip\" and Enter to omit the slot; 0 s)",
                "/dev/sdb, 67.1 MB, serial B: type 2 and Enter to erase it as the card of slot 2, or skip",
                "slot 2: /dev/sdb, thank you", "take the card of slot 2 out and put it with those that passed (0 s)"});
}

TEST_CASE("a new device is used only after the operator types the slot's number") {
    Bench bench;
    bench.hands = {{"put the card of slot", card("SOMEBODY ELSE'S")}};
    bench.person.confirms = false;
    SECTION("no input") {}
    SECTION("other input, which is requested again") {
        bench.person.types = {"", "yes", "2", "11"};
    }
    const auto loaded = bench.load(1);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == Errc::no_medium);
    CHECK(loaded.error().detail ==
          "slot 1: no confirmation within 0 s that /dev/sdb, 67.1 MB, serial SOMEBODY ELSE'S is its card");
}

TEST_CASE("skip omits a slot whose device must not be erased") {
    Bench bench;
    bench.person.confirms = false;
    bench.person.obey = [&](const std::string& line) {
        if (line.find("put the card") != std::string::npos) bench.link.media["/dev/sdb"] = card("A");
        if (line.find("to erase it") != std::string::npos) bench.person.types = {"skip"};
    };
    CHECK(reason(bench.load(1)) == "slot 1: skipped by the operator");
}

TEST_CASE("a card changed during the confirmation is not used as the confirmed card") {
    Bench bench;
    bench.person.obey = [&](const std::string& line) {
        if (line.find("put the card") != std::string::npos) bench.link.media["/dev/sdb"] = card("A");
        if (line.find("to erase it") != std::string::npos) bench.link.media["/dev/sdb"] = card("B");
    };
    CHECK(reason(bench.load(1)) == "slot 1: /dev/sdb changed while it was confirmed");
}

TEST_CASE("a card that cannot be distinguished from the former card is reported as such before its erasure") {
    Bench bench;
    bench.hands = {{"put the card of slot", card("")}, {"take the card of slot", nothing}};
    REQUIRE(bench.load(1));
    REQUIRE(bench.unload(1, std::nullopt));
    CHECK(reason(bench.load(2)) == "success");
    CHECK(std::ranges::find(
              bench.person.told,
              "/dev/sdb, 67.1 MB, which cannot be distinguished from the card before: type 2 and Enter to erase it as "
              "the card of slot 2, or skip") != bench.person.told.end());
}

TEST_CASE("a card of another size counts as another card") {
    Bench bench;
    bench.hands = {{"slot 1 into", card("R")}, {"take", nothing}, {"slot 2 into", card("R", 128_MiB)}};
    REQUIRE(bench.load(1));
    REQUIRE(bench.unload(1, std::nullopt));
    CHECK(bench.load(2));
}

TEST_CASE("an absent operator, an omitted slot and two cards at once set the slot aside with the reason") {
    Bench bench;
    CHECK(reason(bench.load(1)) == "slot 1: no card was inserted within 0 s");
    bench.person.types = {"", "skip"};
    CHECK(reason(bench.load(2)) == "slot 2: skipped by the operator");
    bench.person.obey = [&](const std::string&) {
        bench.link.media["/dev/sdb"] = card("A");
        auto other = card("B");
        other.node = "/dev/sdc";
        bench.link.media["/dev/sdc"] = other;
    };
    CHECK(reason(bench.load(3)) ==
          "slot 3: /dev/sdb, /dev/sdc appeared at the same time, but only one can be the card");
}

TEST_CASE("a card that is not removed ends the campaign, because it occupies the slot of the next card") {
    Bench bench;
    bench.hands = {{"put the card", card("A")}};
    REQUIRE(bench.load(1));
    CHECK(bench.unload(1, std::nullopt).error().code == Errc::rig_fault);
    CHECK(*bench.unload(7, std::nullopt) == "in no reader");
}

TEST_CASE("a stop neither waits for a card nor requests its removal") {
    Bench bench;
    bench.hands = {{"slot 1 into", card("A")}};
    REQUIRE(bench.load(1));
    bench.rig.abandon();
    CHECK(bench.load(2).error().code == Errc::cancelled);
    CHECK(*bench.unload(1, std::nullopt) == "left in the reader");
}

TEST_CASE("a card removed too early is reported as gone") {
    Bench bench;
    bench.hands = {{"put the card", card("A")}};
    REQUIRE(bench.load(1));
    bench.link.media.clear();
    CHECK(*bench.unload(1, std::nullopt) == "was gone already");
}

TEST_CASE("the terminal reads lines from a pty and returns nothing at the timeout or after the pty was closed") {
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(master >= 0);
    REQUIRE(::grantpt(master) == 0);
    REQUIRE(::unlockpt(master) == 0);
    const int slave = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
    REQUIRE(slave >= 0);
    boost::asio::io_context io;
    std::vector<std::optional<std::string>> heard;
    {
        Terminal terminal(io.get_executor(), slave, slave);
        terminal.tell("put the card in");
        REQUIRE(::write(master, "skip\n3 \n", 8) == 8);
        boost::asio::co_spawn(
            io,
            [&]() -> boost::asio::awaitable<void> {
                heard.push_back(co_await terminal.hear(10s));
                heard.push_back(co_await terminal.hear(10s));
                heard.push_back(co_await terminal.hear(5ms));
                ::close(master);
                heard.push_back(co_await terminal.hear(5ms));
                heard.push_back(co_await terminal.hear(5ms));
            },
            boost::asio::detached);
        std::array<char, 256> shown{};
        const auto count = ::read(master, shown.data(), shown.size());
        REQUIRE(count > 0);
        CHECK_THAT(std::string(shown.data(), static_cast<std::size_t>(count)), ContainsSubstring(">> put the card in"));
        io.run();
    }
    ::close(slave);
    CHECK(heard == std::vector<std::optional<std::string>>{"skip", "3", std::nullopt, std::nullopt, std::nullopt});
}
