// SPDX-License-Identifier: GPL-3.0-or-later
/// What lanes share: who gets in beside whom, and in which order.
#include "host/session/admission.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "host/session/needs.hpp"
#include "tests/catch.hpp"
#include "tests/session/campaign_fixture.hpp"

using namespace mediarig;
using namespace mediarig::session;
namespace asio = boost::asio;
using Admit = Need::How;

namespace {

struct Door {
    asio::io_context io;
    Admission admission{io.get_executor(), {{"processor", 2}}};
    std::map<std::string, Admission::Permit> inside;
    std::vector<std::string> order;

    void come(const std::string& who, std::vector<Need> needs) {
        asio::co_spawn(io, enter(who, std::move(needs)), asio::detached);
        settle();
    }
    void leave(const std::string& who) {
        inside.erase(who);
        settle();
    }

private:
    asio::awaitable<void> enter(std::string who, std::vector<Need> needs) {
        inside[who] = co_await admission.enter(std::move(needs));
        order.push_back(who);
    }
    void settle() {
        io.restart();
        io.poll();
    }
};

} // namespace

TEST_CASE("sharers use a bus side by side, who needs it alone waits for all of them") {
    Door door;
    door.come("a", {{"bus", Admit::shared}});
    door.come("b", {{"bus", Admit::shared}});
    door.come("alone", {{"bus", Admit::alone}});
    CHECK(door.inside.size() == 2);
    door.leave("a");
    CHECK_FALSE(door.inside.contains("alone"));
    door.leave("b");
    CHECK(door.inside.contains("alone"));
}

TEST_CASE("sharers that come later do not keep one out for ever who needs the bus alone") {
    Door door;
    door.come("a", {{"bus", Admit::shared}});
    door.come("alone", {{"bus", Admit::alone}});
    door.come("b", {{"bus", Admit::shared}});
    CHECK_FALSE(door.inside.contains("b"));
    door.leave("a");
    CHECK(door.inside.contains("alone"));
    CHECK_FALSE(door.inside.contains("b"));
    door.leave("alone");
    CHECK(door.inside.contains("b"));
}

TEST_CASE("who needs something else goes past those who wait") {
    Door door;
    door.come("a", {{"bus 1", Admit::alone}});
    door.come("b", {{"bus 1", Admit::alone}});
    door.come("c", {{"bus 2", Admit::alone}});
    CHECK(door.order == std::vector<std::string>{"a", "c"});
}

TEST_CASE("of a counted thing as many are given out as there are, together with all else that is needed") {
    Door door;
    door.come("a", {{"bus 1", Admit::alone}, {"processor", Admit::one}});
    door.come("b", {{"bus 2", Admit::alone}, {"processor", Admit::one}});
    door.come("c", {{"bus 3", Admit::alone}, {"processor", Admit::one}});
    CHECK(door.order == std::vector<std::string>{"a", "b"});
    // Who waits holds nothing.
    door.come("d", {{"bus 3", Admit::shared}});
    CHECK_FALSE(door.inside.contains("d"));
    door.leave("a");
    CHECK(door.inside.contains("c"));
}

TEST_CASE("media share the host controller, an image the file system that it lies on") {
    media::Medium medium;
    CHECK(bus_of(medium) == "unknown bus");
    medium.sysfs_path = "/sys/devices/pci0000:00/0000:00:1c.0/0000:02:00.0/usb3/3-2/3-2:1.0/host4/block/sdb";
    CHECK(bus_of(medium) == "/sys/devices/pci0000:00/0000:00:1c.0/0000:02:00.0");
    medium.file = media::FileIdentity{.device = 66306, .inode = 12};
    CHECK(bus_of(medium) == "file system 66306");
}

TEST_CASE("a sweep needs its bus alone and a processor, a verification shares the bus") {
    const auto plan = plan_of(R"({"mediarig_plan": 1, "media": [{"slot": 1}], "formats": ["exfat"],
        "suites": [{"suite": "disktester", "quick": true}, {"suite": "verify", "where": "raw"}]})");
    MediumState medium{.ref = &plan.media[0]};
    medium.identity = stick("/dev/sdx", "S");
    for (const plan::Step& step : plan::unroll(plan)) {
        CAPTURE(step.key);
        const auto needs = needs_of(step, medium);
        if (step.kind == plan::StepKind::load || step.kind == plan::StepKind::unload)
            CHECK(needs == std::vector<Need>{{"rig", Admit::alone}});
        else if (step.key == "m0.r1.exfat.disktester.run")
            CHECK(needs == std::vector<Need>{{"unknown bus", Admit::alone}, {"processor", Admit::one}});
        else if (step.kind == plan::StepKind::run || step.kind == plan::StepKind::format ||
                 step.kind == plan::StepKind::check)
            CHECK(needs == std::vector<Need>{{"unknown bus", Admit::shared}});
        else
            CHECK(needs.empty());
    }
}
