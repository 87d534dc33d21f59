// SPDX-License-Identifier: GPL-3.0-or-later
/// Causes faults of the medium, the agent and the guest during a campaign in the lab. Each test boots the lab once.
#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include "host/app/lab/lab_route.hpp"
#include "host/campaign/run/campaign.hpp"
#include "host/lab/image/guest_image.hpp"
#include "host/plan/parse_plan.hpp"
#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/e2e/require_lab.hpp"
#include "tests/sample.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
namespace asio = boost::asio;

namespace {

/// The image that `mediarig lab build` makes for the agent next to the tested program.
lab::ImageOptions image_of_this_build() {
    auto options = lab::default_image_options();
    options.agent = std::filesystem::path(mediarig_program()).parent_path() / "mediarig-agent-static";
    return options;
}

plan::Plan plan_of(const Folder& folder, const std::string& kinds,
                   const std::string& card = R"({"claimed_bytes": "256MiB"})") {
    write_file(folder / "card.json", card);
    std::string media, lab;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const std::string comma = i > 0 ? "," : "";
        media += fmt::format(R"({}{{"slot": {}, "name": "m{}"}})", comma, i + 1, i + 1);
        lab += fmt::format(R"({}{{"slot": {}, "kind": "{}", "card": "{}"}})", comma, i + 1,
                           kinds[i] == 'r' ? "reader" : "usb", (folder / "card.json").string());
    }
    const auto plan = plan::parse_plan(R"({"mediarig_plan": 1, "media": [)" + media + R"(], "lab": [)" + lab +
                                       R"(], "formats": ["exfat"], "suites": [
            {"suite": "quickbench", "quick": true, "blocks": ["4KiB", "64KiB"], "span": "32MiB", "volume": "8MiB"}]})");
    REQUIRE(plan);
    return *plan;
}

/// Runs the plan in a separate lab. `at` is called with every event and may cause a fault.
struct Broken {
    Result<campaign::Summary> summary = fail(Errc::io_failed, "the session never ended");
    store::CampaignView view;
};
using Break = std::function<asio::awaitable<void>(app::LabRoute&)>;

Broken run_and_break(const Folder& folder, const plan::Plan& plan, const std::string& during, const Break& how,
                     bool resumed = false) {
    Broken result;
    const auto store = store::open_store(folder / "r.db");
    REQUIRE(store);
    auto setup = app::set_up_lab(plan.lab, folder / "lab" / "media");
    REQUIRE(setup);
    app::LabRoute route(std::move(*setup), folder / "lab" / "media", image_of_this_build());
    campaign::StopSignal stop;
    bool broken = false;
    // Created outside the coroutine, because GCC 12 destroys some aggregates twice that are created inside a coroutine.
    const campaign::Clock clock = campaign::Clock::system();
    const campaign::Campaign campaign{.id = "c1", .origin = {}, .resumed = resumed};
    asio::any_io_executor executor;
    const campaign::OnEvent sink = [&](const campaign::SessionEvent& event) {
        const auto* progress = std::get_if<campaign::StepProgress>(&event.body);
        if (broken || progress == nullptr || during.empty() || progress->phase.find(during) == std::string::npos)
            return;
        broken = true;
        asio::co_spawn(executor, how(route), asio::detached);
    };
    const app::AgentWork work = [&](agent::AgentClient& agent,
                                    const agent::HelloReport&) -> asio::awaitable<Result<void>> {
        executor = co_await asio::this_coro::executor;
        store::AsyncStore kept(**store, co_await asio::this_coro::executor);
        const campaign::CampaignPorts ports{agent, kept, sink, clock, route.rig()};
        result.summary = co_await campaign::run_campaign(plan, campaign, ports, stop);
        co_return Result<void>{};
    };
    const auto done = app::with_route(route, stop, work);
    INFO((done ? std::string("closed in order") : done.error().detail));
    REQUIRE(result.summary);
    CHECK(broken != during.empty());
    auto view = (*store)->load("c1");
    REQUIRE(view);
    result.view = std::move(*view);
    return result;
}

/// Findings about a device, and its untested parts, from the record.
std::string told_about(const store::DeviceView& device) {
    std::string told;
    for (const measure::Untested& each : device.untested) told += each.key + ": " + each.why + "\n";
    for (const auto& finding : device.findings) told += finding.detail + "\n";
    for (const auto& pass : device.passes)
        for (const auto& finding : pass.findings) told += finding.detail + "\n";
    return told;
}

