// SPDX-License-Identifier: GPL-3.0-or-later
/// A store that also writes device logs.
#pragma once

#include <filesystem>
#include <memory>

#include "host/base/result.hpp"
#include "host/store/store.hpp"

namespace mediarig::store {

/// Writes each record about a device first to `<directory>/<device key>.jsonl` and then to `store`: after a crash
/// between the two writes the log contains more than the store, never less. The journal of steps and all reads use only
/// the inner store. Creates `directory`; fails with store_failed if that is impossible. Only one thread may call it at
/// a time, as for any store.
[[nodiscard]] Result<std::unique_ptr<Store>> make_logged_store(std::unique_ptr<Store> store,
                                                               const std::filesystem::path& directory);

} // namespace mediarig::store
