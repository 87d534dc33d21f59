// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/resident/storage_watch.hpp"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "host/lab/card/card_server.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

/// Time between two checks. It is shorter than the delay of a card model's answer; see running_card.cpp.
constexpr std::chrono::milliseconds between_card_looks{300};

std::string sentence(const std::string& card, const fs::path& folder) {
    std::error_code unknown;
    const fs::space_info space = fs::space(folder, unknown);
    const std::string free_space =
        unknown ? std::string() : fmt::format(", where {} MiB are free", space.available >> 20U);
    return fmt::format(
        "this computer could not store the data of {} in {}{}: free some space there, or store it elsewhere (--store, "
        "--media); this is not a fault of the medium",
        card, folder.string(), free_space);
}

} // namespace

asio::awaitable<void> watch_storage(std::shared_ptr<bool> watching, VirtualMachine& machine, fs::path folder,
                                    std::function<std::vector<ActiveCard>()> cards) {
    asio::steady_timer pause(co_await asio::this_coro::executor);
    while (*watching) {
        for (const ActiveCard& card : cards()) {
            CardCommand command = ReadStats{};
            const auto answer = co_await ask_card(card.name, card.control_socket, command);
            if (!*watching) co_return;
            // A card that has just been removed does not answer.
            if (!answer || answer->stats.storage_failures == 0) continue;
            machine.abandon(sentence(card.name, folder));
            co_return;
        }
        pause.expires_after(between_card_looks);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

} // namespace mediarig::lab
