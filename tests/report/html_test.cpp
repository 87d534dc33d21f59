// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iterator>

#include "host/report/charts/charts.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/report/hostile_campaign.hpp"
#include "tests/report/rendered.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace mediarig::tests;

TEST_CASE("the page loads no scripts, links, sources or imports, and its content policy forbids them") {
    const std::string page = page_of(fakes::sample_campaign());
    CHECK_THAT(page, ContainsSubstring("Content-Security-Policy\" content=\"default-src 'none'; style-src "
                                       "'unsafe-inline'\""));
    for (const char* part : {"<script", "<link", "<img", "<iframe", " src=", "@import", "url(", "href=\"http",
                             " on"
                             "click="}) {
        CAPTURE(part);
        CHECK(times(page, part) == 0);
    }
}

TEST_CASE("the page begins with the unfolded results, and the details are folded below") {
    const std::string page = page_of(fakes::sample_campaign());
    const std::string::size_type places[] = {
        page.find("<section id=\"summary\">"), page.find("<nav>"),
        page.find("<section id=\"devices\">"), page.find("<section id=\"formats\">"),
        page.find("<section id=\"speed\">"),   page.find("<div id=\"tables\">"),
        page.find("<div id=\"findings\">"),    page.find("<div id=\"method\">")};
    CHECK(std::is_sorted(std::begin(places), std::end(places)));
    CHECK(places[7] != std::string::npos);
    CHECK(times(page, "<details open") == 0);
    CHECK(times(page, "<details class=\"fold") == 8);
    CHECK(times(page, "<article class=\"card ") == 3);
    CHECK(times(page, "“31.1 ±0.6”: mean") == 1); // the explanation is printed once
}

namespace {

store::CampaignView campaign_of_many(std::size_t devices) {
    auto view = fakes::sample_campaign();
    for (std::size_t i = 0; view.devices.size() < devices; ++i) view.devices.push_back(view.devices[i]);
    return view;
}

} // namespace

TEST_CASE("the page begins with the summary of all media, worst first, and their rates in two drawings") {
    const std::string page = page_of(campaign_of_many(12));
    const std::string summary = page.substr(page.find("<section id=\"summary\">"), page.find("<nav>"));
    CHECK(times(summary, "<th role=\"rowheader\"") == 12);
    CHECK(summary.find("FAKE") < summary.find("MARGINAL"));
    CHECK(summary.find("MARGINAL") < summary.find("PASS"));
    for (const char* part :
         {"<span class=\"cause\">holds 8.05 GB</span>", "<a href=\"#medium-2\">bargain</a>",
          "<svg class=\"chart bars\" id=\"summary-read\"", "<svg class=\"chart bars\" id=\"summary-write\"",
          "QuickBench averages, 2 passes. S.Read, S.Write, R.Read, R.Write: MB/s.",
          "<p class=\"ranking\">Fewer than 4 passes, so the order is not a claim: sequential read under exFAT: "}) {
        CAPTURE(part);
        CHECK(times(summary, part) >= 1);
    }
    CHECK(times(page, "id=\"medium-2\"") == 1);
    CHECK(times(page, "<svg class=\"chart\" id=\"lot-") == 0);
}

TEST_CASE("the page of many media has the distributions of their rates instead of one bar for each") {
    const std::string page = page_of(campaign_of_many(30));
    CHECK(times(page, "<svg class=\"chart\" id=\"lot-") == 8);
    CHECK(times(page, "<svg class=\"chart bars\"") == 0);
    CHECK(times(page, "<article class=\"card ") == 30);
    const std::string summary = page.substr(page.find("<section id=\"summary\">"), page.find("<nav>"));
    CHECK(times(summary, "<th role=\"rowheader\"") == 30);
    CHECK_THAT(page, ContainsSubstring("<p class=\"note\">The worst 12 of 30 media"));

    // Without figures the remaining sections are tables, which are not printed on paper.
    auto unmeasured = campaign_of_many(30);
    for (store::DeviceView& device : unmeasured.devices) device.passes.clear();
    CHECK_THAT(page_of(std::move(unmeasured)),
               ContainsSubstring("<p class=\"on-screen note\">The worst 12 of 30 media"));
}

