// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <string_view>

namespace mediarig::process {

/// Returns an empty text if the variable is not set. This program does not modify the environment while another thread
/// runs.
[[nodiscard]] inline std::string_view environment(const char* name) {
    const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? std::string_view() : std::string_view(value);
}

} // namespace mediarig::process
