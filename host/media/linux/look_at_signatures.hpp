// SPDX-License-Identifier: GPL-3.0-or-later
/// What is on a device that nobody has described yet, read through a descriptor of its own.
#pragma once

#include <string>
#include <vector>

#include "host/media/signature.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// Opens read-only and closes again. Fails with no_permission, no_medium, io_failed.
[[nodiscard]] Result<std::vector<Signature>> look_at_signatures(const std::string& node);

} // namespace mediarig::media
