// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <string>

#include "host/base/process/run_process.hpp"
#include "host/measure/gage/gage_study.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::measure;

namespace {

/// The worked example of AIAG, Measurement Systems Analysis, 4th edition, chapter III section B: ten parts, three
/// appraisers, three trials. Its 90 values agree with those in the tests of five other programs (November 2026). A line
/// is one trial of all parts, and three lines are an appraiser.
GageData published_example() {
    constexpr double lines[9][10] = {
        {0.29, -0.56, 1.34, 0.47, -0.80, 0.02, 0.59, -0.31, 2.26, -1.36},
        {0.41, -0.68, 1.17, 0.50, -0.92, -0.11, 0.75, -0.20, 1.99, -1.25},
        {0.64, -0.58, 1.27, 0.64, -0.84, -0.21, 0.66, -0.17, 2.01, -1.31},
        {0.08, -0.47, 1.19, 0.01, -0.56, -0.20, 0.47, -0.63, 1.80, -1.68},
        {0.25, -1.22, 0.94, 1.03, -1.20, 0.22, 0.55, 0.08, 2.12, -1.62},
        {0.07, -0.68, 1.34, 0.20, -1.28, 0.06, 0.83, -0.34, 2.19, -1.50},
        {0.04, -1.38, 0.88, 0.14, -1.46, -0.29, 0.02, -0.46, 1.77, -1.49},
        {-0.11, -1.13, 1.09, 0.20, -1.07, -0.67, 0.01, -0.56, 1.45, -1.77},
        {-0.15, -0.96, 0.67, 0.11, -1.45, -0.49, 0.21, -0.49, 1.87, -2.16},
    };
    GageData data{.parts = 10, .slots = 3, .trials = 3, .values = {}};
    for (std::size_t part = 0; part < data.parts; ++part)
        for (std::size_t slot = 0; slot < data.slots; ++slot)
            for (std::size_t trial = 0; trial < data.trials; ++trial)
                data.values.push_back(lines[slot * data.trials + trial][part]);
    return data;
}

/// Compares with the printed value, within half a unit of the last place.
void check_printed(double value, double printed, double unit) {
    CAPTURE(value, printed);
    CHECK(std::abs(value - printed) <= unit / 2 + 1e-9);
}

} // namespace

TEST_CASE("a gage study reproduces the printed results of the published worked example") {
    const auto study = study_gage(published_example());
    REQUIRE(reason(study) == "success");
    const GageTable& table = study->table;
    check_printed(table.slots.sum_of_squares, 3.1673, 1e-4);
    check_printed(table.parts.sum_of_squares, 88.3619, 1e-4);
    check_printed(table.interaction.sum_of_squares, 0.3590, 1e-4);
    check_printed(table.repeatability.sum_of_squares, 2.7589, 1e-4);
    check_printed(table.total(), 94.6471, 1e-4);
    CHECK(table.slots.degrees == 2);
    CHECK(table.parts.degrees == 9);
    CHECK(table.interaction.degrees == 18);
    CHECK(table.repeatability.degrees == 60);
    check_printed(table.f_slots, 34.44, 0.01);
    check_printed(table.f_parts, 213.52, 0.01);
    check_printed(table.f_interaction, 0.434, 0.001);
    // The interaction is not significant and is pooled with the repeatability.
    CHECK(study->pooled);
    CHECK(study->interaction == 0);
    check_printed(std::sqrt(study->repeatability), 0.199933, 1e-6);
    check_printed(std::sqrt(study->slots), 0.226838, 1e-6);
    check_printed(std::sqrt(study->gage()), 0.30237, 1e-5);
    check_printed(std::sqrt(study->parts), 1.042327, 1e-6);
    check_printed(study->percent_of(study->repeatability), 18.4, 0.1);
    check_printed(study->percent_of(study->slots), 20.9, 0.1);
    check_printed(study->percent_of(study->gage()), 27.9, 0.1);
    check_printed(study->percent_of(study->parts), 96.0, 0.1);
    CHECK(static_cast<int>(study->categories()) == 4);
    CHECK(study->verdict() == GageVerdict::conditional);
}

