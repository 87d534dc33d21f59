// SPDX-License-Identifier: GPL-3.0-or-later
/// The detachment ladder: the rung proven by each evidence.

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

Rung reached(Rung attempted, const Evidence& evidence) {
    return Detachment(attempted, evidence, "test").reached();
}

} // namespace

TEST_CASE("the rung is the minimum of evidence and attempted method") {
    struct Row {
        Rung attempted;
        Evidence evidence;
        Rung reached;
    };
    const Row rows[] = {
        {Rung::supply_cut, seen(true, 12), Rung::supply_cut},
        {Rung::supply_cut, seen(std::nullopt, 499), Rung::supply_cut},
        {Rung::supply_cut, seen(true, 500), Rung::port_disabled}, // the hub keeps VBUS
        {Rung::supply_cut, seen(true), Rung::port_disabled},      // not measured
        {Rung::supply_cut, seen(false, 12), Rung::released},      // a self-powered device stays
        {Rung::supply_cut, seen(std::nullopt), Rung::released},
        {Rung::disconnected, seen(true, 12), Rung::supply_cut},
        {Rung::mains_off, seen(true, {}, 0.0), Rung::mains_off},
        {Rung::mains_off, seen(true, {}, 0.5), Rung::port_disabled},
        {Rung::mains_off, seen(true), Rung::port_disabled},
        {Rung::mains_off, seen(false, {}, 0.0), Rung::released}, // another plug
        {Rung::withdrawn, seen(true), Rung::withdrawn},
        {Rung::withdrawn, seen(false), Rung::released},
        {Rung::withdrawn, seen(std::nullopt, 12), Rung::released},
        {Rung::port_disabled, seen(true, 12), Rung::port_disabled},
        {Rung::suspended, seen(true), Rung::suspended},
        {Rung::released, seen(true, 12, 0.0), Rung::released},
        {Rung::flushed, seen(true), Rung::flushed},
    };
    for (const Row& row : rows) {
        CAPTURE(text_of(Detachment(row.attempted, row.evidence, "test")));
        CHECK(reached(row.attempted, row.evidence) == row.reached);
    }
}

TEST_CASE("no evidence lifts a detachment above its method") {
    for (const Name<Rung>& attempted : enumerators<Rung>)
        for (const std::optional<bool> vanished : {std::optional<bool>(), std::optional(false), std::optional(true)})
            for (const std::optional<std::uint32_t> millivolts :
                 {std::optional<std::uint32_t>(), std::optional(0U), std::optional(5000U)})
                for (const std::optional<double> watts :
                     {std::optional<double>(), std::optional(0.0), std::optional(30.0)})
                    CHECK(reached(attempted.value, seen(vanished, millivolts, watts)) <= attempted.value);
}

TEST_CASE("a detachment has rung, measurements and failed attempts as text") {
    using std::chrono::microseconds;
    CHECK(text_of(Detachment(
              Rung::supply_cut,
              {.vanished = true,
               .supply =
                   SupplyReading{.lowest_millivolts = 12, .fall = microseconds(143'000), .ramp = microseconds(1'200)},
               .plug_watts = {}},
              "rig")) == "supply cut (rung 4): 12 mV at the lowest, gone after 143.0 ms, back after 1.2 ms");
    CHECK(text_of(Detachment(Rung::supply_cut, seen(true, 4980), "rig")) ==
          "port disabled (rung 3; supply cut was attempted and not proven): 4980 mV at the lowest");
    CHECK(text_of(Detachment(Rung::mains_off, seen(false, {}, 0.0), "plug")) ==
          "released (rung 1; mains off was attempted and not proven): 0.0 W at the plug, its device stayed");
    CHECK(text_of(Detachment(Rung::withdrawn, seen(true), "lab", true)) ==
          "emulated: withdrawn (rung 7): its device went away");
    CHECK(text_of(Detachment(Rung::released, seen(std::nullopt), "x")) == "released (rung 1): nothing was measured");
}

TEST_CASE("a detachment survives a JSON round trip") {
    for (const Detachment& one :
         {Detachment(Rung::supply_cut, seen(true, 12), "rig"), Detachment(Rung::mains_off, seen(true, {}, 0.1), "plug"),
          Detachment(Rung::withdrawn, seen(std::nullopt), "lab", true)}) {
        const auto back = detachment_from_json(to_json(one));
        REQUIRE(reason(back) == "success");
        CHECK(*back == one);
    }
}

TEST_CASE("a JSON detachment that claims more than its evidence is refused") {
    auto claimed = to_json(Detachment(Rung::supply_cut, seen(true, 4980), "rig"));
    claimed["reached"] = "supply_cut";
    CHECK(reason(detachment_from_json(claimed)) ==
          "detachment: it claims supply_cut (rung 3), and its evidence proves port_disabled");
    claimed["reached"] = "port_disabled";
    claimed["rung"] = 4;
    CHECK(reason(detachment_from_json(claimed)) ==
          "detachment: it claims port_disabled (rung 4), and its evidence proves port_disabled");
    claimed["reached"] = "unplugged";
    CHECK_THAT(reason(detachment_from_json(claimed)), ContainsSubstring("unplugged"));
    CHECK_THAT(reason(detachment_from_json(nlohmann::json::array())), ContainsSubstring("detachment"));
}
