// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/csv.hpp"

#include <algorithm>

#include "host/report/output/results_json.hpp"
#include "host/report/tables/comparison_record.hpp"
#include "host/report/text/display_text.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/compared_campaign.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/json.hpp"
#include "tests/report/hostile_campaign.hpp"

using namespace mediarig;
using namespace mediarig::report;

namespace {

/// An independent parser of RFC 4180.
std::vector<std::vector<std::string>> parse(const std::string& text) {
    std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        std::string& field = rows.back().back();
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
            field += text[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == ',')
            rows.back().emplace_back();
        else if (!quoted && c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
            rows.emplace_back(1);
            ++i;
        } else
            field += c;
    }
    rows.pop_back();
    return rows;
}

std::string field(const std::vector<std::vector<std::string>>& rows, std::size_t row, const std::string& column) {
    for (std::size_t i = 0; i < rows[0].size(); ++i)
        if (rows[0][i] == column) return rows[row].at(i);
    return "no such column";
}

Result<void> whole(store::DeviceView&) {
    return {};
}

/// The sample with a raw log, a reading of the host's load and a device without a pass.
store::CampaignView campaign_with_raw_log() {
    auto view = fakes::sample_campaign();
    workload::CellResult& cell = view.devices[1].passes[1].cells[0];
    cell.raw_log = {1'500'000, 2'000'000};
    cell.host_load = workload::HostLoad{.over = std::chrono::seconds(2), .stolen = std::chrono::milliseconds(4)};
    cell.findings.push_back(
        {.kind = measure::FindingKind::host_busy, .severity = measure::Severity::warning, .detail = "busy"});
    store::DeviceView& lost = view.devices.emplace_back();
    lost.device.key = lost.device.name = "dead";
    lost.verdict = measure::Verdict{.grade = measure::Grade::inconclusive, .limits = {}, .reasons = {"it is gone"}};
    return view;
}

/// The names of all lists, from the message about an unknown list.
std::vector<std::string> lists_of(const store::CampaignView& view) {
    const auto unknown = render_list(store::CampaignView(view), whole, "no such list");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == Errc::bad_request);
    const std::string& text = unknown.error().detail;
    std::vector<std::string> names;
    for (std::size_t at = text.rfind(": ") + 2; at < text.size();) {
        const std::size_t end = std::min(text.find(", ", at), text.size());
        names.push_back(text.substr(at, end - at));
        at = end + 2;
    }
    return names;
}

std::string csv_text(const nlohmann::json& value) {
    if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Number of values in the results, without those that were not measured.
std::size_t values_in(const nlohmann::json& value) {
    const nlohmann::json leaves = value.flatten();
    return static_cast<std::size_t>(
        std::ranges::count_if(leaves, [](const nlohmann::json& leaf) { return !leaf.is_null(); }));
}

} // namespace

TEST_CASE("new versions only add columns to the CSV header") {
    const std::string text = render_csv({});
    CHECK(text.rfind("campaign,device,device_key,lot,label,slot,vendor,model,serial,size,pass,format,repeat,position,"
                     "driver,driver_version,suite,suite_version,cell,table,access,block,queue_depth,moved,operations,"
                     "elapsed_ns,sync_ns,min_ns,mean_ns,p50_ns,p90_ns,p99_ns,p99_9_ns,max_ns,end,engine,cache,sync,"
                     "page_cache_dropped,write_cache_flushed,device_read,device_written,quick,payload,span",
                     0) == 0);
    CHECK(parse(text).size() == 1);
}

TEST_CASE("each cell of each pass is a row of the CSV with the recorded figures") {
    const auto view = fakes::sample_campaign();
    const auto rows = parse(render_csv(view));
    std::size_t row = 1;
    for (const auto& device : view.devices)
        for (const auto& pass : device.passes)
            for (const auto& cell : pass.cells) {
                REQUIRE(row < rows.size());
                REQUIRE(rows[row].size() == rows[0].size());
                REQUIRE(field(rows, row, "device") == device.device.name);
                REQUIRE(field(rows, row, "pass") == pass.pass.id);
                REQUIRE(field(rows, row, "cell") == cell.cell.id);
                REQUIRE(field(rows, row, "moved") == std::to_string(cell.moved.count));
                REQUIRE(field(rows, row, "elapsed_ns") == std::to_string(cell.elapsed.count()));
                REQUIRE(field(rows, row, "p99_ns") == std::to_string(cell.latency.quantile(0.99)->count()));
                ++row;
            }
    CHECK(row == rows.size());
    CHECK(row > 500);
}

