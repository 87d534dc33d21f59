// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/preview/comparable.hpp"

#include <fmt/format.h>

#include "host/app/preview/preview.hpp"
#include "host/campaign/comparison/comparison_text.hpp"
#include "host/campaign/remaining_time.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

/// "HFS+: no driver …, boot …; APFS: …"; sets `code` to that of the first problem.
asio::awaitable<std::string> lacking_on(MachineLook& look, const plan::Plan& plan, const media::Medium& medium,
                                        Errc& code) {
    const std::vector<std::string> titles = comparison_campaign::titles_of(plan);
    std::string line;
    for (std::size_t i = 0; i < plan.formats.size(); ++i) {
        std::string lacks;
        for (const Error& problem : co_await look.lacks_of(plan.formats[i], medium)) {
            if (line.empty() && lacks.empty()) code = problem.code;
            lacks += (lacks.empty() ? "" : ", ") + problem.detail;
        }
        if (!lacks.empty()) line += fmt::format("{}{}: {}", line.empty() ? "" : "; ", titles[i], lacks);
    }
    co_return line;
}

/// Reason why the medium will not be tested, or only partly; empty if no failure is expected.
std::string failure_of(const plan::Plan& plan, const std::vector<plan::Step>& steps, std::size_t index,
                       const Result<media::Medium>& medium) {
    if (!medium) return medium.error().detail;
    const plan::MediumRef& ref = plan.media[index];
    if (ref.directory.empty())
        if (const auto refusals = MachineLook::refusals_of(ref, *medium); !refusals.empty())
            return refusals.front().detail;
    for (const plan::Step& step : steps) {
        if (step.medium != index) continue;
        if (const auto estimate = plan::estimate(step, medium->size, campaign::assumed_rate); !estimate)
            return estimate.error().detail;
    }
    return {};
}

} // namespace

asio::awaitable<Result<void>> check_comparable(agent::AgentClient& agent, const agent::HelloReport& machine,
                                               const plan::Plan& plan) {
    // Only a privileged agent makes the kernel load a driver: an unprivileged one would report a driver as missing.
    if (!plan.compare || !machine.privileged) co_return Result<void>{};
    MachineLook look(agent, machine, plan);
    for (const plan::MediumRef& ref : plan.media) {
        if (ref.slot) continue;
        const PreviewMedium seen = co_await look.at(ref);
        if (!seen.identity) continue;
        const auto problem = [&] {
            const Error& first = seen.problems.front();
            return fail(first.code, plan.media.size() == 1 ? first.detail : ref.name + ": " + first.detail);
        };
        if (!seen.problems.empty() && seen.problems.front().code == Errc::refused) co_return problem();
        Errc code{};
        const std::string lacking = co_await lacking_on(look, plan, *seen.identity, code);
        if (lacking.empty() && !seen.problems.empty()) co_return problem();
        if (!lacking.empty())
            co_return fail(code, fmt::format("not every format can be measured on the machine {}: {}; nothing was "
                                             "written: install the missing software, or leave those formats out",
                                             machine.host_name, lacking));
    }
    co_return Result<void>{};
}

asio::awaitable<std::vector<std::string>> failures_ahead(agent::AgentClient& agent, const agent::HelloReport& machine,
                                                         const plan::Plan& plan) {
    MediaByReason failures;
    if (plan.compare) co_return std::vector<std::string>{};
    MachineLook look(agent, machine, plan);
    const std::vector<plan::Step> steps = plan::unroll(plan);
    for (std::size_t i = 0; i < plan.media.size(); ++i) {
        const plan::MediumRef& ref = plan.media[i];
        if (ref.slot) continue;
        const auto medium = co_await agent.identify(ref.target());
        // The failure of a single medium is reported below.
        if (plan.media.size() > 1)
            if (const std::string failure = failure_of(plan, steps, i, medium); !failure.empty())
                failures.add("it will not be tested: " + failure, ref.name);
        if (!medium || !machine.privileged || !ref.directory.empty()) continue;
        Errc code{};
        if (const std::string lacking = co_await lacking_on(look, plan, *medium, code); !lacking.empty())
            failures.add("not every format can be measured here; the others are recorded as untested: " + lacking,
                         ref.name);
    }
    std::vector<std::string> lines;
    for (const auto& [what, media] : failures.all())
        lines.push_back(fmt::format("{}{}: {}", media.front(),
                                    media.size() == 1 ? "" : fmt::format(" and {} more", media.size() - 1), what));
    co_return lines;
}

Result<void> check_comparable(const AgentChoice& choice, const plan::Plan& plan) {
    AgentChoice with_media = choice;
    for (const plan::MediumRef& medium : plan.media) with_media.devices.push_back(medium.path);
    campaign::StopSignal stop;
    return with_agent(with_media, stop, [&](agent::AgentClient& agent, const agent::HelloReport& hello) {
        return check_comparable(agent, hello, plan);
    });
}

} // namespace mediarig::app
