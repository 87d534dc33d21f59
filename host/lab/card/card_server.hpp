// SPDX-License-Identifier: GPL-3.0-or-later
/// One modelled medium as a network block device on a Unix socket, and the control over it. All awaitables run on one
/// executor, one thread.
#pragma once

#include <sys/types.h>

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "host/lab/card/card_model.hpp"
#include "host/lab/card/control.hpp"

namespace mediarig::lab {

class NbdkitProcess;

/// What has to be there to serve a medium; absolute paths.
struct CardPrograms {
    std::string nbdkit;
    std::string plugin;
};

/// nbdkit, and mediarig-card.so beside the running program. Fails with no_driver, naming what to install.
[[nodiscard]] Result<CardPrograms> find_card_programs();

struct CardMedium {
    std::string name;              ///< unique in its folder: names the sockets
    std::string config;            ///< a catalogue name, or the path of a JSON file
    std::filesystem::path backing; ///< sparse file, made where there is none
    CardOverrides overrides{};
    double time_scale{1}; ///< seconds to wait for each modelled one
};

/// Asks the model that listens at a control socket. Fails as the calls of CardServer do.
[[nodiscard]] boost::asio::awaitable<Result<CardAnswer>> ask_card(std::string name,
                                                                  std::filesystem::path control_socket,
                                                                  CardCommand command);

class CardServer {
public:
    static constexpr std::size_t longest_socket_path = 107; ///< bytes; what the address of a Unix socket has room for

    /// Starts the server with its two sockets in `folder`, and returns when it answers. It ends with the calling
    /// thread, however that ends. Fails with bad_request (too long a path; what the description of the medium lacks),
    /// refused (the medium is being served already), no_driver, no_permission, io_failed, timed_out.
    static boost::asio::awaitable<Result<std::unique_ptr<CardServer>>> start(CardPrograms programs, CardMedium medium,
                                                                             std::filesystem::path folder);
    CardServer(const CardServer&) = delete;
    CardServer& operator=(const CardServer&) = delete;
    /// A server that was not stopped is killed: the medium is gone at once, and with it what its volatile cache held.
    ~CardServer();

    [[nodiscard]] const std::filesystem::path& nbd_socket() const { return nbd_socket_; }
    [[nodiscard]] const std::filesystem::path& control_socket() const { return control_socket_; }
    [[nodiscard]] pid_t pid() const;

    /// Fails with bad_request (past the end of the medium), io_failed (no answer; the machine's storage), timed_out,
    /// bad_format.
    boost::asio::awaitable<Result<CardAnswer>> ask(CardCommand command);

    /// Switches the medium off in order: nothing acknowledged is lost, the process is gone and both sockets are. A
    /// second stop() does nothing. Fails with timed_out (it had to be killed), io_failed (it ended in another
    /// way; with its last words).
    boost::asio::awaitable<Result<void>> stop();

private:
    CardServer(std::string name, std::filesystem::path nbd_socket, std::filesystem::path control_socket,
               std::unique_ptr<NbdkitProcess> process);
    boost::asio::awaitable<Result<void>> wait_until_it_answers();
    void remove_sockets() const;

    std::string name_;
    std::filesystem::path nbd_socket_, control_socket_;
    std::unique_ptr<NbdkitProcess> process_;
    bool stopped_{false};
};

} // namespace mediarig::lab
