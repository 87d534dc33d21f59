// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>
#include <future>

#include "host/agent/client/agent_client.hpp"
#include "host/workload/json.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/agent/serving.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::agent;
using namespace std::chrono_literals;

namespace {

/// A test with the typed client, the real server and fake media; both run in one process.
struct Conversing {
    ClientHarness talk;
    FakeMediaBackend backend;
    ServeOptions options;
    std::future<Result<void>> served;
    std::unique_ptr<AgentClient> client;

    Conversing() {
        std::signal(SIGPIPE, SIG_IGN);
        options.handle_signals = false;
        options.progress_interval = 1ms;
        backend.media["/dev/sdx"] = fake_medium("/dev/sdx");
    }
    ~Conversing() {
        backend.release();
        client.reset();
    }
    AgentClient& start() {
        auto [link, theirs] = make_stream_link(talk.io);
        served = std::async(std::launch::async, [this, fd = theirs] {
            return serve({fd, fd}, maker_of(backend), nullptr, options);
        });
        client = std::make_unique<AgentClient>(std::move(link));
        return *client;
    }
    AgentClient& greet() {
        start();
        REQUIRE(reason(talk.ask(client->hello("test 1"))) == "success");
        return *client;
    }
    ClaimId mounted() {
        const auto claimed = talk.ask(client->claim({"/dev/sdx", "S-/dev/sdx"}));
        REQUIRE(claimed);
        REQUIRE(talk.ask(client->mount(claimed->claim, media::FileSystem::exfat)));
        return claimed->claim;
    }
};

} // namespace

TEST_CASE("client: a complete session returns typed values") {
    Conversing with;
    AgentClient& client = with.start();
    const auto hello = with.talk.ask(client.hello("test 1"));
    REQUIRE(hello);
    CHECK(hello->host_name == "fakehost");
    CHECK(hello->tools.at("mkfs.fake") == "1");
    CHECK_FALSE(hello->tools.at("mkapfs"));

    const auto devices = with.talk.ask(client.devices());
    REQUIRE(devices);
    CHECK(*devices == std::vector{fake_medium("/dev/sdx")});
    CHECK(with.talk.ask(client.identify("/dev/sdx")) == fake_medium("/dev/sdx"));
    CHECK(with.talk.ask(client.inspect("/dev/sdx"))->scheme == "none");
    const auto claimed = with.talk.ask(client.claim({"/dev/sdx", "S-/dev/sdx"}));
    REQUIRE(claimed);
    CHECK(claimed->claim == ClaimId{1});
    CHECK(claimed->medium == fake_medium("/dev/sdx"));
    CHECK(with.talk.ask(client.discard(claimed->claim))->zeros == media::mark_count);
    // The client serialises a temporary argument before the call is awaited.
    auto format = client.format(claimed->claim, media::FormatSpec{media::FileSystem::exfat, 128_KiB, "CARD"});
    const auto formatted = with.talk.ask(std::move(format));
    CHECK(formatted->tool == "mkfs.fake");
    CHECK(with.talk.ask(client.mount(claimed->claim, media::FileSystem::exfat))->mount_point == "/fake/dev/sdx");
    const auto ran = with.talk.ask(client.run(RunTarget::mounted(claimed->claim), fake_sweep(2), {{.id = "c0"}}, {}));
    REQUIRE(ran);
    CHECK(ran->cells == 1);
    CHECK_FALSE(ran->verify);
    CHECK(reason(with.talk.ask(client.unmount(claimed->claim))) == "success");
    CHECK(with.talk.ask(client.check(claimed->claim, media::FileSystem::exfat))->clean);
    CHECK(with.talk.ask(client.run(RunTarget::raw(claimed->claim), fake_sweep(1), {}, {}))->cells == 1);
    CHECK(with.talk.ask(client.run(RunTarget::directory("/somewhere"), fake_sweep(1), {}, {}))->cells == 1);
    CHECK(reason(with.talk.ask(client.release(claimed->claim))) == "success");
    CHECK(reason(with.talk.ask(client.close())) == "success");
    CHECK(reason(with.served.get()) == "success");
    CHECK(client.description() == "test");
}

