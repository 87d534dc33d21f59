// SPDX-License-Identifier: GPL-3.0-or-later
/// Which block device came and went with a port's voltage. Pure.
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

/// Between two lists of an agent. A node that holds another medium now (kernel's disk sequence, size) has vanished and
/// appeared. Empty slots of readers are nobody.
[[nodiscard]] Change between(const std::vector<media::Medium>& before, const std::vector<media::Medium>& after);

/// Whether these are the same physical medium at the same place, over a loss of power: the node may be another one.
[[nodiscard]] bool same_medium(const media::Medium& one, const media::Medium& other);

/// The one device that came with the voltage. `place`: the USB path that the port's reader is declared to have; empty:
/// not declared. Fails with no_medium (none yet; only this is worth waiting on) and refused (several, at another place,
/// or something else vanished).
[[nodiscard]] Result<media::Medium> appeared_alone(const Change& change, const std::string& place);
/// That exactly this device went with the voltage. Fails with no_medium (not yet; one that is just going may say less
/// of itself than before) and refused (something else too).
[[nodiscard]] Result<void> vanished_alone(const Change& change, const media::Medium& medium);

} // namespace mediarig::rig
