// SPDX-License-Identifier: GPL-3.0-or-later
/// The row "Next" of a card: commands to be copied into a shell.
#include <fmt/format.h>

#include <algorithm>

#include "host/campaign/run/assess.hpp"
#include "host/report/cards/card.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"

using namespace mediarig;
using namespace mediarig::report;

namespace {

std::vector<std::string> next_lines(const store::CampaignView& view) {
    const ReportCard card = card_of(view, 0);
    const auto found = std::ranges::find(card.rows, "Next", &CardRow::title);
    return found == card.rows.end() ? std::vector<std::string>{} : found->lines;
}

/// A stick written by one pass.
store::CampaignView measured_stick() {
    store::CampaignView view;
    view.campaign.id = "c1";
    view.campaign.state = store::CampaignState::finished;
    store::DeviceView& device = view.devices.emplace_back();
    device.device.name = "stick";
    device.device.identity.node = "/dev/sdb";
    device.device.identity.serial = "AB12";
    device.device.identity.transport = media::Transport::usb;
    device.device.identity.size = 64'000'000'000_B;
    store::PassView& pass = device.passes.emplace_back();
    pass.pass.id = "pass 1";
    pass.pass.repeat = 1;
    pass.pass.format = "exfat";
    pass.pass.job.suite = "quickbench";
    pass.cells.push_back(fakes::sample_cell("standard", workload::Access::sequential_write, 64_KiB, 64_MiB, 40));
    device.verdict = campaign::assess(device, {});
    return view;
}

} // namespace

TEST_CASE("the suggested command can be copied and never contains text reported by a medium") {
    auto view = measured_stick();
    CHECK(next_lines(view) ==
          std::vector<std::string>{
              "To prove its capacity: mediarig verify /dev/sdb --confirm AB12 (erases it)",
              "To detect a fake in half a minute: mediarig verify /dev/sdb --confirm AB12 --probe (erases it)"});
    view.devices[0].device.identity.serial = "x; rm -rf ~";
    CHECK_THAT(next_lines(view).front(), ContainsSubstring("--confirm SERIAL (erases it)"));
    // The user typed the path of an image, so it is trusted.
    media::Medium& image = view.devices[0].device.identity;
    image.serial.clear();
    image.transport = media::Transport::image;
    for (const auto& [path, typed] :
         {std::pair{"/srv/my card.img", "'/srv/my card.img'"}, std::pair{"/srv/it's.img", "'/srv/it'\\''s.img'"},
          std::pair{"/srv/\x1b[31m.img", "DEVICE"}}) {
        image.node = image.backing_file = path;
        CHECK_THAT(next_lines(view).front(), ContainsSubstring(": mediarig verify " + std::string(typed) + " --"));
    }
    view.campaign.origin.agent = "lab";
    CHECK(next_lines(view).empty());
}

TEST_CASE("a recorded command is printed only if it has the form of commands written by mediarig run") {
    auto view = measured_stick();
    view.devices[0].verdict.reset();
    view.campaign.state = store::CampaignState::interrupted;
    for (const char* written : {"mediarig run 'Los ä 1.json' --resume --store '/srv/it'\\''s.db' --lanes 4",
                                "mediarig run /srv/lot.json --resume --rig /dev/ttyACM0"}) {
        view.campaign.origin.resume_with = written;
        CHECK(next_lines(view) == std::vector<std::string>{"Resume with: " + std::string(written)});
    }
    for (const char* foreign :
         {"mediarig run x; touch /tmp/pwned #", "mediarig run 'x' --resume; touch /tmp/pwned",
          "mediarig run x --resume --store $(touch)", "mediarig run x --resume --agent sudo", "rm -rf x --resume",
          "mediarig run 'x --resume", "mediarig run \u202ex --resume", "mediarig run x  --resume",
          "mediarig run --abandon --resume", "mediarig run Los 1.json --resume"}) {
        CAPTURE(foreign);
        view.campaign.origin.resume_with = foreign;
        CHECK(next_lines(view) == std::vector<std::string>{"Test it again."});
    }
}

TEST_CASE("a card in a layout other than the SD layout gets a hint to the SD layout") {
    auto view = fakes::sample_campaign();
    store::DeviceView& card = view.devices[0];
    const auto told = [&] {
        return std::ranges::count(next_lines(view), "To give it the SD layout: mediarig format " +
                                                        card.device.identity.node + " --profile sd --confirm " +
                                                        card.device.identity.serial + " (erases it)");
    };
    CHECK(told() == 0);
    REQUIRE(card.verdict);
    card.verdict->grade = measure::Grade::pass;
    card.device.identity.transport = media::Transport::mmc;
    card.device.found = card.made.front().seen;
    CHECK(told() == 1);
    card.verdict->grade = measure::Grade::fail;
    CHECK(told() == 0);
}

TEST_CASE("a medium whose last test overwrote its file system gets the command that makes one") {
    auto view = measured_stick();
    store::DeviceView& stick = view.devices[0];
    const auto told = [&](const char* options) {
        return std::ranges::count(next_lines(view),
                                  fmt::format("It has no file system now; to make one: mediarig format /dev/sdb {} "
                                              "--confirm AB12",
                                              options));
    };
    CHECK(told("--fs exfat") == 0); // exFAT was mounted last
    stick.passes.back().pass.format = "raw";
    REQUIRE(stick.verdict);
    for (const auto grade : {measure::Grade::pass, measure::Grade::marginal, measure::Grade::measured,
                             measure::Grade::sampled, measure::Grade::probed}) {
        stick.verdict->grade = grade;
        CHECK(told("--fs exfat") == 1);
    }
    for (const auto grade : {measure::Grade::fake, measure::Grade::fail, measure::Grade::inconclusive}) {
        stick.verdict->grade = grade;
        CHECK(told("--fs exfat") == 0);
    }
    stick.verdict->grade = measure::Grade::pass;
    stick.device.identity.transport = media::Transport::mmc;
    CHECK(told("--profile sd") == 1);
    view.campaign.origin.agent = "lab";
    CHECK(next_lines(view).empty());
}
