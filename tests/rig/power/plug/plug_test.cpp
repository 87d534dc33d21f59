// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests plugs at a real broker. A switched plug is verified only by its power readings.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/rig/power/plug/mains_plug.hpp"
#include "tests/catch.hpp"
#include "tests/rig/power/plug/broker.hpp"

using namespace mediarig;
using namespace mediarig::rig;

namespace {

using std::chrono::milliseconds;

/// Answers arrive at once, so the timeouts apply only to missing answers.
const PlugSetup patient{
    .answers_within = milliseconds(20'000), .settles_within = milliseconds(20'000), .poll_interval = milliseconds(10)};
const PlugSetup hasty{
    .answers_within = milliseconds(20'000), .settles_within = milliseconds(200), .poll_interval = milliseconds(10)};

MainsPlug connected(const Broker& broker, PlugKind kind, PlugSetup setup = patient) {
    auto plug = MainsPlug::connect({kind, "desk", "127.0.0.1", broker.port()}, setup);
    REQUIRE(reason(plug) == "success");
    return std::move(*plug);
}

} // namespace

TEST_CASE("a plug of each kind is switched and verified by its readings") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    for (const PlugKind kind : {PlugKind::tasmota, PlugKind::shelly1, PlugKind::shelly2}) {
        CAPTURE(name_of(kind));
        const FakePlug fake(broker, {});
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

TEST_CASE("after repeated answers or old readings of a plug, the program waits until two readings agree") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    const FakePlug fake(broker, {.twice = true, .lag = 3});
    for (const PlugKind kind : {PlugKind::tasmota, PlugKind::shelly2}) {
        MainsPlug plug = connected(broker, kind);
        const auto off = plug.set(false);
        REQUIRE(reason(off) == "success");
        CHECK(*off == 0.0);
        CHECK(*plug.set(true) == 12.5);
    }
}

TEST_CASE("a welded relay that reports OFF is detected by its power") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    const FakePlug fake(broker, {.welded = true});
    MainsPlug plug = connected(broker, PlugKind::tasmota, hasty);
    const auto off = plug.set(false);
    REQUIRE_FALSE(off);
    CHECK(off.error().code == Errc::rig_fault);
    CHECK_THAT(reason(off), ContainsSubstring("was switched off and carries 12.5 W: its relay may be welded"));
    CHECK_FALSE(fake.on);
}

TEST_CASE("a Tasmota without measurement while off is not switched, since a welded relay would be unnoticed") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    const FakePlug fake(broker, {.welded = true, .blind_off = true});
    MainsPlug plug = connected(broker, PlugKind::tasmota, hasty);
    const auto off = plug.set(false);
    REQUIRE_FALSE(off);
    CHECK(off.error().code == Errc::rig_fault);
    CHECK_THAT(reason(off), ContainsSubstring("does not measure while it is off") && ContainsSubstring("SetOption21"));
    CHECK(fake.on);
    CHECK(*plug.set(true) == 12.5);
}

TEST_CASE("a plug without a load is refused before it is switched off and reported after it is switched on") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    const FakePlug fake(broker, {.load = 0.1});
    MainsPlug plug = connected(broker, PlugKind::shelly2, hasty);
    CHECK_THAT(reason(plug.set(false)), ContainsSubstring("carries 0.1 W before it is switched off"));
    CHECK(fake.on);
    CHECK_THAT(reason(plug.set(true)),
               ContainsSubstring("was switched on and carries 0.1 W: check that the enclosure is switched on"));
}