asio::awaitable<void> nothing(app::LabRoute&) {
    co_return;
}

} // namespace

TEST_CASE("a medium removed during a write gives a finding, and the campaign continues and resumes") {
    MEDIARIG_LAB_PART(2);
    NEEDS_LAB();
    const Folder folder;
    const plan::Plan plan = plan_of(folder, "uu");
    const Break pull = [](app::LabRoute& lab) -> asio::awaitable<void> {
        (void)co_await lab.machine()->unplug(SlotId{1});
    };
    const Broken broken = run_and_break(folder, plan, "write", pull);
    CHECK(broken.summary->incomplete);
    REQUIRE(broken.summary->grades.size() == 2);
    CHECK(broken.summary->grades[0].grade != measure::Grade::pass);
    CHECK(broken.summary->grades[1].grade == measure::Grade::measured);
    CHECK_FALSE(told_about(broken.view.devices.at(0)).empty());

    const Broken again = run_and_break(folder, plan, "", nothing, true);
    CHECK(again.summary->grades.at(1).grade == measure::Grade::measured);
}

TEST_CASE("a kernel panic of the guest is a fault of the rig, and the campaign resumes after a new boot") {
    MEDIARIG_LAB_PART(4);
    NEEDS_LAB();
    const Folder folder;
    const plan::Plan plan = plan_of(folder, "ur");
    const Break panic = [](app::LabRoute& lab) -> asio::awaitable<void> {
        std::string script = "echo 1 > /proc/sys/kernel/sysrq; echo c > /proc/sysrq-trigger";
        (void)co_await lab.machine()->diagnose(std::move(script), std::chrono::seconds(30));
    };
    const Broken broken = run_and_break(folder, plan, "write", panic);
    CHECK(broken.summary->state == store::CampaignState::interrupted);
    CHECK(campaign::exit_status(*broken.summary) == 3);
    CHECK(broken.summary->grades.empty());
    const Broken again = run_and_break(folder, plan, "", nothing, true);
    CHECK(again.summary->state == store::CampaignState::finished);
    REQUIRE(again.summary->grades.size() == 2);
    for (const campaign::MediumGrade& medium : again.summary->grades) CHECK(medium.grade == measure::Grade::measured);
}

TEST_CASE("an agent killed in the guest ends the campaign with a one-line error, and the campaign resumes") {
    MEDIARIG_LAB_PART(3);
    NEEDS_LAB();
    const Folder folder;
    const plan::Plan plan = plan_of(folder, "u");
    const Break kill = [](app::LabRoute& lab) -> asio::awaitable<void> {
        std::string script = "killall -9 mediarig-agent";
        (void)co_await lab.machine()->diagnose(std::move(script), std::chrono::seconds(30));
    };
    const Broken broken = run_and_break(folder, plan, "write", kill);
    CHECK(broken.summary->state == store::CampaignState::interrupted);
    CHECK(broken.summary->detail.find('\n') == std::string::npos);
    const Broken again = run_and_break(folder, plan, "", nothing, true);
    CHECK(again.summary->grades.at(0).grade == measure::Grade::measured);
}

TEST_CASE("a slot that loses power is reported as a removed medium") {
    MEDIARIG_LAB_PART(1);
    NEEDS_LAB();
    const Folder folder;
    const plan::Plan plan =
        plan_of(folder, "ur", R"({"claimed_bytes": "256MiB", "volatile_cache": {"bytes": "4MiB"}})");
    bool cut_off = false;
    const Break cut = [&](app::LabRoute& lab) -> asio::awaitable<void> {
        const auto gone = co_await lab.machine()->cut_power(SlotId{1});
        // The session may already have removed the card's model. Other tests check the losses of the model.
        cut_off = gone.has_value();
    };
    const Broken broken = run_and_break(folder, plan, "write", cut);
    CHECK(cut_off);
    CHECK(broken.summary->incomplete);
    REQUIRE(broken.summary->grades.size() == 2);
    CHECK(broken.summary->grades[0].grade != measure::Grade::pass);
    CHECK(broken.summary->grades[0].grade != measure::Grade::fake);
    CHECK(broken.summary->grades[1].grade == measure::Grade::measured);
    const std::string told = told_about(broken.view.devices.at(0));
    CAPTURE(told);
    CHECK(told.find("the medium vanished") != std::string::npos);
    for (const auto& pass : broken.view.devices.at(0).passes)
        for (const auto& cell : pass.cells) CHECK(cell.end != workload::CellEnd::error);
}
