// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/results_json.hpp"

#include "host/base/json/json_text.hpp"
#include "host/base/process/run_process.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/compared_campaign.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/json.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::report;
using nlohmann::json;

namespace {

/// Unknown members are faults here: each exported member is documented.
constexpr const char* validator = R"(
import json, sys
import jsonschema
def close(node):
    if isinstance(node, dict):
        if 'properties' in node: node.setdefault('additionalProperties', False)
        for value in node.values(): close(value)
    elif isinstance(node, list):
        for value in node: close(value)
other = 'agent-protocol.schema.json'
schema = json.loads(open(sys.argv[1] + '/results.schema.json').read().replace(other + '#', '#'))
schema['definitions'] = {**json.load(open(sys.argv[1] + '/' + other))['definitions'], **schema['definitions']}
close(schema)
jsonschema.Draft7Validator.check_schema(schema)
errors = sorted(jsonschema.Draft7Validator(schema).iter_errors(json.load(open(sys.argv[2]))), key=str)
for error in errors[:5]:
    print('/'.join(map(str, error.absolute_path)), error.message[:200])
sys.exit(1 if errors else 0)
)";

/// Returns the faults of `value` that an independent validator finds by the published schema, or "none".
std::string schema_faults(const json& value) {
    const tests::Scratch folder;
    const char* schemas = MEDIARIG_DOCS_DIR "/schemas";
    const auto finished = process::run_process(
        {.program = "python3", .arguments = {"-c", validator, schemas, folder.write("r.json", value.dump())}});
    if (!finished) return finished.error().detail;
    return finished->succeeded() ? "none" : finished->out + finished->err;
}

bool has_validator() {
    const auto finished = process::run_process({.program = "python3", .arguments = {"-c", "import jsonschema"}});
    return finished && finished->succeeded();
}

} // namespace

TEST_CASE("results written device by device equal results written at once") {
    const auto plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j"], "blocks": 12})");
    store::CampaignView none = fakes::sample_campaign(), twice = fakes::compared_campaign(plan, 6, fakes::undecided);
    none.devices.clear();
    twice.devices.push_back(twice.devices.front());
    twice.devices.back().device.name = "second \n \"devices\": []";
    for (const store::CampaignView& view : {fakes::sample_campaign(), twice, none}) {
        store::CampaignView outline = view;
        for (store::DeviceView& device : outline.devices) forget(device);
        std::string text;
        std::size_t loaded = 0, parts = 0;
        const auto written = write_results_json(
            std::move(outline),
            [&](store::DeviceView& device) -> Result<void> {
                device = view.devices.at(loaded++);
                return {};
            },
            [&](std::string_view part) -> Result<void> {
                ++parts;
                text += part;
                return {};
            });
        CHECK(written);
        CHECK(loaded == view.devices.size());
        CHECK(parts >= loaded);
        CHECK((text == codec::json_text(results_json(view)) + '\n'));
    }
}

TEST_CASE("incompletely read or written results are an error") {
    const auto failing = [](store::DeviceView&) -> Result<void> { return fail(Errc::store_failed, "torn"); };
    const auto whole = [](store::DeviceView&) -> Result<void> { return {}; };
    const auto full = [](std::string_view) -> Result<void> { return fail(Errc::io_failed, "full"); };
    const auto taken = [](std::string_view) -> Result<void> { return {}; };
    CHECK(reason(write_results_json(fakes::sample_campaign(), failing, taken)) == "torn");
    CHECK(reason(write_results_json(fakes::sample_campaign(), whole, full)) == "full");
    CHECK(reason(write_results_json(store::CampaignView{}, whole, full)) == "full");
}

TEST_CASE("complete and short results of a campaign match the published schema, which documents each member") {
    if (!has_validator()) MEDIARIG_SKIP("python3-jsonschema is not installed");
    auto view = fakes::sample_campaign();
    workload::CellResult& cell = view.devices[1].passes[1].cells[0];
    cell.raw_log = {1'500'000, 2'000'000};
    cell.processor_time = std::chrono::milliseconds(3);
    cell.host_load = workload::HostLoad{.over = std::chrono::seconds(2),
                                        .processor_waits = std::chrono::milliseconds(300),
                                        .memory_waits = std::chrono::milliseconds(2),
                                        .io_waits = std::chrono::seconds(1),
                                        .stolen = std::chrono::milliseconds(4),
                                        .involuntary_switches = 17};
    CHECK(results_json(view)["devices"][1]["passes"][1]["cells"][0]["raw_log_ns"] == json({1'500'000, 2'000'000}));
    CHECK_FALSE(results_json(view, Detail::summary)["devices"][1]["passes"][1]["cells"][0].contains("raw_log_ns"));
    CHECK(schema_faults(results_json(view)) == "none");
    CHECK(schema_faults(results_json(view, Detail::summary)) == "none");
    CHECK(schema_faults(results_json({})) == "none");

    store::CampaignView bare;
    bare.devices.resize(1);
    bare.devices[0].passes.resize(1);
    bare.devices[0].passes[0].pass.repeat = 1;
    bare.devices[0].made.resize(1);
    bare.devices[0].made[0].repeat = 1;
    CHECK(schema_faults(results_json(bare)) == "none");

    json broken = results_json(view);
    broken["devices"][0]["passes"][0]["cells"][0]["moved"] = "much";
    CHECK_THAT(schema_faults(broken), ContainsSubstring("devices/0/passes/0/cells/0/moved"));
    broken = results_json(view);
    broken["devices"][0]["passes"][0]["cells"][0]["undocumented"] = 1;
    CHECK_THAT(schema_faults(broken), ContainsSubstring("'undocumented' was unexpected"));
    broken = results_json(view);
    broken["devices"][0]["made"][0]["repeat"] = 0;
    CHECK_THAT(schema_faults(broken), ContainsSubstring("devices/0/made/0/repeat"));
}

