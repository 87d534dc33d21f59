// SPDX-License-Identifier: GPL-3.0-or-later
/// Supplies with blocking switches: each works in its own thread, so that no other slot waits for it.
#pragma once

#include <functional>
#include <memory>

#include "host/base/async/work_thread.hpp"
#include "host/rig/bank/slot_power.hpp"
#include "host/rig/bank/supply.hpp"
#include "host/rig/power/hub/port_switch.hpp"
#include "host/rig/power/plug/mains_plug.hpp"

namespace mediarig::rig {

/// A port of a hub. The hub reports that the port is off, but nothing measures the voltage: level 4 is attempted, and a
/// medium that vanishes proves level 3.
class HubSupply final : public Supply {
public:
    HubSupply(std::shared_ptr<PortSwitch> ports, UsbPort port, boost::asio::any_io_executor executor)
        : ports_(std::move(ports)), port_(std::move(port)), thread_(std::move(executor), {}) {}

    Answer<bool> is_on() override;
    Answer<Ramp> on() override;
    Answer<Evidence> off(const std::string& disk) override;
    boost::asio::awaitable<std::optional<Error>> rig_fault() override;
    DetachLevel attempts() const override { return DetachLevel::supply_cut; }
    Result<std::vector<std::string>> places() const override;
    Result<std::vector<std::string>> hubs() const override;
    std::string description() const override { return text_of(HubPower{port_}); }

private:
    std::shared_ptr<PortSwitch> ports_;
    UsbPort port_;
    WorkThread thread_;
};

/// A mains plug, verified by its power readings.
class PlugSupply final : public Supply {
public:
    PlugSupply(PlugAddress plug, PlugSetup setup, boost::asio::any_io_executor executor);

    Answer<bool> is_on() override;
    Answer<Ramp> on() override;
    Answer<Evidence> off(const std::string& disk) override;
    DetachLevel attempts() const override { return DetachLevel::mains_off; }
    std::string description() const override { return text_of(PlugPower{address_}); }

private:
    /// Used only in the worker thread; connected on first use.
    struct Line;
    PlugAddress address_;
    std::shared_ptr<Line> line_;
    WorkThread thread_;
};

/// An enclosure: the sequence removes its disk, then its PCIe access if the domain allows that, then its supply.
class ThunderboltSupply final : public Supply {
public:
    struct Setup {
        EnclosurePower power;
        PlugSetup plug{};
        /// Receives one line for the operator; called on the loop.
        std::function<void(const std::string&)> tell;
        std::chrono::milliseconds gone_within{60'000}, back_within{120'000}, poll_interval{200};
        std::chrono::milliseconds person_within{300'000}; ///< replaces the other limits if the operator pulls the cable
        std::string boltctl{"boltctl"};
    };
    ThunderboltSupply(Setup setup, boost::asio::any_io_executor executor);

    Answer<bool> is_on() override;
    Answer<Ramp> on() override;
    Answer<Evidence> off(const std::string& disk) override;
    DetachLevel attempts() const override {
        return setup_->power.plug ? DetachLevel::mains_off : DetachLevel::withdrawn;
    }
    std::string description() const override { return text_of(setup_->power); }

private:
    struct Cable;
    std::shared_ptr<const Setup> setup_;
    std::shared_ptr<Cable> cable_;
    WorkThread thread_;
};

} // namespace mediarig::rig
