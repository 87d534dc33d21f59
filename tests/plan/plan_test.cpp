// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/check_whole.hpp"
#include "host/plan/parse_plan.hpp"

#include <filesystem>

#include "host/base/json/source.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/plan/plan_cases.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::plan;
using namespace mediarig::strict_json;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> faults_of(std::string_view text) {
    const auto plan = parse_plan(text);
    return plan ? std::vector<std::string>{} : plan.error().lines;
}

Plan good(std::string_view text) {
    const auto plan = parse_plan(text);
    INFO((plan ? std::string() : plan.error().lines.front()));
    REQUIRE(plan);
    return *plan;
}

Plan changed(const char* patch) {
    return good(plan_text({patch, {}}));
}

std::vector<std::filesystem::path> examples() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(MEDIARIG_SOURCE_DIR "/docs/examples"))
        if (entry.path().filename().string().ends_with(".plan.json")) files.push_back(entry.path());
    return files;
}

} // namespace

TEST_CASE("a plan is refused with all faults, their positions and remedies") {
    for (const PlanCase& row : bad_plans()) {
        CAPTURE(row.change);
        CHECK(faults_of(plan_text(row)) == row.faults);
    }
}

TEST_CASE("valid plans are accepted") {
    for (const PlanCase& row : good_plans()) {
        CAPTURE(row.change);
        CHECK(faults_of(plan_text(row)).empty());
    }
}

TEST_CASE("a plan is unchanged after conversion to JSON and back") {
    for (const PlanCase& row : good_plans()) {
        CAPTURE(row.change);
        const Plan plan = good(plan_text(row));
        CHECK(good(to_json(plan).dump()) == plan);
    }
}

TEST_CASE("the documented examples are valid plans and are unchanged after conversion to JSON and back") {
    REQUIRE(examples().size() >= 5);
    for (const auto& file : examples()) {
        CAPTURE(file.string());
        const Plan plan = good(tests::text_of(file));
        CHECK_FALSE(plan.name.empty());
        CHECK(good(to_json(plan).dump()) == plan);
    }
}

TEST_CASE("omitted members of a plan have default values") {
    const Plan plan = good(base_plan());
    CHECK(plan.name.empty());
    CHECK(plan.repeats == 1);
    CHECK(plan.order == Order{OrderKind::listed, 1});
    CHECK_FALSE(plan.time_budget);
    CHECK(plan.on_failure == OnFailure::next_medium);
    CHECK(plan.media.front().name == "sdb");
    CHECK(plan.media.front().target() == "/dev/sdb");
    CHECK(plan.formats == std::vector<FormatEntry>{{.spec = {.fs = media::FileSystem::exfat}}});
    CHECK(plan.suites == std::vector<SuiteEntry>{{.request = {.name = "quickbench"}}});
    CHECK(destroys(plan));
}

TEST_CASE("a lab runs in virtual time by default, unless a slot or an uplink requests transport") {
    const auto machine = [](const std::string& lab) {
        const std::string patch = R"({"media": [{"slot": 1}], "lab": )" + lab + "}";
        return changed(patch.c_str()).lab_machine;
    };
    CHECK(machine(R"([{"slot": 1, "card": "a"}])") == LabMachine::virtual_time);
    CHECK(machine(R"([{"slot": 1, "card": "a", "kind": "usb"}])") == LabMachine::qemu);
    CHECK(machine(R"([{"slot": 1, "card": "a"}, {"slot": 2, "card": "b", "kind": "sd"}])") == LabMachine::qemu);
    CHECK(machine(R"([{"slot": 1, "card": "a"}], "lab_uplink": 3000000)") == LabMachine::qemu);
    CHECK(machine(R"([{"slot": 1, "card": "a"}], "lab_machine": "qemu")") == LabMachine::qemu);
    CHECK(machine(R"([{"slot": 1, "card": "a", "kind": "sd"}], "lab_machine": "virtual")") == LabMachine::virtual_time);
}

TEST_CASE("a medium without a name is named by the last part of its target") {
    CHECK(changed(R"({"media": [{"slot": 7}]})").media.front().name == "slot-7");
    CHECK(changed(R"({"media": [{"slot": 7}]})").media.front().target().empty());
    CHECK(changed(R"({"formats": null, "media": [{"directory": "/media/card/"}]})").media.front().name == "card");
    CHECK(changed(R"({"formats": null, "media": [{"directory": "/"}]})").media.front().name == "/");
    CHECK(changed(R"({"media": [{"image": "/a/b.img", "confirm": "/a/b.img"}]})").media.front().name == "b.img");
}

