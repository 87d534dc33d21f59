// SPDX-License-Identifier: GPL-3.0-or-later
/// Drivers for each file system, and their limits.
#pragma once

#include <string>

#include "host/measure/finding.hpp"
#include "host/media/format/linux/tool.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

struct DriverChoice {
    FileSystem fs{};
    std::string kernel_type; ///< as in /proc/filesystems; also the name of the module
    Tool fuse;               ///< the FUSE driver; its program is empty if there is no FUSE driver
    std::string fuse_name;   ///< "exfat-fuse"
    std::string what_helps;  ///< remedy if this machine has neither a kernel driver nor a FUSE driver
};

[[nodiscard]] const DriverChoice& drivers_of(FileSystem fs);

/// True if a text in the format of /proc/filesystems contains `type`.
[[nodiscard]] bool lists_file_system(const std::string& listing, const std::string& type);

/// Mount options of a kernel driver, and its description in the record.
struct KernelMount {
    std::string options; ///< last argument of mount(2)
    std::string name;    ///< "exfat", "hfsplus (journal not used)", "apfs (linux-apfs-rw 0.3.22, experimental)"
    measure::Findings limits;
    std::string when_read_only; ///< reason for a read-only mount by this driver, with a remedy
};

/// `type`: kernel name of the driver. `journaled`: the volume has an HFS+ journal. `module_version`: content of
/// /sys/module/TYPE/version, "" if missing. Pure. Sources: Linux, Documentation/filesystems/hfsplus.rst and exfat;
/// README of linux-apfs-rw; observed with Linux 6.1, see docs/reference/formats.md.
[[nodiscard]] KernelMount kernel_mount(const std::string& type, bool journaled, const std::string& module_version);

/// Effects of exfat-fuse on measurements, observed with 1.3.0; see docs/reference/formats.md.
[[nodiscard]] measure::Findings limits_of_exfat_fuse();
/// Effect on measurements of a loop device between driver and medium.
[[nodiscard]] measure::Finding limit_of_loop(const VolumeSpan& where, bool direct_io);
[[nodiscard]] measure::Finding driver_limit(measure::Severity severity, std::string detail);

} // namespace mediarig::media
