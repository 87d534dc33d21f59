// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/cards/lot.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/report/rendered.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace mediarig::tests;
using measure::FindingKind, measure::Severity;

namespace {

measure::Finding found(FindingKind kind, const std::string& detail, Severity severity, std::uint64_t count = 1) {
    return {.kind = kind, .severity = severity, .detail = detail, .offset = {}, .length = {}, .count = count};
}

/// A number of media, each with these findings.
store::CampaignView lot_of(std::size_t count, const measure::Findings& findings) {
    store::CampaignView view;
    view.campaign = {.id = "c1", .name = "lot", .state = store::CampaignState::finished};
    for (std::size_t i = 0; i < count; ++i) {
        store::DeviceView device;
        device.device.name = device.device.key = "card" + std::to_string(i + 1);
        device.findings = findings;
        view.devices.push_back(std::move(device));
    }
    return view;
}

} // namespace

TEST_CASE("a note common to all media is printed once in terminal and page") {
    const auto view = lot_of(3, {found(FindingKind::slow_region, "half as fast", Severity::note),
                                 found(FindingKind::not_monotone, "does not fit", Severity::warning)});
    for (const std::string& text : {cards_text_of(view, {.width = 100}), page_of(view)}) {
        INFO(text);
        const std::string cards = text.substr(0, text.find("id=\"findings\""));
        CHECK(times(cards, "note slow region") == 1);
        CHECK(times(cards, "All 3 media") == 1);
        CHECK(cards.find("note slow region") > cards.rfind("warning not monotone"));
        // Findings above a note belong to each medium.
        CHECK(times(cards, "warning not monotone") == 3);
    }
    const std::string text = cards_text_of(view, {.width = 100});
    CHECK_THAT(text, ContainsSubstring("\n\nAll 3 media\nWarnings    note slow region: half as fast\n"));
}

TEST_CASE("a note remains on the cards if one medium lacks it or there is only one medium") {
    auto view = lot_of(3, {found(FindingKind::slow_region, "half as fast", Severity::note)});
    view.devices[1].findings.clear();
    CHECK(times(cards_text_of(view, {}), "note slow region") == 2);
    CHECK(times(cards_text_of(view, {}), "All 3 media") == 0);
    const auto alone = lot_of(1, {found(FindingKind::slow_region, "half as fast", Severity::note)});
    CHECK(times(cards_text_of(alone, {}), "note slow region") == 1);
    CHECK(times(cards_text_of(alone, {}), "All 1 media") == 0);
    // The note also remains on the cards if it is a warning on one medium.
    view = lot_of(2, {found(FindingKind::slow_region, "half as fast", Severity::note)});
    view.devices[1].findings[0].severity = Severity::warning;
    CHECK(times(cards_text_of(view, {}), "All 2 media") == 0);
}

TEST_CASE("notes with different counts or texts are merged with their number and first sentence") {
    auto view = lot_of(2, {found(FindingKind::slow_region, "half as fast at 1 GB; look there", Severity::note, 3)});
    view.devices[1].findings[0].count = 12;
    CHECK_THAT(cards_text_of(view, {}),
               ContainsSubstring("note slow region, 3 to 12 times each: half as fast at 1 GB\n"));
    view.devices[1].findings[0].count = 3;
    view.devices[1].findings[0].detail = "half as fast at 2 GB; look there";
    CHECK_THAT(cards_text_of(view, {}), ContainsSubstring("note slow region, 3 times each: half as fast at 1 GB\n"));
}

TEST_CASE("common notes include only media with cards and do not count towards the findings of a card") {
    measure::Findings findings;
    for (const FindingKind kind : {FindingKind::slow_region, FindingKind::not_monotone, FindingKind::io_error,
                                   FindingKind::medium_lost, FindingKind::data_damaged, FindingKind::capacity_unclear})
        findings.push_back(found(kind, "x", kind == FindingKind::slow_region ? Severity::note : Severity::warning));
    const auto few = lot_of(2, findings);
    CHECK(times(cards_text_of(few, {}), "more kinds of findings") == 0);
    const std::string text = cards_text_of(lot_of(20, findings), {});
    CHECK_THAT(text, ContainsSubstring("Each of these 8 media\n"));
}
