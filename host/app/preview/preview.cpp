// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/preview/preview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "host/agent/protocol/samples.hpp"
#include "host/app/lab/lab_route.hpp"
#include "host/app/rig/rig_route.hpp"
#include "host/campaign/remaining_time.hpp"
#include "host/media/identity/confirmation.hpp"
#include "host/workload/suites/suite.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

/// Duration of a test of media in lanes: each medium starts in the first free lane.
std::chrono::seconds time_in_lanes(const std::vector<std::chrono::seconds>& of_media, unsigned lanes) {
    std::vector<std::chrono::seconds> busy(std::max(lanes, 1U));
    for (const std::chrono::seconds each : of_media) *std::min_element(busy.begin(), busy.end()) += each;
    return *std::max_element(busy.begin(), busy.end());
}

Result<std::vector<PreviewMedium>> on_this_machine(const plan::Plan& plan, const AgentChoice& choice) {
    std::vector<PreviewMedium> media;
    campaign::StopSignal stop;
    const auto done = with_agent(
        choice, stop, [&](agent::AgentClient& agent, const agent::HelloReport& hello) -> asio::awaitable<Result<void>> {
            MachineLook look(agent, hello, plan);
            for (const plan::MediumRef& ref : plan.media) media.push_back(co_await look.at(ref));
            std::vector<NamedMedium> found;
            for (const PreviewMedium& medium : media)
                if (medium.identity) found.push_back({medium.target, *medium.identity});
            co_return check_distinct(found);
        });
    if (!done) return fail(done.error());
    return media;
}

/// The data of the models: a preview boots no machine.
Result<std::vector<PreviewMedium>> in_the_lab(const plan::Plan& plan, const RigChoice& rig) {
    const auto lab = set_up_lab(rig.simulated() ? living_cards(plan) : plan.lab, {});
    if (!lab) return fail(lab.error());
    // A rig plugs in only the cards in its readers.
    if (!rig.simulated())
        if (auto fits = check_slots(*lab); !fits) return fail(fits.error());
    std::vector<PreviewMedium> media;
    for (const plan::MediumRef& ref : plan.media) {
        media::Medium medium;
        medium.node = fmt::format("slot {} of the lab", ref.slot->number);
        PreviewMedium shown{
            .name = ref.name, .target = medium.node, .identity = std::nullopt, .to_confirm = {}, .problems = {}};
        if (const auto claimed = lab->claimed.find(*ref.slot); claimed != lab->claimed.end()) {
            medium.size = claimed->second;
            shown.identity = medium;
        }
        media.push_back(std::move(shown));
    }
    return media;
}

/// A preview moves no cards.
std::vector<PreviewMedium> in_the_rig(const plan::Plan& plan) {
    std::vector<PreviewMedium> media;
    for (const plan::MediumRef& ref : plan.media)
        media.push_back({.name = ref.name,
                         .target = fmt::format("slot {} of the rig", ref.slot->number),
                         .identity = std::nullopt,
                         .to_confirm = {},
                         .problems = {}});
    return media;
}

/// A disk may be full temporarily, but the size of a device or an image is fixed.
Error wrong_for(const plan::MediumRef& medium, Error error) {
    if (medium.directory.empty()) error.code = Errc::bad_request;
    return error;
}

void add_once(std::vector<Error>& problems, Error problem) {
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
}

/// The number of blocks of a comparison without a budget is unknown: preview one.
plan::Plan listed(plan::Plan plan) {
    if (plan.compare && plan.compare->endless) plan.repeats = 1;
    return plan;
}

Result<std::vector<PreviewMedium>> look(const plan::Plan& plan, const AgentChoice& choice, const RigChoice& rig) {
    if (!plan.lab.empty()) return in_the_lab(plan, rig);
    const bool all_in_slots = std::all_of(plan.media.begin(), plan.media.end(),
                                          [](const plan::MediumRef& ref) { return ref.slot.has_value(); });
    if (!rig.how.empty() && all_in_slots) return in_the_rig(plan);
    return on_this_machine(plan, choice);
}

} // namespace

int exit_status(const Preview& preview) {
    const int left_out = mediarig::exit_status(Errc::host_fault);
    int status = 0;
    for (const PreviewMedium& medium : preview.media)
        for (const Error& problem : medium.problems) {
            const int its = mediarig::exit_status(problem.code);
            status = status == 0 || status == its ? its : left_out;
            // The run stops for this medium at a refusal.
            if (problem.code == Errc::refused) break;
        }
    const bool some_tested = std::ranges::any_of(preview.media, [](const auto& each) { return each.problems.empty(); });
    return status == mediarig::exit_status(Errc::bad_request) && some_tested ? left_out : status;
}

