// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "host/result.hpp"

namespace mediarig::app {

/// Whether a text or a store may be written under this name, be there a file or not. Fails with bad_request for what
/// mediarig keeps for itself: the lock, the logs and the sockets beside a store, the logs of devices, the names of
/// media. Links are followed.
[[nodiscard]] Result<void> check_not_own(const std::filesystem::path& file);

} // namespace mediarig::app
