// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <string>

#include "host/base/process/run_process.hpp"

namespace mediarig::media {

struct MounterSetting {
    std::string run_directory{"/run"}; ///< parent of the folders with the mount points; must exist
    std::string search_path{process::system_search_path};
    std::string kernel_file_systems{"/proc/filesystems"};
    std::string module_directory{"/sys/module"};
    const std::atomic<bool>* cancel{}; ///< stops the start of a driver when it becomes true; null = cannot be cancelled
};

} // namespace mediarig::media
