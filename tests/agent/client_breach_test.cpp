// SPDX-License-Identifier: GPL-3.0-or-later
// Agents that send unexpected answers, violate the protocol, or send no answer.
#include "host/agent/protocol/samples.hpp"
#include "host/workload/json.hpp"
#include "tests/agent/staged.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::agent;
using namespace std::chrono_literals;
using nlohmann::json;

TEST_CASE("client: overlapping calls receive their own answers in any order") {
    Staged staged([](RawPeer& peer) {
        if (const auto hello = peer.next()) peer.send(good_hello((*hello)["id"]));
        const auto first = peer.next();
        const auto second = peer.next();
        if (!first || !second) return;
        for (const auto& request : {second, first}) {
            const json medium = media::to_json(fake_medium((*request)["params"]["target"]));
            peer.send(serialise(Response{(*request)["id"], json{{"medium", medium}}}));
        }
        while (peer.next()) continue;
    });
    REQUIRE(staged.talk.ask(staged.client->hello("test")));
    const auto one = staged.talk.begin(staged.client->identify("/dev/one"));
    const auto two = staged.talk.begin(staged.client->identify("/dev/two"));
    CHECK(staged.talk.finish(one)->node == "/dev/one");
    CHECK(staged.talk.finish(two)->node == "/dev/two");
}

TEST_CASE("client: a protocol breach by the agent closes the connection with the received text in the error") {
    const std::string broke = "the agent broke the protocol: ";
    const std::string closed = "; the connection was closed";
    struct Row {
        std::string bytes;
        std::string detail;
    };
    const Row rows[] = {
        {"Welcome to host!\n", broke + "the line is not JSON in UTF-8: 'Welcome to host!'" + closed},
        {"\x1b[31m\xff\n", broke + "the line is not JSON in UTF-8: '.[31m.'" + closed},
        {std::string("\0\n", 2),
         broke + "the line contains a NUL byte: send one JSON text per line, in UTF-8: '.'" + closed},
        {std::string(longest_line + 3, 'x'),
         broke + "a line longer than 8 MiB, '" + std::string(60, 'x') + "…'" + closed},
        {"[]\n", broke + "batches are not supported: send one message per line: '[]'" + closed},
        {line({{"jsonrpc", "2.0"}, {"id", 77}, {"result", 1}}),
         broke + "an answer to request 77, which is not pending" + closed},
        {line({{"jsonrpc", "2.0"}, {"id", 1}, {"result", 1}}),
         broke + "an answer to request 1, which is not pending" + closed},
        {line({{"jsonrpc", "2.0"}, {"id", "2"}, {"result", 1}}),
         broke + "an answer to request \"2\", which is not pending" + closed},
        {line({{"jsonrpc", "2.0"}, {"id", nullptr}, {"error", {{"code", -32700}, {"message", "what?"}}}}),
         broke + "an answer to request null, which is not pending (what?)" + closed},
        {line({{"jsonrpc", "2.0"}, {"id", 2}, {"method", "devices"}}),
         broke + R"(a request instead of an answer: '{"id":2,"jsonrpc":"2.0","method":"devices"}')" + closed},
        {line(notification("cell", json::object())), "the agent sent a bad 'cell' notification: request: missing"},
        {line(notification("finding", {{"request", 2}})),
         "the agent sent a bad 'finding' notification: request 2 is not a run"},
        {line(notification("progress", {{"request", 900}})),
         "the agent sent a bad 'progress' notification: request 900 is not a run"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.detail);
        Staged staged(says_after_one_request(row.bytes));
        REQUIRE(staged.talk.ask(staged.client->hello("test")));
        const auto pending = staged.talk.begin(staged.client->devices());
        const auto another = staged.talk.begin(staged.client->identify("/dev/sdx"));
        CHECK(staged.talk.finish(pending).error() == Error{Errc::bad_format, row.detail});
        CHECK(staged.talk.finish(another).error() == Error{Errc::bad_format, row.detail});
        CHECK(staged.talk.ask(staged.client->devices()).error() == Error{Errc::bad_format, row.detail});
        CHECK(reason(staged.talk.ask(staged.client->close())) == "success");
    }
}

