// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests which detachment level each evidence proves.

#include "host/rig/port/detachment_json.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::rig;

namespace {

Evidence seen(std::optional<bool> vanished, std::optional<std::uint32_t> millivolts = {},
              std::optional<double> watts = {}) {
    Evidence evidence{.vanished = vanished, .supply = {}, .plug_watts = watts};
    if (millivolts)
        evidence.supply = SupplyReading{.lowest_millivolts = *millivolts, .fall = std::nullopt, .ramp = std::nullopt};
    return evidence;
}

DetachLevel reached(DetachLevel attempted, const Evidence& evidence) {
    return Detachment(attempted, evidence, "test").reached();
}

} // namespace

TEST_CASE("the detachment level is the minimum of the levels of the evidence and of the attempted method") {
    struct Row {
        DetachLevel attempted;
        Evidence evidence;
        DetachLevel reached;
    };
    const Row rows[] = {
        {DetachLevel::supply_cut, seen(true, 12), DetachLevel::supply_cut},
        {DetachLevel::supply_cut, seen(std::nullopt, 499), DetachLevel::supply_cut},
        {DetachLevel::supply_cut, seen(true, 500), DetachLevel::port_disabled}, // the hub keeps VBUS
        {DetachLevel::supply_cut, seen(true), DetachLevel::port_disabled},      // not measured
        {DetachLevel::supply_cut, seen(false, 12), DetachLevel::released},      // a self-powered device stays
        {DetachLevel::supply_cut, seen(std::nullopt), DetachLevel::released},
        {DetachLevel::disconnected, seen(true, 12), DetachLevel::supply_cut},
        {DetachLevel::mains_off, seen(true, {}, 0.0), DetachLevel::mains_off},
        {DetachLevel::mains_off, seen(true, {}, 0.5), DetachLevel::port_disabled},
        {DetachLevel::mains_off, seen(true), DetachLevel::port_disabled},
        {DetachLevel::mains_off, seen(false, {}, 0.0), DetachLevel::released}, // another plug
        {DetachLevel::withdrawn, seen(true), DetachLevel::withdrawn},
        {DetachLevel::withdrawn, seen(false), DetachLevel::released},
        {DetachLevel::withdrawn, seen(std::nullopt, 12), DetachLevel::released},
        {DetachLevel::port_disabled, seen(true, 12), DetachLevel::port_disabled},
        {DetachLevel::suspended, seen(true), DetachLevel::suspended},
        {DetachLevel::released, seen(true, 12, 0.0), DetachLevel::released},
        {DetachLevel::flushed, seen(true), DetachLevel::flushed},
    };
    for (const Row& row : rows) {
        CAPTURE(text_of(Detachment(row.attempted, row.evidence, "test")));
        CHECK(reached(row.attempted, row.evidence) == row.reached);
    }
}

TEST_CASE("no evidence gives a detachment a higher level than its method") {
    for (const Name<DetachLevel>& attempted : enumerators<DetachLevel>)
        for (const std::optional<bool> vanished : {std::optional<bool>(), std::optional(false), std::optional(true)})
            for (const std::optional<std::uint32_t> millivolts :
                 {std::optional<std::uint32_t>(), std::optional(0U), std::optional(5000U)})
                for (const std::optional<double> watts :
                     {std::optional<double>(), std::optional(0.0), std::optional(30.0)})
                    CHECK(reached(attempted.value, seen(vanished, millivolts, watts)) <= attempted.value);
}

TEST_CASE("the text of a detachment contains its level, measurements and failed attempts") {
    using std::chrono::microseconds;
    CHECK(text_of(Detachment(
              DetachLevel::supply_cut,
              {.vanished = true,
               .supply =
                   SupplyReading{.lowest_millivolts = 12, .fall = microseconds(143'000), .ramp = microseconds(1'200)},
               .plug_watts = {}},
              "rig")) == "supply cut (level 4): 12 mV at the lowest, gone after 143.0 ms, back after 1.2 ms");
    CHECK(text_of(Detachment(DetachLevel::supply_cut, seen(true, 4980), "rig")) ==
          "port disabled (level 3; supply cut was attempted and not proven): 4980 mV at the lowest");
    CHECK(text_of(Detachment(DetachLevel::mains_off, seen(false, {}, 0.0), "plug")) ==
          "released (level 1; mains off was attempted and not proven): 0.0 W at the plug, its device stayed");
    CHECK(text_of(Detachment(DetachLevel::withdrawn, seen(true), "lab", true)) ==
          "emulated: withdrawn (level 7): its device disappeared");
    CHECK(text_of(Detachment(DetachLevel::released, seen(std::nullopt), "x")) ==
          "released (level 1): nothing was measured");
}

TEST_CASE("a detachment survives a JSON round trip") {
    for (const Detachment& one : {Detachment(DetachLevel::supply_cut, seen(true, 12), "rig"),
                                  Detachment(DetachLevel::mains_off, seen(true, {}, 0.1), "plug"),
                                  Detachment(DetachLevel::withdrawn, seen(std::nullopt), "lab", true)}) {
        const auto back = detachment_from_json(to_json(one));
        REQUIRE(reason(back) == "success");
        CHECK(*back == one);
    }
}

TEST_CASE("a detachment in JSON that claims more than its evidence proves is refused") {
    auto claimed = to_json(Detachment(DetachLevel::supply_cut, seen(true, 4980), "rig"));
    claimed["reached"] = "supply_cut";
    CHECK(reason(detachment_from_json(claimed)) ==
          "detachment: the record claims supply_cut (level 3), but its evidence proves port_disabled");
    claimed["reached"] = "port_disabled";
    claimed["level"] = 4;
    CHECK(reason(detachment_from_json(claimed)) ==
          "detachment: the record claims port_disabled (level 4), but its evidence proves port_disabled");
    claimed["reached"] = "unplugged";
    CHECK_THAT(reason(detachment_from_json(claimed)), ContainsSubstring("unplugged"));
    CHECK_THAT(reason(detachment_from_json(nlohmann::json::array())), ContainsSubstring("detachment"));
}
