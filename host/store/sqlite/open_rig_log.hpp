// SPDX-License-Identifier: GPL-3.0-or-later
/// The rig's ledger in the SQLite file of the store (docs/reference/store.md).
#pragma once

#include <filesystem>
#include <memory>

#include "host/base/result.hpp"
#include "host/rig/port/rig_log.hpp"

namespace mediarig::store {

/// Opens it as open_store() does, with the same errors, on a connection of its own: a store may be open beside it.
/// RigLog::open() comes first; any other call before it fails with bad_request.
[[nodiscard]] Result<std::unique_ptr<rig::RigLog>> open_rig_log(const std::filesystem::path& file);

} // namespace mediarig::store
