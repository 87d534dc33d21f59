// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests enclosures on a simulated bus, and the order of the steps that separate them.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>

#include "host/rig/bank/blocking_supplies.hpp"
#include "host/rig/power/enclosure/detach_sequence.hpp"
#include "tests/catch.hpp"
#include "tests/rig/mock_machine.hpp"

using namespace mediarig;
using namespace mediarig::rig;

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Step = EnclosureStep;
using Steps = std::vector<Step>;

const std::string first_id = "d6010000-00b2-7c1e-8333-b3c9e8d0a011", second_id = "c7030000-0062-640e-8395-2a0e7e4e0a11";

class TunnelMachine {
public:
    explicit TunnelMachine(const std::string& security = "user", bool deauthorizes = true) {
        put("domain0", "security", security);
        put("domain0", "deauthorization", deauthorizes ? "1" : "0");
        // The host's router, a retimer, a service and another host are no enclosures.
        for (const char* other : {"0-0", "0-0:1.1", "0-0:3.1", "0-3"}) put(other, "device_name", "other");
        put("0-0", "unique_id", "host");
    }

    void plug_in(const std::string& at, const std::string& id, unsigned authorized) const {
        put(at, "unique_id", id);
        put(at, "vendor_name", "OWC");
        put(at, "device_name", "ThunderBay 4");
        put(at, "authorized", std::to_string(authorized));
        put(at, "generation", "3");
    }
    void pull(const std::string& at) const { fs::remove_all(bus() / at); }
    [[nodiscard]] std::string authorized(const std::string& at) const {
        std::string text;
        std::ifstream(bus() / at / "authorized") >> text;
        return text;
    }
    /// An NVMe disk with its controller's PCIe function above it.
    [[nodiscard]] fs::path add_disk(const std::string& disk) const {
        const fs::path function = sys_ / "devices/pci0000:00/0000:05:00.0", controller = function / "nvme/nvme1";
        fs::create_directories(controller / disk);
        fs::create_directories(sys_ / "class/block");
        std::ofstream(function / "remove") << "0";
        fs::create_directory_symlink(function, controller / "device");
        fs::create_directory_symlink(controller, controller / disk / "device");
        fs::create_directory_symlink(controller / disk, sys_ / "class/block" / disk);
        return function / "remove";
    }

private:
    [[nodiscard]] fs::path bus() const { return sys_ / "bus/thunderbolt/devices"; }
    void put(const std::string& device, const char* name, const std::string& value) const {
        fs::create_directories(bus() / device);
        std::ofstream(bus() / device / name) << value << '\n';
    }
    MockMachine machine_;
    fs::path sys_{machine_.root() / "sys"};
};

Enclosure the_enclosure() {
    const auto all = find_enclosures();
    REQUIRE(reason(all) == "success");
    const auto chosen = choose_enclosure(*all, first_id);
    REQUIRE(reason(chosen) == "success");
    return *chosen;
}

/// An operator who follows requests and keeps a log.
struct Hands {
    const TunnelMachine& machine;
    Steps steps;
    std::vector<std::string> asked;
    EnclosureActions hands;
    double left_watts{0.0};
    std::string returns{first_id};

    explicit Hands(const TunnelMachine& its_machine) : machine(its_machine) {
        hands.quiesce = [] { return Result<void>{}; };
        hands.plug = [this](bool on) -> Result<double> {
            asked.push_back(on ? "plug on" : "plug off");
            on ? come_back() : machine.pull("0-1");
            return on ? 14.0 : left_watts;
        };
        hands.person = [this](const std::string& request) {
            asked.push_back(request);
            request.starts_with("pull") ? machine.pull("0-1") : come_back();
            return Result<void>{};
        };
        hands.tell = [this](Step step) { steps.push_back(step); };
        hands.poll_interval = milliseconds(5);
        hands.gone_within = milliseconds(50);
        hands.back_within = milliseconds(50);
        hands.boltctl = "boltctl-is-not-installed";
    }
    void come_back() const {
        if (!returns.empty()) machine.plug_in("0-1", returns, 0);
    }
};

} // namespace

