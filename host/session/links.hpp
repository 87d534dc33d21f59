// SPDX-License-Identifier: GPL-3.0-or-later
/// What stands between this machine and a medium, and can carry no more than it does. Pure.
#pragma once

#include <vector>

#include "host/measure/plausibility.hpp"
#include "host/media/medium.hpp"

namespace mediarig::session {

/// The USB link, and the bus of an SD card in this machine's own slot; a reader may have both.
[[nodiscard]] std::vector<measure::Link> links_of(const media::Medium& medium);

} // namespace mediarig::session
