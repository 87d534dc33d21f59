// SPDX-License-Identifier: GPL-3.0-or-later
// Serves one controller after another on a port that stays open.
#include <poll.h>

#include <thread>

#include "host/base/async/line_framer.hpp"
#include "tests/agent/port.hpp"
#include "tests/agent/serving.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

namespace mediarig::agent {
namespace {

using nlohmann::json;

/// A controller's two ends of a port.
class Visitor {
public:
    explicit Visitor(const Port& port) : writer_(port.connect()), output_(port.output()) {}
    Visitor(const Visitor&) = delete;
    Visitor& operator=(const Visitor&) = delete;
    ~Visitor() { leave(); }
    void leave() {
        if (const int fd = std::exchange(writer_, -1); fd >= 0) ::close(fd);
    }
    void say(std::string_view text) {
        REQUIRE(::write(writer_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    void ask(const json& id, const std::string& method, const json& params = json::object()) {
        say(json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump() + "\n");
    }
    /// The answer to `id`; skips lines that are not JSON, and answers to other requests.
    json answer_to(const json& id) {
        while (true) {
            while (const auto frame = framer_.next()) {
                lines.push_back(frame->text);
                const json message = json::parse(frame->text, nullptr, false);
                if (message.is_object() && message.contains("id") && message["id"] == id) return message;
            }
            pollfd readable{output_, POLLIN, 0};
            if (::poll(&readable, 1, 60'000) != 1) FAIL("nothing was received for one minute");
            char bytes[4096];
            const ssize_t got = ::read(output_, bytes, sizeof bytes);
            REQUIRE(got > 0);
            framer_.push({bytes, static_cast<std::size_t>(got)});
        }
    }
    void greet() {
        ask("h", "hello", {{"protocol", 1}, {"controller", "test 1"}});
        REQUIRE(outcome_of(answer_to("h")) == "ok");
    }
    void claim_and_mount() {
        ask("c", "claim", claim_of("/dev/sdx"));
        const json claimed = answer_to("c");
        REQUIRE(outcome_of(claimed) == "ok");
        json params = exfat(claimed["result"]["claim"].get<std::uint64_t>());
        json format = format_exfat(claimed["result"]["claim"].get<std::uint64_t>());
        ask("f", "format", format);
        ask("m", "mount", params);
        REQUIRE(outcome_of(answer_to("m")) == "ok");
    }
    std::vector<std::string> lines;

private:
    int writer_;
    int output_;
    LineFramer framer_;
};

bool comes_true(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!condition() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return condition();
}

} // namespace

TEST_CASE("port: when a controller disconnects, the agent releases its claims and serves the next controller") {
    Port port;
    port.start();
    for (int connection = 0; connection < 3; ++connection) {
        Visitor visitor(port);
        visitor.greet();
        visitor.claim_and_mount();
        CHECK(port.backend.open_mounts() == 1);
        visitor.leave();
        CHECK(comes_true([&] { return port.backend.open_claims() == 0 && port.backend.open_mounts() == 0; }));
        CHECK(port.serves());
    }
    // Only a broken connection ends the agent.
    CHECK_THAT(reason(port.end()), ContainsSubstring("the controller's connection failed"));
}

TEST_CASE("port: a partial message of the old controller is not joined to the next controller's message") {
    Port port;
    port.start();
    {
        Visitor visitor(port);
        visitor.greet();
        visitor.say(R"({"jsonrpc":"2.0","id":"half","meth)");
    }
    CHECK(comes_true([&] { return port.serves(); }));
    Visitor next(port);
    next.say("\n");
    next.ask("s", "start_over");
    CHECK(outcome_of(next.answer_to("s")) == "ok");
    next.greet();
}

TEST_CASE("port: start_over of a quickly reconnected controller is answered after the release") {
    Port port;
    port.start();
    Visitor visitor(port);
    visitor.greet();
    visitor.claim_and_mount();
    // For the agent this is still the first connection, because it has not read an end of that connection.
    visitor.say(R"({"jsonrpc":"2.0","id":"half","meth)");
    visitor.say("\n");
    visitor.ask("again", "start_over");
    CHECK(outcome_of(visitor.answer_to("again")) == "ok");
    CHECK(port.backend.open_mounts() == 0);
    CHECK(port.backend.open_claims() == 0);
    // A new connection requires and accepts hello.
    visitor.ask("d", "devices");
    CHECK_THAT(outcome_of(visitor.answer_to("d")), ContainsSubstring("hello must be the first request"));
    visitor.greet();
    visitor.claim_and_mount();
}

TEST_CASE("port: start_over cancels the running request and drops the waiting requests") {
    Port port;
    port.backend.held = "identify";
    port.start();
    Visitor visitor(port);
    visitor.greet();
    visitor.ask("i", "identify", {{"target", "/dev/sdx"}});
    REQUIRE(port.backend.saw("identify /dev/sdx"));
    visitor.ask("waiting", "claim", claim_of("/dev/sdx"));
    visitor.ask("again", "start_over");
    CHECK(outcome_of(visitor.answer_to("again")) == "ok");
    for (const std::string& line : visitor.lines) CHECK(line.find("\"waiting\"") == std::string::npos);
    CHECK(port.backend.open_claims() == 0);
}

TEST_CASE("port: the answer to start_over lists failed releases, and the agent keeps running") {
    Port port;
    port.backend.failures["unmount"] = {Errc::io_failed, "the volume is busy"};
    port.start();
    Visitor visitor(port);
    visitor.greet();
    visitor.claim_and_mount();
    visitor.ask("again", "start_over");
    CHECK_THAT(outcome_of(visitor.answer_to("again")), ContainsSubstring("the volume is busy"));
    visitor.greet();
}

TEST_CASE("port: start_over is an unknown method on a connection that ends with its controller") {
    Serving serving;
    RawPeer& peer = serving.greet();
    peer.send_request("s", "start_over");
    CHECK(outcome_of(peer.answer_to("s")) == "-32601 unknown method 'start_over'");
}

} // namespace mediarig::agent
