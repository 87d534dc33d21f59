// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: what powers one slot of a bank.
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

    /// Each fails with rig_fault (the switch fails, or does not do what it says; a person has to look) and as what is
    /// behind it does.
    [[nodiscard]] virtual Answer<bool> is_on() = 0;
    /// Whether a medium is in the slot, as far as that is seen without power; true where it is not.
    [[nodiscard]] virtual Answer<bool> holds_medium() { co_return true; }
    /// The time until the voltage was there, where that is measured. Fails with no_medium where the medium is to blame.
    [[nodiscard]] virtual Answer<Ramp> on() = 0;
    /// What was measured of the supply; `vanished` is for who looks at the medium. `disk`: kernel name of what the slot
    /// carries; empty where that is not known. Nothing of it may be in use.
    [[nodiscard]] virtual Answer<Evidence> off(const std::string& disk) = 0;
    /// Its medium is going to be written: the supply stays until off(), even when this program falls silent.
    [[nodiscard]] virtual Answer<void> keep_on() { co_return Result<void>{}; }
    /// Why what the medium does since keep_on() is not to be believed.
    [[nodiscard]] virtual boost::asio::awaitable<std::optional<Error>> trouble() { co_return std::nullopt; }

    /// What off() amounts to, if all that it needs is measured.
    [[nodiscard]] virtual Rung attempts() const = 0;
    /// USB paths at which the medium may show up; empty: not known.
    [[nodiscard]] virtual Result<std::vector<std::string>> places() const { return std::vector<std::string>{}; }
    /// USB paths of hubs that may lose other ports as well, because hubs switch more than they are asked to.
    [[nodiscard]] virtual Result<std::vector<std::string>> hubs() const { return std::vector<std::string>{}; }
    /// For records.
    [[nodiscard]] virtual std::string description() const = 0;
};

} // namespace mediarig::rig
