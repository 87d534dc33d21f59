// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the fake that other tests depend on.
#include "tests/fakes/fake_agent_link.hpp"

#include "host/agent/client/agent_client.hpp"
#include "host/agent/protocol/message.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_media_backend.hpp"

using namespace mediarig;
using namespace mediarig::agent;

namespace {

struct Faked {
    ClientHarness talk;
    FakeAgentLink* link;
    AgentClient client;

    explicit Faked(std::unique_ptr<FakeAgentLink> made = std::make_unique<FakeAgentLink>())
        : link(made.get()), client(std::move(made)) {
        link->media["/dev/sdx"] = fake_medium("/dev/sdx");
    }
    void prepare() {
        REQUIRE(talk.ask(client.hello("test")));
        REQUIRE(talk.ask(client.claim({"/dev/sdx", "S-/dev/sdx"})));
    }
};

} // namespace

TEST_CASE("fake agent: a complete session leaves a log and no open claim") {
    Faked fake;
    std::vector<std::string> cells;
    fake.prepare();
    CHECK(fake.talk.ask(fake.client.discard({1}))->taken);
    REQUIRE(fake.talk.ask(fake.client.format({1}, {media::FileSystem::exfat, {}, ""})));
    REQUIRE(fake.talk.ask(fake.client.mount({1}, media::FileSystem::exfat)));
    CHECK(fake.link->open_mounts() == 1);
    RunHandlers handlers;
    handlers.on_cell = [&](const workload::CellResult& cell) { cells.push_back(cell.cell.id); };
    CHECK(fake.talk.ask(fake.client.run(RunTarget::mounted({1}), fake_sweep(3), {{.id = "c1"}}, handlers))->cells == 2);
    REQUIRE(fake.talk.ask(fake.client.unmount({1})));
    CHECK(fake.talk.ask(fake.client.check({1}, media::FileSystem::exfat))->clean);
    REQUIRE(fake.talk.ask(fake.client.release({1})));
    REQUIRE(fake.talk.ask(fake.client.close()));
    CHECK(cells == std::vector<std::string>{"c0", "c2"});
    CHECK(fake.link->open_claims() == 0);
    CHECK(fake.link->log == std::vector<std::string>{"start", "hello", "claim /dev/sdx", "discard 1", "format 1 exfat",
                                                     "mount 1 exfat", "run 1 fake", "unmount 1", "check 1 exfat",
                                                     "release 1", "close"});
}

TEST_CASE("fake agent: the fake requires the same order of calls as the real agent") {
    Faked fake;
    fake.prepare();
    CHECK(fake.talk.ask(fake.client.unmount({1})).error().code == Errc::bad_request);
    CHECK(fake.talk.ask(fake.client.run(RunTarget::mounted({1}), fake_sweep(1), {}, {})).error().code ==
          Errc::bad_request);
    REQUIRE(fake.talk.ask(fake.client.mount({1}, media::FileSystem::exfat)));
    CHECK(fake.talk.ask(fake.client.format({1}, {})).error().code == Errc::bad_request);
    CHECK(fake.talk.ask(fake.client.format({7}, {})).error().code == Errc::bad_request);
    CHECK(fake.talk.ask(fake.client.claim({"/dev/sdx", "wrong"})).error().code == Errc::refused);
    CHECK(fake.talk.ask(fake.client.identify("/nowhere")).error().code == Errc::bad_request);
}

TEST_CASE("fake agent: a test can make any call fail or lose the agent") {
    Faked failing;
    failing.link->fail_at(2, {Errc::io_failed, "told to"});
    failing.prepare();
    CHECK(failing.talk.ask(failing.client.format({1}, {})).error() == Error{Errc::io_failed, "told to"});
    CHECK(failing.talk.ask(failing.client.format({1}, {})));

    Faked lost;
    lost.link->lose_at(2);
    lost.prepare();
    CHECK(lost.talk.ask(lost.client.format({1}, {})).error().code == Errc::agent_lost);
    CHECK(lost.talk.ask(lost.client.devices()).error().code == Errc::agent_lost);
    CHECK(lost.link->open_claims() == 0);
}

TEST_CASE("fake agent: a held call ends by cancel, by its release or by close") {
    Faked fake;
    fake.link->held = {"format"};
    fake.prepare();
    const auto cancelled = fake.talk.begin(fake.client.format({1}, {}));
    fake.talk.io.poll();
    CHECK_FALSE(cancelled->has_value());
    CHECK(fake.talk.ask(fake.client.cancel()) == true);
    CHECK(fake.talk.finish(cancelled).error().code == Errc::cancelled);

    const auto freed = fake.talk.begin(fake.client.format({1}, {}));
    fake.talk.io.restart();
    fake.talk.io.poll();
    fake.link->release();
    CHECK(fake.talk.finish(freed));

    fake.link->held = {"format"};
    const auto ended = fake.talk.begin(fake.client.format({1}, {}));
    fake.talk.io.restart();
    fake.talk.io.poll();
    REQUIRE(fake.talk.ask(fake.client.close()));
    CHECK(fake.talk.finish(ended).error().code == Errc::agent_lost);
}

TEST_CASE("fake agent: a test can script an answer and the notifications before it") {
    Faked fake;
    fake.link->answers["check"] = [](const nlohmann::json&, const FakeAgentLink::Notify& notify) {
        CHECK(notify("plugged", {{"kind", "removed"}, {"node", "/dev/sdx"}}));
        return Result<nlohmann::json>(fail(Errc::no_medium, "unplugged"));
    };
    fake.prepare();
    CHECK(fake.talk.ask(fake.client.check({1}, {})).error() == Error{Errc::no_medium, "unplugged"});
}
