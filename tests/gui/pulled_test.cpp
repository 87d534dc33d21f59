// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the window while the medium of a campaign is pulled, at each step of the campaign. The session and its socket
/// are real, and the media are emulated.
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>

#include "tests/campaign/campaign_fixture.hpp"
#include "tests/gui/watched.hpp"

using namespace mediarig;
using namespace mediarig::gui;

namespace {

const std::string verified_and_measured = R"({
    "mediarig_plan": 1, "name": "pulled",
    "media": [{"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"}],
    "formats": ["exfat"],
    "suites": [{"suite": "verify", "where": "raw"}, {"suite": "disktester", "quick": true}]
})";

struct Pulled {
    const char* method;
    std::size_t occurrence; ///< number of the call of this method, from 0
    const char* step;       ///< as in the line about the step
};
std::ostream& operator<<(std::ostream& out, const Pulled& at) {
    return out << at.step;
}

/// Number of the call, as fail_at() counts calls.
std::size_t place_of(const Pulled& at) {
    campaign::CampaignFixture whole;
    REQUIRE(whole.run(campaign::plan_of(verified_and_measured)));
    std::size_t counted = 0, seen = 0;
    for (const auto& call : whole.link.calls) {
        if (call.method == "cancel") continue;
        if (call.method == at.method && seen++ == at.occurrence) return counted;
        ++counted;
    }
    FAIL("the campaign never asks for " << at.method);
    return 0;
}

} // namespace

TEST_CASE("window: a pulled medium is reported on every page") {
    const Pulled at =
        GENERATE(Pulled{"identify", 0, "identify"}, Pulled{"claim", 0, "claim"}, Pulled{"run", 0, "verify"},
                 Pulled{"format", 0, "format exfat"}, Pulled{"mount", 0, "mount exfat"},
                 Pulled{"run", 1, "disktester on exfat"}, Pulled{"check", 0, "check exfat"});
    CAPTURE(at);
    const std::string why = "no medium is in /dev/sdx any more";
    const std::size_t place = place_of(at);
    campaign::CampaignFixture campaign;
    campaign.link.fail_at(place, {Errc::no_medium, why});
    Watched watched;
    campaign.watch = [&](const campaign::SessionEvent& event) { watched.server.publish(event); };
    REQUIRE(campaign.run(campaign::plan_of(verified_and_measured)));
    REQUIRE(QTest::qWaitFor([&] {
        watched.pass();
        return !watched.ended.empty();
    }));
    // The log shows the step and the reason.
    const std::string log = watched.child<QPlainTextEdit>("log").toPlainText().toStdString();
    CAPTURE(log);
    bool told = false;
    for (std::size_t from = 0; from < log.size();) {
        const std::size_t end = std::min(log.find('\n', from), log.size());
        const std::string line = log.substr(from, end - from);
        told = told || (line.find(" FAILED after ") != std::string::npos && line.find(at.step) != std::string::npos &&
                        line.find(why) != std::string::npos);
        from = end + 1;
    }
    CHECK(told);
    // The page shows above the lanes that the campaign is incomplete, and the buttons are disabled.
    CHECK(watched.child<QLabel>("message").text().toStdString().find(why) != std::string::npos);
    CHECK(!watched.child<QPushButton>("stop").isEnabled());
    CHECK(!watched.child<QPushButton>("pause").isEnabled());
    picture(watched.page, QString("window-pulled-%1-%2").arg(at.method).arg(at.occurrence));
    // Earlier measurements are kept, and no medium stays claimed.
    CHECK(campaign.link.open_claims() == 0);
    CHECK(campaign.link.open_mounts() == 0);
    const auto& view = campaign.store.views["c1"];
    if (std::string(at.method) == "format") {
        REQUIRE(!view.devices.empty());
        CHECK(view.devices.front().passes.size() == 1);
        CHECK(view.devices.front().passes.front().end.has_value());
    }
}
