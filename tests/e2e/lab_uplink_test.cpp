// SPDX-License-Identifier: GPL-3.0-or-later
/// Two emulated media are attached to a USB controller whose capacity is less than their total rate. The capacity is
/// measured and determines which passes run in parallel.
#include <fmt/format.h>

#include <iostream>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/e2e/require_lab.hpp"
#include "tests/json.hpp"
#include "tests/sample.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

constexpr double uplink_rate = 3e6; ///< bytes per second

struct Run {
    ProgramOutput output;
    std::vector<double> rates; ///< MB/s of all cells, in the order of the record
    std::vector<std::string> beside, repeated;
    bool warned{};
};

/// A plan with two sticks of this rate, measured by long transfers.
json two_sticks(const Folder& folder, unsigned rate, unsigned repeats, const char* span, const char* volume) {
    json plan{{"mediarig_plan", 1},
              {"name", "uplink"},
              {"formats", {"exfat"}},
              {"repeats", repeats},
              {"lab_uplink", static_cast<std::uint64_t>(uplink_rate)},
              {"suites",
               {{{"suite", "dd-direct"}, {"quick", true}, {"span", span}, {"volume", volume}, {"time_limit_s", 600}}}}};
    unsigned slot = 0;
    for (const std::string name : {"one", "two"}) {
        const std::string card = fmt::format("{}-{}.json", name, rate);
        const json rates{{"bytes_per_second", rate}};
        write_file(folder / card, json{{"claimed_bytes", "64MiB"}, {"read", rates}, {"write", rates}}.dump());
        plan["media"].push_back({{"slot", ++slot}, {"name", name}});
        plan["lab"].push_back({{"slot", slot}, {"kind", "usb"}, {"card", (folder / card).string()}});
    }
    return plan;
}

Run run(const Folder& folder, const json& plan, const std::vector<std::string>& options) {
    write_file(folder / "plan.json", plan.dump());
    const std::string store = (folder / "results.db").string();
    std::vector<std::string> words{"run", (folder / "plan.json").string(), "--store", store, "--lanes", "2"};
    words.insert(words.end(), options.begin(), options.end());
    Run done{.output = call_mediarig(words, folder.path())};
    CAPTURE(done.output.err);
    REQUIRE(done.output.status <= 1); // passes that are too short give findings, and nothing else is missing
    const ProgramOutput results = call_mediarig({"results", "--json", "--store", store}, folder.path());
    REQUIRE(results.status == 0);
    const json record = json::parse(results.out);
    for (const json& device : record.at("devices"))
        for (const json& pass : device.at("passes")) {
            for (const json& cell : pass.at("cells"))
                done.rates.push_back(cell.at("moved").get<double>() * 1e3 / cell.at("elapsed_ns").get<double>());
            for (const json& finding : pass.at("findings")) {
                if (finding.at("kind") != "beside_others") continue;
                const std::string text = finding.at("detail");
                if (text.find(".format)") != std::string::npos) continue; // the format of the neighbour is random
                (text.starts_with("repeated alone") ? done.repeated : done.beside).push_back(text);
                done.warned = done.warned || finding.at("severity") != "note";
            }
        }
    return done;
}

std::string text_of(const std::vector<double>& rates) {
    std::string text;
    for (const double rate : rates) text += fmt::format(" {:.2f}", rate);
    return text;
}

} // namespace

TEST_CASE("the capacity of the lab's throttled uplink is measured, and media share it") {
    MEDIARIG_LAB_PART(2);
    NEEDS_LAB();
    const Folder folder;

    // No lane waits: each stick gets half of the uplink's capacity, which is less than its own rate.
    const Run together = run(folder, two_sticks(folder, 2'000'000, 1, "8MiB", "12MiB"), {"--measure-uplinks"});
    const json file = json::parse(read_file(folder / "uplinks.json"));
    REQUIRE(file.at("uplinks").size() == 1);
    const json ceiling = file.at("uplinks").at(0);
    CHECK(ceiling.at("bytes_per_second").get<double>() == Approx(uplink_rate).epsilon(0.1));
    CHECK(ceiling.at("media") == 2);
    REQUIRE(together.rates.size() == 4);
    for (const double rate : together.rates) CHECK(rate < 1.75);

    // Two sticks of 2 MB/s exceed 70 % of the capacity: they run one after the other at full rate.
    const Run in_turns = run(folder, two_sticks(folder, 2'000'000, 2, "2MiB", "4MiB"), {"--audit", "100"});
    CHECK(in_turns.beside.empty());
    REQUIRE(in_turns.rates.size() == 8);
    for (const double rate : in_turns.rates) CHECK(rate > 1.8);

    // Two sticks of 1 MB/s do not exceed 70 % of the capacity. Their first passes measure the rates, the second passes
    // run in parallel, and a repetition alone gives the same values.
    const Run beside = run(folder, two_sticks(folder, 1'000'000, 2, "2MiB", "4MiB"), {"--audit", "100"});
    CHECK(beside.beside.size() == 2);
    CHECK(beside.repeated.size() == 2);
    CHECK_FALSE(beside.warned);
    REQUIRE(beside.rates.size() == 8);
    for (const double rate : beside.rates) CHECK(rate > 0.9);

    std::cout << fmt::format("uplink of {:.1f} MB/s, measured {:.2f}; MB/s together:{}; in turns:{}; side by side:{}\n",
                             uplink_rate / 1e6, ceiling.at("bytes_per_second").get<double>() / 1e6,
                             text_of(together.rates), text_of(in_turns.rates), text_of(beside.rates));
    for (const std::string& line : beside.repeated) std::cout << line << '\n';
}
