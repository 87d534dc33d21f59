// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the emulated image as a program in real time, as a host, a test or a campaign uses it.
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/catch.hpp"
#include "tests/firmware/plant/simulator_process.hpp"
#include "tests/json.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::board;
namespace fs = std::filesystem;

namespace {

const std::string image = MEDIARIG_RIG_IMAGE;
const std::string plant = MEDIARIG_BIN "/plant.node";

std::optional<std::string> missing() {
    if (image.empty() || !fs::exists(image)) return "there is no image of the board: no ARM compiler";
    if (!fs::exists(plant)) return "the emulator's add-on is not built: no npm ci in firmware/harness";
    return {};
}

std::vector<std::string> with(std::vector<std::string> more) {
    std::vector<std::string> words{"--image", image, "--pockets", "8", "--ports", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

nlohmann::json parsed(const std::string& line) {
    return nlohmann::json::parse(line, nullptr, false);
}

/// Processes whose command line names `word`.
std::set<std::string> processes_with(const std::string& word) {
    std::set<std::string> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const std::string line = tests::text_of(entry.path() / "cmdline");
        if (line.find(word) != std::string::npos) found.insert(entry.path().filename().string());
    }
    return found;
}

/// Under load a real-time board answers late and the host times out. The host then opens the port again.
std::optional<rigproto::HelloReply> hello_at(const std::string& link) {
    std::optional<rigproto::HelloReply> reply;
    std::uint16_t nonce = 0x1000;
    static_cast<void>(eventually([&] {
        LineHost host(link, ++nonce);
        reply = host.hello();
        return reply.has_value();
    }));
    return reply;
}

} // namespace

#define NEEDS_EMULATOR() \
    if (const auto why = missing()) MEDIARIG_SKIP(*why)

TEST_CASE("the emulated board prints its ports and speaks the protocol on both") {
    NEEDS_EMULATOR();
    const tests::Scratch scratch;
    SimulatorProcess emulator(with({"--link", scratch.path("usb"), "--uart-link", scratch.path("uart")}));
    const auto ready = parsed(emulator.line());
    REQUIRE(ready.value("ready", false));
    CHECK(ready.at("link") == scratch.path("usb"));
    CHECK(ready.at("uart") == scratch.path("uart"));
    CHECK(fs::read_symlink(scratch.path("usb")) == ready.at("pty").get<std::string>());
    {
        const auto hello = hello_at(scratch.path("usb"));
        REQUIRE(hello);
        CHECK(hello->major == rigproto::protocol_major);
        CHECK(std::string(hello->profile.data()) == "swap30");
        CHECK(hello->cold_start == 1);
    }
    CHECK(hello_at(scratch.path("uart")));
    emulator.say("the e-stop is pressed");
    CHECK(parsed(emulator.line()).value("ok", false));
    emulator.say("the moon is full");
    const auto refused = parsed(emulator.line());
    CHECK_FALSE(refused.value("ok", true));
    CHECK(refused.value("error", "").find("moon") != std::string::npos);
    emulator.say("state");
    const auto state = parsed(emulator.line());
    CHECK(state.at("x") == 3000);
    CHECK(state.at("cards").size() == 8);
    emulator.say("findings");
    CHECK(parsed(emulator.line()).at("findings").empty());
    emulator.say("quit");
    CHECK(parsed(emulator.line()).value("ok", false));
    CHECK(emulator.wait() == 0);
    CHECK_FALSE(fs::is_symlink(scratch.path("usb")));
    CHECK_FALSE(fs::is_symlink(scratch.path("uart")));
}

TEST_CASE("a hang disconnects the emulated board and its watchdog reconnects it at the same link") {
    NEEDS_EMULATOR();
    const tests::Scratch scratch;
    SimulatorProcess emulator(with({"--link", scratch.path("usb")}));
    REQUIRE(parsed(emulator.line()).value("ready", false));
    REQUIRE(hello_at(scratch.path("usb")));
    emulator.say("the firmware hangs");
    CHECK(parsed(emulator.line()).value("ok", false));
    CHECK(parsed(emulator.line()).contains("line"));
    const auto hello = hello_at(scratch.path("usb"));
    REQUIRE(hello);
    CHECK(hello->reset == rigproto::ResetReason::watchdog);
    CHECK(hello->boot_id == 2);
}

TEST_CASE("a hanging USB controller disconnects the board briefly without loss of state") {
    NEEDS_EMULATOR();
    const tests::Scratch scratch;
    SimulatorProcess emulator(with({"--link", scratch.path("usb")}));
    REQUIRE(parsed(emulator.line()).value("ready", false));
    const auto before = hello_at(scratch.path("usb"));
    REQUIRE(before);
    emulator.say("the USB controller hangs");
    CHECK(parsed(emulator.line()).value("ok", false));
    CHECK(parsed(emulator.line()).contains("line"));
    const auto after = hello_at(scratch.path("usb"));
    REQUIRE(after);
    CHECK(after->boot_id == before->boot_id);
}

TEST_CASE("a power failure is a cold start of the emulated board") {
    NEEDS_EMULATOR();
    const tests::Scratch scratch;
    SimulatorProcess emulator(with({"--link", scratch.path("usb")}));
    REQUIRE(parsed(emulator.line()).value("ready", false));
    emulator.say("the power fails");
    CHECK(parsed(emulator.line()).value("ok", false));
    CHECK(eventually([&] { return !fs::is_symlink(scratch.path("usb")); }));
    emulator.say("the power returns");
    CHECK(parsed(emulator.line()).value("ok", false));
    CHECK(parsed(emulator.line()).contains("line"));
    const auto hello = hello_at(scratch.path("usb"));
    REQUIRE(hello);
    CHECK(hello->cold_start == 1);
    CHECK(hello->reset == rigproto::ResetReason::power_on);
}

TEST_CASE("the emulator exits on request, and a killed emulator leaves no process or link") {
    NEEDS_EMULATOR();
    const tests::Scratch scratch;
    SECTION("end of input") {
        SimulatorProcess emulator(with({"--until-eof"}));
        REQUIRE(parsed(emulator.line()).value("ready", false));
        emulator.end_input();
        CHECK(emulator.wait() == 0);
    }
    SECTION("SIGTERM") {
        SimulatorProcess emulator(with({"--link", scratch.path("usb")}));
        REQUIRE(parsed(emulator.line()).value("ready", false));
        emulator.send_signal(SIGTERM);
        CHECK(emulator.wait() == 0);
        CHECK_FALSE(fs::is_symlink(scratch.path("usb")));
    }
    SECTION("SIGKILL") {
        const std::string script = scratch.path("none.rig");
        std::ofstream(script) << "# nothing\n";
        SimulatorProcess emulator(with({"--link", scratch.path("usb"), "--script", script}));
        REQUIRE(parsed(emulator.line()).value("ready", false));
        REQUIRE(processes_with(script).size() >= 2); // simulator, Node and the process that removes the link
        emulator.send_signal(SIGKILL);
        CHECK(emulator.wait() == -SIGKILL);
        CHECK(eventually([&] { return processes_with(script).empty(); }));
        CHECK(eventually([&] { return !fs::is_symlink(scratch.path("usb")); }));
    }
}

TEST_CASE("a file that is not an image is refused with a one-line error") {
    NEEDS_EMULATOR();
    const tests::Scratch scratch;
    const std::string junk = scratch.path("junk.uf2");
    std::ofstream(junk) << std::string(1024, 'x');
    SimulatorProcess emulator({"--image", junk});
    CHECK(emulator.line().empty());
    CHECK(emulator.wait() == 3);
    const std::string said = emulator.errors();
    CHECK(said.find("junk.uf2: uf2: block 0: first magic is 0x78787878") != std::string::npos);
}
