// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/campaigns.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "host/app/campaign_list.hpp"
#include "host/app/files/campaign_lock.hpp"
#include "host/app/files/nickname_file.hpp"
#include "host/app/files/paths.hpp"
#include "host/app/files/text_file.hpp"
#include "host/app/files/uplink_file.hpp"
#include "host/app/lab/lab_route.hpp"
#include "host/app/preflight.hpp"
#include "host/app/rig/rig_route.hpp"
#include "host/app/target.hpp"
#include "host/base/time_text.hpp"
#include "host/base/version.hpp"
#include "host/campaign/events/socket/event_server.hpp"
#include "host/campaign/events/socket/socket_folder.hpp"
#include "host/campaign/run/abandon.hpp"
#include "host/campaign/run/campaign.hpp"
#include "host/media/identity/title.hpp"
#include "host/plan/parse_plan.hpp"
#include "host/rig/power/hub/controllers.hpp"
#include "host/store/async/async_store.hpp"
#include "host/store/campaign_id.hpp"
#include "host/store/logged_store.hpp"
#include "host/store/sqlite/open_store.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

store::Origin origin_of(const agent::AgentClient& agent, const agent::HelloReport& hello,
                        const std::string& resume_with) {
    return {.mediarig_version = version,
            .host_name = hello.host_name,
            .kernel = hello.kernel,
            .cpu = hello.cpu,
            .agent = agent.description(),
            .resume_with = resume_with};
}

/// A comparison may only combine results of one program version and one driver.
Result<void> check_may_go_on(const plan::Plan& plan, const store::CampaignRecord& campaign, const store::Origin& now) {
    const auto differs = [&](std::string_view what, const std::string& then, const std::string& is) {
        return fail(Errc::bad_request,
                    fmt::format("comparison {} was begun with {} {}, and this is {}: their results cannot be combined; "
                                "run it without --resume to begin a new comparison",
                                campaign.id, what, then, is));
    };
    if (!plan.compare) return {};
    if (campaign.origin.mediarig_version != now.mediarig_version)
        return differs("mediarig", campaign.origin.mediarig_version, now.mediarig_version);
    if (campaign.origin.kernel != now.kernel)
        return differs("the drivers of kernel", campaign.origin.kernel, now.kernel);
    return {};
}

/// Finds the newest unfinished campaign with exactly this plan.
Result<store::CampaignRecord> unfinished(store::Store& store, const plan::Plan& plan) {
    auto campaigns = store.campaigns();
    if (!campaigns) return fail(campaigns.error());
    const std::string wanted = plan::kept_text(plan);
    for (const store::CampaignRecord& campaign : *campaigns)
        if (campaign.plan == wanted && campaign.state != store::CampaignState::finished) return campaign;
    return fail(Errc::bad_request,
                "there is no unfinished campaign of this plan to resume; run it without --resume to begin one");
}

/// Number in the store: shorter to type than the id.
std::string number_of(const std::filesystem::path& database, const store::CampaignRecord& campaign) {
    const auto listed = find_campaign(database, campaign.id);
    return listed ? std::to_string(listed->number) : campaign.id;
}

/// "campaign 54 of this plan, begun 2026-11-26 05:20:10 CET"
std::string told(const std::filesystem::path& database, const store::CampaignRecord& campaign,
                 std::string_view of = " of this plan") {
    return fmt::format("campaign {}{}, begun {}", number_of(database, campaign), of, local_time_text(campaign.started));
}

/// Error of a resume: a changed plan has no campaign to resume. Names the unfinished campaign of the same name, which
/// needs its old plan.
Error nothing_to_resume(store::Store& store, const std::filesystem::path& database, const plan::Plan& plan,
                        Error error) {
    const auto campaigns = store.campaigns();
    if (!campaigns || plan.name.empty() || error.code != Errc::bad_request) return error;
    const auto found = std::ranges::find_if(*campaigns, [&](const store::CampaignRecord& campaign) {
        return campaign.name == plan.name && campaign.state != store::CampaignState::finished;
    });
    if (found == campaigns->end()) return error;
    error.detail += fmt::format(
        "; {}, has the same name and is not finished, but only its own version of the plan can resume it: mediarig "
        "campaigns plan {}",
        told(database, *found, ""), number_of(database, *found));
    return error;
}

