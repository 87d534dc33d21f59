// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/drivers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace mediarig::media {
namespace {

const std::array<DriverChoice, 8>& choices() {
    static const std::string hfs_helps = "boot a kernel with the hfsplus module (linux-modules-extra on Ubuntu)";
    static const std::string fat_helps = "boot a kernel with the vfat module";
    static const std::array<DriverChoice, 8> rows{
        DriverChoice{FileSystem::exfat,
                     "exfat",
                     {"mount.exfat-fuse", "exfat-fuse"},
                     "exfat-fuse",
                     "apt install exfat-fuse, or boot a kernel with the exfat module"},
        DriverChoice{FileSystem::apfs,
                     "apfs",
                     {},
                     {},
                     "formatting and checking need no driver; to mount, apt install apfs-dkms (experimental), or test "
                     "the medium on a Mac"},
        DriverChoice{FileSystem::hfs_plus_journaled, "hfsplus", {}, {}, hfs_helps},
        DriverChoice{FileSystem::hfs_plus, "hfsplus", {}, {}, hfs_helps},
        DriverChoice{FileSystem::hfsx_journaled, "hfsplus", {}, {}, hfs_helps},
        DriverChoice{FileSystem::fat32, "vfat", {}, {}, fat_helps},
        DriverChoice{FileSystem::fat16, "vfat", {}, {}, fat_helps},
        DriverChoice{FileSystem::fat12, "vfat", {}, {}, fat_helps},
    };
    return rows;
}

} // namespace

const DriverChoice& drivers_of(FileSystem fs) {
    const auto found =
        std::find_if(choices().begin(), choices().end(), [fs](const DriverChoice& row) { return row.fs == fs; });
    return found == choices().end() ? choices().front() : *found;
}

KernelMount kernel_mount(const std::string& type, bool journaled, const std::string& module_version) {
    using measure::Severity;
    if (type == "exfat")
        return {
            .options = "iocharset=utf8,errors=remount-ro",
            .name = type,
            .limits = {driver_limit(Severity::note, "exfat: no fallocate and no sparse files: a hole occupies space")},
            .when_read_only = "the driver met an error in the volume: check it, or format it again"};
    if (type == "hfsplus") {
        KernelMount mount{.options = journaled ? "force" : "",
                          .name = journaled ? "hfsplus (journal not used)" : "hfsplus",
                          .limits = {},
                          .when_read_only =
                              "the volume was not unmounted properly, and no option overrides that: format it "
                              "again, or repair it with fsck.hfsplus -fp (hfsprogs) or on a Mac"};
        if (journaled)
            mount.limits.push_back(driver_limit(
                Severity::warning,
                "hfsplus: Linux neither writes nor replays the journal (mounted with force): a Mac does more work for "
                "each change of the catalog, and a power cut can damage the volume"));
        mount.limits.push_back(driver_limit(Severity::note,
                                            "hfsplus: no fallocate and no sparse files: a hole occupies space; names "
                                            "beyond the basic plane are stored wrongly"));
        return mount;
    }
    if (type == "apfs") {
        // "0.3.22?": the question mark means a build outside a git tree, as in every package.
        const std::string version = module_version.substr(0, module_version.find_first_of("?\n "));
        return {
            .options = "readwrite",
            .name = version.empty() ? "apfs (experimental)" : "apfs (linux-apfs-rw " + version + ", experimental)",
            .limits = {driver_limit(Severity::warning,
                                    "apfs: writing is experimental in this driver, which does not guarantee that "
                                    "a volume survives a power cut"),
                       driver_limit(Severity::warning,
                                    "apfs: this driver refuses O_DIRECT: work goes through the page cache, which is "
                                    "written back with each sync and dropped before each reading cell"),
                       driver_limit(Severity::note, "apfs: no fallocate")},
            .when_read_only =
                "the apfs module does not write this volume: use a module of linux-apfs-rw 0.3.22 or "
                "newer, and see the kernel's log for its reason"};
    }
    if (type == "vfat")
        // Use utf8, because iocharset=utf8 would make names case-sensitive. Use neither sync nor flush: the suites sync
        // explicitly where a figure requires it.
        return {.options = "utf8,errors=remount-ro",
                .name = type,
                .limits = {driver_limit(Severity::note,
                                        "vfat: a file has at most 4294967295 bytes, a hole occupies space, and writes "
                                        "that extend a file go through the page cache even with O_DIRECT")},
                .when_read_only = "the driver met an error in the volume: check it, or format it again"};
    return {.options = "", .name = type, .limits = {}, .when_read_only = "see the kernel's log (dmesg) for the reason"};
}

bool lists_file_system(const std::string& listing, const std::string& type) {
    // "nodev\tproc" or "\text4": the name is the last word of the line.
    std::istringstream lines(listing);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t tab = line.rfind('\t');
        if (line.substr(tab == std::string::npos ? 0 : tab + 1) == type) return true;
    }
    return false;
}

measure::Finding limit_of_loop(const VolumeSpan& where, bool direct_io) {
    std::string detail = fmt::format(
        "{} ({} bytes at byte {}) is reached through a loop device, because this machine's kernel shows no node for "
        "it: "
        "each transfer passes one more layer and a thread of the kernel, which slows small blocks most",
        name_of(where), where.length.count, where.start.count);
    if (direct_io) return driver_limit(measure::Severity::note, std::move(detail));
    return driver_limit(
        measure::Severity::warning,
        detail + "; and it keeps a copy in this machine's memory, since direct I/O below it is refused");
}

measure::Finding driver_limit(measure::Severity severity, std::string detail) {
    return {.kind = measure::FindingKind::driver_limit,
            .severity = severity,
            .detail = std::move(detail),
            .offset = std::nullopt};
}

measure::Findings limits_of_exfat_fuse() {
    using measure::Severity;
    return {
        driver_limit(Severity::warning,
                     "exfat-fuse: O_DIRECT bypasses the file's cache only; data still passes through this machine's "
                     "cache of the device, so writes are on the medium after fsync and reads come from it after the "
                     "device's cache was dropped"),
        driver_limit(Severity::warning,
                     "exfat-fuse: each transfer crosses user space in messages of at most 128 KiB, cut into clusters; "
                     "small blocks measure the driver as much as the medium"),
        driver_limit(Severity::note,
                     "exfat-fuse: no fallocate and no sparse files; making a file longer writes zeros to the medium"),
    };
}

} // namespace mediarig::media
