// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the supply of one slot of a bank.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"
#include "host/rig/port/detachment.hpp"

namespace mediarig::rig {

class Supply {
public:
    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;
    using Ramp = std::optional<std::chrono::microseconds>;

    virtual ~Supply() = default;

    /// Every method fails with rig_fault (the switch fails or has no effect; an operator must check it) and with the
    /// errors of the device.
    [[nodiscard]] virtual Answer<bool> is_on() = 0;
    /// True if the slot contains a medium, as far as this can be detected without power; also true if it cannot be
    /// detected.
    [[nodiscard]] virtual Answer<bool> holds_medium() { co_return true; }
    /// Returns the time until the voltage was present, if measured. Fails with no_medium if the medium is the cause.
    [[nodiscard]] virtual Answer<Ramp> on() = 0;
    /// Returns the measurements of the supply; the caller sets `vanished`. `disk`: kernel name of the disk in the slot,
    /// empty if not known. Nothing on it may be in use.
    [[nodiscard]] virtual Answer<Evidence> off(const std::string& disk) = 0;
    /// Call before writing to the medium: the supply stays on until off(), even if this program stops responding.
    [[nodiscard]] virtual Answer<void> keep_on() { co_return Result<void>{}; }
    /// Returns the reason why results of the medium since keep_on() are not valid; nothing if they are valid.
    [[nodiscard]] virtual boost::asio::awaitable<std::optional<Error>> rig_fault() { co_return std::nullopt; }

    /// Detachment level that off() reaches if all required values are measured.
    [[nodiscard]] virtual DetachLevel attempts() const = 0;
    /// USB paths at which the medium may appear; empty: not known.
    [[nodiscard]] virtual Result<std::vector<std::string>> places() const { return std::vector<std::string>{}; }
    /// USB paths of hubs whose other ports may lose power too: hubs may switch more ports than requested.
    [[nodiscard]] virtual Result<std::vector<std::string>> hubs() const { return std::vector<std::string>{}; }
    /// Description of the supply, for records.
    [[nodiscard]] virtual std::string description() const = 0;
};

} // namespace mediarig::rig
