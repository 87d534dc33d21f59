// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs one medium with its model, storage, pacing and control socket. It does not depend on the server's interface.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "host/lab/card/card_model.hpp"
#include "host/lab/card/file_storage.hpp"
#include "host/lab/card/plugin/control_socket.hpp"
#include "host/lab/card/plugin/pacer.hpp"

namespace mediarig::lab {

struct CardParameters {
    std::string config;  ///< catalogue name or path of a description
    std::string backing; ///< path of the backing file
    CardOverrides overrides{};
    std::optional<std::string> control{}; ///< path of the socket
    double time_scale{1};
    Pacer::Time shortest_sleep{Pacer::inexact_sleep};
    FileCaching caching{FileCaching::usual};
};

class RunningCard {
public:
    /// Fails like parse_card_config, find_card_config, open_file_storage and ControlSocket::listen.
    static Result<std::unique_ptr<RunningCard>> make(const CardParameters& parameters,
                                                     std::function<void(Pacer::Time)> sleep);
    RunningCard(const RunningCard&) = delete;
    RunningCard& operator=(const RunningCard&) = delete;
    /// Shuts the medium down in order.
    ~RunningCard();

    /// Starts to answer on the control socket.
    [[nodiscard]] Result<void> start_control();
    /// Executes a control command; see control.hpp.
    [[nodiscard]] std::string execute(std::string_view line);
    [[nodiscard]] const CardConfig& config() const { return model_.config(); }

    /// Each of these functions executes one request and waits for its modelled duration. Call one at a time; control
    /// commands may run in between.
    Result<Outcome> read(std::uint64_t offset, std::span<std::byte> into);
    Result<Outcome> write(std::uint64_t offset, std::span<const std::byte> from, Durability durability);
    Result<Outcome> zero(std::uint64_t offset, Bytes size);
    Result<Outcome> trim(std::uint64_t offset, Bytes size);
    Result<Outcome> flush();

private:
    RunningCard(const CardConfig& config, std::unique_ptr<Storage> storage, Pacer pacer);
    template <class Act>
    Result<Outcome> paced(Act act);

    std::unique_ptr<Storage> storage_;
    std::mutex mutex_; ///< guards the model: requests and control commands
    CardModel model_;
    Pacer pacer_;
    std::unique_ptr<ControlSocket> control_; ///< last member, so that its thread ends first
};

} // namespace mediarig::lab
