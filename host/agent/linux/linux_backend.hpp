// SPDX-License-Identifier: GPL-3.0-or-later
/// Adapter of the server's port for the media of this machine: claims, loop devices, formatters, the mounter and the
/// workloads.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "host/agent/server/media_backend.hpp"
#include "host/base/process/caller.hpp"
#include "host/media/claim/discovery.hpp"

namespace mediarig::agent {

/// When `stop_work` becomes true, the backend ends a running tool; `stop_work` must outlive the backend. `may_mount` is
/// false if the process has no private mount namespace: mounting is then refused, because a killed agent would leave
/// the mount.
struct LinuxBackendSetting {
    const std::atomic<bool>& stop_work;
    bool may_mount{true};
    /// User for whom the agent works; paths are opened with this user's rights.
    process::Caller caller{};
    std::filesystem::path undo_folder{}; ///< see undo_file.hpp
};
[[nodiscard]] std::unique_ptr<MediaBackend> make_linux_backend(std::unique_ptr<media::Discovery> discovery,
                                                               const LinuxBackendSetting& setting);

} // namespace mediarig::agent
