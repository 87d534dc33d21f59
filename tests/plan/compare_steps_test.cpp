// SPDX-License-Identifier: GPL-3.0-or-later
/// Comparisons, unrolled into steps.
#include <algorithm>
#include <map>
#include <set>

#include "host/measure/counterbalance.hpp"
#include "host/plan/parse_plan.hpp"
#include "host/plan/steps.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/plan/plan_cases.hpp"

using namespace mediarig;
using namespace mediarig::plan;
using namespace std::chrono_literals;

TEST_CASE("a comparison runs each format once per block in independent random orders") {
    const Plan plan = plan_with(
        R"({"formats": null, "compare": {"baseline": "exfat", "deviations": ["misaligned", {"cluster_size": "4KiB"}, "fs:fat32"]}})");
    CHECK(plan.formats.size() == 4);
    CHECK(plan.repeats == 12);
    CHECK(plan.on_failure == OnFailure::next_step);
    const auto orders = format_order(plan);
    REQUIRE(orders.size() == 12);
    for (const auto& order : orders) CHECK(std::set<std::size_t>(order.begin(), order.end()).size() == 4);
    CHECK(orders == measure::random_orders(4, 12, SplitMix(1)));
    SECTION("keys are stable for resume") {
        const auto steps = unroll(plan);
        std::set<std::string> keys;
        for (const Step& step : steps) keys.insert(step.key);
        CHECK(keys.size() == steps.size());
        CHECK(keys.contains("m0.r12.cluster-size-4-KiB.quickbench.run"));
        std::vector<std::string> order_of_keys, keys_read_back;
        for (const Step& step : steps) order_of_keys.push_back(step.key);
        for (const Step& step : unroll(*parse_plan(to_json(plan).dump()))) keys_read_back.push_back(step.key);
        CHECK(order_of_keys == keys_read_back);
    }
    SECTION("another seed produces other orders") {
        const Plan other = plan_with(
            R"({"formats": null, "order": {"kind": "random", "seed": 2},
                "compare": {"baseline": "exfat", "deviations": ["misaligned", {"cluster_size": "4KiB"}, "fs:fat32"]}})");
        CHECK(format_order(other) != orders);
    }
    SECTION("the recorded order takes precedence over the seed") {
        auto text = to_json(plan);
        REQUIRE(text["compare"]["orders"].size() == 12);
        std::swap(text["compare"]["orders"][0], text["compare"]["orders"][1]);
        const auto swapped = parse_plan(text.dump());
        REQUIRE(swapped);
        CHECK(format_order(*swapped)[0] == orders[1]);
    }
}

TEST_CASE("a comparison without headlines covers each operation of its suites") {
    using enum workload::Access;
    const auto headlines = [](const char* suites) {
        return plan_with(R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"]}, "suites": )" +
                         std::string(suites) + "}")
            .compare->headlines;
    };
    CHECK(headlines(R"([{"suite": "quickbench", "accesses": ["random_write"]}])") == std::vector{random_write});
    CHECK(headlines(R"(["verify", {"suite": "quickbench", "accesses": ["seq_write", "seq_read"]}])") ==
          std::vector{sequential_write, sequential_read});
}

TEST_CASE("a comparison can rest its medium before each pass") {
    const Plan plan = plan_with(R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"], "rest_s": 90}})");
    CHECK(*parse_plan(to_json(plan).dump()) == plan);
    const auto groups = groups_of(plan, 0);
    for (const StepGroup& group : groups) {
        REQUIRE(group.steps.at(1).kind == StepKind::rest);
        CHECK(group.steps.at(1).key == group.key + ".rest");
        CHECK(estimate(group.steps.at(1), 1_GiB, Rate{20e6})->time == std::chrono::seconds(90));
    }
    CHECK(step_count(plan) == unroll(plan).size());
}

TEST_CASE("a comparison discards its medium before each pass by default") {
    const Plan plan = plan_with(R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"]}})");
    CHECK(plan.compare->discard);
    std::vector<StepGroup> groups = groups_of(plan, 0);
    groups.push_back(group_of_block(plan, 0, 3, 1));
    for (const StepGroup& group : groups) {
        REQUIRE(group.steps.at(0).kind == StepKind::discard);
        CHECK(group.steps.at(0).key == group.key + ".discard");
        CHECK(estimate(group.steps.at(0), 1_GiB, Rate{20e6})->time > 0s);
        CHECK(group.steps.at(1).kind == StepKind::format);
    }
    CHECK(text_of_key("m0.r2.exfat.discard") == "discard exfat, repeat 2");
    CHECK(step_count(plan) == unroll(plan).size());
    const Plan without =
        plan_with(R"({"formats": null, "compare": {"formats": ["exfat", "hfs+j"], "discard": false}})");
    CHECK(*parse_plan(to_json(without).dump()) == without);
    for (const Step& step : unroll(without)) CHECK(step.kind != StepKind::discard);
    CHECK(step_count(without) == unroll(without).size());
    for (const Step& step : unroll(plan_with("{}"))) CHECK(step.kind != StepKind::discard);
}