Result<Preview> preview(const plan::Plan& wanted, const PreviewOptions& options) {
    const RigChoice& rig = options.rig;
    if (rig.board())
        if (const auto config = rig_for(rig, wanted); !config) return fail(config.error());
    // Without a rig no slot is loaded; the run reports the same error.
    const auto resolved = wanted.all_slots || rig.how.empty() ? plan_on(rig, wanted) : wanted;
    if (!resolved) return fail(resolved.error());
    const plan::Plan& plan = *resolved;
    Preview result{.whole = true, .assumed = campaign::assumed_rate};
    auto media = look(plan, options.agent, rig);
    if (!media) return fail(media.error());
    result.media = std::move(*media);

    result.one_block = plan.compare && plan.compare->endless;
    result.lanes = options.lanes.value_or(plan.lanes.value_or(1));
    std::vector<std::chrono::seconds> of_media(plan.media.size());
    for (const plan::Step& step : plan::unroll(listed(plan))) {
        PreviewStep line{.step = step, .estimate = std::nullopt};
        if (const auto& identity = result.media[step.medium].identity; identity) {
            if (auto estimate = plan::estimate(step, identity->size, campaign::assumed_rate);
                estimate && !estimate->known) {
                result.whole = false;
            } else if (estimate) {
                result.written += estimate->written;
                result.read += estimate->read;
                of_media[step.medium] += estimate->time;
                line.estimate = *estimate;
            } else {
                add_once(result.media[step.medium].problems, wrong_for(plan.media[step.medium], estimate.error()));
            }
        }
        result.steps.push_back(std::move(line));
    }
    result.time = time_in_lanes(of_media, result.lanes);
    if (plan.time_budget) result.time = std::min(result.time, *plan.time_budget);
    result.whole = result.whole && std::all_of(result.media.begin(), result.media.end(),
                                               [](const PreviewMedium& medium) { return medium.identity.has_value(); });
    return result;
}

namespace {

namespace asio = boost::asio;

/// A preview erases nothing and needs no confirmation; a given one is compared.
std::string confirmation_for(const plan::MediumRef& ref, const media::Medium& identity) {
    return ref.confirm.empty() ? media::confirmation_to_type(identity) : ref.confirm;
}

/// Same code as for attaching an image: an image that is too small is a wrong argument.
Errc code_of(const media::Refusal& refusal, const media::Medium& medium) {
    const bool wrong = refusal.kind == media::RefusalKind::too_small && medium.transport == media::Transport::image;
    return wrong ? Errc::bad_request : Errc::refused;
}

bool is_mounted(const plan::Plan& plan, const plan::FormatEntry& format) {
    const std::vector<plan::SuiteEntry>& suites = format.suites ? *format.suites : plan.suites;
    return std::ranges::any_of(suites,
                               [](const plan::SuiteEntry& suite) { return suite.where == plan::Where::file_system; });
}

/// Steps of the plan that are not allowed in this directory.
std::vector<Error> refusals_in(const plan::Plan& plan, const media::Medium& directory) {
    std::vector<Error> found;
    for (const plan::SuiteEntry& suite : plan.suites) {
        const auto job = suites::expand(suite.request, directory.size);
        if (!job) {
            // The estimate normally reports a job that does not fit; a full disk has no estimate.
            if (directory.size == 0_B) found.push_back(job.error());
            continue;
        }
        if (auto refusal = agent::refusal_to_fill(directory, *job)) found.push_back(std::move(*refusal));
    }
    return found;
}

} // namespace

std::optional<Error> standing_refusal(const AgentChoice& choice, const std::string& target) {
    AgentChoice looking = choice;
    if (looking.how != "lab") looking.how = "local";
    looking.devices = {target};
    campaign::StopSignal stop;
    std::optional<Error> found;
    const auto done = with_agent(
        looking, stop, [&](agent::AgentClient& agent, const agent::HelloReport&) -> asio::awaitable<Result<void>> {
            const auto medium = co_await agent.identify(target);
            if (!medium) co_return fail(medium.error());
            const auto standing = media::standing_refusals(*medium, media::confirmation_to_type(*medium));
            if (standing.empty()) co_return Result<void>{};
            const std::string& why = standing.front().detail;
            const bool names_it = why.starts_with(medium->node + ' ');
            found = Error{code_of(standing.front(), *medium),
                          names_it ? why : fmt::format("{} may not be erased: {}", target, why)};
            co_return Result<void>{};
        });
    return done ? found : std::nullopt;
}

asio::awaitable<PreviewMedium> MachineLook::at(const plan::MediumRef& ref) {
    PreviewMedium medium{
        .name = ref.name, .target = ref.target(), .identity = std::nullopt, .to_confirm = {}, .problems = {}};
    auto identity = co_await agent_.identify(ref.target());
    if (!identity) {
        medium.problems.push_back(identity.error());
        co_return medium;
    }
    medium.identity = std::move(*identity);
    if (!ref.directory.empty()) {
        medium.problems = refusals_in(plan_, *medium.identity);
        co_return medium;
    }
    medium.problems = refusals_of(ref, *medium.identity);
    if (medium.problems.empty()) medium.problems = co_await lacks_for(*medium.identity);
    if (plan::destroys(plan_) && ref.confirm.empty()) medium.to_confirm = confirmation_for(ref, *medium.identity);
    if (medium.problems.empty())
        if (auto claimed = co_await try_claim(ref, *medium.identity); !claimed)
            medium.problems.push_back(claimed.error());
    co_return medium;
}

