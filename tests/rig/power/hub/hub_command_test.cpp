// SPDX-License-Identifier: GPL-3.0-or-later
/// `mediarig rig qualify-hub` and `hub-power`, on a machine of umockdev with a hub switched by fake_uhubctl.py.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include "tests/rig/power/hub/hub_machine.hpp"
#include "tests/scratch.hpp"

extern char** environ;

using namespace mediarig::rig;

namespace {

struct CommandOutput {
    int status{};
    std::string out, err;
};

/// With the preload library, unlike process::run_process, which gives a child a clean environment.
CommandOutput call(const HubMachine& machine, std::vector<std::string> words, const std::string& input = "") {
    const std::filesystem::path folder = std::filesystem::path(machine.program()).parent_path();
    words.insert(words.begin(), {MEDIARIG_PROGRAM, "rig"});
    words.insert(words.end(), {"--uhubctl", machine.program()});
    std::ofstream(folder / "input") << input;
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files{};
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, 0, (folder / "input").c_str(), O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files, 1, (folder / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_addopen(&files, 2, (folder / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    REQUIRE(::posix_spawn(&child, MEDIARIG_PROGRAM, &files, nullptr, arguments.data(), environ) == 0);
    ::posix_spawn_file_actions_destroy(&files);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return {WEXITSTATUS(status), mediarig::tests::text_of(folder / "out"), mediarig::tests::text_of(folder / "err")};
}

struct HubFixture {
    HubMachine machine;
    HubFixture() { machine.plug_reader(2, "R2"); }
    CommandOutput type(std::vector<std::string> words, const std::string& input = "") {
        machine.save();
        return call(machine, std::move(words), input);
    }
};

} // namespace

TEST_CASE("qualify-hub measures a port with typed voltages") {
    HubFixture fixture;
    const CommandOutput said =
        fixture.type({"qualify-hub", "1-1.2", "--cycles", "2", "--hold", "0", "--voltmeter", "--json"}, "31\n28\n");
    CAPTURE(said.err);
    CHECK(said.status == 0);
    const auto report = nlohmann::json::parse(said.out);
    CHECK(report.at("mediarig_hub_qualification") == 1);
    CHECK(report.at("qualified") == true);
    CHECK(report.at("cycles").at(1).at("millivolts") == 28);
    CHECK(report.at("detachment").at("reached") == "supply_cut");
    CHECK_THAT(said.err, ContainsSubstring("the voltage at port 1-1.2 now, in mV: "));
}

TEST_CASE("qualify-hub exits with status 1 and the reason for a port that fails") {
    HubFixture fixture;
    fixture.machine.state["trouble"]["ignores"] = {2};
    const CommandOutput said = fixture.type({"qualify-hub", "1-1.2", "--cycles", "1", "--hold", "0"});
    CHECK(said.status == 1);
    CHECK_THAT(said.out, ContainsSubstring("fault: the device stays while the port is off"));
    CHECK_THAT(said.out, ContainsSubstring("the port does not qualify"));
}

TEST_CASE("hub-power switches a port and reports an invalid path in one line") {
    HubFixture fixture;
    const CommandOutput off = fixture.type({"hub-power", "1-1.2", "off"});
    CAPTURE(off.err);
    CHECK(off.status == 0);
    CHECK_THAT(off.out, ContainsSubstring("port 1-1.2: its hub reports that the port is off"));
    CHECK(fixture.machine.saved().at("hubs").at("2-1").at("on") == nlohmann::json{1, 3, 4});
    const CommandOutput wrong = fixture.type({"hub-power", "usb2", "off"});
    CHECK(wrong.status == 2);
    CHECK_THAT(wrong.err, ContainsSubstring("\"usb2\" is not a USB path"));
    CHECK(fixture.type({"qualify-hub", "1-1.9"}).status == 2);
}
