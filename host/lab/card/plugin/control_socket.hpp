// SPDX-License-Identifier: GPL-3.0-or-later
/// A Unix socket that receives lines in a separate thread and answers each line with one line.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "host/base/result.hpp"

namespace mediarig::lab {

class ControlSocket {
public:
    /// Called in the socket's thread, one line at a time; request and answer have no line break. Must not throw.
    using Handler = std::function<std::string(std::string_view)>;

    /// Listens; replaces a stale socket file. Fails with bad_request (the path exceeds 107 bytes, the limit of a Unix
    /// socket address), refused (a server already answers there), no_permission, io_failed.
    static Result<std::unique_ptr<ControlSocket>> listen(const std::string& path, Handler handler);
    ControlSocket(const ControlSocket&) = delete;
    ControlSocket& operator=(const ControlSocket&) = delete;
    /// Ends the thread and removes the socket file.
    ~ControlSocket();

    /// Starts to answer. Separate from listen() because a fork in between keeps descriptors but not threads. Fails with
    /// io_failed.
    [[nodiscard]] Result<void> start();

private:
    ControlSocket(std::string path, int listener, int stop, Handler handler);
    void serve();

    std::string path_;
    int listener_, stop_; ///< `stop_` is an eventfd
    Handler handler_;
    std::thread thread_;
};

} // namespace mediarig::lab
