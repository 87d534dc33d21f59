// SPDX-License-Identifier: GPL-3.0-or-later
/// This computer keeps what modelled cards hold. Where it cannot (a full disk, mostly), the guest would see an I/O
/// error that no card made: the machine is ended before that.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/lab/machine/machine.hpp"

namespace mediarig::lab {

struct CardAtWork {
    std::string name; ///< "the card in slot 3"
    std::filesystem::path control_socket;
};

/// Looks a few times a second at the counters of `cards()` until `*watching` is false, after which neither `machine`
/// nor `cards` is touched. `folder` keeps the contents.
[[nodiscard]] boost::asio::awaitable<void> watch_storage(std::shared_ptr<bool> watching, Machine& machine,
                                                         std::filesystem::path folder,
                                                         std::function<std::vector<CardAtWork>()> cards);

} // namespace mediarig::lab
