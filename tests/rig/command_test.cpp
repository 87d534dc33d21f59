// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the commands of the operator with the real program on the simulated rig.
#include <filesystem>

#include "common/rigproto/simulated_rig.hpp"
#include "host/base/process/run_process.hpp"
#include "host/rig/serial/serial_board.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/memory_rig_log.hpp"
#include "tests/json.hpp"
#include "tests/rig/board_process.hpp"
#include "tests/runner.hpp"

using mediarig::rig::BoardProcess;

namespace {

struct Terminal {
    BoardProcess board;
    std::string line = board.path();

    mediarig::process::Finished type(std::vector<std::string> words, bool on_board = true) {
        words.insert(words.begin(), "rig");
        if (on_board) {
            // The file is in a folder that is made on demand.
            const std::string store = std::filesystem::path(board.path()).parent_path() / "data" / "store.db";
            words.insert(words.end(), {"--rig", line, "--store", store});
        }
        mediarig::process::Command command{.program = MEDIARIG_PROGRAM, .arguments = std::move(words)};
        auto finished = mediarig::process::run_process(command);
        if (!finished) throw std::runtime_error(finished.error().detail);
        return std::move(*finished);
    }
    nlohmann::json json(std::vector<std::string> words) {
        words.emplace_back("--json");
        return nlohmann::json::parse(type(std::move(words)).out);
    }
};

} // namespace

TEST_CASE("the operator loads a card, powers it and returns it to its place") {
    Terminal at;
    CHECK(at.type({"home"}).out == "home: done\n");
    CHECK(at.type({"load", "3", "--port", "2"}).exit_status == 0);
    CHECK(at.type({"power", "2", "on"}).exit_status == 0);
    const auto status = at.json({"status"});
    CHECK(status.at("state") == "ready");
    CHECK(status.at("ports").at(1).at("card") == true);
    CHECK(status.at("ports").at(1).at("millivolts") > 4500);
    const auto forbidden = at.type({"unload", "--port", "2"});
    CHECK(forbidden.exit_status == 3);
    CHECK(
        forbidden.err ==
        "mediarig: the rig refuses to unload reader 2 into pocket 3: the port has voltage, or its voltage could not be "
        "measured while it was on; switch it off, or take the card out by hand\n");
    CHECK(at.type({"power", "2", "off"}).exit_status == 0);
    const auto unloaded = at.json({"unload", "--port", "2"});
    CHECK(unloaded.at("done") == true);
    CHECK(unloaded.at("fault") == "none");
    for (const auto& card : at.board.say("state").at("cards"))
        if (card.at("card") == 2) CHECK((card.at("where") == "pocket" && card.at("index") == 2));
}

TEST_CASE("a card goes into a pocket only after the rig emptied it or the operator confirms it") {
    Terminal at;
    REQUIRE(at.type({"home"}).exit_status == 0);
    REQUIRE(at.type({"load", "1", "--port", "1"}).exit_status == 0);
    REQUIRE(at.type({"load", "2", "--port", "2"}).exit_status == 0);
    REQUIRE(at.type({"unload", "2"}).exit_status == 0);
    const auto full = at.type({"unload", "1", "--to", "pocket", "2"});
    CHECK(full.exit_status == 2);
    CHECK(full.err ==
          "mediarig: pocket 2 may hold a card: according to the ledger the rig has not emptied it; check it, then add "
          "--pocket-is-empty, or name another place\n");
    for (const auto& card : at.board.say("state").at("cards")) CHECK(card.at("where") != "lost");
    CHECK(at.type({"unload", "1", "--to", "pocket", "7"}).exit_status == 2);
    at.board.say("pocket 7 is empty");
    CHECK(at.type({"unload", "1", "--to", "pocket", "7", "--pocket-is-empty"}).exit_status == 0);
    // The source pocket is free now, and the destination is not.
    REQUIRE(at.type({"load", "7", "--port", "1"}).exit_status == 0);
    CHECK(at.type({"unload", "1", "--to", "pocket", "1"}).exit_status == 0);
}