TEST_CASE("parse_plan() reads every member of a suite into its field") {
    const Plan plan = changed(R"({"suites": [{"suite": "quickbench", "where": "raw", "quick": true, "tables": ["large"],
        "accesses": ["seq_write", "seq_read"], "blocks": ["32KiB", "4 MiB", 4096, "512 B"], "span": "1GiB",
        "volume": "2MiB", "time_limit_s": 1.25, "engine": "uring", "cache": "cached", "sync": "each_io",
        "queue_depth": 4, "payload": {"kind": "given", "seed": 9, "given": "hex:00fF10"}, "on_io_error": "stop",
        "raw_log": true, "order_seed": 5}]})");
    const suites::SuiteRequest wanted{
        .name = "quickbench",
        .quick = true,
        .tables = {"large"},
        .accesses = {workload::Access::sequential_write, workload::Access::sequential_read},
        .blocks = {32_KiB, 4_MiB, 4096_B, 512_B},
        .span = 1_GiB,
        .volume = 2_MiB,
        .time_limit = 1250ms,
        .engine = workload::Engine::uring,
        .cache = workload::CachePolicy::cached,
        .sync = workload::SyncLevel::each_io,
        .queue_depth = 4,
        .payload = workload::Payload{workload::PayloadKind::given, 9, {0x00, 0xFF, 0x10}},
        .on_io_error = workload::OnIoError::stop,
        .keep_raw_log = true,
        .order_seed = 5,
    };
    CHECK(plan.suites == std::vector<SuiteEntry>{{.request = wanted, .where = SuiteTarget::raw}});
    CHECK(good(to_json(plan).dump()) == plan);
}

TEST_CASE("replug is a member of verify on the bare device only") {
    const Plan plan = changed(R"({"suites": [{"suite": "verify", "where": "raw", "replug": true}]})");
    CHECK(plan.suites.front().replug);
    CHECK(good(to_json(plan).dump()) == plan);
    for (const auto& [suite, raw] : {std::pair{"verify", false}, std::pair{"quickbench", true}}) {
        SuiteEntry entry{.request = {.name = suite}};
        entry.replug = true;
        if (raw) entry.where = SuiteTarget::raw;
        const auto refused = check_suite(entry, "--raw");
        REQUIRE_FALSE(refused);
        CHECK(refused.error().detail ==
              "\"replug\" separates writing from reading of suite verify on the bare device; leave it out, or choose "
              "verify with --raw");
    }
}

TEST_CASE("parse_plan() reads every member of a format and of a limit into its field") {
    const Plan plan = changed(R"({
        "formats": [{"fs": "hfs+j", "cluster_size": "8KiB", "label": "Card", "suites": ["verify"]}],
        "limits": [{"suite": "verify", "metric": "seq_write.1024KB.mb_per_s", "format": "hfs+j", "min": 1.5, "max": 2,
                    "guard_percent": 0.5}]})");
    const FormatEntry& format = plan.formats.front();
    CHECK(format.spec == media::FormatSpec{media::FileSystem::hfs_plus_journaled, 8_KiB, "Card"});
    CHECK(format.suites == std::vector<SuiteEntry>{{.request = {.name = "verify"}}});
    CHECK(plan.limits == std::vector<measure::Limit>{{"verify", "seq_write.1024KB.mb_per_s", "hfs+j", 1.5, 2.0, 0.5}});
}

TEST_CASE("a format can be specified by its displayed name") {
    CHECK(changed(R"({"formats": ["exFAT", {"fs": "HFS+ Journaled"}]})").formats ==
          changed(R"({"formats": ["exfat", {"fs": "hfs+j"}]})").formats);
}

TEST_CASE("only a plan that keeps the contents or uses a directory is non-destructive") {
    CHECK_FALSE(destroys(changed(R"({"formats": ["keep"]})")));
    CHECK_FALSE(destroys(changed(R"({"formats": null, "media": [{"directory": "/media/x"}]})")));
    CHECK(destroys(changed(R"({"formats": null, "suites": [{"suite": "verify", "where": "raw"}]})")));
    CHECK(destroys(changed(R"({"formats": ["exfat"], "suites": []})")));
}

