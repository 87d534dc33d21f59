// SPDX-License-Identifier: GPL-3.0-or-later
/// Opens the report in a browser and measures the displayed page.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/report/chromium.hpp"
#include "tests/report/hostile_campaign.hpp"
#include "tests/report/rendered.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using nlohmann::json;

namespace {

std::string listed(const std::vector<std::string>& lines) {
    if (lines.empty()) return "none";
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

std::string sample_page() {
    return page_of(fakes::sample_campaign());
}

/// Relative luminance of "rgb(r, g, b)", WCAG 2.1.
double luminance(const std::string& colour) {
    int parts[3]{};
    REQUIRE(std::sscanf(colour.c_str(), "rgb(%d, %d, %d)", &parts[0], &parts[1], &parts[2]) == 3);
    const auto linear = [](int part) {
        const double share = part / 255.0;
        return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(parts[0]) + 0.7152 * linear(parts[1]) + 0.0722 * linear(parts[2]);
}

double contrast(const std::string& a, const std::string& b) {
    const double one = luminance(a), other = luminance(b);
    return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

bool overlap(const json& a, const json& b) {
    constexpr double touching = 0.5;
    return a["left"].get<double>() + touching < b["right"].get<double>() &&
           b["left"].get<double>() + touching < a["right"].get<double>() &&
           a["top"].get<double>() + touching < b["bottom"].get<double>() &&
           b["top"].get<double>() + touching < a["bottom"].get<double>();
}

void check_chart(const json& chart) {
    const json& box = chart["box"];
    for (const json& mark : chart["marks"]) {
        REQUIRE(mark["left"].get<double>() >= box["left"].get<double>());
        REQUIRE(mark["right"].get<double>() <= box["right"].get<double>());
    }
    // WCAG 2.1: 4.5 for text, 3 for graphics.
    for (const json& colour : chart["colours"]) REQUIRE(contrast(colour, chart["ground"]) >= 3);
    const json& words = chart["words"];
    for (std::size_t i = 0; i < words.size(); ++i) {
        CAPTURE(words[i]["text"]);
        REQUIRE(words[i]["left"].get<double>() >= box["left"].get<double>() - 1);
        REQUIRE(words[i]["right"].get<double>() <= box["right"].get<double>() + 1);
        REQUIRE(contrast(words[i]["fill"], chart["ground"]) >= 4.5);
        for (std::size_t k = i + 1; k < words.size(); ++k) {
            CAPTURE(words[k]["text"]);
            REQUIRE_FALSE(overlap(words[i], words[k]));
        }
    }
}

/// The sample campaign and one more card that was pulled during a pass.
store::CampaignView four_media() {
    auto view = fakes::sample_campaign();
    store::DeviceView pulled = view.devices[0];
    pulled.device.name = "pulled";
    pulled.device.key += "-pulled";
    pulled.passes.resize(3);
    const measure::Finding lost{.kind = measure::FindingKind::medium_lost,
                                .severity = measure::Severity::fault,
                                .detail = "the medium vanished during a read"};
    pulled.passes[2].findings = {lost};
    pulled.untested = {{.key = "m3.r2.exfat.disktester", .why = "the medium vanished"}};
    pulled.verdict = measure::judge(fakes::sample_limits(), {}, {lost}, pulled.untested);
    view.devices.push_back(std::move(pulled));
    return view;
}

} // namespace

TEST_CASE("charts are readable on phone and desktop, light and dark") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    const std::string page = sample_page();
    for (const int width : {390, 1400})
        for (const bool dark : {false, true}) {
            CAPTURE(width, dark);
            const auto seen = look_at(page, {.width = width, .dark = dark, .open_folds = true});
            REQUIRE(reason(seen) == "success");
            CHECK(seen->page["ground"] == (dark ? "rgb(18, 22, 28)" : "rgb(255, 255, 255)"));
            const json& charts = seen->page["charts"];
            CHECK(charts.size() >= 18);
            std::vector<json> frames;
            for (const auto& [id, chart] : charts.items()) {
                CAPTURE(id);
                CHECK(chart["shown"] == true);
                CHECK(chart["box"]["right"].get<double>() - chart["box"]["left"].get<double>() > 270);
                check_chart(chart);
                for (const json& other : frames) REQUIRE_FALSE(overlap(chart["frame"], other));
                frames.push_back(chart["frame"]);
            }
            for (const json& badge : seen->page["badges"]) CHECK(contrast(badge[0], badge[1]) >= 4.5);
        }
}

TEST_CASE("the charts of a suite are visible without a click, and their marks have figures as titles") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    const auto seen = look_at(sample_page());
    REQUIRE(reason(seen) == "success");
    for (const char* id : {"formats-sequential-0", "formats-iops-2"}) {
        const json& chart = seen->page["charts"].at(id);
        CHECK(chart["shown"] == true);
        CHECK(chart["marks"].size() > 4);
    }
    CHECK(seen->page["charts"]["formats-iops-0"]["marks"][0]["words"] == "289 to 290 ops/s");
    CHECK(listed(seen->requests) == "none");
    CHECK(listed(seen->console) == "none");
}

TEST_CASE("verdicts, ranking and pictures of up to 12 media fit on the first screen, and on a phone all verdicts") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    const auto sample = fakes::sample_campaign();
    for (const std::size_t media : {1, 3, 12}) {
        CAPTURE(media);
        auto view = sample;
        view.devices.clear();
        while (view.devices.size() < media) view.devices.push_back(sample.devices[view.devices.size() % 3]);
        const std::string page = page_of(std::move(view));
        const auto desktop = look_at(page, {.width = 1400});
        REQUIRE(reason(desktop) == "success");
        const json& summary = desktop->page["summary"];
        CHECK(summary["bottom"].get<double>() <= 900); // height of the window
        for (const char* words : {"S.Read", "sequential read", "MB/s"})
            CHECK_THAT(summary["text"].get<std::string>(), ContainsSubstring(words));
        const auto phone = look_at(page, {.width = 390});
        REQUIRE(reason(phone) == "success");
        CHECK(phone->page["summary"]["table"]["bottom"].get<double>() <= 900);
    }
}

