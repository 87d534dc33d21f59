// SPDX-License-Identifier: GPL-3.0-or-later
/// One connection to an MQTT broker, through libmosquitto. Blocking; all calls on one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/rig/power/plug/broker_access.hpp"

namespace mediarig::rig {

struct MqttMessage {
    std::string topic, payload;
    bool retained{}; ///< stored by the broker from earlier: not an answer
};

class MqttClient {
public:
    /// Connects as `client` and subscribes to `topics`; the broker confirms both. An encrypted broker must have a
    /// certificate for exactly the name `host`. Fails with timed_out, no_permission (the broker refuses), io_failed.
    [[nodiscard]] static Result<MqttClient> connect(const std::string& host, std::uint16_t port,
                                                    const BrokerAccess& access, const std::string& client,
                                                    const std::vector<std::string>& topics,
                                                    std::chrono::milliseconds within = std::chrono::seconds(10));
    MqttClient(MqttClient&&) noexcept;
    MqttClient& operator=(MqttClient&&) noexcept;
    ~MqttClient();

    /// Delivered at least once. Fails with io_failed.
    [[nodiscard]] Result<void> publish(const std::string& topic, const std::string& payload, bool retain = false);
    /// Returns the next message; nothing on timeout. Fails with io_failed: the connection is lost.
    [[nodiscard]] Result<std::optional<MqttMessage>> receive(std::chrono::milliseconds within);

private:
    struct State;
    explicit MqttClient(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace mediarig::rig