TEST_CASE("the program waits once for a silent plug, and a retained reading does not count as an answer") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    auto other = MqttClient::connect("127.0.0.1", broker.port(), {}, "other", {});
    REQUIRE(reason(other) == "success");
    REQUIRE(other->publish("tele/desk/SENSOR", R"({"ENERGY":{"Power":12}})", /*retain=*/true));
    auto kept = MqttClient::connect("127.0.0.1", broker.port(), {}, "reader", {"tele/desk/SENSOR"});
    REQUIRE(reason(kept) == "success");
    // Until the broker has stored the message, a connecting plug could not receive it.
    const auto message = kept->receive(milliseconds(20'000));
    REQUIRE(message);
    REQUIRE(*message);
    const FakePlug fake(broker, {.mute = true});
    auto setup = patient;
    setup.answers_within = milliseconds(300);
    MainsPlug plug = connected(broker, PlugKind::tasmota, setup);
    const auto read = plug.watts();
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Errc::timed_out);
    CHECK_THAT(reason(read), ContainsSubstring("reports no power within 0.3 s"));
}

TEST_CASE("the error quotes the refusal of a plug, and names the address of a missing broker") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    std::uint16_t port = 0;
    {
        const Broker broker;
        port = broker.port();
        const FakePlug fake(broker, {.refuses = true});
        MainsPlug plug = connected(broker, PlugKind::shelly2);
        CHECK_THAT(reason(plug.watts()), ContainsSubstring("cannot be read: no switch 0"));
    }
    const auto none = MainsPlug::connect({PlugKind::tasmota, "desk", "127.0.0.1", port});
    REQUIRE_FALSE(none);
    CHECK(none.error().code == Errc::io_failed);
    CHECK_THAT(reason(none), ContainsSubstring(fmt::format("the MQTT broker at 127.0.0.1:{} cannot be reached", port)));
}

TEST_CASE("a late answer to an earlier request is ignored") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    FakePlug fake(broker, {.twice = true, .holds = true});
    auto setup = patient;
    setup.answers_within = milliseconds(1'000);
    MainsPlug plug = connected(broker, PlugKind::shelly2, setup);
    CHECK_THAT(reason(plug.watts()), ContainsSubstring("reports no power within 1 s"));
    fake.on = false;
    // The first two readings are from the time while the plug was on.
    const auto now = plug.watts();
    REQUIRE(reason(now) == "success");
    CHECK(*now == 0.0);
}

namespace {

/// The user's broker file during the life of this object.
class BrokerFile {
public:
    BrokerFile(const std::string& text, std::filesystem::perms rights)
        : path_(std::filesystem::temp_directory_path() / fmt::format("mediarig-mqtt-{}.json", ::getpid())) {
        std::ofstream(path_) << text;
        std::filesystem::permissions(path_, rights);
    }
    BrokerFile(const BrokerFile&) = delete;
    BrokerFile& operator=(const BrokerFile&) = delete;
    ~BrokerFile() { std::filesystem::remove(path_); }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

constexpr auto own = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;

std::string broker_entry(const std::string& broker, const BrokerAccess& access) {
    return fmt::format(
        R"({{"mediarig_mqtt": 1, "brokers": [{{"broker": "{}", "user": "{}", "password": "{}", "authority": "{}"}}]}})",
        broker, access.user, access.password, access.authority.string());
}

} // namespace

TEST_CASE("the access data of an encrypted broker with password come from the user's file") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker(Broker::Login::guarded);
    const FakePlug fake(broker, {});
    const auto connect = [&](const std::string& host, const BrokerAccess& access) {
        const BrokerFile file(broker_entry(fmt::format("{}:{}", host, broker.port()), access), own);
        auto setup = patient;
        setup.brokers = file.path();
        return MainsPlug::connect({PlugKind::tasmota, "desk", host, broker.port()}, setup);
    };
    auto plug = connect("localhost", broker.access());
    REQUIRE(reason(plug) == "success");
    CHECK(*plug->set(false) == 0.0);
    CHECK_FALSE(fake.on);