TEST_CASE("client: notifications of a run arrive as values with complete raw logs") {
    Conversing with;
    const measure::Finding refused{
        measure::FindingKind::direct_refused, measure::Severity::warning, "no", {}, {}, {}, 1};
    with.backend.findings = {refused};
    AgentClient& client = with.greet();
    const ClaimId claim = with.mounted();
    auto job = fake_sweep(3);
    job.keep_raw_log = true;

    std::vector<std::string> scenario;
    RunHandlers handlers;
    handlers.on_cell = [&](const workload::CellResult& cell) {
        scenario.push_back(cell.cell.id + " " + std::to_string(cell.raw_log.size()));
        CHECK(cell.operations == 4);
        CHECK(cell.latency.count() == 4);
        const std::uint32_t offset = cell.cell.id == "c0" ? 0 : 2;
        bool same = true;
        for (std::uint32_t n = 0; n < cell.raw_log.size(); ++n) same = same && cell.raw_log[n] == n * 7919 + offset;
        CHECK(same);
    };
    handlers.on_finding = [&](const measure::Finding& finding) {
        CHECK(finding == refused);
        scenario.emplace_back("finding");
    };
    const auto before = workload::cell_conversions();
    const auto ran = with.talk.ask(client.run(RunTarget::mounted(claim), job, {{.id = "c1"}}, handlers));
    REQUIRE(ran);
    CHECK(ran->findings == measure::Findings{refused});
    // Both sides are in this process: the agent converts each cell to JSON once, and the controller parses it once.
    CHECK(workload::cell_conversions().encoded - before.encoded == 2);
    CHECK(workload::cell_conversions().decoded - before.decoded == 2);
    CHECK(scenario == std::vector<std::string>{"finding", "c0 20000", "c2 20000"});
}

TEST_CASE("client: progress arrives while the job runs") {
    Conversing with;
    with.backend.held = "run";
    AgentClient& client = with.greet();
    const ClaimId claim = with.mounted();
    RunHandlers handlers;
    handlers.on_progress = [&](const RunProgress& progress) {
        if (progress.phase != "layout") return;
        CHECK(progress.total == Bytes{32768});
        with.backend.release();
    };
    CHECK(with.talk.ask(client.run(RunTarget::mounted(claim), fake_sweep(2), {}, handlers))->cells == 2);
}

TEST_CASE("client: cancel stops pending calls and reports whether there were any") {
    Conversing with;
    with.backend.held = "run";
    AgentClient& client = with.greet();
    const ClaimId claim = with.mounted();
    CHECK(with.talk.ask(client.cancel()) == false);
    const auto running = with.talk.begin(client.run(RunTarget::mounted(claim), fake_sweep(2), {}, {}));
    const auto waiting = with.talk.begin(client.unmount(claim));
    with.talk.io.poll();
    CHECK(with.talk.ask(client.cancel()) == true);
    CHECK(with.talk.finish(running).error().code == Errc::cancelled);
    CHECK(with.talk.finish(waiting).error().code == Errc::cancelled);
    CHECK(with.talk.ask(client.cancel()) == false);
    CHECK(reason(with.talk.ask(client.unmount(claim))) == "success");
}

TEST_CASE("client: errors of the agent keep their code and text") {
    Conversing with;
    with.backend.failures["format"] = {Errc::no_driver, "mkfs.exfat is missing: install exfatprogs"};
    AgentClient& client = with.greet();
    CHECK(with.talk.ask(client.claim({"/dev/sdx", "wrong"})).error() ==
          Error{Errc::refused, "/dev/sdx: the confirmation does not match"});
    CHECK(with.talk.ask(client.identify("/nowhere")).error() ==
          Error{Errc::bad_request, "/nowhere: no such file or device"});
    const auto claimed = with.talk.ask(client.claim({"/dev/sdx", "S-/dev/sdx"}));
    REQUIRE(claimed);
    CHECK(with.talk.ask(client.format(claimed->claim, {})).error() ==
          Error{Errc::no_driver, "mkfs.exfat is missing: install exfatprogs"});
}

TEST_CASE("client: a request that exceeds the line limit is refused locally and the connection stays open") {
    Conversing with;
    AgentClient& client = with.greet();
    const std::vector<workload::PreviousCell> done(100'000, {.id = std::string(100, 'x')});
    CHECK(with.talk.ask(client.run(RunTarget::directory("/d"), fake_sweep(1), done, {})).error() ==
          Error{Errc::bad_request, "the request is longer than the 8 MiB that a line may have"});
    CHECK(with.talk.ask(client.devices())->size() == 1);
}

TEST_CASE("client: close fails pending calls and waits until the agent has released everything") {
    Conversing with;
    with.backend.held = "run";
    AgentClient& client = with.greet();
    const ClaimId claim = with.mounted();
    const auto running = with.talk.begin(client.run(RunTarget::mounted(claim), fake_sweep(2), {}, {}));
    with.talk.io.poll();
    REQUIRE(with.backend.saw("run /fake/dev/sdx"));
    CHECK(reason(with.talk.ask(client.close())) == "success");
    CHECK(with.talk.finish(running).error() == Error{Errc::agent_lost, "the connection to the agent was closed"});
    CHECK(reason(with.served.get()) == "success");
    CHECK(with.backend.open_mounts() == 0);
    CHECK(with.backend.open_claims() == 0);
    CHECK(reason(with.talk.ask(client.close())) == "success");
}

TEST_CASE("client: calls before hello are refused") {
    Conversing with;
    AgentClient& client = with.start();
    CHECK(with.talk.ask(client.devices()).error() ==
          Error{Errc::agent_lost, "the connection to the agent has not been started"});
}