TEST_CASE("the page of a running campaign contains its time and the number of media not begun") {
    auto view = fakes::sample_campaign();
    const auto head = [&](const PageOptions& options) {
        const auto page = render_html(store::CampaignView(view), whole_already, options);
        REQUIRE(reason(page) == "success");
        return page->substr(0, page->find("</header>"));
    };
    const store::TimePoint made = std::chrono::sys_days(std::chrono::year(2026) / 11 / 26) + std::chrono::hours(11);
    CHECK_THAT(head({.made = made, .media = 3}),
               ContainsSubstring(" 3 media<") && !ContainsSubstring("not begun") && !ContainsSubstring("Made at"));
    view.campaign.state = store::CampaignState::running;
    CHECK_THAT(head({.made = made, .media = 20}),
               ContainsSubstring("running · 3 of 20 media begun<") &&
                   ContainsSubstring("Made at 2026-11-26 11:00:00 UTC, while the campaign was running.") &&
                   ContainsSubstring("not begun</span> <b>17</b>"));
}

TEST_CASE("the page of a thousand devices is smaller than 5 MB and needs few devices in memory") {
    const auto whole = fakes::sample_campaign();
    auto outline = whole;
    for (store::DeviceView& device : outline.devices) forget(device);
    for (std::size_t i = 0; outline.devices.size() < 1000; ++i) outline.devices.push_back(outline.devices[i]);
    std::size_t loaded = 0, most_at_once = 0;
    const LoadDevice load = [&](store::DeviceView& device) -> Result<void> {
        device = *std::ranges::find(whole.devices, device.device.name,
                                    [](const store::DeviceView& each) { return each.device.name; });
        ++loaded;
        const auto at_once =
            std::ranges::count_if(outline.devices, [](const store::DeviceView& each) { return !each.passes.empty(); });
        most_at_once = std::max(most_at_once, static_cast<std::size_t>(at_once));
        return {};
    };
    const auto page = render_html(std::move(outline), load);
    REQUIRE(reason(page) == "success");
    CHECK(loaded == 20);
    CHECK(most_at_once == most_detailed + 1);
    CHECK(page->size() < 5'000'000);
    CHECK(times(*page, "<article class=\"card ") == 20);
    CHECK(times(*page, "<svg class=\"chart\" id=\"lot-") == 8);
    CHECK_THAT(*page, ContainsSubstring("The worst 20 of 1000 media"));
    CHECK_THAT(*page, ContainsSubstring("The worst 12 of 1000 media"));
}

TEST_CASE("rendering a page fails if a device cannot be loaded") {
    const auto broken = [](store::DeviceView&) -> Result<void> { return fail(Errc::store_failed, "damaged"); };
    CHECK(reason(render_html(fakes::sample_campaign(), broken)) == "damaged");
    CHECK(reason(render_cards(fakes::sample_campaign(), broken, {})) == "damaged");
}

TEST_CASE("every chart of the page has a unique id") {
    const auto view = fakes::sample_campaign();
    const Figures figures(view);
    std::vector<Chart> charts = speed_charts(view, figures);
    std::ranges::move(detail_charts(view, figures), std::back_inserter(charts));
    const std::string page = page_of(view);
    CHECK(times(page, "<svg class=\"chart\"") == charts.size());
    for (const Chart& chart : charts) CHECK(times(page, "id=\"" + chart.id + "\"") == 1);
}

TEST_CASE("the sections of the page list verdicts, method and findings") {
    const std::string page = page_of(fakes::sample_campaign());
    for (const char* part :
         {"<span aria-hidden=\"true\">✓</span> PASS</span> fast: Sample", "</span> FAKE</span> bargain: Generic",
          "<dt>Genuine?</dt><dd>No. Claims 64.4 GB, holds 8.05 GB (12.5 %).</dd>",
          "<h3>QuickBench block sizes, MB/s</h3>",
          "<tr role=\"row\" class=\"summary\"><th role=\"rowheader\" scope=\"row\">Average</th>",
          "<dt>driver</dt><dd>exfat 6.1.0</dd>", "<dt>cache policy</dt><dd>direct, as requested</dd>",
          "<dt>formatter</dt><dd>mkfs.exfat 1.2.0 -L MEDIARIG -c 131072</dd>",
          "<dt>read back from the medium</dt><dd>cluster_size = 131072, fat_offset",
          "<dt>payload</dt><dd>incompressible, unique per position, seed 1</dd>",
          "<dt>span</dt><dd>268435456 bytes (268 MB)</dd>",
          "<dt>write cache flushed</dt><dd>yes, verified in every cell", "<code>capacity_missing</code>",
          "<h3>Damage map: bargain, raw pass 1</h3>", "<code>iops.random_read.p99_us</code>", "≤ 20000"}) {
        CAPTURE(part);
        CHECK(times(page, part) > 0);
    }
}

