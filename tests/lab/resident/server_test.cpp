// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the control socket of the lab, and the agent that the lab lends to one client at a time, without a real
/// machine.
#include "host/lab/resident/lab_server.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstring>
#include <filesystem>
#include <future>
#include <thread>

#include "host/agent/client/agent_client.hpp"
#include "host/lab/resident/lab_client.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_agent_link.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::lab;
namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

class FakeMachine final : public VirtualMachine {
public:
    Answer<MachineReport> start(MachineSpec) override { co_return MachineReport{}; }
    Answer<void> stop() override {
        stopped = true;
        co_return Result<void>{};
    }
    std::optional<Error> failure() const override { return broken; }
    void abandon(std::string why) override { broken = Error{Errc::rig_fault, std::move(why)}; }
    Answer<void> plug(SlotId, LabMedium) override { co_return Result<void>{}; }
    Answer<void> unplug(SlotId) override { co_return Result<void>{}; }
    Answer<void> cut_power(SlotId) override { co_return Result<void>{}; }
    Answer<void> throttle(SlotId, Limits) override { co_return Result<void>{}; }
    Answer<void> inject_errors(SlotId, std::vector<InjectedError>) override { co_return Result<void>{}; }
    Answer<void> clear_errors(SlotId) override { co_return Result<void>{}; }
    std::unique_ptr<agent::AgentLink> agent_link() override {
        ++links;
        return std::make_unique<agent::FakeAgentLink>();
    }
    Answer<ShellAnswer> diagnose(std::string script, std::chrono::milliseconds) override {
        if (broken) co_return fail(*broken);
        co_return ShellAnswer{.exit_status = 3, .output = "ran " + script};
    }
    bool matches(SlotId, const media::Medium&) const override { return false; }
    Answer<media::Medium> wait_for(SlotId, agent::AgentClient&) override { co_return media::Medium{}; }
    Answer<void> wait_until_gone(SlotId, agent::AgentClient&) override { co_return Result<void>{}; }

    std::optional<Error> broken;
    bool stopped{false};
    int links{0};
};

/// A lab served by its own thread until it is stopped.
class Served {
public:
    explicit Served(std::optional<std::chrono::milliseconds> idle = std::nullopt)
        : lab_(machine, {}, {{SlotId{1}, SlotKind::usb}, {SlotId{2}, SlotKind::sd}}, folder(), folder()),
          server_(io_.get_executor(), lab_, {{"process", ::getpid()}}, idle) {
        listening = server_.listen(place.control());
        asio::co_spawn(
            io_, [this]() -> asio::awaitable<void> { outcome = co_await server_.serve(); },
            [](std::exception_ptr broken) {
                if (broken) std::rethrow_exception(broken);
            });
        thread_ = std::thread([this] {
            io_.run();
            ended_.set_value();
        });
    }
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;
    ~Served() {
        (void)ask_lab(place, StopLab{});
        if (thread_.joinable()) thread_.join();
    }
    [[nodiscard]] bool ends() { return ended_.get_future().wait_for(60s) == std::future_status::ready; }
    Result<nlohmann::json> ask(const LabRequest& request) const { return ask_lab(place, request); }

    FakeMachine machine;
    tests::Scratch scratch;
    LabPaths place{scratch.path()};
    Result<void> listening, outcome = fail(Errc::rig_fault, "still served");

private:
    fs::path folder() const { return place.folder; }
    asio::io_context io_{1};
    ResidentLab lab_;
    LabServer server_;
    std::promise<void> ended_;
    std::thread thread_;
};

/// A client that sends raw lines.
class RawClient {
public:
    explicit RawClient(const fs::path& socket) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
        REQUIRE(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0); // NOLINT: the API's way
    }
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;
    ~RawClient() { ::close(fd_); }
    /// Returns the next received line, empty at the end.
    std::string say(const std::string& text) {
        REQUIRE(::write(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
        std::string line;
        for (char c{}; ::read(fd_, &c, 1) == 1 && c != '\n';) line += c;
        return line;
    }

private:
    int fd_;
};

} // namespace

TEST_CASE("a lab answers requests, refuses unknown ones and stops on request") {
    Served lab;
    REQUIRE(lab.listening);
    const auto status = lab.ask(StatusRequest{});
    REQUIRE(status);
    CHECK(status->at("process") == ::getpid());
    CHECK(status->at("slots").size() == 2);
    CHECK(status->at("agent_works_for") == "");
    CHECK(status->at("failure") == "");
    const auto said = lab.ask(RunScript{"ls"});
    REQUIRE(said);
    CHECK(said->at("output") == "ran ls");
    CHECK(said->at("exit_status") == 3);
    CHECK(reason(lab.ask(UnplugCard{SlotId{1}})) == "slot 1 is empty");
    CHECK(reason(lab.ask(UnplugCard{SlotId{7}})) == "there is no slot 7; the lab has the slots 1 usb, 2 sd");
    CHECK_THAT(reason(lab.ask(PlugCard{.card = "gold"})), ContainsSubstring("no card model is named \"gold\""));
    CHECK(reason(lab.ask(OrderCard{SlotId{1}, PowerCut{}})) ==
          "the power of a card belongs to its slot: cut it with 'mediarig lab power-cut'");
    {
        RawClient client(lab.place.control());
        CHECK_THAT(client.say("hello\n"), ContainsSubstring("\"ok\":false"));
        // The server keeps the connection open after an invalid request.
        CHECK_THAT(client.say(request_line(StatusRequest{}) + "\n"), ContainsSubstring("\"ok\":true"));
    }
    lab.machine.broken = Error{Errc::rig_fault, "the guest's kernel crashed"};
    CHECK(lab.ask(StatusRequest{})->at("failure") == "the guest's kernel crashed");
    CHECK(reason(lab.ask(RunScript{"ls"})) == "the guest's kernel crashed");

    REQUIRE(lab.ask(StopLab{}));
    CHECK(lab.ends());
    CHECK(lab.outcome);
    CHECK(lab.machine.stopped);
}

TEST_CASE("an idle lab ends at its time limit") {
    Served lab(200ms);
    CHECK(lab.ends());
    CHECK(lab.outcome);
    CHECK(lab.machine.stopped);
}

TEST_CASE("the agent serves one client at a time, which may disconnect without notice") {
    Served lab;
    {
        RawClient first(lab.place.control());
        REQUIRE_THAT(first.say(request_line(UseAgent{}) + "\n"), ContainsSubstring("\"ok\":true"));
        const std::string busy = reason(lab.ask(UseAgent{}));
        CHECK(busy == "the lab's agent is in use by process " + std::to_string(::getpid()) + ": wait until it is done");
        CHECK_THAT(first.say(R"({"jsonrpc":"2.0","id":5,"method":"devices","params":{}})"
                             "\n"),
                   ContainsSubstring("\"id\":5"));
        CHECK_THAT(first.say(R"({"jsonrpc":"2.0","id":6,"method":"identify","params":{"target":"/dev/sdz"}})"
                             "\n"),
                   ContainsSubstring("/dev/sdz: no such file or device"));
    }
    std::string next = "busy";
    for (int tries = 0; tries < 1000 && next != "success"; ++tries) {
        next = reason(lab.ask(UseAgent{}));
        if (next != "success") std::this_thread::sleep_for(5ms);
    }
    CHECK(next == "success");
    CHECK(lab.machine.links >= 2);
}
