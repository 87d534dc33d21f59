// SPDX-License-Identifier: GPL-3.0-or-later
/// A real mosquitto on a free port, and a plug that is a client of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "host/rig/power/plug/mqtt_client.hpp"
#include "host/rig/power/plug/plug_messages.hpp"
#include "tests/json.hpp"

namespace mediarig::rig {

class Broker {
public:
    enum class Login : std::uint8_t {
        open,
        guarded ///< encrypted, and only for the user ada with the password "let me in"
    };
    /// Throws if it does not start.
    explicit Broker(Login login = Login::open);
    ~Broker();
    Broker(const Broker&) = delete;
    Broker& operator=(const Broker&) = delete;
    [[nodiscard]] static bool is_installed();
    [[nodiscard]] std::uint16_t port() const { return port_; }
    /// Access data for the broker. The certificate of an encrypted one is for "localhost".
    [[nodiscard]] const BrokerAccess& access() const { return access_; }

private:
    std::uint16_t port_{};
    void start(Login login);

    std::filesystem::path folder_;
    BrokerAccess access_;
    int child_{-1};
};

/// Faults of a plug.
struct PlugTrouble {
    bool welded{};     ///< reports OFF although current flows
    bool mute{};       ///< does not answer
    bool twice{};      ///< answers everything twice
    unsigned lag{};    ///< number of readings by which its reported power is late
    bool blind_off{};  ///< a Tasmota that reports 0 W while it is switched off, even if power flows (SetOption21 0)
    bool refuses{};    ///< RPC answers with an error
    bool holds{};      ///< sends its first reading only after the request for the second
    double load{12.5}; ///< watts while on
};

/// Acts as a Tasmota plug and as a Shelly of the second generation at once, with the topic "desk".
class FakePlug {
public:
    FakePlug(const Broker& broker, PlugTrouble trouble);
    ~FakePlug();
    FakePlug(const FakePlug&) = delete;
    FakePlug& operator=(const FakePlug&) = delete;
    std::atomic<bool> on{true};

private:
    void run();
    void answer(const MqttMessage& message);
    [[nodiscard]] double reading();
    void tell(const std::string& topic, const std::string& payload);

    PlugTrouble trouble_;
    MqttClient client_;
    std::vector<double> readings_;
    std::optional<PlugMessage> held_;
    std::atomic<bool> ends_{false};
    std::thread thread_;
};

} // namespace mediarig::rig