TEST_CASE("the content security policy blocks scripts and requests") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    const auto unwelcome = look_at(sample_page(), {.as_it_is = true});
    CHECK(reason(unwelcome).rfind("the probe did not run", 0) == 0);

    const std::string fetch = "console.error('planted'); fetch('http://127.0.0.1:9/planted').catch(() => {});";
    const auto is_planted = [](const std::string& url) { return url.find("planted") != std::string::npos; };
    std::string page = sample_page();
    const auto forbidden = look_at(page, {.extra_script = fetch});
    REQUIRE(reason(forbidden) == "success");
    CHECK_FALSE(forbidden->console.empty());
    CHECK(std::ranges::none_of(forbidden->requests, is_planted));
    // Proves that the probe detects requests and violations.
    const std::string policy = "Content-Security-Policy";
    page.replace(page.find(policy), policy.size(), "nothing");
    const auto allowed = look_at(page, {.extra_script = fetch});
    REQUIRE(reason(allowed) == "success");
    CHECK(std::ranges::any_of(allowed->requests, is_planted));
}

TEST_CASE("hostile names remain text in a browser") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    for (const int width : {390, 1400}) {
        const auto seen = look_at(page_of(hostile_campaign()), {.width = width, .open_folds = true});
        REQUIRE(reason(seen) == "success");
        CHECK(seen->page["heading"] == hostile_text);
        CHECK(seen->page["images"] == 0);
        CHECK(seen->page["taken"].is_null());
        CHECK(seen->page["charts"].size() > 10);
        CHECK(seen->page["overflow"] == 0);
        CHECK(listed(seen->requests) == "none");
        CHECK(listed(seen->console) == "none");
    }
}

TEST_CASE("tables become lists within the page width on a phone, folded or unfolded") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    const std::string page = sample_page();
    for (const bool open : {false, true}) {
        CAPTURE(open);
        const auto phone = look_at(page, {.width = 390, .open_folds = open});
        REQUIRE(reason(phone) == "success");
        CHECK(phone->page["width"] == 390);
        CHECK(phone->page["overflow"] == 0);
        CHECK(phone->page["beyond"] == json::array());
        CHECK(phone->page["cellsAsLines"].get<int>() > 100);
    }
    const auto desk = look_at(page, {.width = 1400, .open_folds = true});
    REQUIRE(reason(desk) == "success");
    CHECK(desk->page["overflow"] == 0);
    CHECK(desk->page["cellsAsLines"] == 0);
    CHECK(desk->page["tables"].get<int>() > 10);
}

TEST_CASE("the drawing of a layout is readable on phone and desktop, light and dark") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    const std::string page = sample_page();
    for (const int width : {390, 1400})
        for (const bool dark : {false, true}) {
            CAPTURE(width, dark);
            const auto seen = look_at(page, {.width = width, .dark = dark, .open_folds = true});
            REQUIRE(reason(seen) == "success");
            const json& layouts = seen->page["layouts"];
            CHECK(layouts.size() == 9);
            for (const json& layout : layouts) {
                const double left = layout["box"]["left"], right = layout["box"]["right"];
                CHECK(right - left > 250);
                CHECK(left >= 0);
                CHECK(right <= width);
                const json& regions = layout["regions"];
                const json& letters = layout["letters"];
                REQUIRE(regions.size() == letters.size());
                CHECK(regions[0]["left"].get<double>() == Approx(left).margin(1));
                CHECK(regions.back()["right"].get<double>() == Approx(right).margin(1));
                for (std::size_t i = 0; i < regions.size(); ++i) {
                    // Each letter is in its region on a readable background.
                    CHECK(letters[i]["left"].get<double>() >= regions[i]["left"].get<double>());
                    CHECK(letters[i]["right"].get<double>() <= regions[i]["right"].get<double>());
                    CHECK(letters[i]["bottom"].get<double>() <= regions[i]["bottom"].get<double>());
                    CHECK(contrast(letters[i]["fill"], regions[i]["fill"]) >= 4.5);
                }
                CHECK(layout["label"].get<std::string>().starts_with("Layout of the medium. a: "));
            }
        }
}

