// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the person at the rig.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <optional>
#include <string>

namespace mediarig::rig {

class Operator {
public:
    virtual ~Operator() = default;
    /// One line for the person.
    virtual void tell(const std::string& line) = 0;
    /// The next line typed, without its end; nothing where none came in time, or none ever will.
    [[nodiscard]] virtual boost::asio::awaitable<std::optional<std::string>> hear(std::chrono::milliseconds within) = 0;
};

} // namespace mediarig::rig
