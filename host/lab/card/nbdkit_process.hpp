// SPDX-License-Identifier: GPL-3.0-or-later
/// The server process behind one modelled medium, and its last words. Inner part of host/lab/card.
#pragma once

#include <sys/types.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::lab {

class NbdkitProcess {
public:
    /// Fails with no_permission, io_failed. It ends when the thread that called this does.
    static Result<std::unique_ptr<NbdkitProcess>> spawn(const boost::asio::any_io_executor& executor,
                                                        const std::string& program,
                                                        const std::vector<std::string>& arguments);
    NbdkitProcess(const NbdkitProcess&) = delete;
    NbdkitProcess& operator=(const NbdkitProcess&) = delete;
    /// Kills it, where it still runs, and waits for it.
    ~NbdkitProcess();

    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] boost::asio::any_io_executor executor() const;
    /// Collects it if it has ended.
    [[nodiscard]] bool running();
    /// Does nothing once it has been collected.
    void signal(int number);
    /// SIGKILL, and waits the moment that this takes.
    void end_now();
    /// Collected, and its exit status is 0.
    [[nodiscard]] bool ended_in_order() const { return status_ == 0; }
    /// True once it has ended, false when the time is over.
    boost::asio::awaitable<bool> wait_for_end(std::chrono::milliseconds patience);
    /// How it ended and the end of what it said, once it has ended: "exit status 1, saying: …".
    boost::asio::awaitable<std::string> why_it_ended();

private:
    struct Listening;
    NbdkitProcess(pid_t pid, std::shared_ptr<Listening> listening) : pid_(pid), listening_(std::move(listening)) {}

    pid_t pid_;
    std::optional<int> status_;            ///< of waitpid
    std::shared_ptr<Listening> listening_; ///< shared with the coroutines that read its output
};

} // namespace mediarig::lab
