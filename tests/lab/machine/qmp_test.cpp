// SPDX-License-Identifier: GPL-3.0-or-later
// The control socket against dialogues recorded from QEMU 7.2.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "host/lab/qmp/qmp_client.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/catch.hpp"
#include "tests/lab/machine/booted.hpp"

namespace mediarig::lab {
namespace {

using agent::ClientHarness;
using nlohmann::json;

constexpr const char* greeting =
    R"({"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}, "package": "Debian 1:7.2+dfsg-7+deb12u18+b3"}, "capabilities": ["oob"]}})";

/// Sends scripted text: first the greeting, then one reply for each received line. "%" is replaced by the id of the
/// command. An empty reply sends nothing. The end of the script closes the socket.
class FakeQemu {
public:
    FakeQemu(boost::asio::io_context& io, std::string first, std::vector<std::string> replies) {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
        ours_.emplace(io, boost::asio::local::stream_protocol(), ends[0]);
        thread_ = std::thread(
            [this, fd = ends[1], first = std::move(first), replies = std::move(replies)] { play(fd, first, replies); });
    }
    FakeQemu(const FakeQemu&) = delete;
    FakeQemu& operator=(const FakeQemu&) = delete;
    ~FakeQemu() {
        if (ours_) ours_->close();
        thread_.join();
    }
    UnixSocket socket() { return *std::exchange(ours_, std::nullopt); }
    /// Received commands without their ids. The list is complete when the client has its answers.
    std::vector<std::string> heard;

private:
    static void say(int fd, const std::string& text) {
        if (!text.empty()) (void)::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    }
    void play(int fd, const std::string& first, const std::vector<std::string>& replies) {
        say(fd, first);
        std::string line;
        std::size_t next = 0;
        char c{};
        while (next < replies.size() && ::read(fd, &c, 1) == 1) {
            line += c;
            if (c != '\n') continue;
            json command = json::parse(line);
            line.clear();
            std::string reply = replies[next++];
            for (std::size_t at; (at = reply.find('%')) != std::string::npos;)
                reply.replace(at, 1, command["id"].dump());
            command.erase("id");
            heard.push_back(command.dump());
            say(fd, reply);
        }
        // A script that ends with a silent reply leaves the client waiting.
        if (!replies.empty() && replies.back().empty())
            while (::read(fd, &c, 1) == 1) {
            }
        ::close(fd);
    }
    std::optional<UnixSocket> ours_;
    std::thread thread_;
};

const std::string capable = R"({"return": {}, "id": %})"
                            "\r\n";

} // namespace

TEST_CASE("QMP: the client waits for the greeting, leaves the negotiation mode and returns the version") {
    ClientHarness talk;
    FakeQemu qemu(
        talk.io, std::string(greeting) + "\r\n",
        {capable, "{\"return\": {\"status\": \"running\", \"singlestep\": false, \"running\": true}, \"id\": %}\r\n"});
    auto client = talk.ask(shared(QmpClient::open(qemu.socket())));
    REQUIRE(reason(client) == "success");
    CHECK((**client)->version() == "7.2.22");
    const auto status = talk.ask((**client)->execute({"query-status"}));
    REQUIRE(reason(status) == "success");
    CHECK((*status)["status"] == "running");
    CHECK(qemu.heard == std::vector<std::string>{R"({"execute":"qmp_capabilities"})", R"({"execute":"query-status"})"});
}

TEST_CASE("QMP: events between command and answer are kept and found by content") {
    ClientHarness talk;
    const std::string answer_among_events =
        R"({"timestamp": {"seconds": 1795278093, "microseconds": 520071}, "event": "DEVICE_DELETED", "data": {"path": "/machine/peripheral/u/u.0/legacy[0]"}})"
        "\r\n"
        R"({"return": {}, "id": %})"
        "\r\n"
        R"({"timestamp": {"seconds": 1795278093, "microseconds": 520168}, "event": "DEVICE_DELETED", "data": {"device": "u", "path": "/machine/peripheral/u"}})"
        "\r\n";
    FakeQemu qemu(talk.io, std::string(greeting) + "\r\n", {capable, answer_among_events, ""});
    auto client = talk.ask(shared(QmpClient::open(qemu.socket())));
    REQUIRE(reason(client) == "success");
    CHECK(reason(talk.ask((**client)->execute({"device_del", {{"id", "u"}}}))) == "success");
    const auto is_u = [](const QmpEvent& event) {
        return event.name == "DEVICE_DELETED" && event.data.value("device", "") == "u";
    };
    const auto deleted = talk.ask((**client)->wait_for(is_u, "the removal of u", std::chrono::minutes(1)));
    REQUIRE(reason(deleted) == "success");
    CHECK(deleted->data["path"] == "/machine/peripheral/u");
    // Each event is returned once.
    CHECK(reason(talk.ask((**client)->wait_for(is_u, "the removal of u", std::chrono::milliseconds(20)))) ==
          "QEMU did not report the removal of u within 20 ms");
}

