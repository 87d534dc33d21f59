// SPDX-License-Identifier: GPL-3.0-or-later
/// The part of the published schema for the members of suites is derived from the suites' descriptions and refusals.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <regex>

#include "host/workload/metrics/metrics.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::suites;
using Ordered = nlohmann::ordered_json;

namespace {

bool takes(const Suite& suite, std::vector<std::string> tables, std::vector<Bytes> blocks = {}) {
    const SuiteRequest request{
        .name = std::string(suite.name), .tables = std::move(tables), .blocks = std::move(blocks)};
    return expand(request, 1024_GiB).has_value();
}

std::vector<std::string> names_of(std::span<const SuiteTable> tables) {
    std::vector<std::string> names;
    for (const SuiteTable& table : tables) names.emplace_back(table.name);
    return names;
}

bool takes_choice_of_tables(const Suite& suite) {
    return !suite.tables.empty() && takes(suite, names_of(suite.tables));
}

/// Tables with the same accesses share a rule.
struct Group {
    std::vector<std::string> tables;
    bool by_default{}, deep{};
};
using Groups = std::map<std::vector<std::string>, Group>;

Groups groups_of(const Suite& suite) {
    Groups groups;
    for (const SuiteTable& table : suite.tables) {
        std::vector<std::string> accesses;
        for (const Access access : table.accesses) accesses.emplace_back(workload::name_of(access));
        std::ranges::sort(accesses);
        Group& group = groups[accesses];
        group.tables.emplace_back(table.name);
        group.by_default |= table.by_default;
    }
    return groups;
}

Ordered contains(const std::vector<std::string>& names) {
    return {{"contains", {{"enum", names}}}};
}

/// The rule that at least one of the chosen tables must have one of the chosen accesses.
Ordered rule_of_accesses(const Groups& groups) {
    Ordered any = Ordered::array();
    for (const auto& [accesses, group] : groups) {
        Ordered one;
        if (!group.by_default) one["required"] = {"tables"};
        if (groups.size() > 1) one["properties"]["tables"] = contains(group.tables);
        one["properties"]["accesses"] = contains(accesses);
        any.push_back(std::move(one));
    }
    return any.size() == 1 ? any[0] : Ordered{{"anyOf", std::move(any)}};
}

/// The rule that all block sizes must belong to the same table.
Ordered rule_of_blocks(const Suite& suite) {
    Ordered one_table = Ordered::array();
    for (const std::string& name : names_of(suite.tables)) one_table.push_back({{"items", {{"const", name}}}});
    Ordered then;
    if (std::ranges::count_if(suite.tables, &SuiteTable::by_default) != 1) then["required"] = {"tables"};
    then["properties"]["tables"]["anyOf"] = std::move(one_table);
    return {{"if", {{"required", {"blocks"}}}}, {"then", std::move(then)}};
}

/// The rule that a table with a queue needs the engine with a queue, unless the plan sets a depth.
Ordered rule_of_queues(const Suite& suite) {
    Ordered all = Ordered::array();
    for (const SuiteTable& table : suite.tables) {
        if (table.queue_depth == 1) continue;
        std::vector<std::string> accesses;
        for (const Access access : table.accesses) accesses.emplace_back(workload::name_of(access));
        std::ranges::sort(accesses);
        Ordered left_out{{"properties", {{"tables", {{"not", contains({std::string(table.name)})}}}}}};
        if (table.by_default) left_out["required"] = {"tables"};
        Ordered not_used{{"required", {"accesses"}}, {"properties", {{"accesses", {{"not", contains(accesses)}}}}}};
        all.push_back({{"anyOf", {std::move(left_out), std::move(not_used)}}});
    }
    Ordered when{{"required", {"engine"}}, {"properties", {{"engine", {{"const", "psync"}}}}}};
    when["not"]["required"] = {"queue_depth"};
    return {{"if", std::move(when)}, {"then", {{"allOf", std::move(all)}}}};
}

/// A schema for one value or for several values. null if no value is excluded.
template <class Value>
Ordered left_of(const std::function<bool(Value)>& is_taken) {
    Ordered left = Ordered::array();
    for (const auto& [value, name] : enumerators<Value>)
        if (is_taken(value)) left.push_back(name);
    if (left.size() == enumerators<Value>.size()) return {};
    return left.size() == 1 ? Ordered{{"const", left[0]}} : Ordered{{"enum", left}};
}

/// Unconditional refusals of the suite: unsupported members, or all except some values of a member.
Ordered refused_by(const Suite& suite) {
    std::vector<std::vector<std::string>> choices{{}};
    for (const std::string& name : names_of(suite.tables)) choices.push_back({name});
    const auto takes_with = [&](const auto& ask) {
        return std::ranges::any_of(choices, [&](const std::vector<std::string>& tables) {
            SuiteRequest request{.name = std::string(suite.name), .tables = tables};
            ask(request);
            return expand(request, 1024_GiB).has_value();
        });
    };
    Ordered members = Ordered::object();
    if (!takes_choice_of_tables(suite)) members["tables"] = false;
    if (std::ranges::none_of(enumerators<Access>, [&](const Name<Access>& access) {
            return takes_with([&](SuiteRequest& request) { request.accesses = {access.value}; });
        }))
        members["accesses"] = false;
    if (!takes_with([](SuiteRequest& request) { request.blocks = {4_KiB}; }))
        members["blocks"] = false;
    else if (!takes_with([](SuiteRequest& request) { request.blocks = {4_KiB, 8_KiB}; }))
        members["blocks"] = {{"maxItems", 1}};
    if (!takes_with([](SuiteRequest& request) { request.span = 1_GiB; })) members["span"] = false;
    if (!takes_with([](SuiteRequest& request) { request.volume = 64_MiB; })) members["volume"] = false;
    if (!takes_with([](SuiteRequest& request) { request.time_limit = std::chrono::seconds(10); }))
        members["time_limit_s"] = false;
    if (!takes_with([](SuiteRequest& request) { request.queue_depth = 2; })) members["queue_depth"] = {{"const", 1}};
    const auto keep = [&](const char* member, Ordered left) {
        if (!left.is_null()) members[member] = std::move(left);
    };
    using workload::CachePolicy, workload::Engine, workload::PayloadKind, workload::SyncLevel;
    keep("engine", left_of<Engine>([&](Engine engine) {
             return takes_with([&](SuiteRequest& request) { request.engine = engine; });
         }));
    keep("cache", left_of<CachePolicy>([&](CachePolicy cache) {
             return takes_with([&](SuiteRequest& request) { request.cache = cache; });
         }));
    keep("sync", left_of<SyncLevel>(
                     [&](SyncLevel sync) { return takes_with([&](SuiteRequest& request) { request.sync = sync; }); }));
    const Ordered kinds = left_of<PayloadKind>([&](PayloadKind kind) {
        return takes_with([&](SuiteRequest& request) {
            request.payload = workload::Payload{.kind = kind, .given = {}};
            if (kind == PayloadKind::given) request.payload->given.resize(1);
        });
    });
    if (!kinds.is_null()) members["payload"] = {{"properties", {{"kind", kinds}}}};
    if (suite.options.empty()) members["options"] = false;
    if (!suite.takes_assumed_cache) members["assumed_cache"] = false;
    return members;
}

Ordered rules_of(const Suite& suite) {
    Ordered rules{{"properties", refused_by(suite)}};
    const Ordered when{{"properties", {{"suite", {{"const", suite.name}}}}}};
    if (!takes_choice_of_tables(suite)) return {{"if", when}, {"then", std::move(rules)}};
    rules["properties"]["tables"]["items"]["enum"] = names_of(suite.tables);
    Ordered all = Ordered::array();
    const Groups groups = groups_of(suite);
    const bool any_access = groups.size() == 1 && (groups.begin()->first.empty() || groups.begin()->first.size() == 4);
    if (!any_access) all.push_back(rule_of_accesses(groups));
    const bool one_table_takes_them = takes(suite, {std::string(suite.tables[0].name)}, {4_KiB});
    if (one_table_takes_them && !takes(suite, names_of(suite.tables), {4_KiB})) all.push_back(rule_of_blocks(suite));
    if (std::ranges::any_of(suite.tables, [](const SuiteTable& table) { return table.queue_depth > 1; }))
        all.push_back(rule_of_queues(suite));
    if (!all.empty()) rules["allOf"] = std::move(all);
    return {{"if", when}, {"then", std::move(rules)}};
}

/// Position of the rules in the schema: one line for each suite.
constexpr std::string_view before = "    \"rules_of_suites\": {", from = "\"allOf\": [", to = "\n      ]";

std::string with_rules(std::string schema, const std::string& lines) {
    const std::size_t begin = schema.find(from, schema.find(before)) + from.size();
    return schema.replace(begin, schema.find(to, begin) - begin, lines);
}

} // namespace

