// SPDX-License-Identifier: GPL-3.0-or-later
/// Communicates with the operator at the terminal: writes to standard error and reads standard input.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <string>

#include "host/rig/station/operator.hpp"

namespace mediarig::rig {

class Terminal final : public Operator {
public:
    /// Works on duplicates of the two descriptors.
    Terminal(const boost::asio::any_io_executor& executor, int in, int out);
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    ~Terminal() override;

    void tell(const std::string& line) override;
    boost::asio::awaitable<std::optional<std::string>> hear(std::chrono::milliseconds within) override;

private:
    [[nodiscard]] std::optional<std::string> take_line();

    boost::asio::posix::stream_descriptor in_;
    int out_;
    std::string typed_;
    bool ended_{false};
};

} // namespace mediarig::rig
