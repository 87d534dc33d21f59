// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks a disk behind its bridge how it is, by smartctl.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "host/base/process/run_process.hpp"
#include "host/media/identity/smart/smart_reader.hpp"

namespace mediarig::media {

struct SmartctlSetting {
    std::string search_path{process::system_search_path};
    std::chrono::milliseconds time_limit{20'000}; ///< of each way of asking
    const std::atomic<bool>* cancel{};
};

/// smartctl of the package smartmontools, on the node while it is held open: as long as it is, the kernel gives its
/// name to no other device.
[[nodiscard]] std::unique_ptr<SmartReader> make_smartctl(const SmartctlSetting& setting);

} // namespace mediarig::media