TEST_CASE("the schema matches the suites, parameters and combinations of the suite descriptions") {
    const char* path = MEDIARIG_SOURCE_DIR "/docs/schemas/plan.schema.json";
    const std::string schema = tests::text_of(path);
    const Ordered definitions = Ordered::parse(schema).at("definitions");
    CHECK(definitions.at("suite_name").at("enum") == Ordered(suite_names()));

    Ordered tables = Ordered::array();
    std::string lines;
    for (const Suite* suite : all_suites()) {
        if (takes_choice_of_tables(*suite))
            for (const std::string& name : names_of(suite->tables)) tables.push_back(name);
        lines += (lines.empty() ? "\n        " : ",\n        ") + rules_of(*suite).dump();
    }
    const Ordered& members = definitions.at("suite").at("anyOf").at(1).at("properties");
    CHECK(members.at("tables").at("items").at("enum") == tables);
    const std::string expected = with_rules(schema, lines);
    if (std::getenv("MEDIARIG_WRITE_SCHEMA") != nullptr) {
        std::ofstream(path) << expected;
        return;
    }
    INFO("after a change of a suite, run this test once with MEDIARIG_WRITE_SCHEMA=1 and check the changes");
    CHECK((schema == expected));
}

TEST_CASE("the schema lists each headline figure and each table with a name") {
    const std::regex pattern(Ordered::parse(tests::text_of(MEDIARIG_SOURCE_DIR "/docs/schemas/plan.schema.json"))
                                 .at("definitions")
                                 .at("limit")
                                 .at("properties")
                                 .at("metric")
                                 .at("pattern")
                                 .get<std::string>());
    for (const Suite* suite : all_suites()) {
        for (const Headline& headline : suite->headlines) {
            CAPTURE(metrics::name_of(headline.metric));
            CHECK(std::regex_match(metrics::name_of(headline.metric), pattern));
        }
        for (const SuiteTable& table : suite->tables) {
            if (table.names != MetricNaming::table || table.accesses.empty()) continue;
            const Metric metric{
                .table = table.name, .access = table.accesses[0], .block = {}, .value = Value::mb_per_s};
            CAPTURE(metrics::name_of(metric));
            CHECK(std::regex_match(metrics::name_of(metric), pattern));
        }
    }
}
