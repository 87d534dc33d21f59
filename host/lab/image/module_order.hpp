// SPDX-License-Identifier: GPL-3.0-or-later
/// Which kernel modules the guest has, and in which order they are loaded: the guest has no modprobe, and the kernel's
/// own requests for modules find nothing there.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig::lab {

/// Without what they depend on, except where the kernel asks for a module by name at run time (nls_* for hfsplus and
/// vfat, a crc32c for apfs, crct10dif for sd). `apfs` is not among them.
[[nodiscard]] std::span<const char* const> wanted_modules();

/// Adds the files named by `modprobe --show-depends` ("insmod PATH [options]" a line) that are not in `order` yet.
/// Lines of modules that are built into the kernel are passed over.
void append_dependencies(std::vector<std::string>& order, std::string_view said);

/// The line of the guest's list for a module file: its name, and the parameters it is loaded with, ended by a line
/// break.
[[nodiscard]] std::string module_line(std::string_view file);

} // namespace mediarig::lab
