// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/rigproto/wire.hpp"
#include "host/cli/text/rig_text.hpp"
#include "host/rig/port/rig_text.hpp"
#include "tests/catch.hpp"

namespace rig = mediarig::rig;
namespace rigproto = mediarig::rigproto;
using mediarig::cli::RigView;
using rigproto::Fault;
using rigproto::Reject;

namespace {

template <class Body>
rig::LoggedEvent event(rigproto::EventKind kind, const Body& body) {
    rigproto::Frame frame;
    rigproto::append(frame, rigproto::EventHead{7, 1234});
    rigproto::append(frame, body);
    return {2, 7, kind, {frame.payload().begin(), frame.payload().end()}};
}

RigView view() {
    RigView view;
    view.description = "mediarig-rig 0.1.0, firmware swap30, 0000000000000001";
    view.path = "/dev/ttyACM0";
    view.hello.major = rigproto::protocol_major;
    view.status.state = rigproto::State::ready;
    view.status.flags = rigproto::flag_homed | rigproto::flag_safety_closed;
    view.status.x = 200;
    rigproto::PortStatusReply port;
    port.state = rigproto::PortState::on;
    port.card = 1;
    port.millivolts = 5012;
    port.milliamperes = 80;
    port.cycles = 12;
    view.ports.push_back(port);
    return view;
}

} // namespace

TEST_CASE("a status reports firmware for another pin map with the remedy") {
    RigView other = view();
    CHECK(text_of(other).find("pin map") == std::string::npos);
    other.hello.pin_map_hash = 1;
    CHECK_THAT(text_of(other),
               ContainsSubstring("\nthe board's firmware was made for pin map 00000001, but this mediarig"));
}

TEST_CASE("every fault and reason has a name and a sentence without a line break") {
    std::vector<std::string> seen;
    for (int i = 0; i <= static_cast<int>(Fault::pocket_occupied); ++i) {
        const auto fault = static_cast<Fault>(i);
        const auto sentence = rig::explain(fault, 2);
        CAPTURE(i);
        CHECK(rig::name_of(fault) != "unlisted");
        CHECK(sentence.find('\n') == std::string::npos);
        CHECK(std::find(seen.begin(), seen.end(), sentence) == seen.end());
        seen.push_back(sentence);
    }
    for (int i = 0; i <= static_cast<int>(Reject::session_held); ++i) {
        const auto reject = static_cast<Reject>(i);
        const auto sentence = rig::explain(rigproto::Rejection{reject, {}});
        CAPTURE(i);
        CHECK(rig::name_of(reject) != "unlisted");
        CHECK(std::find(seen.begin(), seen.end(), sentence) == seen.end());
        seen.push_back(sentence);
    }
    for (int i = 1; i <= static_cast<int>(rigproto::Interlock::port_settling); ++i) {
        const auto sentence = rig::explain(rigproto::Rejection{Reject::interlock, static_cast<rigproto::Interlock>(i)});
        CAPTURE(i, sentence);
        CHECK(std::find(seen.begin(), seen.end(), sentence) == seen.end());
        seen.push_back(sentence);
    }
}

// The types of slot, pocket and port differ, so swapped arguments do not compile.
static_assert(!std::is_convertible_v<int, rig::Pocket> && !std::is_convertible_v<rig::Pocket, int>);
static_assert(!std::is_convertible_v<int, rig::PortIndex> && !std::is_convertible_v<rig::PortIndex, int>);
static_assert(!std::is_constructible_v<rig::Pocket, rig::PortIndex> &&
              !std::is_constructible_v<rig::PortIndex, rig::Pocket>);
static_assert(!std::is_constructible_v<rig::Pocket, mediarig::SlotId>);
static_assert(!std::is_constructible_v<rig::Destination, rig::PortIndex>);

