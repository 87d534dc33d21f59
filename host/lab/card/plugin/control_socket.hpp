// SPDX-License-Identifier: GPL-3.0-or-later
/// A Unix socket that takes lines and answers each with a line, in a thread of its own.
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
    /// Called from the socket's thread, one line at a time, without line breaks on either side. Must not throw.
    using Handler = std::function<std::string(std::string_view)>;

    /// Listens; a socket file that nobody answers on any more is replaced. Fails with bad_request (the path is longer
    /// than the 107 bytes a socket's may have), refused (somebody answers there), no_permission, io_failed.
    static Result<std::unique_ptr<ControlSocket>> listen(const std::string& path, Handler handler);
    ControlSocket(const ControlSocket&) = delete;
    ControlSocket& operator=(const ControlSocket&) = delete;
    /// Ends the thread and removes the file.
    ~ControlSocket();

    /// Begins to answer. Apart from listen(), because a process that forks in between takes its descriptors along, but
    /// no threads. Fails with io_failed.
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