/// Two campaigns at once would compete for media or disturb each other's measurement.
Result<void> check_not_running(store::Store& store, const std::filesystem::path& database, const plan::Plan& plan) {
    const auto campaigns = store.campaigns();
    if (!campaigns) return fail(campaigns.error());
    const std::string wanted = plan::kept_text(plan);
    for (const store::CampaignRecord& campaign : *campaigns)
        if (campaign.plan == wanted && campaign.state == store::CampaignState::running &&
            CampaignLock::is_held(database, campaign.id))
            return fail(Errc::refused, fmt::format("this plan is already running as campaign {}: follow it with "
                                                   "mediarig watch {}, or wait for its end",
                                                   campaign.id, campaign.id));
    return {};
}

/// A campaign resumed with blank media would report all earlier bytes as damaged.
Result<void> check_lab_media(const std::filesystem::path& media, const std::string& campaign) {
    std::error_code unknown;
    if (std::filesystem::is_directory(media, unknown)) return {};
    return fail(Errc::bad_request,
                fmt::format("the emulated media of campaign {} are not in {}: resume it with the store that it was "
                            "begun with, or run the plan again from the start",
                            campaign, media.string()));
}

/// Returns the route of this run; null for the agent alone, without lab or rig.
Result<std::unique_ptr<Route>> route_for(const plan::Plan& plan, const RunOptions& options,
                                         const std::filesystem::path& media) {
    if (options.rig.manual()) return make_manual_route(options.agent);
    if (!options.rig.board()) {
        if (plan.lab.empty()) return std::unique_ptr<Route>();
        auto setup = set_up_lab(plan.lab, media, plan.lab_uplink, plan.lab_machine);
        if (!setup) return fail(setup.error());
        if (auto fits = check_slots(*setup); !fits) return fail(fits.error());
        return std::make_unique<LabRoute>(std::move(*setup), media);
    }
    if (plan.lab_machine != plan::LabMachine::qemu)
        return fail(Errc::bad_request,
                    "a rig needs a lab with transport: set \"lab_machine\" to \"qemu\" in the plan, or remove --rig");
    auto config = rig_for(options.rig, plan);
    if (!config) return fail(config.error());
    RigRoute::Setup setup{
        .config = std::move(*config), .store = options.store, .media = media, .script = options.rig.script};
    if (options.rig.simulated()) {
        auto cards = set_up_lab(living_cards(plan), media, plan.lab_uplink);
        if (!cards) return fail(cards.error());
        setup.lab = std::move(*cards);
    } else {
        const auto fits = rig::check_free_space(usb_paths_of(setup.config),
                                                options.lanes.value_or(plan.lanes.value_or(plan::most_lanes)));
        if (!fits) return fail(fits.error());
        setup.agent = make_agent_route(options.agent);
    }
    return std::make_unique<RigRoute>(std::move(setup));
}

/// True if the operator has to replug a medium of the plan.
bool needs_operator(const plan::Plan& plan) {
    return std::ranges::any_of(plan.suites, &plan::SuiteEntry::replug) &&
           std::ranges::any_of(plan.media, [](const plan::MediumRef& medium) { return !medium.slot; });
}

template <class Parse>
Result<plan::Plan> read_plan_file(const std::filesystem::path& file, std::vector<std::string>& faults, Parse parse) {
    if (is_not_text(file))
        return fail(Errc::bad_request, fmt::format("{} is not a plan in JSON: name a plan file", file.string()));
    const auto text = read_text(file);
    if (!text) return fail(text.error());
    auto plan = parse(*text);
    if (plan) {
        for (plan::MediumRef& medium : plan->media) {
            if (!medium.image.empty()) medium.image = canonical_path(medium.image);
            if (medium.confirm.starts_with('/')) medium.confirm = canonical_path(medium.confirm);
        }
        return std::move(*plan);
    }
    faults = plan.error().lines;
    const std::string first = faults.empty() ? "not a plan" : faults.front();
    return fail(Errc::bad_request, fmt::format("{}: {}", file.string(), first));
}

