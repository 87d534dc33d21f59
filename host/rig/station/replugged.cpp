// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/station/replugged.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "host/rig/station/manual_rig.hpp"
#include "host/rig/station/presence.hpp"

namespace mediarig::rig {
namespace {

namespace asio = boost::asio;

/// The key of a medium contains its serial, or its USB port if it has none.
bool has_identity(const media::Medium& now, media::Medium before) {
    // Registers that a nest read are missing in a reader.
    if (!now.sd) before.sd.reset();
    return now.size == before.size && media::device_key(now) == media::device_key(before);
}

} // namespace

bool can_be_replugged(const media::Medium& medium) {
    return may_be_card(medium);
}

asio::awaitable<Result<media::Medium>> replugged(const media::Medium& medium, Operator& person,
                                                 agent::AgentClient& agent, const ReplugWait& wait) {
    auto others = co_await agent.devices();
    if (!others) co_return fail(std::move(others.error()));
    std::vector<media::Medium> before;
    for (const media::Medium& each : *others)
        if (each.node == medium.node) before.push_back(each);
    std::erase_if(*others, [&](const media::Medium& each) { return each.node == medium.node; });
    const std::string title = title_of(medium);
    const auto seconds = wait.within.count() / 1000;
    person.tell(fmt::format("{}: remove the medium and connect it again ({} s)", title, seconds));

    const auto deadline = std::chrono::steady_clock::now() + wait.within;
    bool removed = before.empty();
    std::optional<media::Medium> seen, another;
    do {
        if (wait.given_up()) co_return fail(Errc::cancelled, "cancelled while waiting for the medium");
        auto now = co_await agent.devices();
        if (!now) co_return fail(std::move(now.error()));
        // A medium that is connected again between two polls has another disk sequence.
        removed = removed || !between(before, *now).vanished.empty();
        std::optional<media::Medium> found;
        if (removed) {
            for (const media::Medium& each : between(*others, *now).appeared) {
                if (has_identity(each, medium)) {
                    found = each;
                } else if (!another || another->node != each.node || another->serial != each.serial) {
                    another = each;
                    person.tell(fmt::format("{} is another medium: connect {}", title_of(each), title));
                }
            }
        }
        // A device that is appearing may look different for a moment.
        if (found && seen && *found == *seen) co_return *found;
        seen = std::move(found);
        (void)co_await person.hear(wait.poll_interval);
    } while (std::chrono::steady_clock::now() <= deadline);
    if (another)
        co_return fail(Errc::no_medium,
                       fmt::format("{} was connected instead of {}: connect the right medium and start "
                                   "again",
                                   title_of(*another), title));
    co_return fail(Errc::no_medium, fmt::format("{} was not {} within {} s: start again", title,
                                                removed ? "connected again" : "removed", seconds));
}

} // namespace mediarig::rig
