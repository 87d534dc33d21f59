// SPDX-License-Identifier: GPL-3.0-or-later
// Takes any text as a rig script. A script is parsed or refused, and a parsed script runs on a plant without harm to
// the process.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "firmware/plant/injection_text.hpp"
#include "firmware/plant/plant.hpp"
#include "tests/firmware/scripts/scenario.hpp"

using namespace mediarig;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto scenario = scenario::read_scenario(text)) {
        plant::Plant plant(plant::simulated_plant(scenario->rig.pockets, scenario->rig.ports));
        for (const scenario::Line& line : scenario->lines) {
            if (line.say == scenario::Say::injection) plant.cause(line.injection, plant.now());
            plant.set({.motors_on = true, .pump = true, .valve = false, .ports_on = 0xFF}, plant.now());
            for (int i = 0; i < 20; ++i) plant.step(rigproto::Axis::x, -1, plant.now() + 100'000);
            plant.advance(plant.now() + plant::milliseconds(5));
            (void)plant.sense();
        }
    } else {
        // Errors name lines in order and are never empty.
        std::size_t last = 0;
        for (const auto& complaint : scenario.error()) {
            if (complaint.line < last || complaint.text.empty()) std::abort();
            last = complaint.line;
        }
    }
    (void)plant::read_script(text, {.pockets = 8, .ports = 2});
    return 0;
}
