// SPDX-License-Identifier: GPL-3.0-or-later
/// Shared resources of lanes: which requests are admitted at the same time, and in which order.
#include "host/campaign/resources/admission.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <limits>

#include "host/campaign/run/required_resources.hpp"
#include "tests/campaign/campaign_fixture.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::campaign;
namespace asio = boost::asio;
using Admit = ResourceRequest::How;

namespace {

struct AdmissionFixture {
    asio::io_context io;
    Admission admission{io.get_executor(), {{"processor", 2}}, {{"uplink", 70e6}}};
    std::map<std::string, Admission::Permit> inside;
    std::vector<std::string> order;

    void come(const std::string& who, std::vector<ResourceRequest> resources) {
        asio::co_spawn(io, enter(who, std::move(resources)), asio::detached);
        settle();
    }
    void leave(const std::string& who) {
        inside.erase(who);
        settle();
    }

private:
    asio::awaitable<void> enter(std::string who, std::vector<ResourceRequest> resources) {
        inside[who] = co_await admission.enter(std::move(resources));
        order.push_back(who);
    }
    void settle() {
        io.restart();
        io.poll();
    }
};

} // namespace

TEST_CASE("Admission admits several sharers of a bus at once, and an exclusive request waits for all of them") {
    AdmissionFixture fixture;
    fixture.come("a", {{"bus", Admit::shared}});
    fixture.come("b", {{"bus", Admit::shared}});
    fixture.come("alone", {{"bus", Admit::alone}});
    CHECK(fixture.inside.size() == 2);
    fixture.leave("a");
    CHECK_FALSE(fixture.inside.contains("alone"));
    fixture.leave("b");
    CHECK(fixture.inside.contains("alone"));
}

TEST_CASE("Admission does not let later sharers starve an exclusive request for the bus") {
    AdmissionFixture fixture;
    fixture.come("a", {{"bus", Admit::shared}});
    fixture.come("alone", {{"bus", Admit::alone}});
    fixture.come("b", {{"bus", Admit::shared}});
    CHECK_FALSE(fixture.inside.contains("b"));
    fixture.leave("a");
    CHECK(fixture.inside.contains("alone"));
    CHECK_FALSE(fixture.inside.contains("b"));
    fixture.leave("alone");
    CHECK(fixture.inside.contains("b"));
}

TEST_CASE("Admission gives the rig to the holder of a bus before requests that wait for rig and bus") {
    AdmissionFixture fixture;
    fixture.come("runs", {{"bus", Admit::alone}});
    fixture.come("loads", {{the_rig, Admit::alone}});
    fixture.come("runs next", {{"bus", Admit::alone}});
    fixture.come("loads next", {{the_rig, Admit::alone}});
    fixture.come("runs and asks the rig", {{the_rig, Admit::alone}});
    fixture.leave("loads");
    fixture.leave("loads next");
    CHECK(fixture.inside.contains("runs and asks the rig"));
    CHECK_FALSE(fixture.inside.contains("runs next"));
}

TEST_CASE("Admission lets a request for other resources pass waiting requests") {
    AdmissionFixture fixture;
    fixture.come("a", {{"bus 1", Admit::alone}});
    fixture.come("b", {{"bus 1", Admit::alone}});
    fixture.come("c", {{"bus 2", Admit::alone}});
    CHECK(fixture.order == std::vector<std::string>{"a", "c"});
}

TEST_CASE(
    "Admission grants a counted resource up to its number of units, together with all other requested resources") {
    AdmissionFixture fixture;
    fixture.come("a", {{"bus 1", Admit::alone}, {"processor", Admit::one}});
    fixture.come("b", {{"bus 2", Admit::alone}, {"processor", Admit::one}});
    fixture.come("c", {{"bus 3", Admit::alone}, {"processor", Admit::one}});
    CHECK(fixture.order == std::vector<std::string>{"a", "b"});
    // A waiting request holds no resource.
    fixture.come("d", {{"bus 3", Admit::shared}});
    CHECK_FALSE(fixture.inside.contains("d"));
    fixture.leave("a");
    CHECK(fixture.inside.contains("c"));
}

TEST_CASE("Admission admits requests measured in bytes as long as the uplink has capacity for their sum") {
    AdmissionFixture fixture;
    fixture.come("a", {{"uplink", Admit::measured, 30e6}});
    fixture.come("b", {{"uplink", Admit::measured, 30e6}});
    fixture.come("c", {{"uplink", Admit::measured, 30e6}});
    CHECK(fixture.order == std::vector<std::string>{"a", "b"});
    fixture.leave("a");
    CHECK(fixture.inside.contains("c"));
    // A request for more than the capacity, or for an unknown rate, is admitted only alone.
    fixture.come("d", {{"uplink", Admit::measured, std::numeric_limits<double>::infinity()}});
    fixture.leave("b");
    CHECK_FALSE(fixture.inside.contains("d"));
    fixture.leave("c");
    CHECK(fixture.inside.contains("d"));
    fixture.come("e", {{"uplink", Admit::shared, 1e6}});
    CHECK_FALSE(fixture.inside.contains("e"));
}

TEST_CASE("Admission counts the rate of a sharer of an uplink only during a measurement") {
    AdmissionFixture fixture;
    fixture.come("a", {{"uplink", Admit::shared, 50e6}});
    fixture.come("b", {{"uplink", Admit::shared, 50e6}});
    CHECK(fixture.inside.size() == 2);
    fixture.come("measured", {{"uplink", Admit::measured, 30e6}});
    CHECK_FALSE(fixture.inside.contains("measured"));
    fixture.leave("a");
    CHECK_FALSE(fixture.inside.contains("measured"));
    fixture.leave("b");
    REQUIRE(fixture.inside.contains("measured"));
    fixture.come("small", {{"uplink", Admit::shared, 40e6}});
    CHECK(fixture.inside.contains("small"));
    fixture.come("large", {{"uplink", Admit::shared, 1e6}});
    CHECK_FALSE(fixture.inside.contains("large"));
    fixture.leave("measured");
    CHECK(fixture.inside.contains("large"));
}