TEST_CASE("the details of the results are folded") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    const std::string page = sample_page();
    const auto seen = look_at(page);
    REQUIRE(reason(seen) == "success");
    CHECK(seen->page["folds"].size() > 10);
    for (const json& open : seen->page["folds"]) CHECK(open == false);
}

TEST_CASE("no element overlaps another or exceeds the page, at any width, colour scheme and folding") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    const std::string report = page_of(four_media()), sheets = certificates_of(four_media());
    for (const std::string* page : {&report, &sheets})
        for (const int width : {390, 768, 1400})
            for (const bool open : {false, true}) {
                CAPTURE(page == &report, width, open);
                const auto seen = look_at(*page, {.width = width, .dark = open, .open_folds = open});
                REQUIRE(reason(seen) == "success");
                CHECK(seen->page["overlaps"] == json::array());
                CHECK(seen->page["overflow"] == 0);
            }
}

TEST_CASE("the first screen shows the verdict of each medium with its cause, the ranking and the rates of all media") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    auto twelve = four_media();
    while (twelve.devices.size() < report::most_detailed) {
        twelve.devices.push_back(twelve.devices[twelve.devices.size() % 4]);
        twelve.devices.back().device.name += std::to_string(twelve.devices.size());
    }
    for (const int width : {390, 1400}) {
        CAPTURE(width);
        const auto seen = look_at(page_of(twelve), {.width = width});
        REQUIRE(reason(seen) == "success");
        const std::string text = seen->page["firstScreen"];
        for (const store::DeviceView& device : twelve.devices)
            CHECK_THAT(text, ContainsSubstring("\n" + device.device.name + "\n"));
        for (const char* words : {"lot 2026-41 incoming", "PASS", "MARGINAL", "FAKE", "INCONCLUSIVE", "holds 8.05 GB",
                                  "removed or lost contact", "so the order is not a claim"})
            CHECK_THAT(text, ContainsSubstring(words));
        if (width < 1400) continue;
        // The legend of a drawing is below its bars.
        const auto charts = seen->page["charts"];
        for (const char* id : {"summary-read", "summary-write"})
            CHECK(charts.at(id)["frame"]["bottom"].get<double>() <= 900);
    }
}

TEST_CASE("a report about four media prints on two to six sheets with complete results and charts") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    if (!has_poppler()) MEDIARIG_SKIP("pdfinfo and pdftotext (poppler-utils) are not installed");
    const auto printed = print(page_of(four_media()));
    REQUIRE(reason(printed) == "success");
    CHECK(printed->pages >= 2);
    CHECK(printed->pages <= 6);
    CHECK(listed(printed->faults) == "none");
    for (const char* words : {"FAKE", "INCONCLUSIVE", "How fast?", "Formats compared", "QuickBench"})
        CHECK_THAT(printed->text, ContainsSubstring(words));
    CHECK(printed->text.find("Everything it reports about itself") == std::string::npos);
}

TEST_CASE("each certificate is one A4 sheet, also for a device with maximal text") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    if (!has_poppler()) MEDIARIG_SKIP("pdfinfo and pdftotext (poppler-utils) are not installed");
    const auto printed = print(certificates_of(four_media()));
    REQUIRE(reason(printed) == "success");
    CHECK(printed->pages == 4);
    CHECK_THAT(printed->size, ContainsSubstring("(A4)"));
    CHECK(listed(printed->faults) == "none");
    CHECK_THAT(printed->text, ContainsSubstring("How to check this"));

    auto talkative = four_media();
    const std::string longest(5000, 'W');
    for (store::DeviceView& device : talkative.devices) {
        device.device.key = device.device.label = device.device.lot = device.device.slot = longest;
        device.device.identity.vendor = device.device.identity.model = device.device.identity.serial = longest;
        device.device.identity.usb->product = device.device.identity.node = longest;
        device.untested.assign(9, {.key = longest, .why = longest});
        for (store::PassView& pass : device.passes)
            for (const auto kind : {measure::FindingKind::io_error, measure::FindingKind::data_damaged,
                                    measure::FindingKind::slow_region, measure::FindingKind::rate_unstable})
                pass.findings.push_back({.kind = kind, .severity = measure::Severity::fault, .detail = longest});
        for (measure::LimitResult& result : device.verdict->limits) result.limit.metric = longest;
    }
    talkative.campaign.name = talkative.campaign.origin.cpu = longest;
    const auto full = print(certificates_of(talkative));
    REQUIRE(reason(full) == "success");
    CHECK(full->pages == 4);
    CHECK(listed(full->faults) == "none");
}
