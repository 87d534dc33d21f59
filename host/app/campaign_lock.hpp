// SPDX-License-Identifier: GPL-3.0-or-later
/// Keeps two processes from walking through the same campaign at once. The kernel drops it when the process ends,
/// however it ends.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "host/result.hpp"

namespace mediarig::app {

class CampaignLock {
public:
    /// Fails with refused (another process holds it) or store_failed.
    [[nodiscard]] static Result<CampaignLock> take(const std::filesystem::path& store, const std::string& campaign);

    CampaignLock(CampaignLock&& other) noexcept
        : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
    CampaignLock& operator=(CampaignLock&&) = delete;
    CampaignLock(const CampaignLock&) = delete;
    CampaignLock& operator=(const CampaignLock&) = delete;
    ~CampaignLock();

private:
    CampaignLock(std::filesystem::path file, int descriptor) : file_(std::move(file)), descriptor_(descriptor) {}
    std::filesystem::path file_;
    int descriptor_{-1};
};

} // namespace mediarig::app
