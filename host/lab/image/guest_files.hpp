// SPDX-License-Identifier: GPL-3.0-or-later
/// The files of the guest's root folder, gathered from unpacked packages.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/image/cpio.hpp"

namespace mediarig::lab {

/// Copies programs of the unpacked packages ("mkfs.exfat") to where the guest's PATH finds them, with every library
/// that they need and the loader. Links of packages are followed within the packages. Fails with bad_format (a package
/// lacks the program, or none has a library it needs) and io_failed.
[[nodiscard]] Result<void> install_programs(const std::filesystem::path& unpacked,
                                            const std::vector<std::string>& programs,
                                            const std::filesystem::path& root);

/// Copies one folder of the unpacked packages, at the same place. Fails with bad_format where it is missing.
[[nodiscard]] Result<void> install_folder(const std::filesystem::path& unpacked, const std::filesystem::path& folder,
                                          const std::filesystem::path& root);

/// Copies files into a folder, which is made. Fails with io_failed.
[[nodiscard]] Result<void> install_files(const std::vector<std::string>& files, const std::filesystem::path& folder);

/// What is under `root`: each folder before what is in it, sorted, so that the same files give the same bytes.
[[nodiscard]] Result<std::vector<CpioEntry>> entries_below(const std::filesystem::path& root);

/// The entries of the archive: the folders and nodes that a root folder needs, what is under `root`, the init script
/// and the agent. Sorted likewise.
[[nodiscard]] Result<std::vector<CpioEntry>> guest_entries(const std::filesystem::path& root, std::string agent,
                                                           bool self_check);

} // namespace mediarig::lab
