// SPDX-License-Identifier: GPL-3.0-or-later
/// Text that the user types to confirm that a medium may be erased, considering the other media present. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// confirmation_of(), or port_confirmation_of() if another present medium has the same serial (refusal `ambiguous`).
[[nodiscard]] std::string confirmation_to_type(const Medium& medium);
/// Refusals that remain with this confirmation. Only `ambiguous` can be lifted, by a confirmation that names the port.
[[nodiscard]] std::vector<Refusal> permanent_refusals(const Medium& medium, const std::string& confirmation);

} // namespace mediarig::media