TEST_CASE("invalid arguments give a one-line error and status 2") {
    Terminal at;
    const auto nowhere = at.type({"unload", "--to", "shelf", "1"});
    CHECK(nowhere.exit_status == 2);
    CHECK(nowhere.err == "mediarig: \"shelf 1\" is not a place for a card: use --to pocket N or --to bin NAME\n");
    CHECK(at.type({"unload", "--to", "bin", "trash"}).err ==
          "mediarig: there is no bin trash: use pass, fail, retest or unknown\n");
    CHECK_THAT(at.type({"unload"}).err, ContainsSubstring("the ledger has no origin of the card in reader 1"));
    CHECK(at.type({"load", "0"}).exit_status == 2);
    CHECK(at.type({"load", "31"}).exit_status == 2);
    CHECK(at.type({"power", "1", "perhaps"}).exit_status == 2);
    CHECK(at.type({"dance"}, false).exit_status == 2);
}

TEST_CASE("an unreachable rig gives a one-line error and status 3") {
    Terminal at;
    at.line = "/dev/serial/by-id/none";
    const auto status = at.type({"status"});
    CHECK(status.exit_status == 3);
    CHECK(status.err ==
          "mediarig: there is no line /dev/serial/by-id/none: check that the rig is plugged in; mediarig rig find "
          "lists the rigs on USB\n");
    const auto moved = at.type({"home"});
    CHECK(moved.exit_status == 2);
    CHECK_THAT(moved.err, ContainsSubstring("a real rig needs its own dimensions: add --config RIG.json"));
}

TEST_CASE(
    "a port left guarded by an ended campaign is switched off after the operator confirms that no write is running") {
    using namespace mediarig::rig;
    Terminal at;
    REQUIRE(at.type({"home"}).exit_status == 0);
    REQUIRE(at.type({"load", "1"}).exit_status == 0);
    REQUIRE(at.type({"power", "1", "on"}).exit_status == 0);
    {
        mediarig::tests::Runner bench;
        MemoryRigLog log;
        BoardSettings settings;
        settings.path = at.line;
        settings.config = mediarig::rigproto::simulated_rig();
        const auto campaign =
            bench.run(SerialBoard::open(bench.io.get_executor(), settings, std::make_shared<AsyncRigLog>(log)));
        REQUIRE(campaign);
        PortSet ports;
        ports.insert(PortIndex{0});
        REQUIRE(bench.run((*campaign)->guard(ports)));
    }
    const auto refused = at.type({"power", "1", "off"});
    CHECK(refused.exit_status == 3);
    CHECK_THAT(refused.err,
               ContainsSubstring("a campaign that was ended left it guarded") && ContainsSubstring("--unguard"));
    CHECK(at.json({"status"}).at("ports").at(0).at("state") == "on");
    CHECK(at.type({"power", "1", "off", "--unguard"}).exit_status == 0);
    CHECK(at.json({"status"}).at("ports").at(0).at("state") == "off");
}

TEST_CASE("stop latches, and reset and home restore the rig") {
    Terminal at;
    REQUIRE(at.type({"home"}).exit_status == 0);
    CHECK_THAT(at.type({"stop"}).out, ContainsSubstring("stopped"));
    CHECK(at.json({"status"}).at("fault") == "stopped");
    CHECK(at.type({"load", "1"}).exit_status == 3);
    CHECK(at.type({"reset"}).exit_status == 0);
    CHECK(at.type({"home"}).exit_status == 0);
}