/// Returns "SanDisk SN64G 1234 quickbench"; with the name in the plan if the medium has no title or cannot be
/// identified.
asio::awaitable<std::string> name_after_medium(agent::AgentClient& agent, const plan::Plan& plan) {
    const plan::MediumRef& medium = plan.media.front();
    const auto identity = co_await agent.identify(medium.target());
    const std::string title = identity ? media::short_title(*identity) : std::string();
    co_return fmt::format("{} {}", title.empty() ? medium.name : title, plan.name);
}

/// Executes the request of a watcher.
void follow(campaign::StopSignal& stop, events::ControlRequest request, pid_t by) {
    switch (request) {
        case events::ControlRequest::stop:
            (void)stop.request(fmt::format("stopped by a watcher (process {})", by));
            break;
        case events::ControlRequest::pause:
            stop.pause(true);
            break;
        case events::ControlRequest::resume:
            stop.pause(false);
            break;
    }
}

/// Owns the campaign's socket. The campaign also runs without a socket.
class CampaignSocket {
public:
    using Warn = std::function<void(const std::string& line)>;
    CampaignSocket(const std::filesystem::path& store, std::string campaign, Warn warn)
        : campaign_(std::move(campaign)), warn_(std::move(warn)) {
        auto folder = events::SocketFolder::make(store);
        if (!folder) {
            cannot(folder.error());
            return;
        }
        folder->remove_all_but([&](const std::string& other) { return CampaignLock::is_held(store, other); });
        folder_.emplace(std::move(*folder));
    }
    CampaignSocket(const CampaignSocket&) = delete;
    CampaignSocket& operator=(const CampaignSocket&) = delete;
    ~CampaignSocket() {
        if (folder_) folder_->remove(campaign_);
    }
    void open(events::EventServer& server) const {
        if (!folder_) return;
        const auto path = folder_->path_of(campaign_);
        if (!path) return cannot(path.error());
        if (const auto listens = server.listen(*path); !listens) cannot(listens.error());
    }

private:
    void cannot(const Error& why) const {
        if (warn_) warn_("this campaign cannot be watched or stopped by mediarig watch: " + why.detail);
    }

    std::string campaign_;
    Warn warn_;
    std::optional<events::SocketFolder> folder_;
};

/// Removes a refused campaign that produced no results, and returns the reason of the refusal.
Result<void> discard_if_refused(store::Store& store, const std::filesystem::path& database,
                                const campaign::Summary& summary) {
    const bool wrong = summary.status_of_left == exit_status(Errc::bad_request);
    const bool refused = summary.status_of_left == exit_status(Errc::refused);
    if (!summary.incomplete || !(wrong || refused)) return {};
    const auto view = store.load(summary.campaign);
    if (!view) return fail(view.error());
    for (const store::DeviceView& device : view->devices)
        if (!device.made.empty() || std::ranges::any_of(device.passes, [](const store::PassView& pass) {
                return !pass.cells.empty() || !pass.findings.empty() || (pass.end && pass.end->verify);
            }))
            return {};
    auto archive = store::Archive::open(database);
    if (!archive) return fail(archive.error());
    if (auto removed = archive->remove(summary.campaign, store::Number::given_back); !removed) return removed;
    return fail(refused ? Errc::refused : Errc::bad_request, summary.detail);
}

Result<void> load_raw_logs(store::Store& store, const std::string& campaign, store::DeviceView& device) {
    for (store::PassView& pass : device.passes)
        for (workload::CellResult& cell : pass.cells) {
            if (!pass.pass.job.keep_raw_log) continue;
            auto log = store.raw_log(campaign, pass.pass.id, cell.cell.id);
            if (!log) return fail(log.error());
            cell.raw_log = std::move(*log);
        }
    return {};
}

} // namespace

Result<plan::Plan> load_plan(const std::filesystem::path& file, std::vector<std::string>& faults) {
    return read_plan_file(file, faults, plan::parse_plan);
}

Result<plan::Plan> load_plan_to_look(const std::filesystem::path& file, std::vector<std::string>& faults) {
    return read_plan_file(file, faults, plan::parse_plan_to_look);
}

