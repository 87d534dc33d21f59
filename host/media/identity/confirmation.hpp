// SPDX-License-Identifier: GPL-3.0-or-later
/// What a person types to confirm that a medium is erased, as things are. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// confirmation_of(), or port_confirmation_of() where a medium that is there as well has the same serial (refusal
/// `ambiguous`).
[[nodiscard]] std::string confirmation_to_type(const Medium& medium);
/// The refusals that stand although `confirmation` was typed: it lifts `ambiguous` alone, by naming the port.
[[nodiscard]] std::vector<Refusal> standing_refusals(const Medium& medium, const std::string& confirmation);

} // namespace mediarig::media
