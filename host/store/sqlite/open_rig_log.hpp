// SPDX-License-Identifier: GPL-3.0-or-later
/// The rig's ledger in the SQLite file of the store (docs/reference/store.md).
#pragma once

#include <filesystem>
#include <memory>

#include "host/base/result.hpp"
#include "host/rig/port/rig_log.hpp"

namespace mediarig::store {

/// Opens the ledger like open_store(), with the same errors, on a separate connection: a store may be open at the same
/// time. Call RigLog::open() first; before that call all other functions fail with bad_request.
[[nodiscard]] Result<std::unique_ptr<rig::RigLog>> open_rig_log(const std::filesystem::path& file);

} // namespace mediarig::store
