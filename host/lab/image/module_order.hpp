// SPDX-License-Identifier: GPL-3.0-or-later
/// Kernel modules of the guest and their load order. The guest has no modprobe, so requests for modules by the kernel
/// itself find nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig::lab {

/// Returns the modules without their dependencies, except modules that the kernel requests by name at run time (nls_*
/// for hfsplus and vfat, a crc32c for apfs, crct10dif for sd). Excludes `apfs`.
[[nodiscard]] std::span<const char* const> wanted_modules();

/// Adds the files in the output of `modprobe --show-depends` ("insmod PATH [options]" per line) that are not in `order`
/// yet. Skips modules that are built into the kernel.
void append_dependencies(std::vector<std::string>& order, std::string_view said);

/// Returns the line for a module file in the guest's list: name and load parameters, with a line break.
[[nodiscard]] std::string module_line(std::string_view file);

} // namespace mediarig::lab
