// SPDX-License-Identifier: GPL-3.0-or-later
// Requests and answers: accepted and refused requests, and their order.
#include "host/media/format_options.hpp"
#include "host/workload/json.hpp"
#include "tests/agent/serving.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::agent;
using nlohmann::json;
using Log = std::vector<std::string>;

TEST_CASE("server: a complete session in the order of a campaign") {
    Serving serving;
    RawPeer& peer = serving.greet();
    peer.send_request(1, "devices");
    CHECK(peer.answer_to(1)["result"]["devices"].size() == 2);
    peer.send_request(2, "identify", {{"target", "/dev/sdx"}});
    CHECK(peer.answer_to(2)["result"]["medium"]["serial"] == "S-/dev/sdx");
    peer.send_request(3, "inspect", {{"target", "/dev/sdx"}});
    CHECK(peer.answer_to(3)["result"]["scheme"] == "none");
    peer.send_request(4, "claim", claim_of("/dev/sdx"));
    CHECK(peer.answer_to(4)["result"]["claim"] == 1);
    peer.send_request(11, "discard", {{"claim", 1}});
    CHECK(peer.answer_to(11)["result"]["zeros"] == media::mark_count);
    peer.send_request(5, "format", format_exfat(1));
    CHECK(peer.answer_to(5)["result"]["tool"] == "mkfs.fake");
    peer.send_request(6, "mount", exfat(1));
    CHECK(peer.answer_to(6)["result"]["mount_point"] == "/fake/dev/sdx");
    peer.send_request(12, "wait_idle", {{"claim", 1}});
    CHECK(peer.answer_to(12)["result"]["silent"] == true);
    peer.send_request(7, "run", run_on(1, fake_sweep(2)));
    CHECK(peer.answer_to(7)["result"]["cells"] == 2);
    CHECK(notified(peer, "cell").size() == 2);
    peer.send_request(8, "unmount", {{"claim", 1}});
    CHECK(outcome_of(peer.answer_to(8)) == "ok");
    peer.send_request(9, "check", exfat(1));
    CHECK(peer.answer_to(9)["result"]["clean"] == true);
    peer.send_request(10, "release", {{"claim", 1}});
    CHECK(outcome_of(peer.answer_to(10)) == "ok");
    peer.close();
    CHECK(reason(serving.ended()) == "success");
    CHECK(serving.backend.log() == Log{"describe", "devices", "identify /dev/sdx", "identify /dev/sdx",
                                       "claim /dev/sdx", "discard /dev/sdx", "format /dev/sdx", "mount /dev/sdx",
                                       "wait_idle /dev/sdx", "run /fake/dev/sdx", "unmount /dev/sdx", "check /dev/sdx",
                                       "release /dev/sdx"});
}

