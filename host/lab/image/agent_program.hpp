// SPDX-License-Identifier: GPL-3.0-or-later
/// The agent program for the guest.
#pragma once

#include <filesystem>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/image/image_options.hpp"
#include "host/lab/image/manifest.hpp"

namespace mediarig::lab {

/// Fails with no_driver: no such program, it needs libraries (the guest has none for it), it does not run, or sha256sum
/// is missing.
[[nodiscard]] Result<AgentProgram> identify_agent(const ImageOptions& options);

/// Returns a program without symbols, or unchanged if strip is missing. A smaller program saves time: the guest unpacks
/// it at each boot.
[[nodiscard]] Result<std::string> stripped_program(const ImageOptions& options, const std::filesystem::path& program);

} // namespace mediarig::lab
