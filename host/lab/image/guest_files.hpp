// SPDX-License-Identifier: GPL-3.0-or-later
/// Gathers the files of the guest's root folder from unpacked packages.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/image/cpio.hpp"

namespace mediarig::lab {

/// Copies programs of the unpacked packages ("mkfs.exfat") into the guest's PATH, with all their libraries and the
/// loader. Links of packages are followed within the packages. Fails with bad_format (no package has the program or a
/// library that it needs) and io_failed.
[[nodiscard]] Result<void> install_programs(const std::filesystem::path& unpacked,
                                            const std::vector<std::string>& programs,
                                            const std::filesystem::path& root);

/// Copies one folder of the unpacked packages to the same path. Fails with bad_format if it is missing.
[[nodiscard]] Result<void> install_folder(const std::filesystem::path& unpacked, const std::filesystem::path& folder,
                                          const std::filesystem::path& root);

/// Copies files into a folder and creates the folder. Fails with io_failed.
[[nodiscard]] Result<void> install_files(const std::vector<std::string>& files, const std::filesystem::path& folder);

/// Returns the contents of `root`, sorted, each folder before its contents, so that equal files give equal bytes.
[[nodiscard]] Result<std::vector<CpioEntry>> entries_below(const std::filesystem::path& root);

/// Returns the entries of the archive: the folders and nodes that a root folder needs, the contents of `root`, the init
/// script and the agent. Sorted in the same way.
[[nodiscard]] Result<std::vector<CpioEntry>> guest_entries(const std::filesystem::path& root, std::string agent,
                                                           bool self_check);

} // namespace mediarig::lab