Result<std::unique_ptr<store::Store>> open_results(const std::filesystem::path& database) {
    if (auto made = make_folder_of(database); !made) return fail(made.error());
    auto opened = store::open_store(database);
    if (!opened) return fail(opened.error());
    return store::make_logged_store(std::move(*opened), device_log_folder(database));
}

Result<OpenCampaign> open_campaign(const std::filesystem::path& database, const std::string& campaign,
                                   CampaignForm form) {
    const auto found = find_campaign(database, campaign);
    if (!found) return fail(found.error());
    auto store = store::open_store_read_only(database);
    if (!store) return fail(store.error());
    auto outline = (*store)->outline(found->id);
    if (!outline) return fail(outline.error());
    // The record cannot show that the process of the campaign was killed: take the state from the list.
    outline->campaign.state = found->state;
    const Nicknames known = form == CampaignForm::shown ? nicknames_to_show() : Nicknames();
    const auto show_name = [names = known](store::DeviceView& device) {
        if (device.device.label.empty()) device.device.label = names.of(media::confirmation_of(device.device.identity));
    };
    std::ranges::for_each(outline->devices, show_name);
    const std::shared_ptr<store::Store> kept = std::move(*store);
    return OpenCampaign{.number = found->number,
                        .outline = std::move(*outline),
                        .load = [kept, show_name, form, id = found->id](store::DeviceView& device) -> Result<void> {
                            auto whole = kept->load_device(id, device.device.key);
                            if (!whole) return fail(whole.error());
                            device = std::move(*whole);
                            show_name(device);
                            return form == CampaignForm::record ? load_raw_logs(*kept, id, device) : Result<void>();
                        }};
}

Result<store::CampaignView> load_campaign(const std::filesystem::path& database, const std::string& campaign) {
    auto open = open_campaign(database, campaign);
    if (!open) return fail(open.error());
    for (store::DeviceView& device : open->outline.devices)
        if (auto loaded = open->load(device); !loaded) return fail(loaded.error());
    return std::move(open->outline);
}

Result<Journal> load_journal(const std::filesystem::path& database, const std::string& campaign) {
    auto store = store::open_store_read_only(database);
    if (!store) return fail(store.error());
    return (*store)->steps(campaign);
}