TEST_CASE("enclosures are distinguished from routers, services and hosts, with the domain's permissions") {
    const TunnelMachine machine("secure", false);
    machine.plug_in("0-301", second_id, 0);
    machine.plug_in("0-1", first_id, 2);
    const auto all = find_enclosures();
    REQUIRE(reason(all) == "success");
    REQUIRE(all->size() == 2);
    const TunnelDomain domain{.name = "domain0", .security = TunnelSecurity::secure, .deauthorizes = false};
    CHECK(all->at(0) == Enclosure{.name = "0-1",
                                  .unique_id = first_id,
                                  .vendor = "OWC",
                                  .device = "ThunderBay 4",
                                  .authorized = 2,
                                  .generation = 3,
                                  .domain = domain});
    CHECK(all->at(1).name == "0-301");
    CHECK(choose_enclosure(*all, "c7")->name == "0-301");
    CHECK_THAT(reason(choose_enclosure(*all, "x")),
               ContainsSubstring("no enclosure has the id \"x\"; connected: d601"));
    auto twins = *all;
    twins.at(1).unique_id = "d6020000";
    CHECK(reason(choose_enclosure(twins, "d60")) == "\"d60\" names several enclosures: type more of the id");
    CHECK_THAT(reason(choose_enclosure({}, "x")), ContainsSubstring("there is no Thunderbolt or USB4 enclosure"));
}

TEST_CASE("a machine without the bus has no enclosures") {
    const MockMachine machine;
    CHECK(find_enclosures()->empty());
}

TEST_CASE("the steps follow from the domain and the supply switch") {
    const TunnelMachine machine;
    machine.plug_in("0-1", first_id, 1);
    Enclosure enclosure = the_enclosure();
    CHECK(steps_for(enclosure, EnclosureSupply::plug) == Steps{Step::quiesce, Step::remove, Step::deauthorize,
                                                               Step::supply_off, Step::wait_gone, Step::supply_on,
                                                               Step::wait_back, Step::authorize});
    enclosure.domain.deauthorizes = false;
    CHECK(steps_for(enclosure, EnclosureSupply::person) == Steps{Step::quiesce, Step::remove, Step::withdraw,
                                                                 Step::wait_gone, Step::plug_in, Step::wait_back,
                                                                 Step::authorize});
    CHECK_THAT(reason(deauthorize(enclosure)), ContainsSubstring("domain0 does not let 0-1 be deauthorized"));
}

TEST_CASE("an enclosure at a plug is released, switched off, returns and is authorized again") {
    const TunnelMachine machine;
    machine.plug_in("0-1", first_id, 1);
    const auto removed = machine.add_disk("nvme1n1");
    Hands with(machine);
    with.hands.disks = {"nvme1n1"};
    bool deauthorized = false;
    auto plug = with.hands.plug;
    with.hands.plug = [&](bool on) {
        if (!on) deauthorized = machine.authorized("0-1") == "0";
        return plug(on);
    };
    const auto done = cycle_enclosure(the_enclosure(), EnclosureSupply::plug, with.hands);
    REQUIRE(reason(done) == "success");
    CHECK(done->reached() == DetachLevel::mains_off);
    CHECK(text_of(*done) == "mains off (level 6): 0.0 W at the plug");
    CHECK(deauthorized);
    CHECK(with.asked == std::vector<std::string>{"plug off", "plug on"});
    CHECK(machine.authorized("0-1") == "1");
    std::string value;
    std::ifstream(removed) >> value;
    CHECK(value == "1");
}

TEST_CASE("the operator disconnects a bus-powered enclosure, which counts as a withdrawal") {
    const TunnelMachine machine;
    machine.plug_in("0-1", first_id, 1);
    Hands with(machine);
    const auto done = cycle_enclosure(the_enclosure(), EnclosureSupply::person, with.hands);
    REQUIRE(reason(done) == "success");
    CHECK(done->reached() == DetachLevel::withdrawn);
    CHECK(with.asked == std::vector<std::string>{"pull the cable of OWC ThunderBay 4",
                                                 "plug OWC ThunderBay 4 in again, at the same port"});
}

TEST_CASE("a plug that still draws power does not prove that the mains supply is off") {
    const TunnelMachine machine;
    machine.plug_in("0-1", first_id, 1);
    Hands with(machine);
    with.left_watts = 2.0;
    const auto done = cycle_enclosure(the_enclosure(), EnclosureSupply::plug, with.hands);
    REQUIRE(reason(done) == "success");
    CHECK(done->reached() == DetachLevel::port_disabled);
}

