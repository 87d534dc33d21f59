// SPDX-License-Identifier: GPL-3.0-or-later
/// This machine's media behind the server's port: claims, loop devices, formatters, the mounter and the workloads.
#pragma once

#include <atomic>
#include <memory>

#include "host/agent/server/media_backend.hpp"
#include "host/base/process/caller.hpp"
#include "host/media/claim/discovery.hpp"

namespace mediarig::agent {

/// `stop_work` ends a tool that is at work when it becomes true; it outlives the backend. `may_mount` is false where
/// the process has no mount namespace of its own: mounting is refused then, since a killed agent would leave the mount.
struct LinuxBackendSetting {
    const std::atomic<bool>& stop_work;
    bool may_mount{true};
    /// For whom the agent works: with whose rights paths are opened.
    process::Caller caller{};
};
[[nodiscard]] std::unique_ptr<MediaBackend> make_linux_backend(std::unique_ptr<media::Discovery> discovery,
                                                               const LinuxBackendSetting& setting);

} // namespace mediarig::agent
