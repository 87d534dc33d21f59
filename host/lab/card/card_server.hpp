// SPDX-License-Identifier: GPL-3.0-or-later
/// Serves one modelled medium as a network block device on a Unix socket, and its commands on a control socket. All
/// awaitables run on one executor, in one thread.
#pragma once

#include <sys/types.h>

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "host/lab/card/card_model.hpp"
#include "host/lab/card/control.hpp"
#include "host/lab/card/emulated_card.hpp"

namespace mediarig::lab {

class NbdkitProcess;

/// Programs needed to serve a medium; absolute paths.
struct CardPrograms {
    std::string nbdkit;
    std::string plugin;
};

/// Finds nbdkit, and mediarig-card.so next to the running program. Fails with no_driver; the detail names the package
/// to install.
[[nodiscard]] Result<CardPrograms> find_card_programs();

/// Sends a command to the model at a control socket. Fails like CardServer::ask().
[[nodiscard]] boost::asio::awaitable<Result<CardAnswer>> ask_card(std::string name,
                                                                  std::filesystem::path control_socket,
                                                                  CardCommand command);

class CardServer final : public EmulatedCard {
public:
    static constexpr std::size_t longest_socket_path = 107; ///< bytes; limit of a Unix socket address

    /// Starts the server with its two sockets in `folder` and returns once it answers. The server ends when the calling
    /// thread ends. Fails with bad_request (path too long, invalid description of the medium), refused (the medium is
    /// already served), no_driver, no_permission, io_failed, timed_out.
    static boost::asio::awaitable<Result<std::unique_ptr<CardServer>>> start(CardPrograms programs, CardMedium medium,
                                                                             std::filesystem::path folder);
    CardServer(const CardServer&) = delete;
    CardServer& operator=(const CardServer&) = delete;
    /// Kills a server that was not stopped: the medium disappears immediately and its volatile cache is lost.
    ~CardServer() override;

    [[nodiscard]] const std::filesystem::path& nbd_socket() const { return nbd_socket_; }
    [[nodiscard]] MediumSource source() const override { return MediumSource::nbd(nbd_socket_); }
    [[nodiscard]] const std::filesystem::path& control_socket() const override { return control_socket_; }
    [[nodiscard]] pid_t pid() const;

    boost::asio::awaitable<Result<CardAnswer>> ask(CardCommand command) override;

    /// Also ends the process and removes both sockets. Fails with timed_out (the process had to be killed), io_failed
    /// (it ended with an error; the detail contains its last output).
    boost::asio::awaitable<Result<void>> stop() override;

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

/// Starts a server for each card, with its sockets in one folder with a short path.
class CardServers final : public CardStarter {
public:
    CardServers(CardPrograms programs, std::filesystem::path folder)
        : programs_(std::move(programs)), folder_(std::move(folder)) {}
    boost::asio::awaitable<Result<std::unique_ptr<EmulatedCard>>> start(CardMedium medium) override;

private:
    CardPrograms programs_;
    std::filesystem::path folder_;
};

} // namespace mediarig::lab
