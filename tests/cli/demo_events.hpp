// SPDX-License-Identifier: GPL-3.0-or-later
/// A short campaign with everything in it that a progress view can meet.
#pragma once

#include <vector>

#include "host/campaign/event.hpp"

namespace mediarig::cli {

[[nodiscard]] std::vector<session::SessionEvent> demo_events();

} // namespace mediarig::cli
