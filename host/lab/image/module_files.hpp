// SPDX-License-Identifier: GPL-3.0-or-later
/// The files of kernel modules in an unpacked kernel package.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/image/guest_image.hpp"

namespace mediarig::lab {

/// Absolute paths of the named modules and of all that they depend on, in the order in which they can be loaded; what
/// is built into the kernel is left out. `kernel`: the unpacked package, in which the list of dependencies is made
/// anew. Fails with no_driver (no kmod), io_failed (a module is missing).
[[nodiscard]] Result<std::vector<std::string>> modules_in_order(const ImageOptions& options,
                                                                const std::filesystem::path& kernel,
                                                                const std::string& abi,
                                                                const std::vector<std::string>& names);

} // namespace mediarig::lab
