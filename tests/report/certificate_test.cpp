// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/html/certificate.hpp"

#include <algorithm>

#include "host/base/process/run_process.hpp"
#include "host/report/output/results_json.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/json.hpp"
#include "tests/report/hostile_campaign.hpp"
#include "tests/report/rendered.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace mediarig::tests;

namespace {

/// Returns the output of another program for these bytes on its standard input.
std::string judged_by(std::vector<std::string> arguments, const std::string& bytes) {
    const std::string program = arguments.front();
    arguments.erase(arguments.begin());
    const auto finished = process::run_process(
        {.program = program, .arguments = std::move(arguments), .output_limit = 64_MiB, .input = bytes});
    REQUIRE(reason(finished) == "success");
    REQUIRE(finished->succeeded());
    return finished->out;
}

} // namespace

TEST_CASE("a certificate has a sheet for each device with claimed capacity, real capacity and first findings") {
    const std::string page = certificates_of(fakes::sample_campaign());
    CHECK(times(page, "<article class=\"certificate\">") == 3);
    for (const char* part :
         {"</span> FAKE</span> It holds less than it claims.",
          "<dt>Claims</dt><dd>64.4 GB (64424509440 bytes); Windows shows it as 60.0 GB</dd>",
          "<dt>Holds</dt><dd>8.05 GB (8053063680 bytes)</dd>", "aria-label=\"12.5 % of the claimed capacity exists\"",
          "<dt>First bad byte</dt><dd>0; expected: data written there; found: data written at byte 8053063680",
          "mediarig verify DEVICE --confirm ", "mediarig results 01997f3a-5c10-7b1e-9d7a-3f2b8c6d5e4f --device "}) {
        CAPTURE(part);
        CHECK(times(page, part) > 0);
    }
    CHECK(times(page, "<h2>How to check this</h2>") == 3);
    CHECK(times(page, "<script") == 0);
    // The fault is already printed in the row above.
    CHECK(times(page, "capacity missing") == 0);
    // The device node of the station may be another disk on the reader's machine.
    CHECK(times(page, "/dev/") == 0);
    CHECK_THAT(page, ContainsSubstring("default-src 'none'"));
}

TEST_CASE("a certificate of a missing medium states no claimed capacity") {
    store::CampaignView view;
    view.campaign.id = "c1";
    view.campaign.state = store::CampaignState::finished;
    store::DeviceView& device = view.devices.emplace_back();
    device.device.name = "card-17";
    device.untested = {{.key = "m0.identify", .why = "no such device"}};
    device.verdict = measure::Verdict{.grade = measure::Grade::inconclusive, .untested = device.untested.front()};
    const std::string page = certificates_of(view);
    CHECK_THAT(page, ContainsSubstring("<dt>Claims</dt><dd>not known: the medium could not be identified</dd>") &&
                         ContainsSubstring("Not tested: identify: no such device.") && !ContainsSubstring("0 B") &&
                         !ContainsSubstring("Identifies itself as"));
}

