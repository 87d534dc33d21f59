// SPDX-License-Identifier: GPL-3.0-or-later
/// Text that the user types to confirm that a medium may be erased, considering the other media present. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// confirmation_of(), or port_confirmation_of() if another present medium has the same serial (refusal `ambiguous`).
[[nodiscard]] std::string confirmation_to_type(const Medium& medium);
/// Refusals that remain with this confirmation. Only `ambiguous` can be lifted, by a confirmation that names the port.
[[nodiscard]] std::vector<Refusal> permanent_refusals(const Medium& medium, const std::string& confirmation);

/// Number of bytes at the end of a confirmation that a person has to type: four characters of a serial, or the last
/// component of a path, because the ends of paths are often the same.
[[nodiscard]] std::size_t bytes_to_type(std::string_view confirmation);
/// True if `typed` is the end of the confirmation and has at least bytes_to_type(). False for an empty confirmation.
[[nodiscard]] bool confirms(std::string_view typed, std::string_view confirmation);

} // namespace mediarig::media