TEST_CASE("the page draws the checked places of a probe, with a legend") {
    auto view = fakes::sample_campaign();
    for (store::DeviceView& device : view.devices)
        for (store::PassView& pass : device.passes) {
            if (!pass.end || !pass.end->verify) continue;
            using workload::PlaceState;
            pass.end->verify->places = {{.offset = 0_B, .length = 4_KiB, .state = PlaceState::good},
                                        {.offset = 1_GiB, .length = 4_KiB, .state = PlaceState::slow},
                                        {.offset = 2_GiB, .length = 4_KiB, .state = PlaceState::unreadable},
                                        {.offset = 40_GiB, .length = 4_KiB, .state = PlaceState::not_kept}};
        }
    const std::string page = page_of(view);
    for (const char* part :
         {"<h3>Map of the checked places: bargain, raw pass 1</h3>", "<rect class=\"unchecked\" width=\"1000\"",
          "<rect class=\"slow\" x=\"", "<rect class=\"unreadable\" x=\"", "<span class=\"swatch slow\"></span> 1 slow",
          "<span class=\"swatch bad\"></span> 1 not kept", "<dt>Map</dt><dd><code>"}) {
        CAPTURE(part);
        CHECK(times(page, part) > 0);
    }
}

TEST_CASE("before and after: original and new formats are next to each other, with drawing and deviations") {
    const std::string page = page_of(fakes::sample_campaign());
    // Three cards, each with its original format, exFAT and APFS.
    CHECK(times(page, "<article class=\"holding\">") == 9);
    CHECK(times(page, "<svg class=\"layout\"") == 9);
    CHECK(times(page, "Upper bar: to scale. Lower bar: ") == 9);
    for (const char* part :
         {"<summary><h2>Before and after</h2></summary><div id=\"layout\">", "<h3>Usable bytes by format</h3>",
          "<h4 class=\"which\">As it came</h4><p class=\"muted\">Partition table: mbr</p>",
          "<h4 class=\"which\">exFAT</h4><p class=\"muted\">Made by mkfs.exfat 1.2.0 -L MEDIARIG -c 131072</p>",
          "<p>No deviation from the SD layout for its capacity or a sound layout.</p>",
          "<li class=\"warning\"><b>warning</b> volume 1, cluster heap offset: 3145728 (3 MiB) on the medium",
          "3145728 (3 MiB) on the medium, expected a multiple of 16777216 (16 MiB)",
          "<li class=\"note\"><b>note</b> medium, stale signature: backup GPT header at byte",
          "<dt>cluster heap offset</dt><dd>16777216 B (16 MiB)</dd>", "<dt>FAT length</dt><dd>8388608 B (8 MiB)</dd>",
          "<dt>cluster count</dt><dd>486992 clusters</dd>",
          "<dt>free for files</dt><dd>63830491136 bytes (63.8 GB)</dd>",
          "<summary>All other parameters</summary><dl><dt>partition start</dt><dd>16777216 B (16 MiB)</dd>"}) {
        CAPTURE(part);
        CHECK(times(page, part) > 0);
    }
    auto view = fakes::sample_campaign();
    view.devices[0].device.found->unread = {{.at = 4_KiB, .length = 512_B, .why = "cannot read: <worn out>"}};
    CHECK_THAT(page_of(view),
               ContainsSubstring("<p>Not read: 512 bytes at byte 4096: cannot read: &lt;worn out&gt;</p>"));
    for (store::DeviceView& device : view.devices)
        for (store::FormatRecord& made : device.made) made.seen.reset();
    CHECK(times(page_of(view), "<p>It could not be inspected.</p>") == 6);
    for (store::DeviceView& device : view.devices) {
        device.device.found.reset();
        device.made.clear();
        for (store::PassView& pass : device.passes) pass.pass.formatted.reset();
    }
    CHECK(times(page_of(view), "id=\"layout\"") == 0);
}

