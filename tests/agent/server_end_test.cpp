// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the end of a connection, invalid connections, and notifications that were not requested.
#include <unistd.h>
#include <set>

#include <array>
#include <deque>
#include <mutex>

#include "host/workload/json.hpp"
#include "tests/agent/serving.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::agent;
using nlohmann::json;
using Log = std::vector<std::string>;

TEST_CASE("server: the end of the connection releases everything in any state") {
    struct Row {
        const char* scenario;
        const char* held;
        const char* last_seen;
    };
    const Row rows[] = {
        {"nothing", "", "describe"},
        {"claiming", "claim", "claim /dev/sdx"},
        {"formatting", "format", "format /dev/sdx"},
        {"mounting", "mount", "mount /dev/sdx"},
        {"running", "run", "run /fake/dev/sdx"},
        {"unmounting, which the backend cannot delay", "", "unmount /dev/sdx"},
    };
    for (const Row& row : rows)
        for (const bool half_closed : {false, true}) {
            CAPTURE(row.scenario, half_closed);
            Serving serving;
            serving.backend.held = row.held;
            RawPeer& peer = serving.greet();
            if (std::string(row.scenario) != "nothing") {
                peer.send_request(1, "claim", claim_of("/dev/sdx"));
                peer.send_request(2, "format", format_exfat(1));
                peer.send_request(3, "mount", exfat(1));
                peer.send_request(4, "run", run_on(1, fake_sweep(3)));
                peer.send_request(5, "unmount", {{"claim", 1}});
            }
            REQUIRE(serving.backend.saw(row.last_seen));
            if (half_closed)
                peer.half_close();
            else
                peer.close();
            CHECK(reason(serving.ended()) == "success");
            CHECK(serving.backend.open_mounts() == 0);
            CHECK(serving.backend.open_claims() == 0);
            if (half_closed)
                while (peer.next()) continue;
        }
}

TEST_CASE("server: the end of the connection ends a job that waits for output space") {
    Serving serving;
    serving.options.output_limit = 1;
    serving.backend.raw_log_length = 4'000'000;
    RawPeer& peer = serving.greet();
    mount_first(peer);
    auto job = fake_sweep(2);
    job.keep_raw_log = true;
    peer.send_request(1, "run", run_on(1, job));
    REQUIRE(serving.backend.saw("run /fake/dev/sdx"));
    REQUIRE(peer.next());
    peer.close();
    CHECK(reason(serving.ended()) == "success");
    CHECK(serving.backend.open_claims() == 0);
}

TEST_CASE("server: a failed release of one medium does not block the others") {
    Serving serving;
    serving.backend.failures["release"] = {Errc::io_failed, "cannot detach"};
    RawPeer& peer = serving.greet();
    peer.send_request(1, "claim", claim_of("/dev/sdx"));
    REQUIRE(outcome_of(peer.answer_to(1)) == "ok");
    peer.send_request(2, "claim", claim_of("/dev/sdy"));
    REQUIRE(outcome_of(peer.answer_to(2)) == "ok");
    peer.close();
    CHECK(reason(serving.ended()) == "cannot detach");
    const Log log = serving.backend.log();
    CHECK(std::set<std::string>(log.end() - 2, log.end()) ==
          std::set<std::string>{"release /dev/sdx", "release /dev/sdy"});
    CHECK(serving.backend.open_claims() == 0);
}

TEST_CASE("server: a regular file is refused as a connection") {
    FakeMediaBackend backend;
    char name[] = "/tmp/mediarig-line-XXXXXX";
    const int file = ::mkstemp(name);
    REQUIRE(file >= 0);
    ::unlink(name);
    ServeOptions options;
    options.handle_signals = false;
    const auto served = serve({file, file}, maker_of(backend), nullptr, options);
    CHECK(served.error() ==
          Error{Errc::bad_request,
                "a file cannot be a connection: give the agent a pipe, a socket or a character device"});
    CHECK(serve({-1, -1}, maker_of(backend), nullptr, options).error().code == Errc::io_failed);
}

namespace {

class FakePlugs final : public media::HotplugMonitor {
public:
    FakePlugs() { REQUIRE(::pipe(pipe_.data()) == 0); }
    ~FakePlugs() override {
        ::close(pipe_[0]);
        ::close(pipe_[1]);
    }
    void plug(media::HotplugEvent event) {
        {
            const std::lock_guard lock(mutex_);
            events_.push_back(std::move(event));
        }
        REQUIRE(::write(pipe_[1], "x", 1) == 1);
    }
    int descriptor() const override { return pipe_[0]; }
    std::optional<media::HotplugEvent> next() override {
        const std::lock_guard lock(mutex_);
        if (events_.empty()) return std::nullopt;
        char token{};
        if (::read(pipe_[0], &token, 1) != 1) return std::nullopt;
        auto event = std::move(events_.front());
        events_.pop_front();
        return event;
    }

private:
    std::array<int, 2> pipe_{};
    std::mutex mutex_;
    std::deque<media::HotplugEvent> events_;
};

} // namespace

TEST_CASE("server: plug and unplug events are reported after hello") {
    FakePlugs plugs;
    Serving serving;
    serving.plugs = &plugs;
    plugs.plug({media::HotplugKind::added, "/dev/sdz", {}, {}});
    RawPeer& peer = serving.greet();
    plugs.plug({media::HotplugKind::removed, "/dev/sdz", {}, {}});
    std::vector<json> told;
    for (json& message : peer.heard) told.push_back(message);
    while (told.size() < 2) {
        const auto message = peer.next();
        REQUIRE(message);
        told.push_back(*message);
    }
    CHECK(told[0]["method"] == "plugged");
    CHECK(told[0]["params"] == json{{"kind", "added"}, {"node", "/dev/sdz"}});
    CHECK(told[1]["params"] == json{{"kind", "removed"}, {"node", "/dev/sdz"}});
}
