// SPDX-License-Identifier: GPL-3.0-or-later
/// Determines which block device appeared or disappeared with a port's voltage. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::rig {

struct Change {
    std::vector<media::Medium> appeared, vanished;
    [[nodiscard]] bool none() const { return appeared.empty() && vanished.empty(); }
};

/// Compares two lists of an agent. A node with a different medium (kernel's disk sequence, size) counts as vanished and
/// appeared. Ignores devices that cannot be a card (loop, zram, device mapper, …) and empty slots of readers.
[[nodiscard]] Change between(const std::vector<media::Medium>& before, const std::vector<media::Medium>& after);

/// False for an empty slot of a reader, and for loop, zram and mapper devices, which this agent and other programs
/// attach and detach at any time.
[[nodiscard]] bool may_be_card(const media::Medium& device);

/// True if these are the same physical medium at the same place, before and after a loss of power; the node may differ.
[[nodiscard]] bool same_medium(const media::Medium& one, const media::Medium& other);

/// Returns the one device that appeared with the voltage. `place`: declared USB path of the port's reader; empty: any.
/// Fails with no_medium (none yet; the only error after which waiting helps) and refused (several, at another place, or
/// another device disappeared).
[[nodiscard]] Result<media::Medium> appeared_alone(const Change& change, const std::string& place);
/// Checks that exactly this device disappeared with the voltage. Fails with no_medium (not yet; a device that is
/// disappearing may report less than before) and refused (another device disappeared too).
[[nodiscard]] Result<void> vanished_alone(const Change& change, const media::Medium& medium);

} // namespace mediarig::rig