TEST_CASE("server: a medium is restored with a claim, and scanned without one") {
    Serving serving;
    RawPeer& peer = serving.greet();
    json restoring = claim_of("/dev/sdx");
    restoring["restores"] = true;
    peer.send_request(1, "claim", restoring);
    CHECK(peer.answer_to(1)["result"]["claim"] == 1);
    peer.send_request(2, "restore", {{"claim", 1}});
    CHECK(peer.answer_to(2)["result"] == json{{"places", 3}, {"bytes", 12288}, {"written", 12288}, {"lost", 0}});
    peer.send_request(3, "restore", {{"claim", 1}, {"mode", "none"}});
    CHECK(outcome_of(peer.answer_to(3)) == "ok");
    peer.send_request(4, "release", {{"claim", 1}});
    CHECK(outcome_of(peer.answer_to(4)) == "ok");
    peer.send_request(5, "scan", {{"target", "/dev/sdx"}, {"time_limit_ns", 1'000'000'000}});
    const json scan = peer.answer_to(5)["result"];
    CHECK(scan["whole"] == false);
    CHECK(scan["regions"].size() == 1);
    CHECK_FALSE(scan.contains("stopped"));
    peer.close();
    CHECK(reason(serving.ended()) == "success");
    CHECK(serving.backend.log() == Log{"describe", "claim /dev/sdx, restores", "restore unchanged /dev/sdx",
                                       "restore none /dev/sdx", "release /dev/sdx", "scan /dev/sdx"});
}

TEST_CASE("server: hello must be the first request, be sent once, and have the same version") {
    Serving serving;
    RawPeer& peer = serving.start();
    peer.send_request(1, "devices");
    CHECK(outcome_of(peer.answer_to(1)) == "-32002 hello must be the first request");
    peer.send_request(2, "nonsense");
    CHECK(outcome_of(peer.answer_to(2)) == "-32002 hello must be the first request");
    peer.send_request(3, "hello", {{"controller", "test"}});
    CHECK(outcome_of(peer.answer_to(3)) == "-32602 protocol: missing");
    peer.send_request(4, "hello", {{"protocol", 1}});
    CHECK(outcome_of(peer.answer_to(4)) == "-32602 controller: missing");
    peer.send_request(5, "hello", {{"protocol", 2}, {"controller", "test"}});
    CHECK(outcome_of(peer.answer_to(5)) ==
          "-32002 this agent speaks protocol 1, not 2: install the same version of both programs");
    peer.send_request(6, "hello", {{"protocol", 1}, {"controller", "test"}});
    const json answer = peer.answer_to(6);
    REQUIRE(outcome_of(answer) == "ok");
    CHECK(answer["result"]["tools"]["mkapfs"].is_null());
    CHECK(answer["result"]["privileged"] == true);
    peer.send_request(7, "hello", {{"protocol", 1}, {"controller", "test"}});
    CHECK(outcome_of(peer.answer_to(7)) == "-32002 hello was already sent");
}

TEST_CASE("server: an invalid line is reported and the next line is answered") {
    Serving serving;
    RawPeer& peer = serving.greet();
    struct Row {
        std::string line;
        json id;
        const char* outcome;
    };
    const Row rows[] = {
        {"{\n", nullptr, "-32700 the line is not JSON in UTF-8"},
        {"\xff\xfe\n", nullptr, "-32700 the line is not JSON in UTF-8"},
        {std::string("\0\n", 2), nullptr, "-32700 the line contains a NUL byte: send one JSON text per line, in UTF-8"},
        {"[]\n", nullptr, "-32600 batches are not supported: send one message per line"},
        {R"({"jsonrpc":"2.0","id":1,"result":{}})"
         "\n",
         nullptr, "-32600 a response, but the agent sent no request"},
        {R"({"jsonrpc":"2.0","id":1,"method":"fly"})"
         "\n",
         1, "-32601 unknown method 'fly'"},
        {R"({"jsonrpc":"2.0","id":1,"method":"devices","params":[1]})"
         "\n",
         1, "-32602 params: must be an object"},
        {R"({"jsonrpc":"2.0","method":"devices"})"
         "\n"
         R"({"jsonrpc":"2.0","id":2,"method":"devices"})"
         "\n",
         2, "ok"},
        {std::string(longest_line + 5, 'x') + "\n", nullptr, "-32001 a line is longer than 8 MiB; it was skipped"},
        {"\r\n\n\r\n"
         R"({"jsonrpc":"2.0","id":"last","method":"devices"})"
         "\r\n",
         "last", "ok"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.outcome);
        REQUIRE(peer.send(row.line));
        CHECK(outcome_of(peer.answer_to(row.id)) == row.outcome);
    }
    CHECK(peer.heard.empty());
}

TEST_CASE("server: the error for invalid parameters names the parameter") {
    Serving serving;
    RawPeer& peer = serving.greet();
    const json job = workload::to_json(fake_sweep(1));
    struct Row {
        const char* method;
        json params;
        const char* outcome;
    };
    const Row rows[] = {
        {"identify", json::object(), "-32602 target: missing"},
        {"identify", {{"target", 7}}, "-32602 target: must be a string"},
        {"inspect", json::object(), "-32602 target: missing"},
        {"smart", json::object(), "-32602 target: missing"},
        {"card_health", json::object(), "-32602 target: missing"},
        {"support", json::object(), "-32602 fs: missing"},
        {"support", {{"fs", "exfat"}, {"mount", "yes"}}, "-32602 mount: must be true or false"},
        {"claim", {{"confirm", ""}}, "-32602 target: missing"},
        {"claim", {{"target", "/dev/sdx"}}, "-32602 confirm: missing"},
        {"discard", json::object(), "-32602 claim: missing"},
        {"format", {{"format", {{"fs", "exfat"}}}}, "-32602 claim: missing"},
        {"format",
         {{"claim", -1}, {"format", {{"fs", "exfat"}}}},
         "-32602 claim: must be a whole number from 0 to 2^64-1"},
        {"format", {{"claim", 1}}, "-32602 format: missing"},
        {"mount", {{"claim", 1}}, "-32602 fs: missing"},
        {"mount", {{"fs", "exfat"}}, "-32602 claim: missing"},
        {"check", {{"claim", 1}}, "-32602 fs: missing"},
        {"wait_idle", json::object(), "-32602 claim: missing"},
        {"restore", json::object(), "-32602 claim: missing"},
        {"scan", json::object(), "-32602 target: missing"},
        {"restore",
         {{"claim", 1}, {"mode", "half"}},
         "-32602 mode: \"half\" is not one of unchanged, all, none, none_forced"},
        {"unmount", json::object(), "-32602 claim: missing"},
        {"release", json::object(), "-32602 claim: missing"},
        {"run", {{"claim", 1}}, "-32602 job: missing"},
        {"run", {{"job", job}}, "-32602 claim, directory: exactly one of the two must name the target of the job"},
        {"run",
         {{"job", job}, {"claim", 1}, {"directory", "/d"}},
         "-32602 claim, directory: exactly one of the two must name the target of the job"},
        {"run", {{"job", job}, {"directory", "relative"}}, "-32602 directory: must be an absolute path"},
        {"run", {{"job", job}, {"directory", "/d"}, {"raw", true}}, "-32602 raw: must be false for a directory"},
        {"run", {{"job", job}, {"claim", 1}, {"raw", 1}}, "-32602 raw: must be true or false"},
        {"run", {{"job", job}, {"claim", 1}, {"done", "c0"}}, "-32602 done: must be a list"},
        {"run", {{"job", job}, {"claim", 1}, {"done", {1}}}, "-32602 done[0]: must be an object"},
        {"cancel", json::object(), "-32602 request: missing"},
        {"cancel", {{"request", {1}}}, "-32602 request: must be an integer or a string"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.method, row.params.dump());
        peer.send_request(1, row.method, row.params);
        CHECK(outcome_of(peer.answer_to(1)) == row.outcome);
    }
    // The functions that parse these values supply the error texts.
    peer.send_request(1, "mount", {{"claim", 1}, {"fs", "ext9"}});
    CHECK_THAT(outcome_of(peer.answer_to(1)), ContainsSubstring("-32602 fs: ") && ContainsSubstring("ext9"));
    peer.send_request(1, "format", {{"claim", 1}, {"format", {{"fs", 3}}}});
    CHECK_THAT(outcome_of(peer.answer_to(1)), ContainsSubstring("-32602 format.fs: "));
    peer.send_request(1, "run", {{"claim", 1}, {"job", {{"suite", 3}}}});
    CHECK_THAT(outcome_of(peer.answer_to(1)), ContainsSubstring("-32602 job.suite: must be a string"));
    CHECK(serving.backend.log() == Log{"describe"});
}

TEST_CASE("server: requests on a claim in the wrong order are refused") {
    Serving serving;
    RawPeer& peer = serving.greet();
    const auto ask = [&](const std::string& method, const json& params) {
        peer.send_request(1, method, params);
        return outcome_of(peer.answer_to(1));
    };
    json raw = run_on(1, fake_sweep(1));
    raw["raw"] = true;

    CHECK(ask("format", format_exfat(1)) == "-32000 bad_request: format: there is no claim 1");
    CHECK(ask("discard", {{"claim", 1}}) == "-32000 bad_request: discard: there is no claim 1");
    CHECK(ask("release", {{"claim", 1}}) == "-32000 bad_request: release: there is no claim 1");
    CHECK(ask("claim", claim_of("/dev/sdx")) == "ok");
    CHECK(ask("claim", claim_of("/dev/sdx")) == "-32000 refused: /dev/sdx is already claimed, by claim 1");
    CHECK(serving.backend.open_claims() == 1);
    CHECK(ask("run", run_on(1, fake_sweep(1))) == "-32000 bad_request: run: claim 1 is not mounted: mount it first");
    CHECK(ask("wait_idle", {{"claim", 1}}) == "-32000 bad_request: wait_idle: claim 1 is not mounted: mount it first");
    CHECK(ask("unmount", {{"claim", 1}}) == "-32000 bad_request: unmount: claim 1 is not mounted: mount it first");
    CHECK(ask("run", raw) == "ok");
    CHECK(ask("mount", exfat(1)) == "ok");
    CHECK(ask("mount", exfat(1)) == "-32000 bad_request: mount: claim 1 is mounted: unmount it first");
    CHECK(ask("discard", {{"claim", 1}}) == "-32000 bad_request: discard: claim 1 is mounted: unmount it first");
    CHECK(ask("format", format_exfat(1)) == "-32000 bad_request: format: claim 1 is mounted: unmount it first");
    CHECK(ask("check", exfat(1)) == "-32000 bad_request: check: claim 1 is mounted: unmount it first");
    CHECK(ask("run", raw) == "-32000 bad_request: run: claim 1 is mounted: unmount it first");
    CHECK(ask("restore", {{"claim", 1}}) == "-32000 bad_request: restore: claim 1 is mounted: unmount it first");
    CHECK(ask("release", {{"claim", 1}}) == "ok");
    CHECK(serving.backend.open_mounts() == 0);
    CHECK(serving.backend.open_claims() == 0);
    CHECK(ask("claim", claim_of("/dev/sdx")) == "ok");
    CHECK(ask("format", format_exfat(1)) == "-32000 bad_request: format: there is no claim 1");
    CHECK(ask("format", format_exfat(2)) == "ok");
}

TEST_CASE("server: the answer for a failed method keeps its errc and text") {
    struct Row {
        const char* call;
        const char* method;
        json params;
    };
    const Row rows[] = {
        {"devices", "devices", json::object()},
        {"identify", "identify", {{"target", "/dev/sdx"}}},
        {"identify", "inspect", {{"target", "/dev/sdx"}}},
        {"smart", "smart", {{"target", "/dev/sdx"}}},
        {"card_health", "card_health", {{"target", "/dev/sdx"}}},
        {"support", "support", {{"fs", "exfat"}}},
        {"claim", "claim", claim_of("/dev/sdy")},
        {"discard", "discard", {{"claim", 1}}},
        {"format", "format", format_exfat(1)},
        {"mount", "mount", exfat(1)},
        {"check", "check", exfat(1)},
        {"recheck", "run", {{"claim", 1}, {"raw", true}, {"job", workload::to_json(fake_sweep(1))}}},
        {"run", "run", {{"directory", "/d"}, {"job", workload::to_json(fake_sweep(1))}}},
        {"release", "release", {{"claim", 1}}},
    };
    const Errc codes[] = {Errc::refused, Errc::no_medium, Errc::no_driver, Errc::io_failed, Errc::timed_out};
    std::size_t turn = 0;
    for (const Row& row : rows) {
        CAPTURE(row.method, row.call);
        const Errc code = codes[turn++ % std::size(codes)];
        Serving serving;
        if (std::string(row.call) != "claim") serving.backend.failures[row.call] = {code, "told to fail"};
        RawPeer& peer = serving.greet();
        peer.send_request("c", "claim", claim_of("/dev/sdx"));
        REQUIRE(outcome_of(peer.answer_to("c")) == "ok");
        if (std::string(row.call) == "claim") {
            peer.send_request(1, "claim", {{"target", "/dev/sdy"}, {"confirm", "wrong"}});
            CHECK(outcome_of(peer.answer_to(1)) == "-32000 refused: /dev/sdy: the confirmation does not match");
            continue;
        }
        peer.send_request(1, row.method, row.params);
        CHECK(outcome_of(peer.answer_to(1)) == "-32000 " + std::string(name_of(code)) + ": told to fail");
        // A failed release keeps the claim for another attempt. Every other failure keeps the state of the claim.
        CHECK(serving.backend.open_claims() == 1);
    }
}

TEST_CASE("server: a failed unmount keeps the volume mounted and can be repeated") {
    Serving serving;
    serving.backend.failures["unmount"] = {Errc::io_failed, "busy"};
    RawPeer& peer = serving.greet();
    mount_first(peer);
    peer.send_request(1, "unmount", {{"claim", 1}});
    CHECK(outcome_of(peer.answer_to(1)) == "-32000 io_failed: busy");
    peer.send_request(1, "format", format_exfat(1));
    CHECK(outcome_of(peer.answer_to(1)) == "-32000 bad_request: format: claim 1 is mounted: unmount it first");
    peer.send_request(1, "release", {{"claim", 1}});
    CHECK(outcome_of(peer.answer_to(1)) == "-32000 io_failed: busy");
    peer.close();
    CHECK(reason(serving.ended()) == "busy");
}

TEST_CASE("server: if unmount fails but the volume is no longer mounted, the medium can be checked and formatted") {
    Serving serving;
    serving.backend.failures["unmount"] = {Errc::io_failed, "cannot write back"};
    serving.backend.unmount_detaches = true;
    RawPeer& peer = serving.greet();
    mount_first(peer);
    peer.send_request(1, "unmount", {{"claim", 1}});
    CHECK(outcome_of(peer.answer_to(1)) == "-32000 io_failed: cannot write back");
    peer.send_request(1, "check", exfat(1));
    CHECK(outcome_of(peer.answer_to(1)) == "ok");
    peer.send_request(1, "format", format_exfat(1));
    CHECK(outcome_of(peer.answer_to(1)) == "ok");
    peer.send_request(1, "unmount", {{"claim", 1}});
    CHECK(outcome_of(peer.answer_to(1)) == "-32000 bad_request: unmount: claim 1 is not mounted: mount it first");
    peer.send_request(1, "release", {{"claim", 1}});
    CHECK(outcome_of(peer.answer_to(1)) == "ok");
    CHECK(serving.backend.open_claims() == 0);
}

TEST_CASE("server: pipelined requests are executed in order") {
    Serving serving;
    serving.backend.held = "claim";
    RawPeer& peer = serving.greet();
    peer.send_request(1, "claim", claim_of("/dev/sdx"));
    peer.send_request(2, "format", format_exfat(1));
    peer.send_request("three", "mount", exfat(1));
    peer.send_request(4, "run", run_on(1, fake_sweep(1)));
    peer.send_request(5, "release", {{"claim", 1}});
    REQUIRE(serving.backend.saw("claim /dev/sdx"));
    serving.backend.release();
    std::vector<json> ids;
    while (ids.size() < 5) {
        const auto message = peer.next();
        REQUIRE(message);
        if (message->contains("id")) {
            CHECK(outcome_of(*message) == "ok");
            ids.push_back((*message)["id"]);
        }
    }
    CHECK(ids == std::vector<json>{1, 2, "three", 4, 5});
}

TEST_CASE("server: a request id can be reused only after its answer") {
    Serving serving;
    serving.backend.held = "devices";
    RawPeer& peer = serving.greet();
    peer.send_request(1, "devices");
    REQUIRE(serving.backend.saw("devices"));
    peer.send_request(1, "devices");
    CHECK(outcome_of(peer.answer_to(1)) == "-32600 id: is in use by an unanswered request");
    peer.send_request(2, "devices");
    peer.send_request(2, "devices");
    CHECK(outcome_of(peer.answer_to(2)) == "-32600 id: is in use by an unanswered request");
    serving.backend.release();
    CHECK(outcome_of(peer.answer_to(1)) == "ok");
    CHECK(outcome_of(peer.answer_to(2)) == "ok");
    peer.send_request(1, "devices");
    CHECK(outcome_of(peer.answer_to(1)) == "ok");
}

TEST_CASE("server: requests beyond the queue limit are refused, not dropped") {
    Serving serving;
    serving.options.most_waiting = 2;
    serving.backend.held = "devices";
    RawPeer& peer = serving.greet();
    peer.send_request(1, "devices");
    REQUIRE(serving.backend.saw("devices"));
    for (int id = 2; id <= 4; ++id) peer.send_request(id, "devices");
    CHECK(outcome_of(peer.answer_to(4)) == "-32000 bad_request: too many requests are waiting: read answers first");
    serving.backend.release();
    CHECK(outcome_of(peer.answer_to(3)) == "ok");
}
