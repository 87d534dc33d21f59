// SPDX-License-Identifier: GPL-3.0-or-later
/// Uses the simulated rig by hand: the rig runs in one terminal, and the commands run in another terminal.
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

/// Polls for at most a minute.
bool eventually(const std::function<bool()>& holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

/// A user with a separate simulated rig.
struct Person {
    Folder folder, other_terminal;
    std::vector<std::string> environment{"XDG_RUNTIME_DIR=" + folder.path().string()};
    std::filesystem::path line = folder / "mediarig" / "rig-sim";

    [[nodiscard]] ProgramOutput type(std::vector<std::string> words, bool on_rig = true) const {
        words.insert(words.begin(), "rig");
        if (on_rig) words.insert(words.end(), {"--rig", "sim", "--store", (folder / "store.db").string()});
        return call_mediarig(words, folder.path(), environment);
    }
    /// Reads the kernel's list of locks, because an attempt to lock would block other processes for a moment.
    [[nodiscard]] bool line_is_locked() const {
        struct stat node {};
        if (::stat(line.c_str(), &node) != 0) return false;
        return read_file("/proc/locks").find(":" + std::to_string(node.st_ino) + " ") != std::string::npos;
    }
    [[nodiscard]] bool rig_comes_up() const {
        return eventually([&] { return std::filesystem::exists(line); });
    }
};

} // namespace

TEST_CASE("a simulated rig keeps the size given at its start, and each port has only one name") {
    const Person person;
    Running simulator({"rig", "sim", "--pockets", "4", "--ports", "2"}, person.other_terminal.path(),
                      person.environment);
    REQUIRE(person.rig_comes_up());
    CHECK_THAT(person.type({"find"}, false).out, ContainsSubstring("a simulated rig runs: name it with --rig sim"));
    REQUIRE(person.type({"home"}).status == 0);
    CHECK(person.type({"load", "1"}).status == 0);
    CHECK(person.type({"load", "4", "2"}).status == 0);
    CHECK(person.type({"power", "2", "on"}).status == 0);
    CHECK(person.type({"power", "--port", "2", "off"}).status == 0);
    CHECK(person.type({"unload", "2"}).status == 0);
    CHECK(person.type({"unload", "--port", "1"}).status == 0);
    const ProgramOutput status = person.type({"status", "--json"});
    CHECK(status.status == 0);
    CHECK(json::parse(status.out).at("ports").size() == 2);
    CHECK_THAT(person.type({"load", "5"}).err, ContainsSubstring("pocket 5"));

    // Mating cycles of the simulated rig's sockets do not count as wear.
    const ProgramOutput wear = call_mediarig({"rig", "wear", "--store", (person.folder / "store.db").string()},
                                             person.folder.path(), person.environment);
    CHECK(wear.out == "no mating of a socket or a medium is recorded yet\n");

    simulator.signal(SIGTERM);
    const ProgramOutput ended = simulator.wait();
    CHECK(ended.out ==
          "the simulated rig is at " + person.line.string() + "; use it with --rig sim, end it with Ctrl-C\n");
    CHECK(ended.err.empty());
}

TEST_CASE("status of a latched rig exits with 1, and watch begins with the state") {
    const Person person;
    const Folder third_terminal;
    const Running simulator({"rig", "sim", "--pockets", "2", "--ports", "1"}, third_terminal.path(),
                            person.environment);
    REQUIRE(person.rig_comes_up());
    REQUIRE(person.type({"home"}).status == 0);
    REQUIRE(person.type({"stop"}).status == 0);
    const ProgramOutput latched = person.type({"status"});
    CHECK(latched.status == 1);
    CHECK_THAT(latched.out, ContainsSubstring("fault   "));

    const auto& terminal = person.other_terminal;
    Running watch({"rig", "watch", "--rig", "sim", "--store", (person.folder / "store.db").string()}, terminal.path(),
                  person.environment);
    CHECK(eventually([&] { return read_file(terminal / "said.out").find("PORT") != std::string::npos; }));
    const ProgramOutput refused = person.type({"status"});
    CHECK(refused.status == 3);
    CHECK_THAT(refused.err, ContainsSubstring("is in use by another program"));
    watch.signal(SIGINT);
    const ProgramOutput watched = watch.wait();
    CHECK(watched.status == 0);
    CHECK_THAT(watched.out, ContainsSubstring("state   ") && ContainsSubstring("PORT"));
}

TEST_CASE("a moving rig stops while another program has its port") {
    const Person person;
    const Folder third_terminal;
    const Running simulator({"rig", "sim", "--pockets", "8", "--ports", "1"}, third_terminal.path(),
                            person.environment);
    REQUIRE(person.rig_comes_up());
    REQUIRE(person.type({"home"}).status == 0);
    const std::string store = (person.folder / "store.db").string();
    Running load({"rig", "load", "8", "--rig", "sim", "--store", store}, person.other_terminal.path(),
                 person.environment);
    REQUIRE(eventually([&] { return person.line_is_locked(); }));
    const ProgramOutput stopped = person.type({"stop"});
    CHECK(stopped.err.empty());
    CHECK(stopped.status == 0);
    // Usually the load ends within a moment, but on a busy machine it may end after the time for which stop waits for
    // the port.
    CHECK_THAT(stopped.out, ContainsSubstring("orts keep their voltage. Then: mediarig rig reset"));
    const ProgramOutput loaded = load.wait();
    CHECK(loaded.status == 3);
    // The load was stopped while it ran, or before it was requested.
    CHECK_THAT(loaded.err, ContainsSubstring("the rig was stopped") || ContainsSubstring("is stopped after a fault"));
    CHECK(person.type({"status"}).status == 1);

    // The watcher keeps the port and receives the event.
    REQUIRE(person.type({"reset"}).status == 0);
    const Folder fourth_terminal;
    Running watch({"rig", "watch", "--rig", "sim", "--store", store}, fourth_terminal.path(), person.environment);
    REQUIRE(eventually([&] { return read_file(fourth_terminal / "said.out").find("PORT") != std::string::npos; }));
    const ProgramOutput told = person.type({"stop"});
    CAPTURE(told.err);
    CHECK_THAT(told.out,
               Catch::Matchers::StartsWith("the rig received the stop; the program that has its line reports"));
    CHECK(eventually([&] { return read_file(fourth_terminal / "said.out").find("stopped") != std::string::npos; }));
    watch.signal(SIGINT);
    CHECK(watch.wait().status == 0);
}

TEST_CASE("a simulated rig with an invalid script prints only the fault") {
    const Person person;
    write_file(person.folder / "script.txt", "pocket 3 is emty\n");
    const ProgramOutput wrong = person.type({"sim", "--script", (person.folder / "script.txt").string()}, false);
    CHECK(wrong.status == 2);
    CHECK(wrong.out.empty());
    CHECK_THAT(wrong.err,
               ContainsSubstring("line 1: after \"pocket 3 is\", \"emty\" is found where \"empty\" is expected"));
    const ProgramOutput none = person.type({"sim", "--script", "nix"}, false);
    CHECK(none.status == 2);
    CHECK(none.err == "mediarig-rig-sim: nix cannot be read: No such file or directory; check the name\n");
    CHECK_FALSE(std::filesystem::exists(person.line));
}
