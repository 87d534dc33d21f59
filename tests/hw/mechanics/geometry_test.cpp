// SPDX-License-Identifier: GPL-3.0-or-later
// The drawings use the dimensions of firmware and plant.
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "firmware/core/geometry.hpp"
#include "firmware/plant/config.hpp"
#include "tests/catch.hpp"

namespace {
using namespace mediarig;

using Parameters = std::map<std::string, std::int32_t>;

/// Lines "name = number;" with comments. Anything else is an error, since OpenSCAD might parse it differently.
Result<Parameters> parameters(std::istream& file) {
    Parameters found;
    for (std::string line; std::getline(file, line);) {
        line.erase(std::min(line.find("//"), line.size()));
        if (line.find_first_not_of(" \t") == std::string::npos) continue;
        std::istringstream words(line);
        std::string name, equals, value;
        if (!(words >> name >> equals >> value) || equals != "=" || value.size() < 2 || value.back() != ';')
            return fail(Errc::bad_format, line);
        char* end = nullptr;
        const long number = std::strtol(value.c_str(), &end, 10);
        if (*end != ';' || !found.emplace(name, static_cast<std::int32_t>(number)).second)
            return fail(Errc::bad_format, line);
    }
    return found;
}

/// Dimensions of firmware and plant, with the names of geometry.scad.
Parameters counted_with() {
    const plant::PlantConfig plant;
    const auto& rig = plant.geometry;
    return {
        {"pockets", rig.pockets},
        {"ports", rig.ports},
        {"x_first_pocket", rig.x_first_pocket},
        {"x_pocket_pitch", rig.x_pocket_pitch},
        {"x_first_port", rig.x_first_port},
        {"x_port_pitch", rig.x_port_pitch},
        {"x_bin_pass", rig.x_bin[static_cast<std::size_t>(rigproto::Bin::pass)]},
        {"x_bin_fail", rig.x_bin[static_cast<std::size_t>(rigproto::Bin::fail)]},
        {"x_bin_retest", rig.x_bin[static_cast<std::size_t>(rigproto::Bin::retest)]},
        {"x_bin_unknown", rig.x_bin[static_cast<std::size_t>(rigproto::Bin::unknown)]},
        {"x_nest", rig.x_nest},
        {"x_travel", rig.x_travel},
        {"x_comb", rig.x_comb},
        {"home_tolerance", rig.home_tolerance},
        {"z_travel", rig.z_travel},
        {"z_pocket", rig.z_pocket},
        {"z_port", rig.z_port},
        {"z_bin", rig.z_bin},
        {"z_nest", rig.z_nest},
        {"x_lowest", plant.x.lowest},
        {"x_highest", plant.x.highest},
        {"x_flag_width", plant.x.flag_width},
        {"z_lowest", plant.z.lowest},
        {"z_highest", plant.z.highest},
        {"z_flag_width", plant.z.flag_width},
        {"cup_reach", plant.cup_reach},
        {"slot_tolerance", plant.slot_tolerance},
        {"contact_depth", plant.contact_depth},
    };
}

/// Dimensions of the parts only.
const std::set<std::string> of_the_parts{"steps_per_mm"};

/// Names whose values differ or that only one side has.
std::set<std::string> differences(const Parameters& drawn, const Parameters& counted) {
    std::set<std::string> names;
    for (const auto& [name, value] : counted)
        if (const auto found = drawn.find(name); found == drawn.end() || found->second != value) names.insert(name);
    for (const auto& [name, value] : drawn)
        if (!counted.contains(name) && !of_the_parts.contains(name)) names.insert(name);
    return names;
}

Parameters drawn() {
    std::ifstream file(MEDIARIG_SOURCE_DIR "/hw/mechanics/geometry.scad");
    const auto read = parameters(file);
    REQUIRE(reason(read) == "success");
    return *read;
}

} // namespace

TEST_CASE("the drawings use the dimensions of firmware and plant") {
    CHECK(differences(drawn(), counted_with()) == std::set<std::string>{});
}

TEST_CASE("a differing or missing dimension is named") {
    Parameters changed = drawn();
    changed["x_pocket_pitch"] += 1;
    changed.erase("z_nest");
    changed["x_second_pocket"] = 360;
    CHECK(differences(changed, counted_with()) == std::set<std::string>{"x_pocket_pitch", "x_second_pocket", "z_nest"});
}

TEST_CASE("a line without a plain number is refused") {
    for (const char* line :
         {"pockets = 2 * 15;", "pockets=30;", "pockets = 30", "pockets = thirty;", "pockets = 30; pockets = 31;"}) {
        CAPTURE(line);
        std::istringstream file(std::string("ports = 8; // eight\n\n") + line + "\npockets = 30;\n");
        CHECK(reason(parameters(file)) != "success");
    }
}

TEST_CASE("both axes have the steps per millimetre of the drawings") {
    // 200 steps a turn, 8 microsteps, 40 teeth of 2 mm.
    CHECK(drawn().at("steps_per_mm") == 200 * 8 / (40 * 2));
}
