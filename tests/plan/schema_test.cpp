// SPDX-License-Identifier: GPL-3.0-or-later
/// An independent validator checks the published schema against the plans of the parser's tests.
#include <filesystem>

#include "host/plan/parse_plan.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/plan/plan_cases.hpp"
#include "tests/plan/schema_check.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::plan;

TEST_CASE("schema and parser accept the same plans if a schema can express the rule") {
    std::vector<std::string> texts, changes, expected;
    const auto add = [&](std::string text, std::string change, const char* verdict) {
        texts.push_back(std::move(text));
        changes.push_back(std::move(change));
        expected.emplace_back(verdict);
    };
    for (const PlanCase& row : good_plans()) add(plan_text(row), row.change, "good");
    for (const PlanCase& row : bad_plans())
        add(plan_text(row), row.change, row.schema == Schema::agrees ? "bad" : "good");
    for (const auto& entry : std::filesystem::directory_iterator(MEDIARIG_SOURCE_DIR "/docs/examples")) {
        add(tests::text_of(entry.path()), entry.path().filename().string(), "good");
    }
    // Plans that mediarig writes must match the schema as well.
    for (const PlanCase& row : good_plans())
        add(to_json(*parse_plan(plan_text(row))).dump(), std::string("written out: ") + row.change, "good");

    const auto verdicts = checked_by_schema(texts);
    if (!verdicts) MEDIARIG_SKIP("python3-jsonschema is not installed");
    for (std::size_t i = 0; i < texts.size(); ++i) {
        CAPTURE(changes[i]);
        CHECK((*verdicts)[i] == expected[i]);
    }
}