TEST_CASE("the gage study of the worked example agrees with rational arithmetic") {
    if (!process::find_program("python3")) MEDIARIG_SKIP("python3 is not installed");
    const auto ran = process::run_process({.program = "python3", .arguments = {MEDIARIG_GAGE_REFERENCE}});
    REQUIRE(reason(ran) == "success");
    CAPTURE(ran->err);
    REQUIRE(ran->succeeded());
    std::map<std::string, double> want;
    std::istringstream lines(ran->out);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t space = line.rfind(' ');
        want[line.substr(0, space)] = std::stod(line.substr(space + 1));
    }
    const auto study = study_gage(published_example());
    REQUIRE(reason(study) == "success");
    const std::map<std::string, double> found{{"parts", study->table.parts.sum_of_squares},
                                              {"slots", study->table.slots.sum_of_squares},
                                              {"interaction", study->table.interaction.sum_of_squares},
                                              {"repeatability", study->table.repeatability.sum_of_squares},
                                              {"total", study->table.total()},
                                              {"variance of repeatability", study->repeatability},
                                              {"variance of slots", study->slots},
                                              {"variance of parts", study->parts},
                                              {"percent", study->percent_of(study->gage())}};
    REQUIRE(want.size() == found.size());
    for (const auto& [name, value] : found) {
        CAPTURE(name, value, want.at(name));
        CHECK(std::abs(value - want.at(name)) < 1e-9);
    }
}

TEST_CASE("a significant interaction of parts and slots is a separate component of the gage variance") {
    // Each slot favours another part, far beyond the variation of trials.
    GageData data{.parts = 3, .slots = 3, .trials = 2, .values = {}};
    for (std::size_t part = 0; part < 3; ++part)
        for (std::size_t slot = 0; slot < 3; ++slot)
            for (std::size_t trial = 0; trial < 2; ++trial)
                data.values.push_back((part == slot ? 5.0 : 0.0) + (trial == 0 ? 0.01 : -0.01));
    const auto study = study_gage(data);
    REQUIRE(reason(study) == "success");
    CHECK_FALSE(study->pooled);
    CHECK(study->table.p_interaction < 1e-6);
    CHECK(study->interaction > 8);
    CHECK(study->parts == 0);
    CHECK(study->slots == 0);
    CHECK(study->verdict() == GageVerdict::unacceptable);
}

TEST_CASE("a station with little or no variance has a good gage study") {
    GageData data{.parts = 10, .slots = 3, .trials = 3, .values = {}};
    for (std::size_t part = 0; part < 10; ++part)
        for (std::size_t cell = 0; cell < 9; ++cell)
            data.values.push_back(static_cast<double>(part) * 10 + static_cast<double>(cell * 7 % 9) * 0.01);
    const auto study = study_gage(data);
    REQUIRE(reason(study) == "success");
    CHECK(study->verdict() == GageVerdict::good);
    CHECK(study->categories() > 100);
    for (std::size_t index = 0; index < data.values.size(); ++index)
        data.values[index] = static_cast<double>(index / 9);
    const auto exact = study_gage(data);
    REQUIRE(reason(exact) == "success");
    CHECK(exact->gage() == 0);
    CHECK(exact->verdict() == GageVerdict::good);
    CHECK(std::isinf(exact->categories()));
}

TEST_CASE("a gage study with incomplete data is refused, and the error names the required sizes") {
    GageData data = published_example();
    data.values.pop_back();
    CHECK(reason(study_gage(data)) == "a gage study of 10 parts, 3 slots and 3 trials needs 90 values, and has 89");
    data.values.push_back(std::numeric_limits<double>::quiet_NaN());
    CHECK(reason(study_gage(data)) == "a value of the gage study is not a number");
    data.values.assign(90, 1.0);
    CHECK_THAT(reason(study_gage(data)), ContainsSubstring("are equal"));
    data.trials = 1;
    CHECK(reason(study_gage(data)) ==
          "a gage study of 10 parts, 3 slots and 1 trials: take at least 2 of each, usually 10, 3 and 3");
}
