// SPDX-License-Identifier: GPL-3.0-or-later
// Behaviour while a job runs: cancelling, results, progress, and a controller that does not read.
#include "host/workload/json.hpp"
#include "tests/agent/serving.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::agent;
using namespace std::chrono_literals;
using nlohmann::json;
using Log = std::vector<std::string>;

TEST_CASE("server: cancel stops only the given running or waiting request") {
    Serving serving;
    serving.backend.held = "run";
    RawPeer& peer = serving.greet();
    mount_first(peer);
    peer.send_request(1, "run", run_on(1, fake_sweep(3)));
    REQUIRE(serving.backend.saw("run /fake/dev/sdx"));
    peer.send_request(2, "unmount", {{"claim", 1}});
    peer.send_request(3, "devices");
    CHECK(outcome_of(peer.answer_to(3)) == "ok");

    peer.send_request(4, "cancel", {{"request", 2}});
    CHECK(outcome_of(peer.answer_to(2)) == "-32000 cancelled: unmount was cancelled");
    CHECK(peer.answer_to(4)["result"]["cancelled"] == true);
    peer.send_request(5, "cancel", {{"request", 99}});
    CHECK(peer.answer_to(5)["result"]["cancelled"] == false);
    peer.send_request(6, "cancel", {{"request", 1}});
    CHECK(peer.answer_to(6)["result"]["cancelled"] == true);
    CHECK(outcome_of(peer.answer_to(1)) == "-32000 cancelled: run was stopped");
    peer.send_request(7, "cancel", {{"request", 1}});
    CHECK(peer.answer_to(7)["result"]["cancelled"] == false);
    CHECK(serving.backend.open_mounts() == 1);
}

TEST_CASE(
    "server: a running request on one claim does not delay another claim, and cancelling it does not affect the "
    "other") {
    Serving serving;
    serving.backend.held = "run";
    RawPeer& peer = serving.greet();
    mount_first(peer);
    peer.send_request(1, "run", run_on(1, fake_sweep(3)));
    REQUIRE(serving.backend.saw("run /fake/dev/sdx"));
    peer.send_request(2, "claim", claim_of("/dev/sdy"));
    CHECK(peer.answer_to(2)["result"]["claim"] == 2);
    peer.send_request(3, "format", format_exfat(2));
    peer.send_request(4, "mount", exfat(2));
    CHECK(outcome_of(peer.answer_to(4)) == "ok");
    peer.send_request(5, "run", run_on(2, fake_sweep(3)));
    REQUIRE(serving.backend.saw("run /fake/dev/sdy"));

    peer.send_request(6, "cancel", {{"request", 5}});
    CHECK(outcome_of(peer.answer_to(5)) == "-32000 cancelled: run was stopped");
    serving.backend.release();
    CHECK(outcome_of(peer.answer_to(1)) == "ok");
    peer.send_request(7, "unmount", {{"claim", 2}});
    peer.send_request(8, "release", {{"claim", 2}});
    CHECK(outcome_of(peer.answer_to(8)) == "ok");
    peer.send_request(9, "claim", claim_of("/dev/sdx"));
    CHECK(outcome_of(peer.answer_to(9)) == "-32000 refused: /dev/sdx is already claimed, by claim 1");
}

TEST_CASE("server: claims beyond the number of workers wait for a release") {
    Serving serving;
    serving.options.most_workers = 2;
    RawPeer& peer = serving.greet();
    peer.send_request(1, "claim", claim_of("/dev/sdx"));
    CHECK(outcome_of(peer.answer_to(1)) == "ok");
    peer.send_request(2, "claim", claim_of("/dev/sdy"));
    CHECK(outcome_of(peer.answer_to(2)) == "ok");
    peer.send_request(3, "devices");
    peer.send_request(4, "release", {{"claim", 1}});
    CHECK(outcome_of(peer.answer_to(4)) == "ok");
    CHECK(outcome_of(peer.answer_to(3)) == "ok");
}

TEST_CASE("server: cancel interrupts a running tool and does not affect the next request") {
    Serving serving;
    serving.backend.held = "format";
    RawPeer& peer = serving.greet();
    peer.send_request(1, "claim", claim_of("/dev/sdx"));
    peer.send_request(2, "format", format_exfat(1));
    REQUIRE(serving.backend.saw("format /dev/sdx"));
    peer.send_request(3, "cancel", {{"request", 2}});
    CHECK(outcome_of(peer.answer_to(2)) == "-32000 cancelled: format was stopped");
    peer.send_request(4, "format", format_exfat(1));
    REQUIRE(serving.backend.saw("format /dev/sdx"));
    serving.backend.release();
    CHECK(outcome_of(peer.answer_to(4)) == "ok");
}

TEST_CASE("server: an exception in a request becomes its answer, and the claim can still be released") {
    Serving serving;
    serving.backend.throws_in = "format";
    RawPeer& peer = serving.greet();
    peer.send_request(1, "claim", claim_of("/dev/sdx"));
    CHECK(outcome_of(peer.answer_to(1)) == "ok");
    peer.send_request(2, "format", format_exfat(1));
    CHECK(outcome_of(peer.answer_to(2)) == "-32000 host_fault: the agent could not execute format: no more threads");
    peer.send_request(3, "release", {{"claim", 1}});
    CHECK(outcome_of(peer.answer_to(3)) == "ok");
    CHECK(serving.backend.open_claims() == 0);
}

