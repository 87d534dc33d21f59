// SPDX-License-Identifier: GPL-3.0-or-later
/// A switched mains plug with a power meter. Its state is taken from measurements, never from the echo of a command: a
/// plug with a welded relay still reports "OFF".
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "host/rig/power/plug/mqtt_client.hpp"
#include "host/rig/power/plug/plug_messages.hpp"

namespace mediarig::rig {

struct PlugSetup {
    std::chrono::milliseconds answers_within{10'000}; ///< time limit per request
    std::chrono::milliseconds settles_within{
        30'000}; ///< time limit from a request until the power confirms the new state
    std::chrono::milliseconds poll_interval{500};
    std::filesystem::path brokers{}; ///< file for broker_access(); empty: no file
};

class MainsPlug {
public:
    /// Fails like MqttClient::connect and broker_access.
    [[nodiscard]] static Result<MainsPlug> connect(const PlugAddress& plug, PlugSetup setup = {});

    /// Requests a new reading. Fails with timed_out (no answer), io_failed, rig_fault (the plug refuses; the detail
    /// contains its text).
    [[nodiscard]] Result<double> watts();
    /// Switches, and waits for two consecutive readings that confirm the state: below 0.5 W for off, at least 0.5 W for
    /// on. Returns the second one. Before switching off, checks that there is a load, whose disappearance can be seen,
    /// and that the plug measures while it is off. Fails with rig_fault (no load before, no measurement while off,
    /// power after switching off, no power after switching on) and like watts().
    [[nodiscard]] Result<double> set(bool on);

private:
    MainsPlug(PlugAddress plug, PlugSetup setup, std::string client, MqttClient broker)
        : plug_(std::move(plug)), setup_(setup), client_(std::move(client)), broker_(std::move(broker)) {}
    /// Returns the first message that answers; `silence`: error text if none arrives.
    [[nodiscard]] Result<PlugReport> ask(const PlugMessage& question, bool (*answers)(const PlugReport&),
                                         std::string_view silence);
    [[nodiscard]] Result<void> meters_when_off();
    /// Drops the messages that were received before the request.
    [[nodiscard]] Result<void> drop_old_messages();

    PlugAddress plug_;
    PlugSetup setup_;
    std::string client_;
    MqttClient broker_;
    std::uint32_t request_{};
};

} // namespace mediarig::rig