TEST_CASE("QMP: answers match their commands in any order") {
    ClientHarness talk;
    FakeQemu qemu(talk.io, std::string(greeting) + "\r\n",
                  {capable, "",
                   R"({"return": "second", "id": 3})"
                   "\r\n"
                   R"({"return": "first", "id": 2})"
                   "\r\n",
                   ""});
    auto client = talk.ask(shared(QmpClient::open(qemu.socket())));
    REQUIRE(reason(client) == "success");
    const auto first = talk.begin((**client)->execute({"one"}));
    const auto second = talk.begin((**client)->execute({"two"}));
    CHECK(talk.finish(second) == Result<json>(json("second")));
    CHECK(talk.finish(first) == Result<json>(json("first")));
}

TEST_CASE("QMP: a fault gives one clear line and the code of a lab error") {
    struct Row {
        const char* name;
        std::string first;
        std::vector<std::string> replies;
        Errc code;
        const char* says;
    };
    const std::string hello = std::string(greeting) + "\r\n";
    const Row rows[] = {
        {"refused command",
         hello,
         {capable, R"({"id": %, "error": {"class": "GenericError", "desc": "Node s is in use"}})"
                   "\r\n"},
         Errc::rig_fault,
         "QEMU refused query-status: Node s is in use"},
        {"error in several lines",
         hello,
         {capable, R"({"id": %, "error": {"class": "GenericError", "desc": "one\ntwo"}})"
                   "\r\n"},
         Errc::rig_fault,
         "QEMU refused query-status: one two"},
        {"connection lost instead of an answer",
         hello,
         {capable},
         Errc::rig_fault,
         "QEMU closed its control socket: the virtual machine has ended"},
        {"connection lost in the middle of an answer",
         hello,
         {capable, R"({"return": {"sta)"},
         Errc::rig_fault,
         "QEMU closed its"},
        {"no greeting", "", {}, Errc::rig_fault, "QEMU closed its control socket"},
        {"a greeting of another program", "220 mail ready\r\n", {}, Errc::bad_format, "no JSON object"},
        {"an answer without a number",
         hello,
         {capable, "{\"return\": {}}\r\n"},
         Errc::bad_format,
         "an answer without the number of its command"},
        {"an object of an unknown kind",
         hello,
         {capable, "{\"hello\": 1}\r\n"},
         Errc::bad_format,
         "neither an event nor"},
        {"an error without its class and description",
         hello,
         {capable, "{\"error\": {}, \"id\": %}\r\n"},
         Errc::bad_format,
         "an error without a description"},
        {"no answer before the time limit",
         hello,
         {capable, ""},
         Errc::timed_out,
         "QEMU did not answer query-status within 50 ms"},
        {"no greeting before the time limit", "", {""}, Errc::timed_out, "sent no greeting"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        ClientHarness talk;
        FakeQemu qemu(talk.io, row.first, row.replies);
        auto client = talk.ask(
            shared(QmpClient::open(qemu.socket(), std::chrono::milliseconds(row.first.empty() ? 50 : 60'000))));
        Result<json> answer = json();
        if (client) {
            const auto patience = std::chrono::milliseconds(row.code == Errc::timed_out ? 50 : 60'000);
            answer = talk.ask((**client)->execute({"query-status"}, patience));
            // A refusal concerns one command. All other faults except silence concern the whole connection.
            const bool ended =
                std::string(row.says).find("refused") == std::string::npos && row.code != Errc::timed_out;
            if (ended) CHECK(!talk.ask((**client)->execute({"query-status"})).has_value());
        } else {
            answer = fail(client.error());
        }
        REQUIRE(!answer.has_value());
        CHECK(answer.error().code == row.code);
        CHECK_THAT(answer.error().detail, ContainsSubstring(row.says));
        CHECK(answer.error().detail.find('\n') == std::string::npos);
    }
}

TEST_CASE("QMP: the client waits for a missing socket until a time limit or the end of the process") {
    ClientHarness talk;
    CHECK_THAT(reason(talk.ask(shared(connect_to("/tmp/mediarig-nobody.sock", std::chrono::milliseconds(50))))),
               ContainsSubstring("no process answers at the socket /tmp/mediarig-nobody.sock"));
    const auto given_up = talk.ask(shared(connect_to("/tmp/mediarig-nobody.sock", std::chrono::minutes(1), [] {
        return Error{Errc::rig_fault, "it ended"};
    })));
    CHECK(reason(given_up) == "it ended");
    const auto too_long = talk.ask(shared(connect_to("/tmp/" + std::string(103, 'x'), std::chrono::minutes(1))));
    REQUIRE(!too_long.has_value());
    CHECK(too_long.error().code == Errc::bad_request);
    CHECK_THAT(reason(too_long), ContainsSubstring("longer than the 107 bytes"));
}

} // namespace mediarig::lab