TEST_CASE("a card on the nest is read and printed like an inspection") {
    Terminal at;
    const auto none = at.type({"nest"});
    CHECK(none.exit_status == 3);
    CHECK_THAT(none.err, ContainsSubstring("mediarig: there is no card on the nest"));
    at.board.say("card 3 is on the nest");
    const auto read = at.type({"nest"});
    CHECK(read.exit_status == 0);
    CHECK_THAT(read.out, ContainsSubstring("CID [103:64]") && ContainsSubstring("RIG03"));
    CHECK_THAT(read.out, ContainsSubstring("SSR [431:428]"));
    CHECK_THAT(read.out, ContainsSubstring("one unusual value (no sign of a fake on its own"));
    const auto json = at.json({"nest"});
    CHECK(json.at("end") == "finished");
    CHECK(json.at("source") == "the rig's nest");
    CHECK(json.at("states").at("SSR") == "read");
    CHECK(json.at("registers").at("cid").get<std::string>().starts_with("ee4d5252494730331051d00002"));
    CHECK(json.at("indications").at(0).at("name") == "mid_unknown");
}

TEST_CASE("the nest: a card of the magazine is picked, read and returned") {
    Terminal at;
    CHECK_THAT(at.type({"nest", "--pocket", "4"}).err, ContainsSubstring("the rig is not homed"));
    REQUIRE(at.type({"home"}).exit_status == 0);
    CHECK(at.json({"nest", "--pocket", "4"}).at("registers").at("csd") == "400e00325b59000073a77f800a4000eb");
    for (const auto& card : at.board.say("state").at("cards"))
        if (card.at("card") == 3) CHECK((card.at("where") == "pocket" && card.at("index") == 3));
    at.board.say("pocket 5 is empty");
    const auto empty = at.type({"nest", "--pocket", "5"});
    CHECK(empty.exit_status == 3);
    CHECK_THAT(empty.err, ContainsSubstring("nest --pocket 5"));
}

TEST_CASE("the nest: an unreadable card gives a finding with the reason in one line") {
    Terminal at;
    struct Scenario {
        const char *sentence, *end, *words;
    };
    for (const Scenario& scenario :
         {Scenario{"card 1 is silent on the nest", "no_answer", "does not answer CMD55"},
          Scenario{"card 1 garbles its answers", "damaged", "to CMD8 has a wrong checksum"},
          Scenario{"card 1 never gets ready", "never_ready", "does not become ready within a second"},
          Scenario{"card 1 is a multimedia card", "not_sd", "is a MultiMediaCard"}}) {
        CAPTURE(scenario.sentence);
        at.board.say("the nest is empty");
        at.board.say(scenario.sentence);
        at.board.say("card 1 is on the nest");
        const auto found = at.type({"nest"});
        CHECK(found.exit_status == 1);
        CHECK_THAT(found.out, ContainsSubstring(scenario.words));
        CHECK(at.json({"nest"}).at("end") == scenario.end);
    }
    at.board.say("the nest is empty");
    at.board.say("card 2 garbles its registers");
    at.board.say("card 2 is on the nest");
    const auto garbled = at.type({"nest"});
    CHECK(garbled.exit_status == 1);
    CHECK_THAT(garbled.out, ContainsSubstring("CID: wrong checksum\nCSD: wrong checksum\nSCR: wrong checksum\nSSR: "
                                              "wrong checksum\n"));
}

TEST_CASE("the nest: a simulated card has its given capacity, or the registers of another card") {
    Terminal at{.board = BoardProcess({"--capacities", "0,67108864"})};
    at.board.say("card 2 is on the nest");
    const auto own = at.json({"nest"}).at("registers");
    CHECK(own.at("csd").get<std::string>().starts_with("400e00325b590000007f7f800a4000"));
    CHECK(own.at("cid").get<std::string>().starts_with("ee4d525249473032"));
    at.board.say("the nest is empty");
    at.board.say("card 2 has the registers of card 1");
    at.board.say("card 2 is on the nest");
    const auto copied = at.json({"nest"}).at("registers");
    CHECK(copied.at("csd") == "400e00325b59000073a77f800a4000eb");
    CHECK(copied.at("cid").get<std::string>().starts_with("ee4d525249473031"));
}