TEST_CASE("each value of the results is in exactly one field of one table") {
    auto compared = fakes::compared_campaign(fakes::compared_plan(R"({"formats": ["exfat", "hfs+j"], "blocks": 12})"),
                                             6, fakes::undecided);
    for (const store::CampaignView& view : {campaign_with_raw_log(), compared}) {
        const nlohmann::json results = results_json(view);
        std::size_t exported = 0;
        for (const std::string& list : lists_of(view)) {
            CAPTURE(list);
            const auto text = render_list(store::CampaignView(view), whole, list);
            REQUIRE(text);
            CHECK(text->starts_with(list_begins));
            const auto rows = parse(*text);
            for (std::size_t row = 1; row < rows.size(); ++row) {
                REQUIRE(rows[row].size() == rows[0].size());
                const nlohmann::json& element = results.at(nlohmann::json::json_pointer(field(rows, row, "record")));
                for (std::size_t column = 5; column < rows[0].size(); ++column) {
                    const std::string& value = rows[row][column];
                    if (value.empty()) continue;
                    std::string member = "/" + rows[0][column];
                    std::ranges::replace(member, '.', '/');
                    const nlohmann::json& recorded =
                        element.is_object() ? element.at(nlohmann::json::json_pointer(member)) : element;
                    if (value != csv_text(recorded)) FAIL(value + " is not " + csv_text(recorded));
                    exported += values_in(recorded);
                }
            }
        }
        const nlohmann::json leaves = results.flatten();
        const auto empty = static_cast<std::size_t>(std::ranges::count(leaves, nlohmann::json("")));
        constexpr std::size_t schema_and_version = 2;
        CHECK(exported == values_in(results) - empty - schema_and_version);
    }
}

TEST_CASE("verdict, capacity, damage, findings, load and raw latencies are columns of tables") {
    const auto view = campaign_with_raw_log();
    const auto table = [&](std::string_view list) {
        return parse(render_list(store::CampaignView(view), whole, list).value());
    };
    const auto cells = parse(render_csv(view));
    const std::size_t last = cells.size() - 1;
    CHECK(field(cells, 1, "verdict") == "PASS");
    CHECK(field(cells, last - 1, "verdict") == "FAKE");
    CHECK(field(cells, last - 1, "claimed") == "64424509440");
    CHECK(field(cells, last - 1, "true_capacity") == "8053063680");
    CHECK(field(cells, last - 1, "damaged") == "56371445760");
    // A device without a pass has a row with its verdict.
    CHECK(field(cells, last, "device") == "dead");
    CHECK(field(cells, last, "verdict") == "INCONCLUSIVE");
    CHECK(field(cells, last, "reason") == "it is gone");
    CHECK(field(cells, last, "cell").empty());
    CHECK(field(cells, last, "moved").empty());
    CHECK(field(cells, last, "claimed").empty());
    bool loaded = false;
    for (std::size_t row = 1; row < cells.size(); ++row)
        if (field(cells, row, "findings") == "host_busy") {
            loaded = true;
            CHECK(field(cells, row, "load_over_ns") == "2000000000");
            CHECK(field(cells, row, "stolen_ns") == "4000000");
            CHECK(field(cells, row, "involuntary_switches").empty());
        }
    CHECK(loaded);

    const auto devices = table("devices");
    REQUIRE(devices.size() == 5);
    CHECK(field(devices, 3, "verdict.grade") == "FAKE");
    CHECK(field(devices, 3, "identity.serial") == "000000000001");
    const auto damaged = table("end.verify.damaged");
    REQUIRE(damaged.size() == 2);
    CHECK(field(damaged, 1, "device_name") == "bargain");
    CHECK(field(damaged, 1, "pass_id") == "m2.r1.raw.verify");
    CHECK(field(damaged, 1, "length") == "56371445760");
    CHECK(field(damaged, 1, "kind") == "misplaced");
    const auto raw = table("raw_log_ns");
    REQUIRE(raw.size() == 3);
    CHECK(field(raw, 2, "value") == "2000000");
    CHECK(field(raw, 2, "cell_id") == view.devices[1].passes[1].cells[0].cell.id);
    CHECK(field(table("series"), 1, "length_ns") != "no such column");
    CHECK(field(table("findings"), 1, "severity") != "no such column");
}

