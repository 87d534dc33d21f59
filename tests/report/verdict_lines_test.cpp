// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/terminal.hpp"

#include <string>

#include "tests/catch.hpp"
#include "tests/report/rendered.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace mediarig::tests;
using measure::Grade;

namespace {

store::CampaignView lot(const std::vector<std::optional<Grade>>& grades) {
    store::CampaignView view;
    view.campaign = {.id = "c1", .name = "lot", .state = store::CampaignState::finished};
    for (const auto& grade : grades) {
        store::DeviceView device;
        device.device.name = device.device.key = "card" + std::to_string(view.devices.size() + 1);
        if (grade) device.verdict = measure::Verdict{.grade = *grade};
        view.devices.push_back(std::move(device));
    }
    return view;
}

std::string lines_of(store::CampaignView view, std::size_t media, Colour colour = Colour::plain) {
    const auto text = render_verdicts(std::move(view), tests::whole_already, media, colour);
    REQUIRE(reason(text) == "success");
    return *text;
}

} // namespace

TEST_CASE("the verdicts of a lot are one line per medium in the order of the plan, then the number per grade") {
    auto view = lot({Grade::pass, Grade::fail, Grade::pass, Grade::inconclusive});
    view.devices[1].verdict->reasons = {"the file system is damaged"};
    view.devices[3].verdict->untested = measure::Untested{.key = "m3.r1.apfs.quickbench", .why = "no driver"};
    CHECK(lines_of(view, 4) ==
          "card1: PASS\n"
          "card2: FAIL: The file system is damaged.\n"
          "card3: PASS\n"
          "card4: INCONCLUSIVE: Not tested: quickbench on apfs: no driver.\n"
          "4 media: 2 PASS, 1 INCONCLUSIVE, 1 FAIL\n");
}

TEST_CASE("the verdict of a single medium has no number per grade, and for PASS no reason") {
    CHECK(lines_of(lot({Grade::pass}), 1) == "card1: PASS\n");
}

TEST_CASE("an unfinished campaign reports its judged media, and proven capacities of the other media") {
    auto view = lot({Grade::pass, std::nullopt, std::nullopt});
    view.campaign.state = store::CampaignState::interrupted;
    store::PassView pass;
    pass.pass.format = "raw";
    pass.end.emplace();
    pass.end->verify =
        workload::VerifyOutcome{.claimed = 64_MiB, .good = 64_MiB, .verdict = workload::CapacityVerdict::good};
    view.devices[1].passes.push_back(std::move(pass));
    std::size_t loaded = 0;
    const auto text = render_verdicts(
        std::move(view),
        [&](store::DeviceView&) -> Result<void> {
            ++loaded;
            return {};
        },
        5);
    REQUIRE(reason(text) == "success");
    CHECK(loaded == 2);
    CHECK(*text ==
          "card1: PASS\n"
          "card2: no verdict: Not judged: the campaign did not finish. Genuine? Yes. It has the claimed capacity: all "
          "67.1 MB were written, read back and compared.\n"
          "card3: no verdict: Not judged: the campaign did not finish.\n"
          "1 of 5 media judged: 1 PASS\n");
    CHECK(lines_of(lot({}), 3) == "0 of 3 media judged\n");
}

TEST_CASE("verdict lines escape names, use colour on request and fail for an unreadable device") {
    auto view = lot({Grade::pass, std::nullopt});
    view.devices[0].device.name = "\033[2J\n";
    const std::string plain = lines_of(view, 2);
    CHECK(plain.find('\033') == std::string::npos);
    CHECK(std::count(plain.begin(), plain.end(), '\n') == 3);
    CHECK(lines_of(lot({Grade::fake}), 1, Colour::ansi).find("\033[1;31mFAKE\033[0m") != std::string::npos);
    const auto broken = [](store::DeviceView&) -> Result<void> { return fail(Errc::store_failed, "damaged"); };
    CHECK(reason(render_verdicts(std::move(view), broken, 2)) == "damaged");
}