TEST_CASE("a certificate has the grade of the record, and names the unproven capacity if PASS depends only on limits") {
    using measure::Grade;
    auto view = fakes::sample_campaign();
    store::DeviceView& device = view.devices[0];
    view.devices.resize(1);
    const auto sheet_of = [&](Grade grade, Bytes good, bool probed, std::vector<measure::LimitResult> limits = {}) {
        device.verdict = measure::Verdict{.grade = grade, .limits = std::move(limits), .reasons = {"the reason"}};
        workload::VerifyOutcome outcome;
        outcome.claimed = 64'000'000'000_B;
        outcome.good = good;
        if (probed) outcome.probe = workload::ProbeEffort{.assumed_cache = 537'000'000_B};
        for (store::PassView& pass : device.passes)
            if (pass.end && pass.end->verify) pass.end->verify = outcome;
        return certificates_of(view);
    };
    const std::string proven = sheet_of(Grade::pass, 64'000'000'000_B, false);
    CHECK_THAT(proven,
               ContainsSubstring("</span> PASS</span> The reason.") && !ContainsSubstring("capacity is not proven"));
    for (const Grade grade : {Grade::measured, Grade::sampled, Grade::probed, Grade::formatted}) {
        const std::string unproven = sheet_of(grade, 67'000'000_B, grade == Grade::probed);
        CHECK_THAT(unproven,
                   ContainsSubstring("</span> " + std::string(measure::name_of(grade)) + "</span> The reason."));
        CHECK(times(unproven, "PASS") == 0);
        CHECK(times(unproven, "no verdict") == 0);
    }
    CHECK_THAT(sheet_of(Grade::probed, 1_MiB, true),
               ContainsSubstring("a cache of more than 537 MB could have misled it"));
    const measure::LimitResult met{.limit = {.min = 1}, .values = {2}, .figure = 2, .grade = Grade::pass};
    CHECK_THAT(sheet_of(Grade::pass, 67'000'000_B, false, {met}),
               ContainsSubstring("</span> PASS</span> The limit is met; no faults found. Its capacity is not proven."));
}

TEST_CASE("a certificate of a directory states the free space and no claimed capacity") {
    auto view = fakes::sample_campaign();
    view.devices.resize(1);
    media::Medium& medium = view.devices[0].device.identity;
    medium.transport = media::Transport::directory;
    medium.size = 29'200'000'000_B;
    const std::string page = certificates_of(view);
    CHECK(times(page, "Claim") == 0);
    CHECK(times(page, "Windows shows it as") == 0);
    CHECK_THAT(page, ContainsSubstring("29.2 GB free"));
}

TEST_CASE("a certificate contains no private data of its issuer") {
    auto view = fakes::sample_campaign();
    view.devices.resize(1);
    media::Medium& medium = view.devices[0].device.identity;
    medium.serial = "4C530001";
    CHECK_THAT(certificates_of(view), ContainsSubstring("mediarig verify DEVICE --confirm 4C530001"));
    medium.serial = "two words";
    CHECK_THAT(certificates_of(view), ContainsSubstring("mediarig verify DEVICE --confirm SERIAL"));
    medium.transport = media::Transport::image;
    medium.node = "/home/seller/card.img";
    const std::string image = certificates_of(view);
    CHECK_THAT(image, ContainsSubstring("mediarig verify IMAGE --confirm IMAGE"));
    CHECK(times(image, "/home/seller") == 0);
    view.campaign.origin.agent = "lab";
    const std::string emulated = certificates_of(view);
    CHECK_THAT(emulated, ContainsSubstring("emulated medium of the virtual lab"));
    CHECK(times(emulated, "mediarig verify") == 0);
}

TEST_CASE("a certificate prints a capacity in decimal units and as Windows shows it, also for a small medium") {
    auto view = fakes::sample_campaign();
    store::DeviceView& device = view.devices[0];
    device.device.identity.size = {67'108'864};
    workload::VerifyOutcome outcome;
    outcome.claimed = outcome.good = {67'108'864};
    outcome.probe = workload::ProbeEffort{};
    outcome.probe->rounds = 1;
    outcome.probe->read = {999};
    for (store::PassView& pass : device.passes)
        if (pass.end && pass.end->verify) pass.end->verify = outcome;
    const std::string page = certificates_of(view);
    CHECK_THAT(page, ContainsSubstring("67.1 MB (67108864 bytes); Windows shows it as 64.0 MB"));
    CHECK_THAT(page, ContainsSubstring("1 round of writing and reading back, 999 B read"));
}

TEST_CASE("the checksum on a certificate is the SHA-256 of the results record of that device") {
    const auto view = fakes::sample_campaign();
    const std::string page = certificates_of(view);
    for (const store::DeviceView& device : view.devices) {
        const std::string record = device_record(view.campaign, device);
        CHECK_THAT(page, ContainsSubstring(sha256_of(record)));
        CHECK(judged_by({"sha256sum"}, record) == sha256_of(record) + "  -\n");
    }
    // A changed record has another checksum.
    auto changed = view;
    changed.devices[0].passes[0].cells[0].operations += 1;
    CHECK(times(certificates_of(changed), sha256_of(device_record(view.campaign, view.devices[0]))) == 0);
}

TEST_CASE("another JSON writer with sorted members and two spaces per level produces the same record") {
    const auto view = fakes::sample_campaign();
    const std::string record = device_record(view.campaign, view.devices[0]);
    const std::string same =
        "import json, sys; data = sys.stdin.buffer.read().decode(); "
        "again = json.dumps(json.loads(data), indent=2, sort_keys=True, ensure_ascii=False); "
        "sys.exit(again + '\\n' != data)";
    CHECK(judged_by({"python3", "-c", same}, record).empty());
    CHECK(nlohmann::json::parse(record) == results_json({.campaign = view.campaign, .devices = {view.devices[0]}}));
}

TEST_CASE("SHA-256 agrees with FIPS 180-4") {
    CHECK(sha256_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_of(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a certificate lists untested parts and then does not call the medium good") {
    store::CampaignView view;
    view.campaign.id = "c1";
    view.devices.resize(1);
    store::DeviceRecord& device = view.devices[0].device;
    device.key = "usb-1";
    device.identity.size = 64'000'000'000_B;
    device.identity.transport = media::Transport::usb;
    const std::string page = certificates_of(view);
    CHECK_THAT(page, ContainsSubstring("no verdict"));
    CHECK_THAT(page, ContainsSubstring("Not tested: no test wrote and read back the claimed capacity."));
    CHECK(times(page, "<dt>Holds</dt>") == 0);
    CHECK(times(page, "<svg") == 0);
}

TEST_CASE("texts reported by a medium are escaped on a certificate and truncated to the sheet") {
    auto view = hostile_campaign();
    for (store::DeviceView& device : view.devices) device.device.label = std::string(5000, 'x');
    const std::string page = certificates_of(view);
    CHECK(times(page, "<img") == 0);
    CHECK(times(page, "</script") == 0);
    CHECK(times(page, std::string(231, 'x')) == 0);
    CHECK(times(page, std::string(230, 'x') + "…") == 3);
    CHECK_THAT(page, ContainsSubstring("mediarig results CAMPAIGN --device KEY --json"));
}
