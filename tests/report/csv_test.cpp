// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/csv.hpp"

#include "host/report/tables/comparison_record.hpp"
#include "host/report/text/display_text.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
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