TEST_CASE("an endless self-test compares a format with itself for at most a thousand blocks") {
    const Plan plan = plan_with(R"({"formats": null, "compare": {"self_test": "exfat", "blocks": "endless"}})");
    REQUIRE(plan.formats.size() == 2);
    CHECK(plan.formats[0] == plan.formats[1]);
    CHECK(plan.repeats == most_compare_blocks);
    CHECK(plan.compare->orders.size() == most_compare_blocks);
    CHECK(*parse_plan(to_json(plan).dump()) == plan);
}

TEST_CASE("a comparison without suites measures large sequential and small random transfers") {
    const Plan plan =
        plan_with(R"({"formats": null, "suites": null, "compare": {"baseline": "hfs+j", "deviations": ["fs:hfs+"]}})");
    REQUIRE(plan.suites == compare_suites(false));
    std::vector<std::string> cells;
    for (const bool quick : {false, true})
        for (const SuiteEntry& suite : compare_suites(quick)) {
            const auto job = suites::expand(suite.request, 1_GiB);
            REQUIRE(job);
            for (const auto& cell : job->as<workload::SweepJob>()->cells)
                if (quick) cells.push_back(cell.id);
        }
    CHECK(cells == std::vector<std::string>{"standard.seq_write.1048576", "standard.seq_read.1048576",
                                            "standard.random_write.4096", "standard.random_read.4096",
                                            "standard.random_write.65536", "standard.random_read.65536"});
}

TEST_CASE("each deviation has a readable description") {
    const Plan plan =
        plan_with(R"({"formats": null, "compare": {"baseline": {"fs": "hfs+j", "label": "A"}, "deviations": [
        "misaligned", "fs:hfs+", {"label": null, "journal_size": "8MiB"}, "cluster_size:512", "partition.table:gpt"]}})");
    CHECK(plan.compare->deviations == std::vector<std::string>{"misaligned", "HFS+", "journal size 8 MiB, no label",
                                                               "cluster size 512 B", "partition table gpt"});
}

TEST_CASE("the formatter does not realign an exFAT profile with a misaligned start") {
    const auto boundary = [](const std::string& format, Bytes medium, std::uint32_t sector = 512) {
        const Plan plan = plan_with(R"({"formats": [)" + format + "]}");
        const auto spec = spec_for(plan.formats.at(0), medium, sector);
        REQUIRE(spec);
        return spec->boundary;
    };
    const auto misaligned = [](const char* profile, Bytes medium) {
        const Plan plan =
            plan_with(R"({"formats": null, "compare": {"deviations": ["misaligned"], "baseline": {"profile": ")" +
                      std::string(profile) + "\"}}}");
        const auto spec = spec_for(plan.formats.at(1), medium, 512);
        REQUIRE(spec);
        CHECK(spec->partition->start == Bytes{32'256});
        return spec->boundary;
    };
    for (const char* profile : {"sd", "windows", "macos", "linux"}) {
        CAPTURE(profile);
        CHECK(misaligned(profile, 64_GiB) == 512_B);
    }
    // FAT has no boundary option, and its formatter keeps the partition start.
    CHECK(misaligned("sd", 8_GiB) == std::nullopt);
    // The user's boundary combined with the profile's position.
    CHECK(boundary(R"({"profile": "sd", "boundary": "1MiB", "partition": {"table": "mbr", "start": 32256}})", 64_GiB) ==
          1_MiB);
    CHECK(boundary(R"({"profile": "sd", "partition": {"table": "mbr", "start": "32MiB"}})", 64_GiB) == 8_MiB);
    CHECK(boundary(R"({"profile": "sd", "label": "CARD"})", 64_GiB) == 8_MiB);
    CHECK(boundary(R"({"profile": "linux", "partition": {"table": "mbr", "start": "2MiB"}})", 64_GiB) == 1_MiB);
    CHECK(boundary(R"({"profile": "linux", "partition": {"table": "mbr", "start": 36864}})", 64_GiB, 4096) == 4_KiB);
}
