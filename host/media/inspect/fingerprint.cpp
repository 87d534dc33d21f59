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
    const bool blank_code = boot.boot_code == "00";
    if (volume.oem_parameters == "filled with ff") {
        Fingerprint found{"exfatprogs before 1.2.8",
                          FormatterConfidence::possible,
                          {"the OEM parameters are filled with FF"},
                          "other volumes whose formatter left erased flash in the OEM parameters"};
        if (blank_code) {
            found.sureness = FormatterConfidence::likely;
            found.signs.emplace_back("the boot code is blank");
        }
        return found;
    }
    if (has_sd_layout(boot)) {
        Fingerprint found{"SD layout (SD formatter, camera or Android)",
                          FormatterConfidence::possible,
                          {"the FAT fills the second half of a boundary unit, and the cluster heap follows"},
                          "volumes of SdFat and of \"mediarig format --profile sd\""};
        if (boot.boot_code == "f4") {
            found.sureness = FormatterConfidence::likely;
            found.signs.emplace_back("the boot code is filled with F4");
        }
        return found;
    }
    if (boot.boot_code == "windows")
        return {"Windows",
                FormatterConfidence::possible,
                {"the boot code is that of Windows"},
                "volumes of formatters that copy this boot code"};
    const Bytes macos_step = 1_MiB;
    if (!blank_code && boot.fat_offset == macos_step && boot.fat_length % macos_step == Bytes{} &&
        boot.heap_offset == after_fat)
        return {"macOS newfs_exfat",
                FormatterConfidence::possible,
                {"FAT at 1 MiB, in steps of 1 MiB, the heap right after it"},
                "volumes of any formatter with this alignment"};
    if (blank_code && volume.oem_parameters == "none")
        return {"exfatprogs 1.2.8 or later",
                FormatterConfidence::possible,
                {"boot code and OEM parameters are blank"},
                "volumes of exfat-utils and of cameras"};
    return {};
}

Fingerprint fingerprint_of(const FatVolume& volume) {
    const FatBoot& boot = volume.boot;
    const auto by_name = [&](const char* formatter) {
        return Fingerprint{formatter,
                           FormatterConfidence::possible,
                           {fmt::format("the OEM name is \"{}\"", boot.oem_name)},
                           "volumes of other formatters that write this name"};
    };
    if (boot.oem_name == "mkfs.fat") return by_name("mkfs.fat (dosfstools)");
    if (boot.oem_name == "BSD  4.4") return by_name("macOS or BSD newfs_msdos");
    if (boot.boot_code_is_f4)
        return {"SD layout (SD formatter, camera or Android)",
                FormatterConfidence::possible,
                {"the boot code is filled with F4"},
                "volumes of any formatter that fills its boot code"};
    if (boot.oem_name == "MSDOS5.0") return by_name("Windows");
    return {};
}

Fingerprint fingerprint_of(const HfsPlusVolume& volume) {
    const HfsPlusHeader& header = volume.header;
    const std::string& last = header.last_mounted_by;
    const std::string sign = fmt::format("last mounted by \"{}\"", last);
    // Source: Apple, TN1150; newfs_hfs, fsck_hfs and the kernel's driver write the same version.
    if (last == "10.0")
        return {"newfs_hfs or a formatter derived from it",
                FormatterConfidence::possible,
                {sign},
                "volumes that macOS or fsck_hfs wrote, whatever their formatter"};
    if (last == "HFSJ") {
        Fingerprint found{"an unknown formatter; mounted by macOS with its journal",
                          FormatterConfidence::possible,
                          {sign},
                          "volumes of other drivers that keep the journal"};
        if (volume.journal_header) {
            found.sureness = FormatterConfidence::likely;
            found.signs.emplace_back("the journal is initialised");
        }
        return found;
    }
    if (last == "H+Lx") {
        Fingerprint found{"an unknown formatter; mounted by Linux for writing",
                          FormatterConfidence::possible,
                          {sign},
                          "new volumes of formatters that write this version"};
        if (header.write_count != 0) {
            found.sureness = FormatterConfidence::likely;
            found.signs.emplace_back(fmt::format("writeCount is {}", header.write_count));
        }
        return found;
    }
    return {};
}

Fingerprint fingerprint_of(const ApfsContents& contents) {
    if (contents.volumes.empty() || contents.volumes.front().formatted_by.empty()) return {};
    const std::string& by = contents.volumes.front().formatted_by;
    return {by, FormatterConfidence::stated, {"apfs_formatted_by of the first volume"}, "copies of that volume"};
}

} // namespace mediarig::media
