// SPDX-License-Identifier: GPL-3.0-or-later
/// The window's model of a rig.
#include "host/gui/models/shown_rig.hpp"
#include "common/rigproto/simulated_rig.hpp"
#include "host/cli/text/rig_text.hpp"
#include "host/rig/config/rig_config.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::gui;

namespace {

cli::RigView rig_with(rigproto::PortState state, rigproto::Fault fault) {
    cli::RigView view;
    view.description = "mediarig-rig\x1b[2J";
    view.config = rig::default_rig().board;
    view.status.state = rigproto::State::ready;
    view.status.flags = rigproto::flag_homed | rigproto::flag_safety_closed | rigproto::flag_holding;
    view.status.x = view.config.x_first_port + view.config.x_port_pitch;
    view.ports = {{.port = 1, .state = state, .card = 1, .fault = fault, .millivolts = 5020, .milliamperes = 120}};
    return view;
}

ShownRig shown(const cli::RigView& view) {
    auto rig = rig_from_json(cli::to_json(view).dump());
    REQUIRE(rig);
    return std::move(*rig);
}

} // namespace

TEST_CASE("the shown state, readers and places of a rig equal the command's output") {
    const ShownRig rig = shown(rig_with(rigproto::PortState::on, rigproto::Fault::none));
    CHECK(rig.description.find('\x1b') == std::string::npos);
    CHECK(rig.state == "ready");
    CHECK(rig.fault.empty());
    CHECK(rig.homed);
    CHECK(rig.safety_closed);
    CHECK(rig.holding);
    CHECK(!rig.motors_on);
    CHECK(rig.pockets.size() == 30);
    CHECK(rig.readers.size() == 8);
    CHECK(rig.bins.size() == 4);
    REQUIRE(rig.ports.size() == 1);
    CHECK(rig.ports[0].number == 2);
    CHECK(rig.ports[0].card);
    CHECK(rig.ports[0].millivolts == 5020);
    CHECK(rig.ports[0].milliamperes == 120);
    CHECK(rig.ports[0].light == Light::lit);
    CHECK(rig.ports[0].fault.empty());
}

TEST_CASE("the light of a port that a fault switched off blinks, and the remedy is shown") {
    const ShownRig rig = shown(rig_with(rigproto::PortState::tripped, rigproto::Fault::port_short));
    CHECK(rig.ports[0].light == Light::blinking);
    CHECK(rig.ports[0].fault.find("port 2") != std::string::npos);
    CHECK(shown(rig_with(rigproto::PortState::off, rigproto::Fault::none)).ports[0].light == Light::dark);
}

TEST_CASE("a fault that stops the rig is shown with the remedy") {
    cli::RigView view = rig_with(rigproto::PortState::off, rigproto::Fault::none);
    view.status.state = rigproto::State::latched;
    view.status.fault = rigproto::Fault::estop;
    CHECK(!shown(view).fault.empty());
}

TEST_CASE("the carriage is shown at a place, between two or at an unknown position") {
    cli::RigView view = rig_with(rigproto::PortState::off, rigproto::Fault::none);
    const ShownRig at_reader = shown(view);
    REQUIRE(place_of_carriage(at_reader) != nullptr);
    CHECK(place_of_carriage(at_reader) == &at_reader.readers[1]);
    view.status.x += 1;
    CHECK(place_of_carriage(shown(view)) == nullptr);
    view.status.x -= 1;
    view.status.flags = 0;
    CHECK(place_of_carriage(shown(view)) == nullptr);
}

TEST_CASE("an invalid rig status is refused, and members of other types are ignored") {
    for (const char* text : {"", "[]", "{}", "3"}) CHECK(!rig_from_json(text));
    const auto odd =
        rig_from_json(R"({"mediarig_rig_status":1,"state":7,"flags":[],"ports":{},"places":[1],"x":"far"})");
    REQUIRE(odd);
    CHECK(odd->state.empty());
    CHECK(odd->ports.empty());
    CHECK(odd->pockets.empty());
}
