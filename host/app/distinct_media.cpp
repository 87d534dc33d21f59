// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/distinct_media.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace mediarig::app {

namespace asio = boost::asio;

Result<void> check_distinct(const std::vector<NamedMedium>& media) {
    std::map<std::string, std::string> names;                             // by key
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> files; // by device and inode
    for (const NamedMedium& medium : media) {
        const std::string key = media::device_key(medium.identity);
        std::string same;
        if (const auto [at, is_new] = names.try_emplace(key, medium.name); !is_new) same = at->second;
        // What stands in a directory is no medium of its own.
        const bool is_file = medium.identity.file && medium.identity.transport != media::Transport::directory;
        if (is_file) {
            const auto& file = *medium.identity.file;
            if (const auto [at, is_new] = files.try_emplace({file.device, file.inode}, medium.name); !is_new)
                same = at->second;
        }
        if (!same.empty())
            return fail(Errc::bad_request,
                        fmt::format("{} is the medium of {} already ({}), or cannot be told from it; name each medium "
                                    "once; nothing was written",
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