    BrokerAccess wrong = broker.access();
    wrong.password = "let me out";
    const auto refused = connect("localhost", wrong);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::no_permission);
    // The certificate is for another name.
    const auto other_name = connect("127.0.0.1", broker.access());
    REQUIRE_FALSE(other_name);
    CHECK_THAT(reason(other_name), ContainsSubstring("the MQTT broker at 127.0.0.1"));
    BrokerAccess missing = broker.access();
    missing.authority = "/nowhere/ca.pem";
    CHECK_THAT(reason(connect("localhost", missing)),
               ContainsSubstring("/nowhere/ca.pem cannot be used") && ContainsSubstring("No such file or directory"));
    // A connection without encryption to the broker's encrypted port fails.
    auto quick = patient;
    CHECK_FALSE(MainsPlug::connect({PlugKind::tasmota, "desk", "localhost", broker.port()}, quick));
}

TEST_CASE("a broker file readable by others is refused, and a missing file is not an error") {
    const auto read = [](const std::filesystem::path& file) { return broker_access(file, "here", 1883); };
    CHECK(*read("/nowhere/mqtt.json") == BrokerAccess{});
    CHECK(*read("") == BrokerAccess{});
    const BrokerAccess ada{.user = "ada", .password = "let me in", .authority = "/ca.pem"};
    {
        const BrokerFile file(broker_entry("here", ada), own | std::filesystem::perms::group_read);
        const auto refused = read(file.path());
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::no_permission);
        CHECK_THAT(reason(refused), ContainsSubstring("others may read it: chmod 600 "));
    }
    const BrokerFile file(broker_entry("here:1883", ada), own);
    CHECK(*read(file.path()) == ada);
    CHECK(*broker_access(file.path(), "here", 8883) == BrokerAccess{});
}

TEST_CASE("a password is sent unencrypted to another machine only if the broker file permits it") {
    const auto password = [](const std::string& broker, const std::string& more) {
        const auto text = fmt::format(
            R"({{"mediarig_mqtt": 1, "brokers": [{{"broker": "{}", "user": "u", "password": "x"{}}}]}})", broker, more);
        const auto access = parse_broker_access(text, broker, 1883);
        return access ? access->password : std::string("refused");
    };
    CHECK(password("shelf", "") == "refused");
    CHECK(password("shelf", R"(, "in_the_open": false)") == "refused");
    CHECK(password("shelf", R"(, "in_the_open": true)") == "x");
    CHECK(password("shelf", R"(, "authority": "/ca.pem")") == "x");
    CHECK(password("localhost", "") == "x");
    CHECK(password("127.0.0.1", "") == "x");
}

TEST_CASE("a fault in a broker file is reported with its position") {
    struct Row {
        const char* text;
        const char* why;
    };
    const Row rows[] = {
        {"", "is empty"},
        {R"({"brokers": []})", "/mediarig_mqtt: is missing"},
        {R"({"mediarig_mqtt": 1})", "/brokers: is missing"},
        {R"({"mediarig_mqtt": 1, "brokers": [{"user": "a"}]})", "/brokers/0/broker: is missing"},
        {R"({"mediarig_mqtt": 1, "brokers": [{"broker": "a:0"}]})", "/brokers/0/broker: must be HOST or HOST:PORT"},
        {R"({"mediarig_mqtt": 1, "brokers": [{"broker": "a", "password": "x"}]})", "a password and no user"},
        {R"({"mediarig_mqtt": 1, "brokers": [{"broker": "a", "authority": "x"}]})", "/brokers/0/authority: must be"},
        {R"({"mediarig_mqtt": 1, "brokers": [{"broker": "a", "user": "u", "password": "x"}]})",
         "/brokers/0: sends its password over the network unencrypted; add \"authority\", or \"in_the_open\": true"},
        {R"({"mediarig_mqtt": 1, "brokers": [{"broker": "a", "pasword": "x"}]})", "did you mean \"password\""},
        {R"({"mediarig_mqtt": 1, "brokers": [{"broker": "a"}, {"broker": "a:1883"}]})", "names a:1883 a second time"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK_THAT(reason(parse_broker_access(row.text, "a", 1883)), ContainsSubstring(row.why));
    }
}