TEST_CASE("Admission admits only one measurement on an uplink of unknown capacity") {
    AdmissionFixture fixture;
    fixture.come("a", {{"unknown", Admit::measured, 1}});
    fixture.come("b", {{"unknown", Admit::measured, 1}});
    CHECK(fixture.order == std::vector<std::string>{"a"});
}

TEST_CASE("bus_of() returns the host controller of a medium, and the file system of an image") {
    media::Medium medium;
    CHECK(bus_of(medium) == "unknown bus");
    medium.uplinks = {"controller", "hub"};
    CHECK(bus_of(medium) == "controller");
    medium.file = media::FileIdentity{.device = 66306, .inode = 12};
    CHECK(bus_of(medium) == "file system 66306");
}

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

/// Resources of the plan's steps by key.
std::map<std::string, std::vector<ResourceRequest>> resources_by_step(const std::string& suites, MediumState& medium,
                                                                      const UplinkUse& uplinks) {
    const auto plan =
        plan_of(R"({"mediarig_plan": 1, "media": [{"slot": 1}], "formats": ["exfat"], "suites": [)" + suites + "]}");
    medium.ref = &plan.media[0];
    std::map<std::string, std::vector<ResourceRequest>> resources;
    for (const plan::Step& step : plan::unroll(plan)) resources[step.key] = required_resources(step, medium, uplinks);
    return resources;
}

const std::string bus = "/sys/devices/pci0000:00/0000:00:14.0", hub = bus + "/usb2/2-1";

MediumState behind_a_hub() {
    MediumState medium;
    medium.identity = stick("/dev/sdx", "S");
    medium.identity->uplinks = {bus, hub};
    return medium;
}

} // namespace

TEST_CASE(
    "a sweep of small blocks requests its bus exclusively and a processor, and a verification shares bus and hubs") {
    MediumState medium = behind_a_hub();
    const auto resources =
        resources_by_step(R"({"suite": "disktester", "quick": true}, {"suite": "verify", "where": "raw"})", medium,
                          {.ceilings = {{bus, 400e6}, {hub, 400e6}}});
    const std::vector<ResourceRequest> shared{{bus, Admit::shared, unknown}, {hub, Admit::shared, unknown}};
    // Load and unload request only the rig, because a lane that holds a bus may additionally request nothing but the
    // rig.
    CHECK(resources.at("m0.load") == std::vector<ResourceRequest>{{"rig", Admit::alone}});
    CHECK(resources.at("m0.unload") == std::vector<ResourceRequest>{{"rig", Admit::alone}});
    CHECK(resources.at("m0.r1.exfat.disktester.run") ==
          std::vector<ResourceRequest>{{bus, Admit::alone}, {"processor", Admit::one}});
    CHECK(resources.at("m0.r1.exfat.format") == shared);
    CHECK(resources.at("m0.r1.exfat.check") == shared);
    CHECK(resources.at("m0.claim").empty());
    CHECK(resources.at("m0.r1.exfat.mount").empty());
}

TEST_CASE("a suite of long transfers shares each uplink of known capacity and uses other uplinks exclusively") {
    MediumState medium = behind_a_hub();
    const std::string suite = R"({"suite": "dd-direct", "quick": true})";
    const std::string key = "m0.r1.exfat.dd-direct.run";
    const ResourceRequest a_processor{"processor", Admit::one};
    CHECK(resources_by_step(suite, medium, {}).at(key) ==
          std::vector<ResourceRequest>{{bus, Admit::alone}, {hub, Admit::alone}, a_processor});
    CHECK(resources_by_step(suite, medium, {.ceilings = {{bus, 400e6}}}).at(key) ==
          std::vector<ResourceRequest>{{bus, Admit::measured, unknown}, {hub, Admit::alone}, a_processor});
    // Synchronous writes wait for the medium each time, so that load of other lanes affects them.
    for (const char* sync : {"each_io", "each_io_attributes"}) {
        const std::string each = R"({"suite": "dd-direct", "quick": true, "sync": ")" + std::string(sync) + R"("})";
        CHECK(resources_by_step(each, medium, {.ceilings = {{bus, 400e6}, {hub, 400e6}}}).at(key) ==
              exclusive_resources(medium));
    }
    // The observed rate of the medium is its expected rate.
    store::PassView pass;
    pass.cells.push_back({.moved = Bytes{90'000'000}, .elapsed = std::chrono::seconds(1)});
    pass.cells.push_back({.moved = Bytes{30'000'000}, .elapsed = std::chrono::seconds(1)});
    medium.tested.passes.push_back(pass);
    CHECK(resources_by_step(suite, medium, {.ceilings = {{bus, 400e6}, {hub, 400e6}}}).at(key) ==
          std::vector<ResourceRequest>{{bus, Admit::measured, 90e6}, {hub, Admit::measured, 90e6}, a_processor});
    // To measure the capacity of uplinks, all media transfer at the same time.
    CHECK(resources_by_step(suite, medium, {.measure = true}).at(key) ==
          std::vector<ResourceRequest>{{bus, Admit::shared}, {hub, Admit::shared}});
    CHECK(admitted_rates({.ceilings = {{bus, 400e6}}}).at(bus) == Approx(280e6));
}
