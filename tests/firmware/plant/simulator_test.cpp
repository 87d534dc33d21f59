// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/catch.hpp"
#include "tests/firmware/plant/simulator_process.hpp"
#include "tests/json.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::board;
using nlohmann::json;

namespace {

bool is_link(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

json ready(SimulatorProcess& simulator) {
    const std::string line = simulator.line();
    INFO(line);
    return json::parse(line, nullptr, false);
}

} // namespace

TEST_CASE("the simulator prints its ports and answers HELLO in real frames") {
    const tests::Scratch scratch;
    SimulatorProcess simulator({"--link", scratch.path("rig"), "--serial", "A1"});
    const json first = ready(simulator);
    CHECK(first["ready"] == true);
    CHECK(first["link"] == scratch.path("rig"));
    CHECK(first["pid"] == simulator.pid());
    CHECK(std::filesystem::read_symlink(scratch.path("rig")) == first["pty"].get<std::string>());

    LineHost host(scratch.path("rig"), 0x1111);
    const auto hello = host.hello();
    REQUIRE(hello);
    CHECK(std::string(hello->profile.data()) == "swap30");
    CHECK(hello->unique_id == std::array<std::uint8_t, 8>{0, 0, 0, 0, 0, 0, 0, 0xA1});
    CHECK(hello->cold_start == 1);
    CHECK(hello->reset == rigproto::ResetReason::power_on);
}

TEST_CASE("the simulator removes its link at each kind of end") {
    struct Row {
        const char* how;
        int exit_status;
    };
    for (const Row& row :
         {Row{"quit", 0}, Row{"end of input", 0}, Row{"SIGTERM", 0}, Row{"SIGINT", 0}, Row{"SIGKILL", -SIGKILL}}) {
        CAPTURE(row.how);
        const tests::Scratch scratch;
        SimulatorProcess simulator({"--link", scratch.path("rig"), "--until-eof"});
        REQUIRE(ready(simulator)["ready"] == true);
        REQUIRE(is_link(scratch.path("rig")));
        const std::string how = row.how;
        if (how == "quit") simulator.say("quit");
        if (how == "end of input") simulator.end_input();
        if (how == "SIGTERM") simulator.send_signal(SIGTERM);
        if (how == "SIGINT") simulator.send_signal(SIGINT);
        if (how == "SIGKILL") simulator.send_signal(SIGKILL);
        CHECK(simulator.wait() == row.exit_status);
        CHECK(eventually([&] { return !is_link(scratch.path("rig")); }));
    }
}

TEST_CASE("the simulator exits when its parent process dies") {
    const tests::Scratch scratch;
    const std::string link = scratch.path("rig");
    const pid_t parent = ::fork();
    if (parent == 0) {
        if (::fork() == 0) {
            ::execl(MEDIARIG_RIG_SIM, MEDIARIG_RIG_SIM, "--link", link.c_str(), nullptr);
            ::_exit(127);
        }
        (void)eventually([&] { return is_link(link); });
        ::_exit(is_link(link) ? 0 : 1);
    }
    int status = 0;
    ::waitpid(parent, &status, 0);
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(eventually([&] { return !is_link(link); }));
}

TEST_CASE("the simulator survives a flood of random bytes and answers the next HELLO") {
    const tests::Scratch scratch;
    SimulatorProcess simulator({"--link", scratch.path("rig")});
    REQUIRE(ready(simulator)["ready"] == true);
    {
        const LineHost stranger(scratch.path("rig"), 1);
        std::vector<std::uint8_t> garbage(200'000);
        std::uint32_t state = 12'345;
        for (std::uint8_t& byte : garbage)
            byte = static_cast<std::uint8_t>((state = state * 1'103'515'245 + 12'345) >> 16U);
        stranger.write(garbage);
    }
    LineHost host(scratch.path("rig"), 0x2222);
    CHECK(host.hello());
}

TEST_CASE("a job moves a card in real time, and observing programs receive its events") {
    const tests::Scratch scratch;
    const std::vector<std::string> arguments{"--link",     scratch.path("rig"),
                                             "--pockets",  "3",
                                             "--ports",    "1",
                                             "--events",   scratch.path("news"),
                                             "--state",    scratch.path("cards"),
                                             "--retained", scratch.path("memory")};
    std::uint32_t boot_id = 0;
    {
        SimulatorProcess simulator(arguments);
        REQUIRE(ready(simulator)["ready"] == true);
        LineHost host(scratch.path("rig"), 0x3333);
        const auto hello = host.hello();
        REQUIRE(hello);
        boot_id = hello->boot_id;
        REQUIRE(host.configure(3, 1));
        REQUIRE(host.ask_with(rigproto::Op::home, rigproto::HomeRequest{1}));
        REQUIRE(host.finish(1));
        // After a start the state of a reader is unknown.
        REQUIRE(host.ask_with(rigproto::Op::empty, rigproto::EmptyRequest{2, 0b1}));
        REQUIRE(host.finish(2));
        REQUIRE(host.ask_with(rigproto::Op::load, rigproto::LoadRequest{3, 1, 0}));
        REQUIRE(host.finish(3));
        simulator.say("state");
        const json state = json::parse(simulator.line());
        CHECK(state["cards"][1] == json({{"card", 1}, {"where", "port"}, {"index", 0}}));

        std::ifstream news(scratch.path("news"));
        std::vector<json> told;
        for (std::string line; std::getline(news, line);) told.push_back(json::parse(line));
        REQUIRE(told.size() == 2);
        CHECK(told[0]["what"] == "card_picked");
        CHECK(told[0]["pocket"] == 1);
        CHECK(told[1]["what"] == "card_inserted");
        CHECK(told[1]["port"] == 0);
        CHECK(told[1]["card"] == 1);
        CHECK(told[1]["at_ns"] > told[0]["at_ns"]);
        simulator.send_signal(SIGKILL);
        CHECK(simulator.wait() == -SIGKILL);
    }
    // The next process finds the cards in place, and the retained memory of the board.
    SimulatorProcess simulator(arguments);
    REQUIRE(ready(simulator)["ready"] == true);
    LineHost host(scratch.path("rig"), 0x4444);
    const auto hello = host.hello();
    REQUIRE(hello);
    CHECK(hello->cold_start == 0);
    CHECK(hello->boot_id == boot_id + 1);
    CHECK(hello->reset == rigproto::ResetReason::watchdog);
    CHECK(hello->status.last_job == 3);
    REQUIRE(host.configure(3, 1));
    CHECK(eventually([&] {
        const auto status = host.status();
        return status && status->cards == 1;
    }));
}

TEST_CASE("a board returns on the same link after a watchdog reset and reports it") {
    const tests::Scratch scratch;
    SimulatorProcess simulator({"--link", scratch.path("rig")});
    REQUIRE(ready(simulator)["ready"] == true);
    {
        LineHost host(scratch.path("rig"), 0x5555);
        REQUIRE(host.hello());
    }
    simulator.say("the firmware hangs");
    CHECK(simulator.line() == R"({"ok":true})");
    CHECK(json::parse(simulator.line()).contains("line"));
    LineHost host(scratch.path("rig"), 0x6666);
    const auto hello = host.hello();
    REQUIRE(hello);
    CHECK(hello->reset == rigproto::ResetReason::watchdog);
    CHECK(hello->boot_id == 2);
}

TEST_CASE("without power there is no link, and with power the board starts cold") {
    const tests::Scratch scratch;
    SimulatorProcess simulator({"--link", scratch.path("rig")});
    REQUIRE(ready(simulator)["ready"] == true);
    simulator.say("the power fails");
    CHECK(simulator.line() == R"({"ok":true})");
    CHECK(eventually([&] { return !is_link(scratch.path("rig")); }));
    simulator.say("the power returns");
    CHECK(simulator.line() == R"({"ok":true})");
    LineHost host(scratch.path("rig"), 0x7777);
    const auto hello = host.hello();
    REQUIRE(hello);
    CHECK(hello->cold_start == 1);
    CHECK(hello->reset == rigproto::ResetReason::power_on);
}

TEST_CASE("an injection is executed, or the answer contains its fault") {
    const tests::Scratch scratch;
    scratch.write("script", "# the day begins badly\npocket 1 is empty\n");
    SimulatorProcess simulator({"--script", scratch.path("script"), "--pockets", "2"});
    REQUIRE(ready(simulator)["link"] == "");
    simulator.say("state");
    const json state = json::parse(simulator.line());
    CHECK(state["cards"].size() == 1);
    CHECK(state["cards"][0]["card"] == 1);
    simulator.say("the e-stop is pressed for 2 s");
    CHECK(simulator.line() == R"({"ok":true})");
    simulator.say("pocket 3 is empty");
    const json answer = json::parse(simulator.line());
    CHECK(answer["ok"] == false);
    CHECK(answer["error"] == R"(after "pocket", "3" is found where a pocket from 1 to 2 is expected)");
    simulator.say(std::string(2'000, 'x'));
    CHECK(json::parse(simulator.line())["ok"] == false);
}

TEST_CASE("invalid command lines of the simulator are reported in one line") {
    const tests::Scratch scratch;
    scratch.write("bad.rig", "port 1 is shorted\nport 1 is sorted\n");
    scratch.write("good.rig", "port 1 is shorted\n");
    scratch.write("cards", "3 drawer 1\n");
    scratch.write("file", "");
    struct Row {
        std::vector<std::string> arguments;
        int exit_status;
        std::string says;
    };
    const Row rows[] = {
        {{"--pockets", "31"}, 2, "--pockets"},
        {{"--ports", "0"}, 2, "--ports"},
        {{"--serial", "xyz"}, 2, "1 to 16 hexadecimal digits"},
        {{"--script", scratch.path("none")}, 2, "none cannot be read: No such file or directory; check the name"},
        {{"--script", scratch.path(".")}, 2, "cannot be read: Is a directory"},
        {{"--script", "/dev/zero"}, 2, "/dev/zero is longer than 1 MiB and is not a script"},
        {{"--capacities", "-1"}, 2, "whole numbers of bytes, below 10^18"},
        {{"--capacities", "0,99999999999999999999999"}, 2, "whole numbers of bytes, below 10^18"},
        {{"--script", scratch.path("bad.rig"), "--check"}, 2, "bad.rig: line 2: "},
        {{"--script", scratch.path("good.rig"), "--check"}, 0, ""},
        {{"--script", scratch.path("bad.rig")}, 2, "bad.rig: line 2: after \"port 1 is\", \"sorted\" is found"},
        {{"--state", scratch.path("cards")}, 2, "cards: line 1 is not a line such as \"3 port 1\""},
        {{"--retained", scratch.path("no/where")}, 2, "No such file or directory"},
        {{"--link", scratch.path("file")}, 3, "is not the link of a simulated rig"},
        {{"--link", scratch.path("no/where")}, 3, "No such file or directory"},
        {{"--events", scratch.path("no/where")}, 3, "No such file or directory"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.arguments);
        SimulatorProcess simulator(row.arguments);
        CHECK(simulator.wait() == row.exit_status);
        CHECK_THAT(simulator.errors(), ContainsSubstring(row.says));
    }
}