TEST_CASE("identity: values reported by a device have their source, and signs of a fake are marked as signs") {
    auto view = fakes::sample_campaign();
    std::string page = page_of(view);
    CHECK(times(page, "<summary>Everything it reports about itself</summary>") == 3);
    CHECK_THAT(page, ContainsSubstring("<summary><h2>Identity</h2></summary><div id=\"identity\">"));
    CHECK_THAT(page, ContainsSubstring("<td role=\"cell\" data-h=\"Value\" class=\"text wide\">SWIFT64000000117</td>"));
    // Two devices with the same identity: one value alone is not called a sign of a fake.
    const auto twins = [&] { return times(page_of(view), "<code>same_serial</code>"); };
    view.devices[1].device.identity = view.devices[0].device.identity;
    CHECK(twins() == 0);
    view.devices[1].device.identity.usb->port_path = "2-7";
    CHECK(twins() == 2);
    const auto headings = times(page_of(view), "Signs of a fake (indications, not proof");
    view.devices[0].device.identity.usb->vendor_id = "abcd";
    view.devices[0].device.identity.usb->product_id = "1234";
    view.devices[1].device.identity = view.devices[0].device.identity;
    view.devices[1].device.identity.usb->port_path = "2-7";
    page = page_of(view);
    CHECK(times(page,
                "Signs of a fake (indications, not proof: only a test that writes and verifies the whole capacity "
                "decides):") == headings + 2);
    CHECK_THAT(page, ContainsSubstring("; also seen on genuine sticks of brands that keep the ids of Alcor Micro"));
    store::CampaignView nothing;
    CHECK(times(page_of(nothing), "id=\"identity\"") == 0);
}

TEST_CASE("the page reports deviations of a measurement from the request") {
    auto view = fakes::sample_campaign();
    store::PassView& pass = view.devices[0].passes[1];
    pass.cells[0].evidence.used = workload::CachePolicy::dropped;
    pass.cells[0].evidence.page_cache_dropped = false;
    pass.cells[1].evidence.device_read.reset();
    const std::string page = page_of(view);
    CHECK_THAT(page, ContainsSubstring("<dd>dropped, direct used, direct requested</dd>"));
    CHECK_THAT(page, ContainsSubstring("<dt>page cache empty before reading</dt><dd>in 35 of 36 cells</dd>"));
    CHECK_THAT(page, ContainsSubstring("bytes; the device keeps no counter</dd>"));
}

TEST_CASE("the page does not break the options of a printed command at their hyphens") {
    CHECK_THAT(
        page_of(fakes::sample_campaign()),
        ContainsSubstring(R"(<span class="option">--certificate</span> <span class="option">--device</span> bargain)"));
}

TEST_CASE("text of users and media cannot become markup of the page") {
    const std::string page = page_of(tests::hostile_campaign());
    CHECK(times(page, "<img") == 0);
    CHECK(times(page, "onerror=\"") == 0);
    CHECK(times(page, "<script") == 0);
    CHECK(times(page, "</script") == 0);
    CHECK(times(page, "&lt;/script&gt;&lt;img src=x onerror=&quot;") > 20);
}

TEST_CASE("emulated media of the lab are marked as emulated and not as suspicious") {
    auto view = fakes::sample_campaign();
    CHECK_THAT(page_of(view), ContainsSubstring("Its identity is unusual, too: USB generic text (Generic): "));
    view.campaign.origin.agent = "lab";
    const std::string page = page_of(view);
    CHECK(times(page, "Signs of a fake") == 0);
    CHECK_THAT(page, ContainsSubstring("An emulated medium of the virtual lab"));
    CHECK_THAT(page, ContainsSubstring("What its emulator reports"));
}

TEST_CASE("a campaign without devices, passes or verdicts has a valid page") {
    store::CampaignView view;
    view.campaign.id = "empty";
    std::string page = page_of(view);
    CHECK_THAT(page, ContainsSubstring("<h1>empty</h1>"));
    CHECK(times(page, "<svg class=\"chart\"") == 0);
    view.devices.resize(1);
    view.devices[0].untested = {{.key = "apfs", .why = "no driver"}};
    view.devices[0].passes.resize(1);
    view.devices[0].passes[0].cells.resize(1);
    page = page_of(view);
    CHECK_THAT(page, ContainsSubstring("no verdict"));
    CHECK_THAT(page, ContainsSubstring("<dt>Not tested</dt><dd>apfs: no driver</dd>"));
    CHECK(times(page, "<svg class=\"chart\"") == 0);
}
