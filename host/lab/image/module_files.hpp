// SPDX-License-Identifier: GPL-3.0-or-later
/// The files of kernel modules in an unpacked kernel package.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/image/image_options.hpp"

namespace mediarig::lab {

/// Returns the absolute paths of the named modules and their dependencies in load order, without modules that are built
/// into the kernel. `kernel`: the unpacked package; its list of dependencies is generated again. Fails with no_driver
/// (no kmod), io_failed (a module is missing).
[[nodiscard]] Result<std::vector<std::string>> modules_in_order(const ImageOptions& options,
                                                                const std::filesystem::path& kernel,
                                                                const std::string& abi,
                                                                const std::vector<std::string>& names);

} // namespace mediarig::lab
