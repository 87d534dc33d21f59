// SPDX-License-Identifier: GPL-3.0-or-later
/// Keeps two processes from walking through the same campaign at once. The kernel drops it when the process ends,
/// however it ends. One file beside the store, "STORE.lock", serves all its campaigns, one byte of it each: it stays,
/// and nothing else is left by a process that was killed.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "host/descriptor.hpp"
#include "host/result.hpp"

namespace mediarig::app {

class CampaignLock {
public:
    /// Fails with refused (another process holds it) or store_failed.
    [[nodiscard]] static Result<CampaignLock> take(const std::filesystem::path& store, const std::string& campaign);
    /// Whether a process is at work on it; false where that cannot be told.
    [[nodiscard]] static bool is_held(const std::filesystem::path& store, const std::string& campaign);
    /// Whether a process is at work on a campaign that is none of these; false where that cannot be told.
    [[nodiscard]] static bool is_another_held(const std::filesystem::path& store,
                                              const std::vector<std::string>& campaigns);

private:
    explicit CampaignLock(Descriptor file) : file_(std::move(file)) {}
    Descriptor file_;
};

} // namespace mediarig::app
