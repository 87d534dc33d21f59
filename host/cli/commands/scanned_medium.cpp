// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/commands/scanned_medium.hpp"

#include <fmt/format.h>

#include <boost/asio/this_coro.hpp>
#include <ostream>
#include <utility>

#include "host/base/text.hpp"
#include "host/campaign/run/step_actions.hpp"

namespace mediarig::cli {
namespace {

/// Replaces the previous line of the terminal.
void show_progress(const Console& console, const agent::RunProgress& progress) {
    const std::string of = progress.total > 0_B ? " of " + size_text(progress.total) : "";
    const std::string failures = progress.failures > 0 ? fmt::format(", {} reads failed", progress.failures) : "";
    console.err << fmt::format("\r\033[Kread {}{}{}", size_text(progress.done), of, failures) << std::flush;
}

} // namespace

Result<ScannedMedium> scanned(const Console& console, const app::AgentChoice& agent, const agent::ScanParams& wanted,
                              bool quiet) {
    std::optional<ScannedMedium> result;
    campaign::StopSignal stop;
    app::AgentChoice choice = agent;
    choice.devices = {wanted.target};
    const bool shows = console.terminal && !quiet;
    const auto done = app::with_agent(
        choice, stop,
        [&](agent::AgentClient& client, const agent::HelloReport&) -> boost::asio::awaitable<Result<void>> {
            const auto executor = co_await boost::asio::this_coro::executor;
            stop.on_request([&] { campaign::cancel_soon(executor, client); });
            agent::RunHandlers handlers;
            if (shows)
                handlers.on_progress = [&](const agent::RunProgress& progress) { show_progress(console, progress); };
            auto scan = co_await client.scan(wanted, std::move(handlers));
            stop.on_request({});
            if (shows) console.err << "\r\033[K" << std::flush;
            if (!scan) co_return fail(scan.error());
            // A medium whose file system cannot be read has no layout.
            const auto content = co_await client.inspect(wanted.target);
            auto medium = co_await client.identify(wanted.target);
            result = ScannedMedium{.scan = std::move(*scan),
                                   .layout = content ? media::layout_of(*content) : std::vector<media::Region>{},
                                   .medium = {}};
            if (medium) result->medium = std::move(*medium);
            co_return Result<void>{};
        });
    if (!done) return fail(done.error());
    return std::move(*result);
}

} // namespace mediarig::cli
