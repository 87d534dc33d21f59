// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs scripts in the guest's shell through the diagnosis port. Request and answer are one line each, in base64. Host
/// to guest "ID SCRIPT\n", guest to host "ID STATUS OUTPUT\n".
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/async/event.hpp"
#include "host/base/async/line_framer.hpp"
#include "host/base/result.hpp"
#include "host/lab/machine/machine.hpp"
#include "host/lab/qmp/unix_socket.hpp"

namespace mediarig::lab {

/// Returns the line, including its line break.
[[nodiscard]] std::string shell_request(const std::string& id, const std::string& script);
/// Returns nothing if the line answers another request or is incomplete. Fails with bad_format.
[[nodiscard]] std::optional<Result<ShellAnswer>> shell_answer(const std::string& id, std::string_view line);

class GuestShell : public std::enable_shared_from_this<GuestShell> {
public:
    GuestShell(boost::asio::any_io_executor executor, std::string socket_path);

    /// Fails with timed_out, bad_format, rig_fault (the machine ended).
    [[nodiscard]] boost::asio::awaitable<Result<ShellAnswer>> run(std::string script, std::chrono::milliseconds within);
    [[nodiscard]] bool busy() const { return busy_; }
    /// Call when the machine has ended: current and later requests then fail at once.
    void close();

private:
    void hang_up();
    boost::asio::awaitable<Result<ShellAnswer>> ask(std::string script, std::chrono::milliseconds within);

    boost::asio::any_io_executor executor_;
    std::string path_;
    std::optional<UnixSocket> socket_;
    agent::LineFramer framer_;
    Event free_;
    bool busy_{false};
    bool closed_{false};
};

} // namespace mediarig::lab
