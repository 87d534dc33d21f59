// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/preview.hpp"

#include <utility>

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

constexpr Rate assumed_rate{20e6}; ///< a card in an ordinary reader

asio::awaitable<PreviewMedium> look_at(agent::AgentClient& agent, const plan::MediumRef& ref, bool destroyed) {
    PreviewMedium medium{.name = ref.name, .target = ref.target(), .identity = std::nullopt, .problem = {}};
    auto identity = co_await agent.identify(ref.target());
    if (!identity) {
        medium.problem = identity.error().detail;
        co_return medium;
    }
    if (!identity->refusals.empty())
        medium.problem = identity->refusals.front().detail;
    else if (destroyed && ref.directory.empty() && ref.confirm != media::confirmation_of(*identity))
        medium.problem = "\"confirm\" has to be \"" + media::confirmation_of(*identity) + "\"";
    medium.identity = std::move(*identity);
    co_return medium;
}

} // namespace

Result<Preview> preview(const plan::Plan& plan, const AgentChoice& choice) {
    Preview result{.assumed = assumed_rate};
    session::StopSignal stop;
    const auto done = with_agent(
        choice, stop, [&](agent::AgentClient& agent, const agent::HelloReport&) -> asio::awaitable<Result<void>> {
            for (const plan::MediumRef& ref : plan.media)
                result.media.push_back(co_await look_at(agent, ref, plan::destroys(plan)));
            co_return Result<void>{};
        });
    if (!done) return fail(done.error());

    for (const plan::Step& step : plan::unroll(plan)) {
        PreviewStep line{.step = step, .estimate = std::nullopt};
        if (const auto& identity = result.media[step.medium].identity; identity) {
            if (auto estimate = plan::estimate(step, identity->size, assumed_rate)) {
                result.written += estimate->written;
                result.read += estimate->read;
                result.time += estimate->time;
                line.estimate = *estimate;
            } else {
                return fail(estimate.error());
            }
        }
        result.steps.push_back(std::move(line));
    }
    return result;
}

} // namespace mediarig::app
