// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the SMART status of a disk through its bridge, with smartctl.
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
    std::chrono::milliseconds time_limit{20'000}; ///< for each query method
    const std::atomic<bool>* cancel{};
};

/// Makes a reader that runs smartctl (package smartmontools). It holds the node open, so that the kernel cannot reuse
/// the name of the node for another device.
[[nodiscard]] std::unique_ptr<SmartReader> make_smartctl(const SmartctlSetting& setting);

} // namespace mediarig::media