TEST_CASE("client: inconsistent notifications of a run close the connection") {
    const json cell = [] {
        workload::CellResult result;
        result.cell = fake_sweep(1).as<workload::SweepJob>()->cells.front();
        return workload::to_json(result);
    }();
    const auto samples = [](std::uint64_t first) {
        json params = to_json(SamplesChunk{"c0", first, {1, 2, 3}});
        params["request"] = 2;
        return line(notification("samples", params));
    };
    const auto cell_with = [&](const json& count) {
        return line(notification("cell", {{"request", 2}, {"result", cell}, {"samples", count}}));
    };
    struct Row {
        std::string bytes;
        std::string detail;
    };
    const Row rows[] = {
        {samples(1), "samples' notification: first: is 1, but 0 samples were received before"},
        {samples(0) + samples(0), "samples' notification: first: is 0, but 3 samples were received before"},
        {samples(0) + cell_with(4), "cell' notification: samples: the cell c0 has 4, but 3 came"},
        {cell_with(1), "cell' notification: samples: the cell c0 has 1, but 0 came"},
        {cell_with("many"), "cell' notification: samples: must be a whole number from 0 to 2^64-1"},
        {line(notification("cell", {{"request", 2}})), "cell' notification: result: missing"},
        {line(notification("finding", {{"request", 2}})), "finding' notification: kind: missing"},
        {line(notification("samples", {{"request", 2}})), "samples' notification: cell: missing"},
        {line(notification("progress", {{"request", 2}})), "progress' notification: phase: missing"},
        {line(notification("progress", {{"request", 2}, {"phase", "x"}})),
         "progress' notification: bytes_done: missing"},
        {line(notification("progress", {{"request", 2}, {"phase", "x"}, {"bytes_done", 1}})),
         "progress' notification: bytes_total: missing"},
        {line(notification("progress", {{"request", 2}, {"phase", "x"}, {"bytes_done", 1}, {"bytes_total", 1}})),
         "progress' notification: cell: missing"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.detail);
        Staged staged(says_after_one_request(row.bytes));
        REQUIRE(staged.talk.ask(staged.client->hello("test")));
        const auto ran = staged.talk.ask(staged.client->run(RunTarget::directory("/d"), fake_sweep(1), {}, {}));
        CHECK(ran.error() == Error{Errc::bad_format, "the agent sent a bad '" + row.detail});
    }
}

TEST_CASE("client: unknown members in messages of a newer agent are ignored") {
    Staged staged([](RawPeer& peer) {
        const auto hello = peer.next();
        if (!hello) return;
        peer.send(line(notification("weather", {{"rain", true}})));
        peer.send(good_hello((*hello)["id"]));
        while (peer.next()) continue;
    });
    CHECK(reason(staged.talk.ask(staged.client->hello("test"))) == "success");
}

