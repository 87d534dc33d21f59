// SPDX-License-Identifier: GPL-3.0-or-later
/// The server process of one modelled medium and its last output. Internal to host/lab/card.
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
    /// Fails with no_permission, io_failed. The process ends when the calling thread ends.
    static Result<std::unique_ptr<NbdkitProcess>> spawn(const boost::asio::any_io_executor& executor,
                                                        const std::string& program,
                                                        const std::vector<std::string>& arguments);
    NbdkitProcess(const NbdkitProcess&) = delete;
    NbdkitProcess& operator=(const NbdkitProcess&) = delete;
    /// Kills the process if it still runs, and waits for it.
    ~NbdkitProcess();

    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] boost::asio::any_io_executor executor() const;
    /// Reaps the process if it has ended.
    [[nodiscard]] bool running();
    /// Does nothing after the process was reaped.
    void signal(int number);
    /// Sends SIGKILL and waits for the exit.
    void end_now();
    /// True if the process was reaped with exit status 0.
    [[nodiscard]] bool ended_in_order() const { return status_ == 0; }
    /// Returns true once the process has ended, false on timeout.
    boost::asio::awaitable<bool> wait_for_end(std::chrono::milliseconds patience);
    /// Describes the exit of an ended process, with the end of its output.
    boost::asio::awaitable<std::string> exit_reason();

private:
    struct Listening;
    NbdkitProcess(pid_t pid, std::shared_ptr<Listening> listening) : pid_(pid), listening_(std::move(listening)) {}

    pid_t pid_;
    std::optional<int> status_;            ///< status that waitpid returned
    std::shared_ptr<Listening> listening_; ///< shared with the coroutines that read the output
};

} // namespace mediarig::lab
