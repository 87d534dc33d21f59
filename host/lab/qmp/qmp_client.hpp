// SPDX-License-Identifier: GPL-3.0-or-later
/// Client for the control socket of one QEMU.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/qmp/qmp_message.hpp"
#include "host/lab/qmp/unix_socket.hpp"

namespace mediarig::lab {

/// All methods run on the socket's executor, which must run on one thread at a time. Commands may overlap. After the
/// connection is lost, every pending and later call fails at once with rig_fault.
class QmpClient {
public:
    /// Waits for the greeting and leaves the negotiation mode. Fails with timed_out, bad_format, rig_fault.
    [[nodiscard]] static boost::asio::awaitable<Result<std::unique_ptr<QmpClient>>> open(
        UnixSocket socket, std::chrono::milliseconds within = std::chrono::seconds(30));

    QmpClient(const QmpClient&) = delete;
    QmpClient& operator=(const QmpClient&) = delete;
    ~QmpClient();

    /// Returns the command's `return` member. Fails with rig_fault ("QEMU refused device_add: …", or the connection was
    /// lost), timed_out (QEMU itself does not answer), bad_format (protocol violation; the connection was closed).
    [[nodiscard]] boost::asio::awaitable<Result<nlohmann::json>> execute(
        QmpCommand command, std::chrono::milliseconds within = std::chrono::seconds(30));

    /// Returns the oldest unread event for which `fits` is true, including past events; the last 256 are kept. Fails
    /// with timed_out (the detail contains `what`), and like execute().
    [[nodiscard]] boost::asio::awaitable<Result<QmpEvent>> wait_for(std::function<bool(const QmpEvent&)> fits,
                                                                    std::string what, std::chrono::milliseconds within);

    /// Version of QEMU: "7.2.22".
    [[nodiscard]] const std::string& version() const;
    /// Closes the connection; QEMU keeps running.
    void close();

private:
    class Connection;
    explicit QmpClient(std::shared_ptr<Connection> connection);
    std::shared_ptr<Connection> connection_; ///< shared with the reading coroutine
};

} // namespace mediarig::lab
