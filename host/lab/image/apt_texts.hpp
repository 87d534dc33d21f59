// SPDX-License-Identifier: GPL-3.0-or-later
/// Texts for a private apt folder with other suites than the system's; the system's configuration stays unchanged.
/// Pure.
#pragma once

#include <string>

#include "host/lab/image/apt_listing.hpp"

namespace mediarig::lab {

/// The guest uses the same distribution on every host, so that results can be compared.
inline constexpr const char* guest_suite = "bookworm";
inline constexpr const char* guest_security_suite = "bookworm-security";
/// Suites of the apfs module and its tools; the guest's suite has only a read-only version.
inline constexpr const char* apfs_module_suite = "sid";
inline constexpr const char* apfs_tools_suite = "trixie";

/// Returns sources.list in the one-line style.
[[nodiscard]] std::string sources_text(const Mirrors& mirrors, const std::string& keyring);

/// Returns a file for `apt-get -c FILE`, which apt reads after the system's configuration. `folder` is absolute. Works
/// for users and for root: root's downloads are not delegated to the user _apt, which cannot access a private folder.
[[nodiscard]] std::string configuration_text(const std::string& folder);

} // namespace mediarig::lab
