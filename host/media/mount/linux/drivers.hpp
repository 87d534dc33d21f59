// SPDX-License-Identifier: GPL-3.0-or-later
/// Which drivers may mount a file system, and what each cannot do.
#pragma once

#include <string>

#include "host/measure/finding.hpp"
#include "host/media/format/linux/tool.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"

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

/// How the kernel's driver is asked to mount, and what the record says of it.
struct KernelMount {
    std::string options; ///< as in the last argument of mount(2)
    std::string name;    ///< "exfat", "hfsplus (journal not used)", "apfs (linux-apfs-rw 0.3.22, experimental)"
    measure::Findings limits;
    std::string when_read_only; ///< why this driver mounts read-only, and what helps
};

/// `type` is the kernel's name of the driver. `journaled`: the volume has an HFS+ journal. `module_version`: content of
/// /sys/module/TYPE/version, "" if missing. Pure. Sources: Linux, Documentation/filesystems/hfsplus.rst
/// and exfat; README of linux-apfs-rw; observed with Linux 6.1, see docs/reference/formats.md.
[[nodiscard]] KernelMount kernel_mount(const std::string& type, bool journaled, const std::string& module_version);

/// Effects of exfat-fuse on measurements, observed with 1.3.0; see docs/reference/formats.md.
[[nodiscard]] measure::Findings limits_of_exfat_fuse();
/// What it means that a loop device stands between the driver and the medium.
[[nodiscard]] measure::Finding limit_of_loop(const VolumeSpan& where, bool direct_io);
[[nodiscard]] measure::Finding driver_limit(measure::Severity severity, std::string detail);

} // namespace mediarig::media
