// SPDX-License-Identifier: GPL-3.0-or-later
/// Monitors the storage of modelled cards on this computer. If it fails (usually a full disk), the guest would see an
/// I/O error that the card did not cause: the machine is ended before that.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/lab/machine/machine.hpp"

namespace mediarig::lab {

struct ActiveCard {
    std::string name; ///< "the card in slot 3"
    std::filesystem::path control_socket;
};

/// Reads the counters of `cards()` a few times per second until `*watching` is false; afterwards neither `machine` nor
/// `cards` is used. `folder` stores the contents.
[[nodiscard]] boost::asio::awaitable<void> watch_storage(std::shared_ptr<bool> watching, VirtualMachine& machine,
                                                         std::filesystem::path folder,
                                                         std::function<std::vector<ActiveCard>()> cards);

} // namespace mediarig::lab
