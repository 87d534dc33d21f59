// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the messages of the bridge between the simulated rig and the lab if the bridge cannot execute an event.
#include "host/app/lab/lab_bridge.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::app;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

/// A machine without media.
class NoMachine final : public lab::VirtualMachine {
public:
    Answer<lab::MachineReport> start(lab::MachineSpec) override { co_return no<lab::MachineReport>(); }
    Answer<void> stop() override { co_return Result<void>{}; }
    std::optional<Error> failure() const override { return std::nullopt; }
    void abandon(std::string) override {}
    Answer<void> plug(SlotId, lab::LabMedium) override { co_return no<void>(); }
    Answer<void> unplug(SlotId) override { co_return no<void>(); }
    Answer<void> cut_power(SlotId) override { co_return no<void>(); }
    Answer<void> throttle(SlotId, lab::Limits) override { co_return no<void>(); }
    Answer<void> inject_errors(SlotId, std::vector<lab::InjectedError>) override { co_return no<void>(); }
    Answer<void> clear_errors(SlotId) override { co_return no<void>(); }
    std::unique_ptr<agent::AgentLink> agent_link() override { return nullptr; }
    Answer<lab::ShellAnswer> diagnose(std::string, std::chrono::milliseconds) override {
        co_return no<lab::ShellAnswer>();
    }
    bool matches(SlotId, const media::Medium&) const override { return false; }
    Answer<media::Medium> wait_for(SlotId, agent::AgentClient&) override { co_return no<media::Medium>(); }
    Answer<void> wait_until_gone(SlotId, agent::AgentClient&) override { co_return no<void>(); }

private:
    template <class T>
    static Result<T> no() {
        return fail(Errc::rig_fault, "no machine");
    }
};

/// Returns the messages of the bridge for these events, and whether the bridge ended afterwards.
struct Followed {
    std::optional<Error> lab_fault;
    bool ended{};
};

Followed follow(const std::string& events) {
    const tests::Scratch folder;
    folder.write("events", events);
    asio::io_context io;
    NoMachine machine;
    LabBridge bridge(machine, {.nbdkit = "/nowhere/nbdkit", .plugin = "/nowhere/plugin"},
                     {{rig::Pocket{0}, {.name = "LAB001", .config = "good", .backing = folder / "card"}}}, {},
                     folder / "events", folder.path());
    Followed followed;
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
            bridge.start(io.get_executor());
            asio::steady_timer timer(io);
            while (!bridge.lab_fault()) {
                timer.expires_after(1ms);
                co_await timer.async_wait(asio::use_awaitable);
            }
            followed.lab_fault = bridge.lab_fault();
            co_await bridge.stop();
            followed.ended = true;
        },
        [](const std::exception_ptr& thrown) {
            if (thrown) std::rethrow_exception(thrown);
        });
    io.run_for(60s);
    return followed;
}

} // namespace

TEST_CASE("a failed start of the card server is a fault of the rig, not of a card") {
    const Followed followed = follow(R"({"what": "card_inserted", "port": 0, "card": 0})"
                                     "\n"
                                     R"({"what": "voltage_up", "port": 0})"
                                     "\n");
    REQUIRE(followed.lab_fault);
    CHECK(followed.lab_fault->code == Errc::rig_fault);
    CHECK_THAT(followed.lab_fault->detail,
               ContainsSubstring("faults of its media do not count: ") && ContainsSubstring("nbdkit"));
    CHECK(followed.ended);
}

TEST_CASE("an unreadable event is a fault of the rig and does not stop the bridge from ending") {
    const Followed followed = follow(R"({"what": 7, "port": 0})"
                                     "\n");
    REQUIRE(followed.lab_fault);
    CHECK(followed.lab_fault->code == Errc::rig_fault);
    CHECK(followed.ended);
}
