// SPDX-License-Identifier: GPL-3.0-or-later
/// The texts of an apt folder of our own: other suites than this machine's, and nothing of the system is changed. Pure.
#pragma once

#include <string>

#include "host/lab/image/apt_listing.hpp"

namespace mediarig::lab {

/// The guest stays at one distribution on every host, so that results can be compared.
inline constexpr const char* guest_suite = "bookworm";
inline constexpr const char* guest_security_suite = "bookworm-security";
/// Where the apfs module and its tools come from; the guest's own suite has none that can write.
inline constexpr const char* apfs_module_suite = "sid";
inline constexpr const char* apfs_tools_suite = "trixie";

/// sources.list in the one-line style.
[[nodiscard]] std::string sources_text(const Mirrors& mirrors, const std::string& keyring);

/// For `apt-get -c FILE`, which is read after the system's configuration. `folder` is absolute. Fits a user and root:
/// the downloads of root are not handed to the user _apt, which cannot reach a private folder.
[[nodiscard]] std::string configuration_text(const std::string& folder);

} // namespace mediarig::lab
