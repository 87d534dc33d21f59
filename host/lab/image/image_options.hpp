// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "common/units.hpp"

namespace mediarig::lab {

/// Selection of versions: the versions of the last build need no network, the newest ones do.
enum class Versions { as_found_before, newest };

struct ImageOptions {
    std::filesystem::path cache; ///< absolute; created if missing
    std::filesystem::path agent; ///< a static mediarig-agent
    std::filesystem::path cards; ///< the program mediarig-lab-cards, for a guest in virtual time
    Versions versions{Versions::as_found_before};
    std::string mirror{};      ///< Debian mirror; empty: the mirror of this machine
    std::string search_path{}; ///< folders of the tools; empty: the system's folders
    std::filesystem::path keyrings{"/usr/share/keyrings"};
    Bytes free_space_needed{1'000'000'000}; ///< free space required before packages are fetched and unpacked
    std::chrono::milliseconds lock_wait{std::chrono::minutes(20)};
    const std::atomic<bool>* cancel{};
};

/// $XDG_CACHE_HOME/mediarig/lab, else ~/.cache/mediarig/lab; mediarig-agent-static and mediarig-lab-cards next to the
/// running program; the mirror in $MEDIARIG_DEBIAN_MIRROR.
[[nodiscard]] ImageOptions default_image_options();

using Progress = std::function<void(std::string_view line)>;

} // namespace mediarig::lab
