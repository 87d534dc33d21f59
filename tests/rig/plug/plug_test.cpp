// SPDX-License-Identifier: GPL-3.0-or-later
/// Plugs at a real broker: believed by their power readings alone.
#include <fmt/format.h>

#include "host/rig/plug/mains_plug.hpp"
#include "tests/catch.hpp"
#include "tests/rig/plug/broker.hpp"

using namespace mediarig;
using namespace mediarig::rig;

namespace {

using std::chrono::milliseconds;

/// Answers come at once; only what never happens is waited for.
constexpr PlugSetup patient{
    .answers_within = milliseconds(20'000), .settles_within = milliseconds(20'000), .look_every = milliseconds(10)};
constexpr PlugSetup hasty{
    .answers_within = milliseconds(20'000), .settles_within = milliseconds(200), .look_every = milliseconds(10)};

MainsPlug connected(const Broker& broker, PlugKind kind, PlugSetup setup = patient) {
    auto plug = MainsPlug::connect({kind, "desk", "127.0.0.1", broker.port()}, setup);
    REQUIRE(reason(plug) == "success");
    return std::move(*plug);
}

} // namespace

TEST_CASE("a plug of each kind is switched off and on, and believed by its readings") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    for (const PlugKind kind : {PlugKind::tasmota, PlugKind::shelly1, PlugKind::shelly2}) {
        CAPTURE(name_of(kind));
        const FakePlug fake(broker.port(), {});
        MainsPlug plug = connected(broker, kind);
        CHECK(*plug.watts() == 12.5);
        const auto off = plug.set(false);
        REQUIRE(reason(off) == "success");
        CHECK(*off == 0.0);
        CHECK_FALSE(fake.on);
        const auto on = plug.set(true);
        REQUIRE(reason(on) == "success");
        CHECK(*on == 12.5);
    }
}

TEST_CASE("a plug that answers twice or tells old readings is waited for until two readings agree") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    const FakePlug fake(broker.port(), {.twice = true, .lag = 3});
    for (const PlugKind kind : {PlugKind::tasmota, PlugKind::shelly2}) {
        MainsPlug plug = connected(broker, kind);
        const auto off = plug.set(false);
        REQUIRE(reason(off) == "success");
        CHECK(*off == 0.0);
        CHECK(*plug.set(true) == 12.5);
    }
}

TEST_CASE("a welded relay says OFF and is found out by the power that flows on") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    const FakePlug fake(broker.port(), {.welded = true});
    MainsPlug plug = connected(broker, PlugKind::tasmota, hasty);
    const auto off = plug.set(false);
    REQUIRE_FALSE(off);
    CHECK(off.error().code == Errc::rig_fault);
    CHECK_THAT(reason(off),
               ContainsSubstring("was switched off and 12.5 W flow all the same: its relay may be welded"));
    CHECK_FALSE(fake.on);
}

TEST_CASE("a plug without load proves nothing, before and after") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    const FakePlug fake(broker.port(), {.load = 0.1});
    MainsPlug plug = connected(broker, PlugKind::shelly2, hasty);
    CHECK_THAT(reason(plug.set(false)), ContainsSubstring("carries 0.1 W before it is switched off"));
    CHECK(fake.on);
    CHECK_THAT(reason(plug.set(true)),
               ContainsSubstring("was switched on and 0.1 W flow: is the enclosure switched on?"));
}

TEST_CASE("a plug that does not answer is waited for once, and a reading that the broker kept is no answer") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    auto other = MqttClient::connect("127.0.0.1", broker.port(), "other", {});
    REQUIRE(reason(other) == "success");
    REQUIRE(other->publish("tele/desk/SENSOR", R"({"ENERGY":{"Power":12}})", /*retain=*/true));
    auto kept = MqttClient::connect("127.0.0.1", broker.port(), "reader", {"tele/desk/SENSOR"});
    REQUIRE(reason(kept) == "success");
    // Until it is kept there, a plug that connects could not be told of it.
    const auto message = kept->receive(milliseconds(20'000));
    REQUIRE(message);
    REQUIRE(*message);
    const FakePlug fake(broker.port(), {.mute = true});
    auto setup = patient;
    setup.answers_within = milliseconds(300);
    MainsPlug plug = connected(broker, PlugKind::tasmota, setup);
    const auto read = plug.watts();
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Errc::timed_out);
    CHECK_THAT(reason(read), ContainsSubstring("tells no power within 0.3 s"));
}

TEST_CASE("a plug that refuses is told in its own words, a broker that is not there by its address") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    std::uint16_t port = 0;
    {
        const Broker broker;
        port = broker.port();
        const FakePlug fake(port, {.refuses = true});
        MainsPlug plug = connected(broker, PlugKind::shelly2);
        CHECK_THAT(reason(plug.watts()), ContainsSubstring("refuses to be read: no switch 0"));
    }
    const auto none = MainsPlug::connect({PlugKind::tasmota, "desk", "127.0.0.1", port});
    REQUIRE_FALSE(none);
    CHECK(none.error().code == Errc::io_failed);
    CHECK_THAT(reason(none), ContainsSubstring(fmt::format("the MQTT broker at 127.0.0.1:{} cannot be reached", port)));
}