TEST_CASE("a slot is the pocket of the same number, and slots, pockets and ports count from 1") {
    CHECK(rig::pocket_of(mediarig::SlotId{1}) == rig::Pocket{0});
    CHECK(rig::slot_of(rig::Pocket{29}) == mediarig::SlotId{30});
    CHECK(number_of(rig::Pocket{0}) == 1);
    CHECK(number_of(rig::PortIndex{7}) == 8);
    CHECK(rig::pocket_numbered(30) == rig::Pocket{29});
    CHECK(rig::port_numbered(8) == rig::PortIndex{7});
    CHECK(rig::told(rig::Pocket{2}) == "into pocket 3");
    CHECK(rig::told(rigproto::Bin::retest) == "into bin retest");
}

TEST_CASE("a set of ports is the board's bit mask") {
    rig::PortSet ports;
    ports.insert(rig::PortIndex{0});
    ports.insert(rig::PortIndex{7});
    ports.insert(rig::PortIndex{7});
    CHECK(ports.bits == 0x81);
    CHECK(ports.contains(rig::PortIndex{7}));
    CHECK_FALSE(ports.contains(rig::PortIndex{1}));
    ports.erase(rig::PortIndex{0});
    ports.erase(rig::PortIndex{1});
    CHECK(ports == rig::PortSet{0x80});
}

TEST_CASE("places are printed from 1") {
    CHECK(rig::explain(Fault::port_short, 0) == "port 1 was switched off: short circuit; take the card out");
    CHECK(from_name<rigproto::Bin>("retest") == rigproto::Bin::retest);
    CHECK_FALSE(from_name<rigproto::Bin>("trash"));
    CHECK(rig::name_of(rigproto::Op::load) == "load");
    CHECK(rig::name_of(rigproto::Op::counters) == "counters");
    CHECK(rig::name_of(static_cast<rigproto::Op>(0x0F)) == "unlisted");
    CHECK(rig::name_of(static_cast<rigproto::EventKind>(0)) == "unlisted");
}

TEST_CASE("unknown values of a newer firmware are printed as unknown") {
    CHECK(rig::explain(static_cast<Fault>(99), 0) ==
          "the board reports fault 99, which this mediarig does not know; update mediarig");
    CHECK(rig::explain(rigproto::Rejection{static_cast<Reject>(99), {}}) ==
          "the board gave reason 99, which this mediarig does not know; update mediarig");
}

TEST_CASE("the status of a rig is printed as text") {
    CHECK(text_of(view()) ==
          "mediarig-rig 0.1.0, firmware swap30, 0000000000000001 on /dev/ttyACM0\n"
          "state   ready\n"
          "start   power_on\n"
          "at      X 200, Z 0\n"
          "\n"
          "PORT  CARD  POWER  VOLTAGE  CURRENT  INSERTIONS\n"
          "1     yes   on     5.01 V   80 mA    12\n");
    auto latched = view();
    latched.status.state = rigproto::State::latched;
    latched.status.fault = Fault::jam;
    latched.status.flags = 0;
    const auto text = text_of(latched);
    CHECK_THAT(text, ContainsSubstring("fault   steps were lost"));
    CHECK_THAT(text, ContainsSubstring("safety  open"));
    CHECK_THAT(text, !ContainsSubstring("at      X"));
    // A fault of a port needs the operator also if the rig itself is ready; it is printed once.
    for (const Fault fault : {Fault::port_welded, Fault::port_short, Fault::port_not_discharged}) {
        auto faulty = view();
        faulty.ports.front().fault = fault;
        const std::string line = "\nfault   " + rig::explain(fault, 0) + "\n";
        CHECK_THAT(text_of(faulty), ContainsSubstring("state   ready\n") && ContainsSubstring(line));
        faulty.status.fault = fault;
        const std::string both = text_of(faulty);
        CHECK(both.find(line) != std::string::npos);
        CHECK(both.find(line) == both.rfind(line));
    }
    auto restarted = view();
    restarted.hello.reset = rigproto::ResetReason::watchdog;
    CHECK_THAT(text_of(restarted), ContainsSubstring("\nstart   watchdog\n"));
    // A rig without a carriage is never homed.
    auto bank = view();
    bank.status.state = rigproto::State::unhomed;
    CHECK_THAT(text_of(bank), ContainsSubstring("\nstate   ready (no carriage)\n"));
    bank.config.pockets = 1;
    CHECK_THAT(text_of(bank), ContainsSubstring("\nstate   unhomed\n"));
    auto foreign = view();
    foreign.read_only = true;
    foreign.hello.major = 3;
    CHECK_THAT(text_of(foreign), ContainsSubstring("uses major version 3 of the protocol, this mediarig 1"));
}

