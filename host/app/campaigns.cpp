// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/campaigns.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "host/app/campaign_lock.hpp"
#include "host/app/lab_route.hpp"
#include "host/app/paths.hpp"
#include "host/app/text_file.hpp"
#include "host/session/campaign.hpp"
#include "host/store/campaign_id.hpp"
#include "host/store/logged_store.hpp"
#include "host/store/sqlite/open_store.hpp"
#include "host/version.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

store::Origin origin_of(const agent::AgentClient& agent, const agent::HelloReport& hello) {
    return {.mediarig_version = version,
            .host_name = hello.host_name,
            .kernel = hello.kernel,
            .cpu = hello.cpu,
            .agent = agent.description()};
}

/// The newest campaign of this very plan that did not come to its end.
Result<std::string> unfinished(store::Store& store, const plan::Plan& plan) {
    auto campaigns = store.campaigns();
    if (!campaigns) return fail(campaigns.error());
    const std::string wanted = plan::to_json(plan).dump();
    for (const store::CampaignRecord& campaign : *campaigns)
        if (campaign.plan == wanted && campaign.state != store::CampaignState::finished) return campaign.id;
    return fail(Errc::bad_request,
                "there is no unfinished campaign of this plan to resume; run it without --resume to begin one");
}

Result<void> needs_no_rig(const plan::Plan& plan) {
    if (!plan.lab.empty()) return {};
    for (const plan::MediumRef& medium : plan.media)
        if (medium.slot)
            return fail(Errc::bad_request, fmt::format("medium '{}' is in slot {}, and no rig is connected; name it by "
                                                       "path or image, or add a \"lab\"",
                                                       medium.name, medium.slot->number));
    return {};
}

} // namespace

Result<plan::Plan> load_plan(const std::filesystem::path& file, std::vector<std::string>& faults) {
    const auto text = read_text(file);
    if (!text) return fail(text.error());
    auto plan = plan::parse_plan(*text);
    if (plan) return std::move(*plan);
    faults = plan.error().lines;
    const std::string first = faults.empty() ? "not a plan" : faults.front();
    return fail(Errc::bad_request, fmt::format("{}: {}", file.string(), first));
}

Result<std::unique_ptr<store::Store>> open_results(const std::filesystem::path& database) {
    std::error_code error;
    if (database.has_parent_path()) std::filesystem::create_directories(database.parent_path(), error);
    if (error)
        return fail(Errc::store_failed, fmt::format("{} cannot be made: {}; choose another place with --store",
                                                    database.parent_path().string(), error.message()));
    auto opened = store::open_store(database);
    if (!opened) return fail(opened.error());
    return store::make_logged_store(std::move(*opened), device_logs_beside(database));
}

Result<store::CampaignView> load_campaign(const std::filesystem::path& database, const std::string& campaign) {
    std::error_code error;
    if (!std::filesystem::exists(database, error))
        return fail(Errc::bad_request,
                    fmt::format("{} does not exist: run a campaign first, or name another store with --store",
                                database.string()));
    auto store = store::open_store(database);
    if (!store) return fail(store.error());
    if (!campaign.empty()) return (*store)->load(campaign);
    auto campaigns = (*store)->campaigns();
    if (!campaigns) return fail(campaigns.error());
    if (campaigns->empty())
        return fail(Errc::bad_request, fmt::format("{} holds no campaign: run one first", database.string()));
    return (*store)->load(campaigns->front().id);
}

Result<session::Summary> run_plan(const plan::Plan& plan, const RunOptions& options, const session::EventSink& tell) {
    if (auto possible = needs_no_rig(plan); !possible) return fail(possible.error());
    auto store = open_results(options.store);
    if (!store) return fail(store.error());

    const session::Clock clock = session::Clock::system();
    session::Campaign campaign{.id = store::new_campaign_id(clock.utc(), store::system_random()),
                               .resumed = options.resume};
    if (options.resume) {
        auto found = unfinished(**store, plan);
        if (!found) return fail(found.error());
        campaign.id = *found;
    }
    const auto lock = CampaignLock::take(options.store, campaign.id);
    if (!lock) return fail(lock.error());

    const std::filesystem::path media = lab_media_beside(options.store, campaign.id);
    std::unique_ptr<LabRoute> lab;
    if (!plan.lab.empty()) {
        auto setup = set_up_lab(plan.lab, media);
        if (!setup) return fail(setup.error());
        lab = std::make_unique<LabRoute>(std::move(*setup), media);
    }

    session::StopSignal stop;
    std::optional<session::Summary> summary;
    const AgentWork work = [&](agent::AgentClient& agent,
                               const agent::HelloReport& hello) -> asio::awaitable<Result<void>> {
        campaign.origin = origin_of(agent, hello);
        const session::Ports ports{agent, **store, tell, clock, lab ? lab->rig() : nullptr};
        auto ended = co_await session::run_campaign(plan, campaign, ports, stop);
        if (!ended) co_return fail(ended.error());
        summary = std::move(*ended);
        co_return Result<void>{};
    };
    const auto done = lab ? with_route(*lab, stop, work) : with_agent(options.agent, stop, work);
    // A link that broke while it was closed does not undo what was measured.
    if (!done && !summary) return fail(done.error());
    // The emulated media are needed for as long as the campaign can be resumed.
    std::error_code none;
    if (lab && summary->state == store::CampaignState::finished) std::filesystem::remove_all(media, none);
    return std::move(*summary);
}

} // namespace mediarig::app