TEST_CASE("a device that cannot be read is an error of a table") {
    const auto failing = [](store::DeviceView&) -> Result<void> { return fail(Errc::store_failed, "torn"); };
    CHECK(reason(render_list(fakes::sample_campaign(), failing, "devices")) == "torn");
}

TEST_CASE("commas and quotes of a label remain in their field, and an unmeasured field is empty") {
    store::CampaignView view;
    view.devices.resize(1);
    view.devices[0].device.label = "a,\"b\"\r\nc";
    view.devices[0].device.identity.model = "caf\xE9";
    view.devices[0].passes.resize(1);
    view.devices[0].passes[0].cells.resize(1);
    const auto rows = parse(render_csv(view));
    REQUIRE(rows.size() == 2);
    CHECK(field(rows, 1, "label") == "a,\"b\"\uFFFD\uFFFDc");
    CHECK(field(rows, 1, "model") == "caf\uFFFD");
    CHECK(field(rows, 1, "p50_ns").empty());
    CHECK(field(rows, 1, "max_ns").empty());
    CHECK(field(rows, 1, "device_read").empty());
    CHECK(field(rows, 1, "driver").empty());
    CHECK(field(rows, 1, "moved") == "0");
}

TEST_CASE("a CSV field that looks like a formula becomes text, and a number remains a number") {
    struct Row {
        std::string text, cell;
    };
    const Row rows[] = {
        {"=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"},
        {"+1+1", "'+1+1"},
        {"-2+3", "'-2+3"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"  =1+1", "'  =1+1"},
        {"\t=1", "\uFFFD=1"},
        {"\r=1", "\uFFFD=1"},
        {"\n@A1", "\uFFFD@A1"},
        {"\uFF1D1+1", "'\uFF1D1+1"},
        {"card;=1+1", "\"card;'=1+1\""},
        {"a,=1", "\"a,=1\""},
        {"=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""},
        {"-", "'-"},
        {"-inf", "'-inf"},
        {"-1.5", "-1.5"},
        {"-12", "-12"},
        {"+3", "+3"},
        {"1e-9", "1e-9"},
        {"-1.5e+10", "-1.5e+10"},
        {"2026-11-22", "2026-11-22"},
        {"a=b", "a=b"},
        {"", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(csv_row({&row.text, 1}) == row.cell + "\r\n");
    }
    const std::string two[] = {"=A1", "-4"};
    CHECK(csv_row(two) == "'=A1,-4\r\n");
}

TEST_CASE("neither CSV table contains a formula or control character from texts of a campaign") {
    auto view = tests::hostile_campaign();
    const std::string formula = "=HYPERLINK(\"http://x\",\x1B]0;\x07)";
    view.campaign.id = view.devices[0].device.name = view.devices[0].device.label = formula;
    view.devices[0].device.identity.serial = "-1";
    for (const std::string& text : {render_csv(view), render_comparison_csv(view)}) {
        CHECK(text.find_first_of("\x1B\x07\t") == std::string::npos);
        for (const auto& row : parse(text))
            for (const std::string& cell : row)
                CHECK((cell.empty() || std::string("=+@").find(cell[0]) == std::string::npos));
    }
    CHECK(field(parse(render_csv(view)), 1, "serial") == "-1");
}