std::vector<Error> MachineLook::refusals_of(const plan::MediumRef& ref, const media::Medium& identity) {
    std::vector<Error> found;
    for (const media::Refusal& refusal : media::standing_refusals(identity, confirmation_for(ref, identity)))
        found.push_back({code_of(refusal, identity), refusal.detail});
    return found;
}

asio::awaitable<std::vector<Error>> MachineLook::lacks_for(const media::Medium& medium) {
    std::vector<Error> found;
    if (!machine_.privileged)
        found.push_back({Errc::no_permission,
                         fmt::format("the agent on {} may not claim, format or mount: run as root, or with --agent "
                                     "sudo",
                                     machine_.host_name)});
    for (const plan::FormatEntry& format : plan_.formats)
        for (Error& problem : co_await lacks_of(format, medium)) {
            const bool known = std::ranges::any_of(
                found, [&](const Error& each) { return each.code == problem.code && each.detail == problem.detail; });
            if (!known) found.push_back(std::move(problem));
        }
    co_return found;
}

asio::awaitable<std::vector<Error>> MachineLook::lacks_of(const plan::FormatEntry& format,
                                                          const media::Medium& medium) {
    std::vector<Error> found;
    if (format.keep) co_return found;
    const auto spec = plan::spec_for(format, medium.size, medium.logical_sector);
    if (!spec) {
        found.push_back(spec.error());
        co_return found;
    }
    // Only a privileged agent makes the kernel load a driver: an unprivileged one would report a driver as missing.
    const agent::SupportParams wanted{.fs = spec->fs,
                                      .partition = spec->partition.has_value(),
                                      .mount = machine_.privileged && is_mounted(plan_, format)};
    const auto lines = co_await lacks(wanted);
    if (!lines) found.push_back(lines.error());
    for (const std::string& line : lines ? *lines : Lacks{}) found.push_back({Errc::no_driver, line});
    co_return found;
}

asio::awaitable<Result<MachineLook::Lacks>> MachineLook::lacks(const agent::SupportParams& wanted) {
    const std::string key = fmt::format("{} {} {}", media::name_of(wanted.fs), wanted.partition, wanted.mount);
    if (const auto known = asked_.find(key); known != asked_.end()) co_return known->second;
    auto answer = co_await agent_.lacks(wanted);
    if (answer) asked_[key] = *answer;
    co_return answer;
}

/// Claims the medium as a run would: only a claim checks all possible refusals.
asio::awaitable<Result<void>> MachineLook::try_claim(const plan::MediumRef& ref, const media::Medium& identity) {
    // A named variable: GCC 12 destroys an aggregate in a co_await expression twice.
    const media::ClaimRequest request{
        .target = ref.target(),
        .confirm = confirmation_for(ref, identity),
        .presence = media::presence_of(identity),
        .contents = ref.contents_unknown ? media::Contents::may_be_unknown : media::Contents::must_be_known,
        .use = ref.use_unknown ? media::Use::may_be_unknown : media::Use::must_be_known};
    auto claimed = co_await agent_.claim(request);
    if (!claimed) co_return fail(claimed.error());
    co_return co_await agent_.release(claimed->claim);
}

namespace asio = boost::asio;

Result<void> check_distinct(const std::vector<NamedMedium>& media) {
    std::map<std::string, std::string> names;                             // by key
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> files; // by device and inode
    for (const NamedMedium& medium : media) {
        const std::string key = media::device_key(medium.identity);
        std::string same;
        if (const auto [at, is_new] = names.try_emplace(key, medium.name); !is_new) same = at->second;
        // A directory itself is not a medium.
        const bool is_file = medium.identity.file && medium.identity.transport != media::Transport::directory;
        if (is_file) {
            const auto& file = *medium.identity.file;
            if (const auto [at, is_new] = files.try_emplace({file.device, file.inode}, medium.name); !is_new)
                same = at->second;
        }
        if (!same.empty())
            return fail(Errc::bad_request,
                        fmt::format("{} is the medium of {} already ({}), or cannot be distinguished from it; name "
                                    "each medium once; nothing was written",
                                    medium.name, same, key));
    }
    return {};
}

asio::awaitable<Result<void>> check_distinct(agent::AgentClient& agent, const plan::Plan& plan) {
    std::vector<NamedMedium> found;
    if (plan.media.size() < 2) co_return Result<void>{};
    for (const plan::MediumRef& ref : plan.media) {
        if (ref.slot) continue;
        auto identity = co_await agent.identify(ref.target());
        if (identity) found.push_back({ref.target(), std::move(*identity)});
    }
    co_return check_distinct(found);
}

} // namespace mediarig::app
