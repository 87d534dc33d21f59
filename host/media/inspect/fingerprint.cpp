// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/fingerprint.hpp"

#include <fmt/format.h>

namespace mediarig::media {
namespace {

/// The SD layout puts the FAT into the second half of a boundary unit, and the heap at the next boundary unit. Boundary
/// units from the tables of SdFat and exfatprogs: 16, 32 and 64 MiB.
bool has_sd_layout(const ExfatBoot& boot) {
    const Bytes unit = boot.heap_offset;
    const bool known = unit == 16_MiB || unit == 32_MiB || unit == 64_MiB;
    return known && boot.fat_offset * 2 == unit && boot.fat_length * 2 == unit;
}

} // namespace

Fingerprint fingerprint_of(const ExfatVolume& volume) {
    const ExfatBoot& boot = volume.boot;
    const Bytes after_fat = boot.fat_offset + boot.fat_length;
    if (volume.oem_parameters == "filled with ff")
        return {"exfatprogs before 1.2.8", FormatterConfidence::likely, {"the OEM parameters are filled with FF"}};
    if (has_sd_layout(boot)) {
        Fingerprint found{"SD layout (SD formatter, camera or Android)",
                          FormatterConfidence::possible,
                          {"FAT and cluster heap each begin on half a boundary unit, the FAT fills one"}};
        if (boot.boot_code == "f4") {
            found.sureness = FormatterConfidence::likely;
            found.signs.emplace_back("the boot code is filled with F4");
        }
        return found;
    }
    if (boot.boot_code == "windows")
        return {"Windows", FormatterConfidence::likely, {"the boot code is that of Windows"}};
    const Bytes macos_step = 1_MiB;
    if (boot.boot_code != "00" && boot.fat_offset == macos_step && boot.fat_length % macos_step == Bytes{} &&
        boot.heap_offset == after_fat)
        return {"macOS newfs_exfat",
                FormatterConfidence::possible,
                {"FAT at 1 MiB, in steps of 1 MiB, the heap right after it"}};
    if (boot.boot_code == "00" && volume.oem_parameters == "none")
        return {"exfatprogs 1.2.8 or later", FormatterConfidence::possible, {"boot code and OEM parameters are blank"}};
    return {};
}

Fingerprint fingerprint_of(const FatVolume& volume) {
    const FatBoot& boot = volume.boot;
    const auto by_name = [&](const char* formatter) {
        return Fingerprint{
            formatter, FormatterConfidence::possible, {fmt::format("the OEM name is \"{}\"", boot.oem_name)}};
    };
    if (boot.oem_name == "mkfs.fat") return by_name("mkfs.fat (dosfstools)");
    if (boot.oem_name == "BSD  4.4") return by_name("macOS or BSD newfs_msdos");
    if (boot.boot_code_is_f4)
        return {"SD layout (SD formatter, camera or Android)",
                FormatterConfidence::possible,
                {"the boot code is filled with F4"}};
    if (boot.oem_name == "MSDOS5.0") return by_name("Windows, or another formatter that writes its OEM name");
    return {};
}

Fingerprint fingerprint_of(const HfsPlusVolume& volume) {
    const std::string& last = volume.header.last_mounted_by;
    const std::string sign = fmt::format("last mounted by \"{}\"", last);
    // A fresh volume contains the version that its formatter claims: newfs_hfs and its derivatives write 10.0.
    if (last == "10.0")
        return {"newfs_hfs, or a formatter derived from it; not mounted by a Mac since",
                FormatterConfidence::possible,
                {sign}};
    if (last == "HFSJ")
        return {"mounted by macOS with its journal since it was formatted", FormatterConfidence::likely, {sign}};
    if (last == "H+Lx") return {"mounted by Linux since it was formatted", FormatterConfidence::likely, {sign}};
    return {};
}

Fingerprint fingerprint_of(const ApfsContents& contents) {
    if (contents.volumes.empty() || contents.volumes.front().formatted_by.empty()) return {};
    const std::string& by = contents.volumes.front().formatted_by;
    return {by, FormatterConfidence::stated, {"apfs_formatted_by of the first volume"}};
}

} // namespace mediarig::media