TEST_CASE("client: the error for an invalid answer names method and member, and the connection stays open") {
    Staged staged([](RawPeer& peer) {
        if (const auto hello = peer.next()) peer.send(good_hello((*hello)["id"]));
        while (const auto request = peer.next()) peer.send(serialise(Response{(*request)["id"], json{{"odd", true}}}));
    });
    AgentClient& client = *staged.client;
    REQUIRE(staged.talk.ask(client.hello("test")));
    const std::string version = "; are agent and controller the same version?";
    const auto said = [&](const auto& result) {
        CHECK(result.error().code == Errc::bad_format);
        return result.error().detail;
    };
    CHECK(said(staged.talk.ask(client.devices())) ==
          "the agent's answer to 'devices' does not parse: devices: missing" + version);
    CHECK(said(staged.talk.ask(client.identify("x"))) ==
          "the agent's answer to 'identify' does not parse: medium: missing" + version);
    CHECK(said(staged.talk.ask(client.claim({"x", "y"}))) ==
          "the agent's answer to 'claim' does not parse: claim: missing" + version);
    CHECK(said(staged.talk.ask(client.run(RunTarget::raw({1}), fake_sweep(1), {}, {}))) ==
          "the agent's answer to 'run' does not parse: cells: missing" + version);
    for (const std::string& detail :
         {said(staged.talk.ask(client.inspect("x"))), said(staged.talk.ask(client.format({1}, {}))),
          said(staged.talk.ask(client.mount({1}, {}))), said(staged.talk.ask(client.check({1}, {})))})
        CHECK_THAT(detail, ContainsSubstring("does not parse: "));
    CHECK(reason(staged.talk.ask(client.unmount({1}))) == "success");
}

TEST_CASE("client: an agent with another protocol version is refused") {
    Staged staged([](RawPeer& peer) {
        const auto hello = peer.next();
        HelloReport report;
        report.protocol = 9;
        if (hello) peer.send(serialise(Response{(*hello)["id"], to_json(report)}));
        while (peer.next()) continue;
    });
    CHECK(staged.talk.ask(staged.client->hello("test")).error() ==
          Error{Errc::bad_format, "the agent speaks protocol 9, this controller 1: install the same version of both"});
}

TEST_CASE("client: a program that never answers is not accepted as an agent") {
    Staged staged([](RawPeer& peer) {
        while (peer.next()) continue;
    });
    CHECK(staged.talk.ask(staged.client->hello("test", 20ms)).error() ==
          Error{Errc::timed_out, "the agent did not answer hello within 20 ms; is it really a mediarig-agent?"});
    CHECK(staged.talk.ask(staged.client->devices()).error().code == Errc::agent_lost);
}

TEST_CASE("client: the end of the connection fails every pending and later call at once") {
    struct Row {
        const char* bytes;
        const char* detail;
    };
    const Row rows[] = {{"", "the agent closed the connection"},
                        {"{\"jsonrpc\":", "the agent closed the connection in the middle of a message"}};
    for (const Row& row : rows) {
        Staged staged([bytes = std::string(row.bytes)](RawPeer& peer) {
            if (const auto hello = peer.next()) peer.send(good_hello((*hello)["id"]));
            (void)peer.next();
            (void)peer.next();
            peer.send(bytes);
        });
        REQUIRE(staged.talk.ask(staged.client->hello("test")));
        const auto one = staged.talk.begin(staged.client->devices());
        const auto two = staged.talk.begin(staged.client->release({1}));
        const Error lost{Errc::agent_lost, row.detail};
        CHECK(staged.talk.finish(one).error() == lost);
        CHECK(staged.talk.finish(two).error() == lost);
        CHECK(staged.talk.ask(staged.client->devices()).error() == lost);
        CHECK(staged.talk.ask(staged.client->cancel()) == false);
    }
}

TEST_CASE("client: an exception in a handler fails every pending call and closes the connection") {
    Staged staged(says_after_one_request(
        line(notification("finding", {{"request", 2}, {"kind", "resumed"}, {"severity", "note"}}))));
    REQUIRE(staged.talk.ask(staged.client->hello("test")));
    RunHandlers handlers;
    handlers.on_finding = [](const measure::Finding&) { throw std::runtime_error("no memory"); };
    const Error broken{Errc::host_fault, "the connection to the agent failed: no memory; the connection was closed"};
    CHECK(staged.talk.ask(staged.client->run(RunTarget::raw({1}), fake_sweep(1), {}, std::move(handlers))).error() ==
          broken);
    CHECK(staged.talk.ask(staged.client->devices()).error() == broken);
    CHECK(reason(staged.talk.ask(staged.client->close())) == "success");
}
