// SPDX-License-Identifier: GPL-3.0-or-later
/// Random scenarios on the real kernel, in which other processes try to make mediarig write to forbidden places.
/// Definition of a wrong write: oracle.hpp.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>

#include "tests/media/claim/scenarios/runner.hpp"
#include "tests/media/claim/scenarios/tally.hpp"

namespace {

using namespace mediarig::claim_scenarios;

bool thorough() {
    return std::getenv("MEDIARIG_THOROUGH") != nullptr;
}

struct Options {
    std::optional<std::uint64_t> scenario, start;
    std::uint64_t count{2000}, part{1}, parts{1};
    unsigned workers{2};
    bool self_test{};
};

std::uint64_t start_value(const Options& options) {
    if (options.start) return *options.start;
    if (const char* given = std::getenv("MEDIARIG_SCENARIOS_START")) return std::strtoull(given, nullptr, 10);
    if (!thorough()) return 1;
    return std::random_device()();
}

/// The oracle must detect a planted write.
int test_oracle(ScenarioSetting setting) {
    setting.plant = true;
    std::uint64_t with_claims = 0, scenarios = 0, missed = 0;
    play_scenarios(0, 40, 1, setting, [&](std::uint64_t number, const ScenarioResult& result) {
        std::vector<std::string> wanted;
        if (result.planted_at_end > 0) wanted.emplace_back("without a claim");
        if (result.planted > 0) {
            wanted.insert(wanted.end(), {"outside the claimed range", "in use before the claim"});
            ++with_claims;
        }
        ++scenarios;
        for (const std::string& kind : wanted) {
            const auto seen = [&](const WrongWrite& wrong) { return wrong.kind.starts_with(kind); };
            if (std::any_of(result.wrong_writes.begin(), result.wrong_writes.end(), seen)) continue;
            ++missed;
            std::cout << fmt::format("scenario {}: the planted write '{}' was not noticed\n", number, kind);
        }
    });
    std::cout << fmt::format("writes planted in {} scenarios, beside claims in {} of them; {} not noticed\n", scenarios,
                             with_claims, missed);
    return scenarios == 40 && with_claims > 0 && missed == 0 ? 0 : 1;
}

int run(const Options& options) {
    if (::geteuid() != 0 || ::access("/dev/loop-control", R_OK | W_OK) != 0) {
        std::cout << "SKIPPED: needs root and loop devices\n";
        return 0;
    }
    ScenarioSetting setting{.start = start_value(options), .agent = MEDIARIG_AGENT};
    const std::string again = fmt::format("test_claim_scenarios --start {} --scenario", setting.start);
    if (options.self_test) return test_oracle(setting);
    Tally tally;
    bool all_played = true;
    const auto heard = [&](std::uint64_t number, const ScenarioResult& result) { tally.add(number, result); };
    if (options.scenario) {
        setting.tell = true;
        play_scenarios(*options.scenario, 1, 1, setting, heard);
    } else {
        const std::uint64_t each = options.count / options.parts;
        const std::uint64_t first = (options.part - 1) * each;
        std::cout << fmt::format("scenarios {} to {}, start value {}\n", first, first + each - 1, setting.start);
        const auto began = std::chrono::steady_clock::now();
        play_scenarios(first, each, options.workers, setting, heard);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
        std::cout << fmt::format("{:.1f} s, {:.1f} scenarios a second\n", took.count(),
                                 static_cast<double>(tally.scenarios()) / took.count());
        all_played = tally.scenarios() == each;
        if (!all_played) std::cout << "TROUBLE: not every scenario was played\n";
    }
    tally.print(again);
    return tally.good() && all_played ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{"Random scenarios on the real kernel about what mediarig may write"};
    app.add_option("--scenario", options.scenario, "Tell this one");
    app.add_option("--start", options.start, "Start value of the random numbers; also MEDIARIG_SCENARIOS_START");
    app.add_option("--count", options.count, "How many")->envname("MEDIARIG_SCENARIOS")->capture_default_str();
    app.add_option("--part", options.part, "Which part of them, from 1");
    app.add_option("--parts", options.parts, "How many parts there are");
    app.add_option("--workers", options.workers, "Processes that play side by side")->capture_default_str();
    app.add_flag("--self-test", options.self_test, "Plant wrong writes and see whether they are noticed");
    CLI11_PARSE(app, argc, argv);
    return run(options);
}
