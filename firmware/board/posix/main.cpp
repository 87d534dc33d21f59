// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>
#include <string>

#include "firmware/board/posix/simulator.hpp"
#include "firmware/plant/injection_text.hpp"

namespace {

using namespace mediarig;

/// Executes the script's sentences on the plant. Returns an empty text or the error.
std::string say_script(const std::string& path, plant::Plant& plant) {
    const auto text = board::read_script_file(path);
    if (!text) return text.error();
    const auto& geometry = plant.config().geometry;
    const auto script = plant::read_script(*text, {.pockets = geometry.pockets, .ports = geometry.ports});
    if (!script) return path + ": " + script.error();
    for (const plant::TriggeredInjection& injection : *script) plant.cause(injection, 0);
    return {};
}

int fail(const std::string& why) {
    std::cerr << "mediarig-rig-sim: " << why << '\n';
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    const auto parsed = board::parse_options(argc, argv);
    if (!parsed.run) return parsed.exit_status;
    const board::SimulatorOptions& options = parsed.options;

    plant::PlantConfig config = plant::simulated_plant(options.pockets, options.ports);
    for (std::size_t card = 0; card < std::min<std::size_t>(options.capacities.size(), plant::Cards::count()); ++card)
        if (const std::uint64_t capacity = options.capacities[card]; capacity != 0) {
            const auto number = static_cast<std::uint8_t>(card);
            config.registers[number] = plant::simulated_registers(number, capacity);
        }
    plant::Plant plant(config);
    if (!options.state.empty()) {
        plant::Cards cards;
        const auto known = board::read_cards(options.state, cards);
        if (!known) return fail(known.error());
        if (*known) plant.take_over(cards);
    }
    if (!options.script.empty())
        if (const std::string wrong = say_script(options.script, plant); !wrong.empty()) return fail(wrong);
    if (options.check) return 0;
    auto retained = board::RetainedFile::open(options.retained);
    if (!retained) return fail(retained.error());
    return board::Simulator(options, *retained, plant).run();
}
