// SPDX-License-Identifier: GPL-3.0-or-later
/// A switched mains plug with a power meter. It is believed by what it measures, never by the echo of a command: a
/// relay that is welded says "OFF" like any other.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "host/rig/power/plug/mqtt_client.hpp"
#include "host/rig/power/plug/plug_messages.hpp"

namespace mediarig::rig {

struct PlugSetup {
    std::chrono::milliseconds answers_within{10'000}; ///< each question
    std::chrono::milliseconds settles_within{30'000}; ///< from the request until the power says so
    std::chrono::milliseconds look_every{500};
    std::filesystem::path brokers{}; ///< what broker_access() reads; empty: nothing
};

class MainsPlug {
public:
    /// Fails as MqttClient::connect and broker_access.
    [[nodiscard]] static Result<MainsPlug> connect(const PlugAddress& plug, PlugSetup setup = {});

    /// A reading that was asked for just now. Fails with timed_out (it does not answer), io_failed, rig_fault (it
    /// refuses, in its own words).
    [[nodiscard]] Result<double> watts();
    /// Switches, and waits until two readings in a row agree: below 0.5 W off, not below on. The second of them.
    /// Switching off asks for a load first: without one, nothing could be seen to go; and whether the plug measures
    /// while it is off. Fails with rig_fault (no load before, it does not measure then, power flows after it was
    /// switched off, none after it was switched on) and as watts().
    [[nodiscard]] Result<double> set(bool on);

private:
    MainsPlug(PlugAddress plug, PlugSetup setup, std::string client, MqttClient broker)
        : plug_(std::move(plug)), setup_(setup), client_(std::move(client)), broker_(std::move(broker)) {}
    /// The first message that answers; `silence`: what is said where none comes.
    [[nodiscard]] Result<PlugReport> ask(const PlugMessage& question, bool (*answers)(const PlugReport&),
                                         std::string_view silence);
    [[nodiscard]] Result<void> meters_when_off();
    /// What is waiting was sent before the question.
    [[nodiscard]] Result<void> drop_old_messages();

    PlugAddress plug_;
    PlugSetup setup_;
    std::string client_;
    MqttClient broker_;
    std::uint32_t request_{};
};

} // namespace mediarig::rig
