// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <string_view>

namespace mediarig::process {

/// Empty where the variable is not set. Nobody here writes the environment while another thread lives.
[[nodiscard]] inline std::string_view environment(const char* name) {
    const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? std::string_view() : std::string_view(value);
}

} // namespace mediarig::process
