// SPDX-License-Identifier: GPL-3.0-or-later
/// Which drivers may mount a file system, and what each cannot do.
#pragma once

#include <string>

#include "host/measure/finding.hpp"
#include "host/media/format/format.hpp"
#include "host/media/format/tool.hpp"

namespace mediarig::media {

struct DriverChoice {
    FileSystem fs{};
    std::string kernel_type; ///< as in /proc/filesystems, and the module's name
    Tool fuse;               ///< empty program: there is none
    std::string fuse_name;   ///< "exfat-fuse"
    std::string what_helps;  ///< when this machine has neither
};

[[nodiscard]] const DriverChoice& drivers_of(FileSystem fs);

/// Whether a text in the form of /proc/filesystems names `type`.
[[nodiscard]] bool lists_file_system(const std::string& listing, const std::string& type);

/// What exfat-fuse does to measurements; observed with 1.3.0, see docs/formats/exfat.md.
[[nodiscard]] measure::Findings limits_of_exfat_fuse();
[[nodiscard]] measure::Finding driver_limit(measure::Severity severity, std::string detail);

} // namespace mediarig::media
