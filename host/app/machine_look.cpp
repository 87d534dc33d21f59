// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/machine_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/agent/protocol/refusal_to_fill.hpp"
#include "host/media/confirmation.hpp"
#include "host/suites/suite.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

/// A look erases nothing: a confirmation is asked for by the run. One that is given is compared.
std::string confirmation_for(const plan::MediumRef& ref, const media::Medium& identity) {
    return ref.confirm.empty() ? media::confirmation_to_type(identity) : ref.confirm;
}

/// As where an image is attached: one that is too small was the wrong one to name.
Errc code_of(const media::Refusal& refusal, const media::Medium& medium) {
    const bool wrong = refusal.kind == media::RefusalKind::too_small && medium.transport == media::Transport::image;
    return wrong ? Errc::bad_request : Errc::refused;
}

bool is_mounted(const plan::Plan& plan, const plan::FormatEntry& format) {
    const std::vector<plan::SuiteEntry>& suites = format.suites ? *format.suites : plan.suites;
    return std::ranges::any_of(suites,
                               [](const plan::SuiteEntry& suite) { return suite.where == plan::Where::file_system; });
}

/// What the plan does in a directory, and must not.
std::vector<Error> refusals_in(const plan::Plan& plan, const media::Medium& directory) {
    std::vector<Error> found;
    for (const plan::SuiteEntry& suite : plan.suites) {
        const auto job = suites::expand(suite.request, directory.size);
        if (!job) {
            // What cannot be made of the space there is told with its estimate, but of a full disk there is none.
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
    session::StopSignal stop;
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
    // Only a privileged agent has the kernel load a driver: another one would miss what is there.
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

/// What a run would begin with, and nothing more: only a claim looks at everything that may forbid one.
asio::awaitable<Result<void>> MachineLook::try_claim(const plan::MediumRef& ref, const media::Medium& identity) {
    // Not made within the co_await: GCC 12 destroys such an aggregate twice.
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

} // namespace mediarig::app
