// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests media at ports of a hub that uhubctl switches, and media at a mains plug.
#include "host/rig/bank/blocking_supplies.hpp"
#include "tests/rig/bank/bank_fixture.hpp"
#include "tests/rig/power/hub/hub_machine.hpp"
#include "tests/rig/power/plug/broker.hpp"

using namespace mediarig;
using namespace mediarig::rig;

namespace {

using std::chrono::milliseconds;

/// The fake uhubctl, and the agent that sees the medium of the reader on port 2 while the port is on.
class SeenSwitch final : public PortSwitch {
public:
    SeenSwitch(const HubMachine& machine, agent::FakeAgentLink& link) : uhubctl_(machine.program()), link_(link) {
        look();
    }
    Result<HubPortState> state(const UsbPort& half) override { return uhubctl_.state(half); }
    Result<void> set(const UsbPort& half, bool on) override {
        auto done = uhubctl_.set(half, on);
        look();
        return done;
    }

private:
    void look() {
        link_.media.erase("/dev/sdb");
        const auto devices = usb_devices_below({"1-1", "2-1"});
        for (const UsbDevice& device : *devices)
            if (device.serial == "READER-2") link_.media["/dev/sdb"] = usb_medium("/dev/sdb", "CARD", device.path);
    }
    Uhubctl uhubctl_;
    agent::FakeAgentLink& link_;
};

struct HubBench : BankBench {
    HubMachine machine;
    explicit HubBench(const std::string& trouble) {
        machine.plug_reader(2, "READER-2");
        machine.plug_reader(3, "READER-3");
        machine.state["trouble"] = nlohmann::json::parse(trouble);
        machine.save();
        build(std::make_unique<HubSupply>(std::make_shared<SeenSwitch>(machine, link), *usb_port("1-1.2"),
                                          io.get_executor()));
    }
};

} // namespace

TEST_CASE("a medium at a hub port is switched through uhubctl, and its detachment level is at most 3") {
    HubBench bench("{}");
    const auto loaded = bench.load(1);
    REQUIRE(reason(loaded) == "success");
    CHECK(loaded->medium.usb->port_path == "2-1.2");
    CHECK(loaded->how == "port 2 of hub 1-1, through uhubctl");
    REQUIRE(loaded->detachment);
    CHECK(loaded->detachment->attempted() == DetachLevel::supply_cut);
    CHECK(loaded->detachment->reached() == DetachLevel::port_disabled);
    const auto unloaded = bench.unload(1, rigproto::Bin::pass);
    REQUIRE(reason(unloaded) == "success");
    CHECK(unloaded->detachment->reached() == DetachLevel::port_disabled);
    CHECK_FALSE(bench.link.media.contains("/dev/sdb"));
}

TEST_CASE("another medium at the same hub is not mistaken for the medium of the slot") {
    HubBench bench("{}");
    bench.link.media["/dev/sda"] = usb_medium("/dev/sda", "OTHER", "2-1.3");
    const auto loaded = bench.load(1);
    REQUIRE(reason(loaded) == "success");
    CHECK(loaded->medium.node == "/dev/sdb");
}

TEST_CASE("a slot whose hub keeps the data lines connected is left to the operator") {
    HubBench bench(R"({"keeps_data": [2]})");
    bench.person.types = {"", "skip"};
    CHECK(reason(bench.load(1)) == "slot 1: skipped by the operator");
    REQUIRE(bench.person.told.size() == 2);
    CHECK_THAT(bench.person.told.at(0), ContainsSubstring("port 2 of hub 1-1, through uhubctl does not separate its "
                                                          "medium"));
}

TEST_CASE("a hub that ignores the request is a fault of the rig") {
    HubBench bench(R"({"ignores": [2]})");
    const auto loaded = bench.load(1);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == Errc::rig_fault);
}

TEST_CASE("no port is switched while another medium at the same hub is mounted") {
    HubBench bench("{}");
    bench.link.media["/dev/sdc"] = usb_medium("/dev/sdc", "OTHER", "2-1.3");
    bench.link.media["/dev/sdc"].refusals.push_back({.kind = media::RefusalKind::mounted, .detail = "on /home"});
    const auto loaded = bench.load(1);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == Errc::refused);
    CHECK_THAT(reason(loaded), ContainsSubstring("/dev/sdc is on the same hub and is in use (on /home)"));
    CHECK_FALSE(bench.machine.saved().dump().find("-a off") != std::string::npos);
}

TEST_CASE("a medium at a mains plug is identified by its serial, and the plug's reading is evidence for level 6") {
    if (!Broker::is_installed()) MEDIARIG_SKIP("mosquitto is not installed");
    const Broker broker;
    const FakePlug fake(broker, {});
    BankBench bench;
    bench.link.answers["devices"] = [&](const nlohmann::json&, const agent::FakeAgentLink::Notify&) {
        nlohmann::json list = nlohmann::json::array();
        if (fake.on) list.push_back(media::to_json(usb_medium("/dev/sdb", "DISK")));
        return nlohmann::json{{"devices", list}};
    };
    const PlugSetup setup{.answers_within = milliseconds(20'000),
                          .settles_within = milliseconds(20'000),
                          .poll_interval = milliseconds(10)};
    const PlugAddress address{.kind = PlugKind::shelly2, .topic = "desk", .host = "127.0.0.1", .port = broker.port()};
    bench.build(std::make_unique<PlugSupply>(address, setup, bench.io.get_executor()), "DISK");
    const auto loaded = bench.load(1);
    REQUIRE(reason(loaded) == "success");
    REQUIRE(loaded->detachment);
    CHECK(loaded->detachment->reached() == DetachLevel::mains_off);
    CHECK(loaded->detachment->evidence().plug_watts == 0.0);
    const auto unloaded = bench.unload(1, rigproto::Bin::pass);
    REQUIRE(reason(unloaded) == "success");
    CHECK(unloaded->detachment->reached() == DetachLevel::mains_off);
    CHECK_FALSE(fake.on);
    // Another disk at the same plug is not the disk of the slot.
    const PlugAddress same = address;
    bench.build(std::make_unique<PlugSupply>(same, setup, bench.io.get_executor()), "ANOTHER");
    CHECK_THAT(reason(bench.load(1)), ContainsSubstring("which is not the medium declared for the slot"));
}
