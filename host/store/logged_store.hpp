// SPDX-License-Identifier: GPL-3.0-or-later
/// A store that keeps a device log beside whatever else it keeps.
#pragma once

#include <filesystem>
#include <memory>

#include "host/base/result.hpp"
#include "host/store/store.hpp"

namespace mediarig::store {

/// Each record about a device goes into `<directory>/<device key>.jsonl` first and into `store` then: a crash between
/// the two leaves a log that knows more, never one that knows less. The journal of steps and all reading are the inner
/// store's alone. Makes `directory`; fails with store_failed where that cannot be done. One thread at a time, as any
/// store.
[[nodiscard]] Result<std::unique_ptr<Store>> make_logged_store(std::unique_ptr<Store> store,
                                                               const std::filesystem::path& directory);

} // namespace mediarig::store
