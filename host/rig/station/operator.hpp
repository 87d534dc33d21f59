// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the operator at the rig.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <optional>
#include <string>

namespace mediarig::rig {

class Operator {
public:
    virtual ~Operator() = default;
    /// Shows one line to the operator.
    virtual void tell(const std::string& line) = 0;
    /// Returns the next typed line without its end; nothing on timeout or at the end of input.
    [[nodiscard]] virtual boost::asio::awaitable<std::optional<std::string>> hear(std::chrono::milliseconds within) = 0;
};

} // namespace mediarig::rig
