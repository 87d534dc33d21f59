// SPDX-License-Identifier: GPL-3.0-or-later
/// What a step needs for itself while other media are at work. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/plan/steps.hpp"
#include "host/session/admission.hpp"
#include "host/session/medium_state.hpp"

namespace mediarig::session {

inline constexpr const char* the_rig = "rig";
inline constexpr const char* processor = "processor";

/// What the transfers of a medium share with other media: its host controller, or the file system below an image. Media
/// of which that is not known are taken to share one.
[[nodiscard]] std::string bus_of(const media::Medium& medium);

/// Loading and unloading: the rig alone. A sweep: its bus alone and a processor, because its rates are the result.
/// Whatever else transfers: its bus, shared. Everything else nothing: a medium that hangs there delays no other one.
[[nodiscard]] std::vector<Need> needs_of(const plan::Step& step, const MediumState& medium);

} // namespace mediarig::session
