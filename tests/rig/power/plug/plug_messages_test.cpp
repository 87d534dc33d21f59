// SPDX-License-Identifier: GPL-3.0-or-later

#include "host/rig/power/plug/plug_messages.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::rig;

namespace {

const PlugAddress tasmota{PlugKind::tasmota, "desk", "localhost", 1883};
const PlugAddress shelly1{PlugKind::shelly1, "shellyplug-s-7AE910", "localhost", 1883};
const PlugAddress shelly2{PlugKind::shelly2, "shellyplusplugs-80646f", "localhost", 1883};

std::optional<double> watts(const PlugAddress& plug, const char* topic, const char* payload) {
    return read_plug_message(plug, "us", topic, payload).watts;
}
std::optional<bool> relay(const PlugAddress& plug, const char* topic, const char* payload) {
    return read_plug_message(plug, "us", topic, payload).on;
}

} // namespace

TEST_CASE("a plug is given by kind, topic and broker") {
    const auto plain = plug_address("tasmota:desk@localhost");
    REQUIRE(reason(plain) == "success");
    CHECK(*plain == tasmota);
    CHECK(plain->text() == "tasmota:desk@localhost");
    const auto full = plug_address("shelly2:shellyplus1pm-a8@10.0.0.2:1884");
    REQUIRE(reason(full) == "success");
    CHECK(*full == PlugAddress{PlugKind::shelly2, "shellyplus1pm-a8", "10.0.0.2", 1884});
    CHECK(full->text() == "shelly2:shellyplus1pm-a8@10.0.0.2:1884");
    struct Row {
        const char* text;
        const char* why;
    };
    const Row rows[] = {{"", "a part is missing"},
                        {"desk@localhost", "a part is missing"},
                        {"kasa:desk@localhost", "no such kind"},
                        {"tasmota:@localhost", "invalid topic"},
                        {"tasmota:a/#@localhost", "invalid topic"},
                        {"tasmota:a b@localhost", "invalid topic"},
                        {"tasmota:desk@", "invalid broker host or port"},
                        {"tasmota:desk@here:0", "invalid broker host or port"},
                        {"tasmota:desk@here:70000", "invalid broker host or port"}};
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK_THAT(reason(plug_address(row.text)), ContainsSubstring(row.why));
    }
}

TEST_CASE("each kind of plug gets its own commands") {
    CHECK(switch_message(tasmota, "us", false, 7) == PlugMessage{"cmnd/desk/POWER", "OFF"});
    CHECK(reading_message(tasmota, "us", 7) == PlugMessage{"cmnd/desk/STATUS", "10"});
    CHECK(off_metering_message(tasmota) == PlugMessage{"cmnd/desk/SetOption21", ""});
    CHECK_FALSE(off_metering_message(shelly1));
    CHECK_FALSE(off_metering_message(shelly2));
    CHECK(switch_message(shelly1, "us", true, 7) == PlugMessage{"shellies/shellyplug-s-7AE910/relay/0/command", "on"});
    CHECK(reading_message(shelly1, "us", 7) == PlugMessage{"shellies/shellyplug-s-7AE910/command", "update"});
    const PlugMessage call = switch_message(shelly2, "us", false, 7);
    CHECK(call.topic == "shellyplusplugs-80646f/rpc");
    CHECK(nlohmann::json::parse(call.payload) ==
          nlohmann::json::parse(R"({"id":7,"src":"us","method":"Switch.Set","params":{"id":0,"on":false}})"));
    CHECK(nlohmann::json::parse(reading_message(shelly2, "us", 8).payload) ==
          nlohmann::json::parse(R"({"id":8,"src":"us","method":"Switch.GetStatus","params":{"id":0}})"));
}

TEST_CASE("power is parsed from the messages of each kind of plug") {
    CHECK(watts(tasmota, "stat/desk/STATUS10",
                R"({"StatusSNS":{"Time":"2026-11-23T16:00:00","ENERGY":{"Total":1.2,"Power":12,"Voltage":231}}})") ==
          12.0);
    CHECK(watts(tasmota, "stat/desk/STATUS8", R"({"StatusSNS":{"ENERGY":{"Power":0}}})") == 0.0);
    CHECK(watts(tasmota, "tele/desk/SENSOR", R"({"Time":"x","ENERGY":{"Power":3.5}})") == 3.5);
    CHECK(relay(tasmota, "stat/desk/POWER", "OFF") == false);
    CHECK(watts(shelly1, "shellies/shellyplug-s-7AE910/relay/0/power", "23.61") == 23.61);
    CHECK(relay(shelly1, "shellies/shellyplug-s-7AE910/relay/0", "overpower") == false);
    const PlugReport says = read_plug_message(
        shelly2, "us", "us/rpc",
        R"({"id":8,"src":"shellyplusplugs-80646f","dst":"us","result":{"id":0,"output":true,"apower":8.9}})");
    CHECK(says == PlugReport{.on = true, .watts = 8.9, .request = 8, .error = std::nullopt});
}

TEST_CASE("the setting for measurement while the relay is off is read from a Tasmota") {
    const auto meters = [](std::string_view payload) {
        return read_plug_message(tasmota, "us", "stat/desk/RESULT", payload).meters_when_off;
    };
    CHECK(meters(R"({"SetOption21":"ON"})") == true);
    CHECK(meters(R"({"SetOption21":"OFF"})") == false);
    CHECK_FALSE(meters(R"({"POWER":"OFF"})"));
    CHECK_FALSE(meters(R"({"SetOption21":1})"));
    CHECK_FALSE(meters("SetOption21"));
}

TEST_CASE("messages of other devices and messages without a reading are ignored") {
    const PlugReport nothing;
    CHECK(read_plug_message(tasmota, "us", "stat/kitchen/STATUS10", R"({"StatusSNS":{"ENERGY":{"Power":12}}})") ==
          nothing);
    CHECK(read_plug_message(tasmota, "us", "stat/desk/STATUS10", R"({"StatusSNS":{"ENERGY":{"Power":[1,2]}}})") ==
          nothing);
    CHECK(read_plug_message(tasmota, "us", "stat/desk/STATUS10", R"({"StatusSNS":{"ENERGY":{"Power":-1}}})") ==
          nothing);
    CHECK(read_plug_message(tasmota, "us", "stat/desk/STATUS10", "{") == nothing);
    CHECK(read_plug_message(tasmota, "us", "stat/desk/POWER", "maybe") == nothing);
    CHECK(read_plug_message(shelly1, "us", "shellies/shellyplug-s-7AE910/relay/0/power", "nan") == nothing);
    CHECK(read_plug_message(shelly1, "us", "shellies/shellyplug-s-7AE910/relay/0/power", "1e9") == nothing);
    CHECK(read_plug_message(shelly2, "us", "us/rpc", R"({"id":8,"src":"another","result":{"apower":8.9}})") == nothing);
    CHECK(read_plug_message(shelly2, "us", "us/rpc", R"({"id":-1,"src":"shellyplusplugs-80646f"})") == nothing);
    CHECK(read_plug_message(shelly2, "us", "us/rpc",
                            R"({"src":"shellyplusplugs-80646f","error":{"message":"no switch"}})")
              .error == "no switch");
}
