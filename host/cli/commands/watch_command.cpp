// SPDX-License-Identifier: GPL-3.0-or-later
/// Attaches to a campaign that runs in another process.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <ostream>

#include "host/app/campaign_list.hpp"
#include "host/campaign/events/feed.hpp"
#include "host/campaign/events/request.hpp"
#include "host/campaign/events/socket/socket_folder.hpp"
#include "host/cli/command.hpp"
#include "host/cli/text/progress.hpp"
#include "host/cli/text/text.hpp"

namespace mediarig::cli {
namespace {

struct WatchOptions {
    std::string store, campaign;
    bool stop{}, pause{}, resume{}, events{}, quiet{};
};

/// Without a name, chooses the newest running campaign.
Result<std::string> campaign_to_watch(const WatchOptions& options) {
    const auto campaigns = app::list_campaigns(options.store);
    if (!campaigns) return fail(campaigns.error());
    if (!options.campaign.empty()) {
        const auto chosen = app::choose_campaign(*campaigns, options.campaign);
        if (!chosen) return fail(chosen.error());
        return chosen->id;
    }
    for (const store::ListedCampaign& each : *campaigns)
        if (each.state == store::CampaignState::running) return each.id;
    return fail(Errc::bad_request, fmt::format("no campaign of {} is running", options.store));
}

std::optional<events::ControlRequest> request_of(const WatchOptions& options) {
    if (options.stop) return events::ControlRequest::stop;
    if (options.pause) return events::ControlRequest::pause;
    if (options.resume) return events::ControlRequest::resume;
    return std::nullopt;
}

Result<void> ask(int socket, events::ControlRequest request) {
    const std::string line = events::line_of(request);
    if (::send(socket, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size())) return {};
    return fail(Errc::io_failed,
                fmt::format("the request could not be sent to the campaign: {}", std::strerror(errno)));
}

/// Returns the text of the answer to a request if this event answers the request; otherwise empty.
std::string answer_to(events::ControlRequest request, const campaign::SessionEvent& event) {
    const bool to_pause = request == events::ControlRequest::pause;
    if (const auto* pause = std::get_if<campaign::PauseChanged>(&event.body);
        pause && request != events::ControlRequest::stop && pause->paused == to_pause)
        return to_pause ? "paused: the running step will finish, and no other step begins" : "continues";
    const auto* ended = std::get_if<campaign::CampaignEnded>(&event.body);
    if (!ended || request != events::ControlRequest::stop) return {};
    return ended->state == store::CampaignState::finished ? "finished before it could be stopped" : ended->detail;
}

class Watcher {
public:
    Watcher(const Console& console, const WatchOptions& options)
        : console_(console), options_(options), request_(request_of(options)), view_(style(), console.columns) {}

    /// Returns the exit status when the campaign has ended.
    Result<std::optional<int>> take(std::string_view bytes) {
        if (options_.events) console_.out << bytes << std::flush;
        const auto events = feed_.take(bytes);
        if (!events) return fail(events.error());
        for (const campaign::SessionEvent& event : *events) {
            console_.err << view_.show(event) << std::flush;
            if (const std::string answer = request_ ? answer_to(*request_, event) : ""; !answer.empty()) {
                if (!options_.quiet && !options_.events)
                    console_.err << line_of(fmt::format("campaign {}: {}", feed_.greeting()->campaign, answer));
                return std::optional(0);
            }
            if (const auto* ended = std::get_if<campaign::CampaignEnded>(&event.body)) return end(*ended);
        }
        return std::nullopt;
    }
    [[nodiscard]] std::string close() { return view_.close(); }
    [[nodiscard]] bool is_greeted() const { return feed_.greeting().has_value(); }

private:
    [[nodiscard]] ProgressStyle style() const {
        if (options_.quiet || options_.events || request_) return ProgressStyle::quiet;
        return console_.terminal ? ProgressStyle::live : ProgressStyle::plain;
    }
    [[nodiscard]] std::optional<int> end(const campaign::CampaignEnded& ended) const {
        if (ended.state == store::CampaignState::finished) return 0;
        console_.err << line_of(fmt::format("mediarig: campaign {} did not finish: {}", ended.campaign, ended.detail));
        return mediarig::exit_status(Errc::cancelled);
    }

    const Console& console_;
    const WatchOptions& options_;
    std::optional<events::ControlRequest> request_;
    ProgressView view_;
    events::Feed feed_;
};

Result<int> follow(int socket, Watcher& watcher) {
    constexpr timeval greets_within{.tv_sec = 30, .tv_usec = 0}; // time limit of the first line; events may take hours
    constexpr timeval without_end{};
    std::array<char, 65536> buffer{};
    while (true) {
        const timeval& patience = watcher.is_greeted() ? without_end : greets_within;
        (void)::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        const ssize_t length = ::recv(socket, buffer.data(), buffer.size(), 0);
        if (length < 0 && errno == EINTR) continue;
        if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return fail(Errc::timed_out,
                        fmt::format("the campaign's process did not answer within {} s: check whether it is suspended",
                                    greets_within.tv_sec));
        if (length <= 0)
            return fail(Errc::agent_lost, "the campaign's process has ended: 'mediarig campaigns' shows its state");
        const auto status = watcher.take({buffer.data(), static_cast<std::size_t>(length)});
        if (!status) return fail(status.error());
        if (*status) return **status;
    }
}

int watch(const Console& console, const WatchOptions& options) {
    const auto campaign = campaign_to_watch(options);
    if (!campaign) return report(console, campaign.error());
    const auto socket = events::connect_to_campaign(options.store, *campaign);
    if (!socket) return report(console, socket.error());
    if (const auto request = request_of(options))
        if (auto asked = ask(socket->get(), *request); !asked) return report(console, asked.error());
    // A rig first takes back its medium, so stopping may take some time.
    if (options.stop && !options.quiet && !options.events)
        console.err << line_of(fmt::format("campaign {}: stopping; waiting for its media to be released", *campaign));
    Watcher watcher(console, options);
    const auto status = follow(socket->get(), watcher);
    console.err << watcher.close() << std::flush;
    return status ? *status : report(console, status.error());
}

} // namespace

void add_watch_command(CLI::App& app, Console& console, Action& action) {
    auto options = std::make_shared<WatchOptions>();
    CLI::App* command = app.add_subcommand("watch", "show a campaign that runs in another terminal or in the window");
    add_campaign_option(*command, options->campaign, "the newest that runs");
    CLI::Option* pause = command->add_flag("--pause", options->pause, "finish the running steps, then wait");
    CLI::Option* resume = command->add_flag("--continue", options->resume, "continue after --pause")->excludes(pause);
    command->add_flag("--stop", options->stop, "end the campaign now; it can be resumed")
        ->excludes(pause)
        ->excludes(resume);
    command->add_flag(
        "--events", options->events,
        "print the campaign's events as lines of JSON (docs/reference/campaign-socket.md), until it ends");
    add_quiet_option(*command, options->quiet);
    add_store_option(*command, options->store);
    command->callback(
        [options, &console, &action] { action = [options, &console] { return watch(console, *options); }; });
}

} // namespace mediarig::cli