Result<campaign::Summary> run_plan(const plan::Plan& wanted, const RunOptions& options, const campaign::OnEvent& tell) {
    const auto resolved = plan_on(options.rig, wanted);
    if (!resolved) return fail(resolved.error());
    const plan::Plan& plan = *resolved;
    // Measurements of emulated media are independent of this station.
    if (plan.lab.empty() && !options.while_locked)
        if (auto may = check_station_free(options.store); !may) return fail(may.error());
    if (needs_operator(plan) && (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0))
        return fail(Errc::bad_request,
                    "the operator is asked to replug the medium, and there is no terminal: run this command on a "
                    "terminal, or test the medium in a switched slot of a rig");
    auto store = open_results(options.store);
    if (!store) return fail(store.error());

    const campaign::Clock clock = campaign::Clock::system();
    campaign::Campaign campaign{.id = store::new_campaign_id(clock.utc(), store::system_random()),
                                .resumed = options.resume,
                                .lanes = options.lanes};
    std::optional<store::CampaignRecord> earlier;
    if (options.resume) {
        auto found = unfinished(**store, plan);
        if (!found) return fail(nothing_to_resume(**store, options.store, plan, found.error()));
        campaign.id = found->id;
        if (options.warn) options.warn("resuming " + told(options.store, *found));
        campaign.name = found->name;
        earlier = std::move(*found);
    } else if (plan.lab.empty() && !options.rig.simulated()) {
        // Each campaign has separate emulated media, so this check applies only to real media.
        if (auto may = check_not_running(**store, options.store, plan); !may) return fail(may.error());
        if (options.warn && (options.keep_plan || !options.resume_with.empty()))
            if (const auto open = unfinished(**store, plan))
                options.warn(told(options.store, *open) +
                             ", is not finished, and this command begins a new campaign: --resume resumes the old one, "
                             "run --abandon closes it");
    }
    const auto lock = CampaignLock::take(options.store, campaign.id);
    if (!lock) return fail(lock.error());

    const std::filesystem::path media = lab_media_folder(options.store, campaign.id);
    if (options.resume && !plan.lab.empty())
        if (auto there = check_lab_media(media, campaign.id); !there) return fail(there.error());
    const auto route = route_for(plan, options, media);
    if (!route) return fail(route.error());

    const auto ceilings = load_ceilings(options.store);
    if (!ceilings) return fail(ceilings.error());

    campaign::StopSignal stop;
    stop.on_delay(options.warn);
    const CampaignSocket watchable(options.store, campaign.id, options.warn);
    std::optional<campaign::Summary> summary;
    const AgentWork work = [&](agent::AgentClient& agent,
                               const agent::HelloReport& hello) -> asio::awaitable<Result<void>> {
        campaign.origin = origin_of(agent, hello, options.resume_with);
        campaign.origin.retest_of = options.retest_of;
        if (earlier)
            if (auto may = check_may_go_on(plan, *earlier, campaign.origin); !may) co_return may;
        const auto warnings = co_await preflight(agent, hello, plan);
        if (!warnings) co_return fail(warnings.error());
        if (options.warn && !*route && !options.resume)
            for (const std::string& line : *warnings) options.warn(line);
        if (options.named_after_medium && !earlier) campaign.name = co_await name_after_medium(agent, plan);
        if (options.keep_plan) {
            auto resume_with = options.keep_plan();
            if (!resume_with) co_return fail(resume_with.error());
            campaign.origin.resume_with = std::move(*resume_with);
        }
        store::AsyncStore kept(**store, co_await asio::this_coro::executor);
        events::EventServer server(co_await asio::this_coro::executor, campaign.id,
                                   [&](events::ControlRequest request, pid_t by) { follow(stop, request, by); });
        watchable.open(server);
        const auto tell_all = [&](const campaign::SessionEvent& event) {
            server.publish(event);
            tell(event);
        };
        campaign::CampaignPorts ports{agent,           kept, tell_all, clock, *route ? (*route)->rig() : nullptr,
                                      hello.processors};
        ports.uplinks.ceilings = ceilings_of(*ceilings, hello.host_name);
        ports.uplinks.measure = options.measure_uplinks;
        std::optional<rig::Terminal> person;
        if (needs_operator(plan))
            ports.person = &person.emplace(co_await asio::this_coro::executor, STDIN_FILENO, STDERR_FILENO);
        ports.uplinks.audited = options.audited.value_or(ports.uplinks.audited);
        auto ended = co_await campaign::run_campaign(plan, campaign, ports, stop);
        co_await server.close();
        if (!ended) co_return fail(ended.error());
        if (!ended->uplinks.empty())
            if (auto done = keep_ceilings(options.store, hello.host_name, ended->uplinks, clock.utc()); !done)
                ended->detail = done.error().detail;
        summary = std::move(*ended);
        co_return Result<void>{};
    };
    AgentChoice choice = options.agent;
    for (const plan::MediumRef& medium : plan.media) choice.devices.push_back(medium.path);
    const auto done = *route ? with_route(**route, stop, work) : with_agent(choice, stop, work);
    // An error while closing the connection does not discard the results.
    if (!done && !summary) return fail(done.error());
    // The emulated media are needed for as long as the campaign can be resumed.
    if (!plan.lab.empty() && summary->state == store::CampaignState::finished)
        if (auto removed = remove_lab_media(media); !removed && options.warn) options.warn(removed.error().detail);
    if (options.discard_refused)
        if (auto kept = discard_if_refused(**store, options.store, *summary); !kept) return fail(kept.error());
    return std::move(*summary);
}

Result<campaign::Summary> abandon_campaign(const std::filesystem::path& database, const std::string& campaign) {
    const auto found = find_campaign(database, campaign);
    if (!found) return fail(found.error());
    auto store = open_results(database);
    if (!store) return fail(store.error());
    const auto lock = CampaignLock::take(database, found->id);
    if (!lock) return fail(lock.error());
    auto summary = campaign::abandon(**store, found->id);
    if (!summary) return fail(summary.error());
    if (auto removed = remove_lab_media(lab_media_folder(database, found->id)); !removed) return fail(removed.error());
    return summary;
}

} // namespace mediarig::app