TEST_CASE("an enclosure in use is not touched") {
    const TunnelMachine machine;
    machine.plug_in("0-1", first_id, 1);
    Hands with(machine);
    with.hands.quiesce = []() -> Result<void> { return fail(Errc::refused, "nvme1n1 is mounted on /mnt"); };
    const auto done = cycle_enclosure(the_enclosure(), EnclosureSupply::plug, with.hands);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == Errc::refused);
    CHECK(reason(done) == "OWC ThunderBay 4: quiesce: nvme1n1 is mounted on /mnt");
    CHECK(with.steps == Steps{Step::quiesce});
    CHECK(with.asked.empty());
}

TEST_CASE("an enclosure that stays, does not return or returns as another one ends the sequence with the supply on") {
    SECTION("stays") {
        const TunnelMachine machine;
        machine.plug_in("0-1", first_id, 1);
        Hands with(machine);
        with.hands.plug = [&](bool on) -> Result<double> {
            with.asked.push_back(on ? "plug on" : "plug off");
            return 0.0;
        };
        CHECK_THAT(reason(cycle_enclosure(the_enclosure(), EnclosureSupply::plug, with.hands)),
                   ContainsSubstring("wait until it is gone: it is still on the bus"));
        CHECK(with.asked == std::vector<std::string>{"plug off", "plug on"});
    }
    SECTION("does not return") {
        const TunnelMachine machine;
        machine.plug_in("0-1", first_id, 1);
        Hands with(machine);
        with.returns = "";
        CHECK_THAT(reason(cycle_enclosure(the_enclosure(), EnclosureSupply::plug, with.hands)),
                   ContainsSubstring("wait until it is back: it did not come back"));
    }
    SECTION("returns as another one") {
        const TunnelMachine machine;
        machine.plug_in("0-1", first_id, 1);
        Hands with(machine);
        with.returns = second_id;
        const auto done = cycle_enclosure(the_enclosure(), EnclosureSupply::plug, with.hands);
        REQUIRE_FALSE(done);
        CHECK(done.error().code == Errc::refused);
        CHECK_THAT(reason(done), ContainsSubstring("another enclosure came back in its place: OWC ThunderBay 4 (c703"));
    }
}

TEST_CASE("an enclosure is detached alone and attached by its id only") {
    const TunnelMachine machine;
    machine.plug_in("0-1", first_id, 1);
    Hands hands(machine);
    const auto detached = detach_enclosure(the_enclosure(), EnclosureSupply::plug, hands.hands);
    REQUIRE(reason(detached) == "success");
    CHECK(detached->reached() == DetachLevel::mains_off);
    CHECK(hands.steps == Steps{Step::quiesce, Step::remove, Step::deauthorize, Step::supply_off, Step::wait_gone});
    CHECK(find_enclosures()->empty());
    hands.steps.clear();
    Enclosure known;
    known.unique_id = first_id;
    CHECK(reason(attach_enclosure(known, EnclosureSupply::plug, hands.hands)) == "success");
    CHECK(hands.steps == Steps{Step::supply_on, Step::wait_back, Step::authorize});
    CHECK(machine.authorized("0-1") == "1");
}

TEST_CASE("a slot in an unswitched enclosure is detached by the operator at the cable") {
    const TunnelMachine machine;
    machine.plug_in("0-1", first_id, 1);
    boost::asio::io_context io;
    std::vector<std::string> asked;
    ThunderboltSupply supply({.power = {.unique_id = first_id, .plug = {}},
                              .tell =
                                  [&](const std::string& line) {
                                      asked.push_back(line);
                                      line.starts_with("pull") ? machine.pull("0-1")
                                                               : machine.plug_in("0-1", first_id, 0);
                                  },
                              .poll_interval = milliseconds(5),
                              .boltctl = "boltctl-is-not-installed"},
                             io.get_executor());
    CHECK(supply.attempts() == DetachLevel::withdrawn);
    std::vector<bool> seen;
    boost::asio::co_spawn(
        io,
        [&]() -> boost::asio::awaitable<void> {
            seen.push_back(*co_await supply.is_on());
            auto off = co_await supply.off("");
            CHECK(reason(off) == "success");
            seen.push_back(*co_await supply.is_on());
            auto on = co_await supply.on();
            CHECK(reason(on) == "success");
            seen.push_back(*co_await supply.is_on());
        },
        boost::asio::detached);
    io.run();
    CHECK(seen == std::vector<bool>{true, false, true});
    CHECK(asked == std::vector<std::string>{"pull the cable of OWC ThunderBay 4",
                                            "plug OWC ThunderBay 4 in again, at the same port"});
    CHECK(machine.authorized("0-1") == "1");
}
