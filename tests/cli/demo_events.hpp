// SPDX-License-Identifier: GPL-3.0-or-later
/// A short campaign with every kind of event that a progress view shows.
#pragma once

#include <vector>

#include "host/campaign/event.hpp"

namespace mediarig::cli {

[[nodiscard]] std::vector<campaign::SessionEvent> demo_events();

} // namespace mediarig::cli
