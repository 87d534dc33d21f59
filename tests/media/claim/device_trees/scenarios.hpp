// SPDX-License-Identifier: GPL-3.0-or-later
/// The safety scenarios: a request to erase a medium, with a fault or a concurrent change. A row is a scenario.
/// scenarios_test.cpp plays each of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/media/claim/device_trees/machine.hpp"

namespace mediarig::media::scenarios {

inline void one_stick(Machine& m) {
    m.nvme_system().usb({.name = "sdb", .serial = "AA11", .label = "my stick"});
}

struct Scenario {
    std::string name;
    std::function<void(Machine&)> machine{one_stick};
    std::string target{"/dev/sdb"};
    std::string confirmation{"AA11"};
    /// The only physical disk that the scenario may write; empty if it may write no disk.
    std::string may_write{};
    /// Part of the printed line, empty if the scenario succeeds.
    std::string says{};
    /// Event after the claim and before the first destructive phase.
    std::function<void(Machine&)> after_claim{};
    /// Event between identification and opening of the device.
    std::function<void(Machine&)> before_open{};
    /// Event right after the device was opened.
    std::function<void(Machine&)> after_open{};
};

[[nodiscard]] std::vector<Scenario> system_disk_scenarios();
[[nodiscard]] std::vector<Scenario> somebodys_data_scenarios();
[[nodiscard]] std::vector<Scenario> kind_of_medium_scenarios();
[[nodiscard]] std::vector<Scenario> naming_scenarios();
[[nodiscard]] std::vector<Scenario> change_scenarios();
[[nodiscard]] std::vector<Scenario> doubt_scenarios();

} // namespace mediarig::media::scenarios