TEST_CASE("the results contain the recorded figures, and both percentiles and buckets of latencies") {
    const auto view = fakes::sample_campaign();
    const json results = results_json(view);
    CHECK(results["schema"] == "mediarig.results");
    CHECK(results["campaign"]["id"] == view.campaign.id);
    REQUIRE(results["devices"].size() == 3);
    const auto& pass = view.devices[1].passes[1];
    const json& written = results["devices"][1]["passes"][1];
    REQUIRE(written["cells"].size() == pass.cells.size());
    for (std::size_t i = 0; i < pass.cells.size(); ++i) {
        const workload::CellResult& cell = pass.cells[i];
        const json& out = written["cells"][i];
        REQUIRE(out["cell"]["id"] == cell.cell.id);
        REQUIRE(out["moved"] == cell.moved.count);
        REQUIRE(out["elapsed_ns"] == cell.elapsed.count());
        REQUIRE(out["latency"]["count"] == cell.operations);
        REQUIRE(out["latency"]["p99_ns"] == cell.latency.quantile(0.99)->count());
        REQUIRE(out["series"].size() == cell.series.size());
    }
    const json& made = results["devices"][1]["made"];
    REQUIRE(made.size() == 4);
    CHECK(made[1]["step"] == "m1.r1.apfs.format");
    CHECK(made[1]["format"] == "apfs");
    CHECK(made[1]["formatted"]["tool"] == "mkapfs");
    CHECK(made[1]["seen"]["scheme"] == view.devices[1].made[1].seen->scheme);
    CHECK(results["devices"][2]["verdict"]["grade"] == "FAKE");
    CHECK(results["devices"][2]["passes"][0]["end"]["verify"]["true_capacity"] == 8'053'063'680u);

    const json summary = results_json(view, Detail::summary);
    CHECK_FALSE(summary["devices"][1]["passes"][1]["cells"][0].contains("series"));
    CHECK_FALSE(summary["devices"][1]["passes"][1]["cells"][0]["latency"].contains("buckets"));
    CHECK(summary["devices"][1]["passes"][1]["cells"][0]["latency"]["p99_ns"] ==
          written["cells"][0]["latency"]["p99_ns"]);
}

TEST_CASE("an unmeasured value is missing or null, and invalid UTF-8 does not prevent the output") {
    store::CampaignView view;
    view.devices.resize(1);
    view.devices[0].device.identity.model = "caf\xE9";
    view.devices[0].passes.resize(1);
    view.devices[0].passes[0].cells.resize(1);
    const json results = results_json(view);
    CHECK(results["devices"][0]["verdict"].is_null());
    CHECK(results["devices"][0]["passes"][0]["end"].is_null());
    CHECK_FALSE(results["devices"][0]["passes"][0]["cells"][0]["latency"].contains("p50_ns"));
    CHECK(json::parse(results.dump())["devices"][0]["identity"]["model"] == "caf\xEF\xBF\xBD");
}

TEST_CASE("the results of decided and undecided comparisons match the published schema") {
    if (!has_validator()) MEDIARIG_SKIP("python3-jsonschema is not installed");
    const auto plan = fakes::compared_plan(R"({"formats": ["exfat", "hfs+j", "apfs"], "blocks": 8})");
    for (const std::uint32_t blocks : {0U, 2U, 6U}) {
        const auto view =
            fakes::compared_campaign(plan, blocks, [](std::size_t format, std::uint32_t block, std::size_t place) {
                if (format == 2 && block == 1) return std::optional<double>();
                return std::optional(20 + static_cast<double>(format) * 3 + static_cast<double>(place % 3) * 0.1);
            });
        const json results = results_json(view);
        CHECK(schema_faults(results) == "none");
        // The last blocks may come after the decision.
        const std::size_t read = results["devices"][0]["comparison"]["blocks"].size();
        CHECK(read <= blocks);
        CHECK((read > 0) == (blocks > 0));
    }
}