TEST_CASE("server: a run reports its cells after their raw logs, then its findings") {
    Serving serving;
    serving.backend.findings = {
        {measure::FindingKind::direct_refused, measure::Severity::warning, "no O_DIRECT", {}, {}, {}, 1}};
    RawPeer& peer = serving.greet();
    mount_first(peer);
    auto job = fake_sweep(3);
    job.keep_raw_log = true;
    json params = run_on(1, job);
    params["done"] = json::array({{{"id", "c1"}}});
    peer.send_request(42, "run", params);
    const json answer = peer.answer_to(42);
    REQUIRE(outcome_of(answer) == "ok");
    CHECK(answer["result"]["cells"] == 2);
    CHECK(answer["result"]["verify"].is_null());
    CHECK(answer["result"]["findings"].size() == 1);

    std::vector<std::string> scenario;
    for (const json& message : peer.heard) {
        const json& said = message["params"];
        CHECK(said["request"] == 42);
        if (message["method"] == "samples")
            scenario.push_back("samples " + said["cell"].get<std::string>() + " " + said["first"].dump());
        else if (message["method"] == "cell")
            scenario.push_back("cell " + said["result"]["cell"]["id"].get<std::string>() + " " +
                               said["samples"].dump());
        else if (message["method"] == "finding")
            scenario.push_back("finding " + said["kind"].get<std::string>());
    }
    CHECK(scenario == Log{"finding direct_refused", "samples c0 0", "samples c0 8192", "samples c0 16384",
                          "cell c0 20000", "samples c2 0", "samples c2 8192", "samples c2 16384", "cell c2 20000"});
}

TEST_CASE("server: the answer contains the outcome of a verify job") {
    Serving serving;
    RawPeer& peer = serving.greet();
    workload::JobSpec job;
    job.suite = "verify";
    job.kind = workload::VerifyJob{.span = 64_MiB};
    peer.send_request(1, "run", {{"directory", "/somewhere"}, {"job", workload::to_json(job)}});
    const json answer = peer.answer_to(1);
    REQUIRE(outcome_of(answer) == "ok");
    const auto verify = workload::verify_outcome_from_json(answer["result"]["verify"]);
    REQUIRE(verify);
    CHECK(verify->good == 64_MiB);
    CHECK(serving.backend.saw("run /somewhere"));
}

TEST_CASE("server: progress is sent while a job runs, but only if it changed") {
    Serving serving;
    serving.options.progress_interval = 1ms;
    serving.backend.held = "run";
    RawPeer& peer = serving.greet();
    mount_first(peer);
    peer.send_request(1, "run", run_on(1, fake_sweep(2)));
    const json standing{{"request", 1}, {"phase", "layout"}, {"bytes_done", 0}, {"bytes_total", 32768}, {"cell", 0}};
    auto told = peer.next();
    // The first poll may precede the first progress of the job.
    while (told && (*told)["params"] != standing) told = peer.next();
    REQUIRE(told);
    CHECK((*told)["method"] == "progress");
    // During several intervals of a stalled job, no progress is sent: the next message is the answer to another
    // request.
    for (int round = 0; round < 500; ++round) {
        peer.send_request(2, "cancel", {{"request", "none"}});
        CHECK(outcome_of(peer.answer_to(2)) == "ok");
    }
    CHECK(peer.heard.empty());
    serving.backend.release();
    CHECK(outcome_of(peer.answer_to(1)) == "ok");
}

TEST_CASE("server: a controller that does not read delays the job, loses no result and keeps memory bounded") {
    Serving serving;
    serving.options.output_limit = 100'000;
    serving.backend.raw_log_length = 400'000; // about 1.6 MB per cell on the connection
    RawPeer& peer = serving.greet();
    mount_first(peer);
    auto job = fake_sweep(4);
    job.keep_raw_log = true;
    peer.send_request(1, "run", run_on(1, job));
    REQUIRE(serving.backend.saw("run /fake/dev/sdx"));
    // The connection still answers while the job waits for output space.
    peer.send_request(2, "cancel", {{"request", "none"}});
    CHECK(peer.answer_to(2)["result"]["cancelled"] == false);
    CHECK(outcome_of(peer.answer_to(1)) == "ok");
    CHECK(notified(peer, "cell").size() == 4);
    CHECK(notified(peer, "samples").size() == 4 * (400'000 / 8192 + 1));
}

TEST_CASE("server: a result that exceeds the line limit is reported as too long") {
    Serving serving;
    serving.backend.series_length = 400'000;
    RawPeer& peer = serving.greet();
    peer.send_request(1, "run", {{"directory", "/d"}, {"job", workload::to_json(fake_sweep(1))}});
    CHECK(outcome_of(peer.answer_to(1)) ==
          "-32000 bad_format: the result of cell c0 is longer than the 8 MiB of a line: reduce its time limit");
}
