// SPDX-License-Identifier: GPL-3.0-or-later
/// Random scenarios on the real kernel: other programs try to make mediarig write to bytes that are in use. For the
/// definition of a wrong write see oracle.hpp.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <stdexcept>

#include "tests/media/claim/scenarios/cell.hpp"
#include "tests/media/claim/scenarios/matrix.hpp"
#include "tests/media/claim/scenarios/runner.hpp"
#include "tests/media/claim/scenarios/tally.hpp"
#include "tests/scratch.hpp"

namespace {

using namespace mediarig::claim_scenarios;

bool thorough() {
    return std::getenv("MEDIARIG_THOROUGH") != nullptr;
}

struct Options {
    std::optional<std::uint64_t> scenario, start;
    std::uint64_t count{2000}, part{1}, parts{1};
    unsigned workers{2};
    bool self_test{}, prints_matrix{}, plays_matrix{};
    std::string cell, compared, written; ///< options of the matrix: part of a cell's name; documents
};

std::uint64_t start_value(const Options& options) {
    if (options.start) return *options.start;
    if (const char* given = std::getenv("MEDIARIG_SCENARIOS_START")) return std::strtoull(given, nullptr, 10);
    if (!thorough()) return 1;
    return std::random_device()();
}

/// Checks that the oracle detects the planted writes of each scenario.
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
    std::cout << fmt::format("writes planted in {} scenarios, next to claims in {} of them; {} not noticed\n",
                             scenarios, with_claims, missed);
    return scenarios == 40 && with_claims > 0 && missed == 0 ? 0 : 1;
}

/// Compares the table with docs/reference/safety.md or a copy of it.
int compare_matrix(const std::string& path) {
    if (matrix_in(mediarig::tests::text_of(path)) == matrix_as_markdown()) return 0;
    std::cout << fmt::format(
        "the table of {0} differs from tests/media/claim/scenarios/matrix.cpp: run test_claim_scenarios "
        "--write-matrix {0}\n",
        path);
    return 1;
}

int write_matrix(const std::string& path) {
    const std::string document = with_matrix(mediarig::tests::text_of(path));
    std::ofstream(path) << document;
    return 0;
}

int run(const Options& options) {
    if (options.prints_matrix) {
        std::cout << matrix_as_markdown();
        return 0;
    }
    if (!options.compared.empty()) return compare_matrix(options.compared);
    if (!options.written.empty()) return write_matrix(options.written);
    if (::geteuid() != 0 || ::access("/dev/loop-control", R_OK | W_OK) != 0) {
        std::cout << "SKIPPED: needs root and loop devices\n";
        return 0;
    }
    ScenarioSetting setting{.start = start_value(options),
                            .agent = MEDIARIG_AGENT,
                            .tell = {},
                            .plant = {},
                            .dead_loop = !options.plays_matrix,
                            .mediarig = MEDIARIG_PROGRAM,
                            .home = {},
                            .cells = {},
                            .play = play_scenario};
    const std::string again = fmt::format("test_claim_scenarios --start {} --scenario", setting.start);
    // Several workers, because a refusal waits half a second, without using the processor, for a writer that may be
    // about to end.
    constexpr unsigned matrix_workers = 6;
    if (options.plays_matrix)
        return play_matrix(options.cell, std::max(options.workers, matrix_workers), setting) ? 0 : 1;
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
        std::cout << fmt::format("{:.1f} s, {:.1f} scenarios per second\n", took.count(),
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
    app.add_option("--scenario", options.scenario, "Play this scenario and print its steps");
    app.add_option("--start", options.start, "Start value of the random numbers; also MEDIARIG_SCENARIOS_START");
    app.add_option("--count", options.count, "Number of scenarios")
        ->envname("MEDIARIG_SCENARIOS")
        ->capture_default_str();
    app.add_option("--part", options.part, "Number of the part to play, from 1");
    app.add_option("--parts", options.parts, "Number of parts");
    app.add_option("--workers", options.workers, "Number of parallel processes")->capture_default_str();
    app.add_flag("--self-test", options.self_test, "Plant wrong writes and check that they are detected");
    app.add_flag("--matrix", options.prints_matrix, "Print the table of objects, uses and names as Markdown");
    app.add_option("--compare-matrix", options.compared, "Compare the table in this document with the code");
    app.add_option("--write-matrix", options.written, "Write the table into this document");
    app.add_flag("--play-matrix", options.plays_matrix, "Play each cell of the table on the real kernel");
    app.add_option("--cell", options.cell, "Only cells whose name contains this text: \"image / swap\"");
    CLI11_PARSE(app, argc, argv);
    try {
        return run(options);
    } catch (const std::exception& failed) {
        std::cerr << failed.what() << '\n';
        return 1;
    }
}