TEST_CASE("the status of a rig is printed as JSON with wire numbering") {
    const auto json = to_json(view());
    CHECK(json.at("mediarig_rig_status") == 1);
    CHECK(json.at("state") == "ready");
    CHECK(json.at("flags").at("homed") == true);
    CHECK(json.at("flags").at("holding") == false);
    CHECK(json.at("ports").at(0).at("port") == 0);
    CHECK(json.at("ports").at(0).at("millivolts") == 5012);
    CHECK(json.at("ports").at(0).at("card") == true);
}

TEST_CASE("each event has a sentence and a line of JSON") {
    struct Row {
        rig::LoggedEvent event;
        const char* text;
        const char* json;
    };
    using rigproto::EventKind;
    const Row rows[] = {
        {event(EventKind::reset, rigproto::ResetEvent{rigproto::ResetReason::watchdog, 3}),
         "the board started: watchdog", R"({"boot_id":3,"reason":"watchdog"})"},
        {event(EventKind::job_accepted, rigproto::JobEvent{4}), "job 4 begins",
         R"({"detail":0,"fault":"none","job":4,"stage":"idle"})"},
        {event(EventKind::job_progress, rigproto::JobEvent{4, rigproto::JobStage::lifting}), "job 4: lifting",
         R"({"detail":0,"fault":"none","job":4,"stage":"lifting"})"},
        {event(EventKind::job_done, rigproto::JobEvent{4}), "job 4 is done",
         R"({"detail":0,"fault":"none","job":4,"stage":"idle"})"},
        {event(EventKind::job_failed, rigproto::JobEvent{4, {}, Fault::insert_failed, 1}),
         "job 4 failed: the card did not go into reader 2; do not push it again; check whether it is bent",
         R"({"detail":1,"fault":"insert_failed","job":4,"stage":"idle"})"},
        {event(EventKind::card, rigproto::CardEvent{0, 1}), "reader 1: a card is there",
         R"({"port":0,"present":true})"},
        {event(EventKind::port, rigproto::PortEvent{1, rigproto::PortState::tripped, Fault::port_short, 120}),
         "port 2: tripped, 0.12 V (port_short)",
         R"({"fault":"port_short","millivolts":120,"port":1,"state":"tripped"})"},
        {event(EventKind::cleared, rigproto::FaultEvent{Fault::jam, 0}), "cleared: jam",
         R"({"detail":0,"fault":"jam"})"},
        {{2, 7, EventKind::lease_lost, event(EventKind::reset, rigproto::EventHead{}).payload},
         "the rig had waited too long for the host",
         "{}"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(mediarig::cli::text_of(row.event) == row.text);
        auto json = mediarig::cli::to_json(row.event);
        CHECK(json.at("mediarig_rig_event") == 1);
        CHECK(json.at("epoch") == 2);
        CHECK(json.at("id") == 7);
        CHECK(json.at("time_us") == 1234);
        for (const char* common : {"mediarig_rig_event", "epoch", "id", "time_us", "kind"}) json.erase(common);
        CHECK(json.dump() == row.json);
    }
    // A truncated event is reported as unreadable.
    CHECK_THAT(mediarig::cli::text_of({2, 7, EventKind::card, {1, 2}}), ContainsSubstring("cannot read"));
}