TEST_CASE("invalid JSON is refused with line, column and fault") {
    struct Row {
        std::string text, fault;
    };
    const Row rows[] = {
        {"", "/: line 1, column 1: is empty"},
        {" \n\t ", "/: line 2, column 3: is empty"},
        {"{\n  \"mediarig_plan\": 1,\n  \"media\": [{\"path\": \"/dev/sdb\"",
         "/media/0/path: line 3, column 32: is incomplete: a bracket, brace or string is not closed"},
        {"{\"mediarig_plan\": 1, \"name\": \"half",
         "/name: line 1, column 35: is incomplete: a bracket, brace or string is not closed"},
        {"{\n\"repeats\": 2,\n}",
         "/repeats: line 3, column 1: has a comma before \"}\"; JSON does not allow a comma after the last entry"},
        {"{\"formats\": [\"exfat\", ]}",
         "/formats/1: line 1, column 23: has a comma before \"]\"; JSON does not allow a comma after the last entry"},
        {"{\"repeats\": 2 \"name\": \"x\"}", "/repeats: line 1, column 20: lacks a comma before this entry"},
        {"{// two\n\"repeats\": 2}", "/: line 1, column 2: has a comment; JSON does not allow comments"},
        {"{\"name\": \"Pr\xC3\xBC\", oops}", "/name: line 1, column 17: is not JSON: invalid literal"},
        {"{\"name\": \"\xFF\"}", "/name: line 1, column 11: is not UTF-8"},
        {"{\"name\": \"a\nb\"}", "/name: line 1, column 12: has a line break or control character inside a string"},
        {"{\"repeats\": 1e999}", "/repeats: line 1, column 17: has a number that is too large"},
        {"{} {}", "/: line 1, column 4: is not JSON: unexpected '{'"},
        {"[1, 2]", "/: must be an object, is a list"},
        {"null", "/: must be an object, is null"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(faults_of(row.text) == std::vector<std::string>{row.fault});
    }
}

TEST_CASE("a duplicate key is a fault at any level") {
    CHECK(faults_of(R"({"mediarig_plan": 1, "media": [{"slot": 1}, {"slot": 2, "slot": {"a": [3]}}], "suites": [],
                        "formats": ["apfs"], "repeats": 2, "repeats": 3})") ==
          std::vector<std::string>{"/media/1/slot: occurs twice; keep one", "/repeats: occurs twice; keep one"});
}

TEST_CASE("an excessively nested plan is refused before the parser recurses into it") {
    const auto nested = [](std::size_t levels) {
        return "{\"name\":" + std::string(levels, '[') + std::string(levels, ']') + "}";
    };
    CHECK(faults_of(nested(deepest_nesting)).front() ==
          "/name/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0: is nested deeper than 16 levels");
    CHECK(faults_of(nested(deepest_nesting - 1)).front() ==
          "/mediarig_plan: is missing; add \"mediarig_plan\": 1, the version of this kind of file");
    CHECK(faults_of(std::string(3'000'000, '[')).size() == 1);
}

TEST_CASE("a plan is refused if its text, or its stored form with defaults, exceeds the limit") {
    CHECK(faults_of(std::string(largest_text + 1, ' ')) ==
          std::vector<std::string>{"/: is 4194305 bytes long; at most 4194304 (4 MiB) are allowed"});
    // Four payloads of 768 KiB just fit in the user's text, but not after the defaults are added.
    nlohmann::json plan = nlohmann::json::parse(base_plan());
    plan["suites"] = nlohmann::json::array();
    for (int i = 0; i < 4; ++i)
        plan["suites"].push_back(
            {{"suite", "quickbench"},
             {"payload", {{"kind", "given"}, {"given", "base64:" + std::string(1'048'480, 'A')}}}});
    const std::string text = plan.dump();
    REQUIRE(text.size() <= largest_text);
    REQUIRE(text.size() > largest_text - 500);
    CHECK(faults_of(text) ==
          std::vector<std::string>{"/: is larger than 4194304 bytes (4 MiB) when written out in full"});
}

TEST_CASE("each fault takes one line, and the number of listed faults is limited") {
    nlohmann::json plan = nlohmann::json::parse(base_plan());
    plan["limits"] = nlohmann::json::array();
    for (int i = 0; i < 300; ++i) plan["limits"].push_back(i);
    const auto many = faults_of(plan.dump());
    REQUIRE(many.size() == 101);
    CHECK(many.back() == "/: … and 200 more faults");

    const std::string long_key(300, 'k');
    for (const std::string& line :
         faults_of("{\"mediarig_plan\":1,\"media\":[{\"slot\":1}],\"suites\":[],\"formats\":[\"apfs\"],"
                   "\"evil\\u001b[2J\\nkey\":1,\"" +
                   long_key + "\":2}")) {
        CAPTURE(line);
        CHECK(line.find_first_of("\n\r\x1b") == std::string::npos);
        CHECK(line.size() < 300);
    }
}

TEST_CASE("a message truncates words only between characters") {
    CHECK(excerpt("Prüfung", 4) == "Prü…");
    CHECK(excerpt("Prüfung", 3) == "Pr…");
    CHECK(excerpt("Prüfung", 60) == "Prüfung");
}
