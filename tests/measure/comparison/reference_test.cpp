// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares the arithmetic with scipy and statsmodels: always with their stored results, and with new samples if they
/// are installed.
///   MEDIARIG_PYTHON=FILE   an interpreter with both packages, else python3 (Debian 12 cannot install its packages of
///   them
///                          together with the version of Boost that the build needs)
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/base/process/run_process.hpp"
#include "host/measure/comparison/carry_over.hpp"
#include "host/measure/comparison/estimate.hpp"
#include "host/measure/comparison/families.hpp"
#include "host/measure/comparison/rule.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/measure/comparison/worlds.hpp"

using namespace mediarig;
using namespace mediarig::measure::comparison;
using nlohmann::json;
using Values = std::vector<double>;

namespace {

Approx as(const json& expected) {
    return Approx(expected.get<double>()).epsilon(1e-7).margin(1e-13);
}

double above(double t, double freedom) {
    return t > 0 ? t_two_sided(t, freedom) / 2 : 1 - t_two_sided(t, freedom) / 2;
}

void check_sample(const Values& values, const Values& other, double margin, const json& expected) {
    const auto n = static_cast<double>(values.size());
    const Estimate mean = mean_of(values);
    CHECK(t_two_sided(mean.value / mean.error, mean.freedom) == as(expected["p"]));
    const double half = t_critical(0.05, mean.freedom) * mean.error;
    CHECK(mean.value - half == as(expected["interval"][0]));
    CHECK(mean.value + half == as(expected["interval"][1]));
    CHECK(above((mean.value + margin) / mean.error, mean.freedom) == as(expected["two_one_sided"][0]));
    CHECK(above((margin - mean.value) / mean.error, mean.freedom) == as(expected["two_one_sided"][1]));

    const Estimate trimmed = trimmed_mean_of(values, usual_cut(values.size()));
    const Estimate before = trimmed_mean_of(other, usual_cut(other.size()));
    CHECK(trimmed.value == as(expected["trimmed_mean"]));
    const double h = trimmed.freedom + 1;
    CHECK(trimmed.error * trimmed.error * h * (h - 1) / (n - 1) == as(expected["winsorised_variance"]));
    CHECK((trimmed.value - before.value) / std::hypot(trimmed.error, before.error) == as(expected["yuen"]));

    std::vector<FollowingBlock> blocks;
    for (std::size_t i = 0; i < values.size(); ++i) blocks.push_back({values[i], i % 2 == 0});
    const auto found = carry_over(blocks, 1e-9);
    REQUIRE(found);
    CHECK(found->p == as(expected["two_samples"]));
}

void check_all(const json& expected) {
    INFO(expected["made_by"].get<std::string>());
    const auto samples = expected["samples"].get<std::vector<Values>>();
    REQUIRE(expected["expected"].size() == samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        CAPTURE(i);
        const Values& other = samples[i == 0 ? samples.size() - 1 : i - 1];
        check_sample(samples[i], other, expected["margin"].get<double>(), expected["expected"][i]);
    }
    for (std::size_t i = 0; i < expected["families"].size(); ++i) {
        const auto p = expected["families"][i].get<Values>();
        const Values by_holm = holm(p), by_rate = benjamini_hochberg(p);
        for (std::size_t k = 0; k < p.size(); ++k) {
            CHECK(by_holm[k] == as(expected["holm"][i][k]));
            CHECK(by_rate[k] == as(expected["benjamini_hochberg"][i][k]));
        }
    }
    for (const json& row : expected["critical"])
        CHECK(t_critical(row[0].get<double>(), row[1].get<double>()) == as(row[2]));
    for (const json& row : expected["sign_test"])
        CHECK(uneven_p({.first_only = row[0].get<std::size_t>(), .second_only = row[1].get<std::size_t>()}) ==
              as(row[2]));
}

} // namespace

TEST_CASE("the arithmetic agrees with scipy and statsmodels on stored samples") {
    std::ifstream file(MEDIARIG_GOLDEN_DIR "/comparison/reference.json");
    REQUIRE(file);
    check_all(json::parse(file));
}

TEST_CASE("the arithmetic agrees with scipy and statsmodels on new random samples") {
    const char* given = std::getenv("MEDIARIG_SEED");
    const auto seed =
        given != nullptr ? std::strtoull(given, nullptr, 10) : static_cast<unsigned long long>(::getpid());
    INFO("MEDIARIG_SEED=" << seed);
    comparison_worlds::Draws draws(seed);
    json asked{{"margin", 0.03}, {"samples", json::array()}, {"families", json::array()}};
    for (std::size_t size = 5; size < 40; ++size) {
        json& sample = asked["samples"].emplace_back();
        for (std::size_t i = 0; i < size; ++i) sample.push_back(0.02 + 0.05 * draws.normal());
        json& family = asked["families"].emplace_back();
        for (std::size_t i = 0; i < size; ++i) family.push_back(draws.uniform() * draws.uniform());
    }
    const auto file = std::filesystem::temp_directory_path() / ("mediarig-reference-" + std::to_string(::getpid()));
    std::ofstream(file) << asked;
    const char* interpreter = std::getenv("MEDIARIG_PYTHON");
    const auto said = process::run_process({.program = interpreter != nullptr ? interpreter : "python3",
                                            .arguments = {MEDIARIG_REFERENCE, file.string()}});
    std::filesystem::remove(file);
    constexpr int not_installed = 77;
    if (!said || said->exit_status == not_installed)
        MEDIARIG_SKIP("scipy and statsmodels (packages python3-scipy, python3-statsmodels) are not installed");
    INFO(said->err);
    REQUIRE(said->succeeded());
    check_all(json::parse(said->out));
}
