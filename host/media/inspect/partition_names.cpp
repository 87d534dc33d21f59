// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/partition_names.hpp"

#include <algorithm>
#include <array>

namespace mediarig::media {
namespace {

struct MbrTypeName {
    std::uint8_t type;
    std::string_view name;
};
constexpr std::array mbr_names{
    MbrTypeName{0x01, "FAT12"},
    MbrTypeName{0x04, "FAT16 below 32 MiB"},
    MbrTypeName{0x05, "extended partition"},
    MbrTypeName{0x06, "FAT16"},
    MbrTypeName{0x07, "exFAT, NTFS or HPFS"},
    MbrTypeName{0x0B, "FAT32"},
    MbrTypeName{0x0C, "FAT32 (LBA)"},
    MbrTypeName{0x0E, "FAT16 (LBA)"},
    MbrTypeName{0x0F, "extended partition (LBA)"},
    MbrTypeName{0x11, "hidden FAT12"},
    MbrTypeName{0x12, "recovery of the manufacturer"},
    MbrTypeName{0x14, "hidden FAT16 below 32 MiB"},
    MbrTypeName{0x16, "hidden FAT16"},
    MbrTypeName{0x17, "hidden exFAT, NTFS or HPFS"},
    MbrTypeName{0x1B, "hidden FAT32"},
    MbrTypeName{0x1C, "hidden FAT32 (LBA)"},
    MbrTypeName{0x1E, "hidden FAT16 (LBA)"},
    MbrTypeName{0x27, "Windows recovery environment"},
    MbrTypeName{0x41, "PowerPC PReP boot"},
    MbrTypeName{0x42, "Windows dynamic disk"},
    MbrTypeName{0x82, "Linux swap"},
    MbrTypeName{0x83, "Linux"},
    MbrTypeName{0x85, "extended partition of Linux"},
    MbrTypeName{0x8E, "Linux LVM"},
    MbrTypeName{0xA5, "FreeBSD"},
    MbrTypeName{0xA6, "OpenBSD"},
    MbrTypeName{0xA8, "Apple UFS"},
    MbrTypeName{0xA9, "NetBSD"},
    MbrTypeName{0xAB, "Apple boot"},
    MbrTypeName{0xAC, "Apple Core Storage"},
    MbrTypeName{0xAF, "Apple HFS or HFS+"},
    MbrTypeName{0xBE, "Solaris boot"},
    MbrTypeName{0xBF, "Solaris"},
    MbrTypeName{0xCD, "optical image"},
    MbrTypeName{0xDA, "data without a file system"},
    MbrTypeName{0xEA, "extended boot loader partition"},
    MbrTypeName{0xEE, "GPT protective"},
    MbrTypeName{0xEF, "EFI system partition"},
    MbrTypeName{0xFB, "VMware VMFS"},
    MbrTypeName{0xFD, "Linux RAID"},
};

struct GptTypeName {
    std::string_view type, name;
};
constexpr std::array gpt_names{
    GptTypeName{"c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "EFI system partition"},
    GptTypeName{"21686148-6449-6e6f-744e-656564454649", "BIOS boot"},
    GptTypeName{"024dee41-33e7-11d3-9d69-0008c781f39f", "MBR partition scheme"},
    GptTypeName{"bc13c2ff-59e6-4262-a352-b275fd6f7172", "extended boot loader partition"},
    GptTypeName{"e3c9e316-0b5c-4db8-817d-f92df00215ae", "Microsoft reserved"},
    GptTypeName{"ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", "Microsoft basic data"},
    GptTypeName{"de94bba4-06d1-4d40-a16a-bfd50179d6ac", "Windows recovery environment"},
    GptTypeName{"5808c8aa-7e8f-42e0-85d2-e1e90434cfb3", "Windows dynamic disk metadata"},
    GptTypeName{"af9b60a0-1431-4f62-bc68-3311714a69ad", "Windows dynamic disk data"},
    GptTypeName{"e75caf8f-f680-4cee-afa3-b001e56efc2d", "Windows storage spaces"},
    GptTypeName{"558d43c5-a1ac-43c0-aac8-d1472b2923d1", "Windows storage replica"},
    GptTypeName{"37affc90-ef7d-4e96-91c3-2d7ae055b174", "IBM GPFS"},
    GptTypeName{"0fc63daf-8483-4772-8e79-3d69d8477de4", "Linux data"},
    GptTypeName{"0657fd6d-a4ab-43c4-84e5-0933c84b4f4f", "Linux swap"},
    GptTypeName{"a19d880f-05fc-4d3b-a006-743f0f84911e", "Linux RAID"},
    GptTypeName{"e6d6d379-f507-44c2-a23c-238f2a3df928", "Linux LVM"},
    GptTypeName{"ca7d7ccb-63ed-4c53-861c-1742536059cc", "Linux LUKS"},
    GptTypeName{"7ffec5c9-2d00-49b7-8941-3ea10a5586b7", "Linux dm-crypt"},
    GptTypeName{"8da63339-0007-60c0-c436-083ac8230908", "Linux reserved"},
    GptTypeName{"933ac7e1-2eb4-4f13-b844-0e14e2aef915", "Linux home"},
    GptTypeName{"3b8f8425-20e0-4f3b-907f-1a25a76f98e8", "Linux server data"},
    GptTypeName{"44479540-f297-41b2-9af7-d131d5f0458a", "Linux root (x86)"},
    GptTypeName{"4f68bce3-e8cd-4db1-96e7-fbcaf984b709", "Linux root (x86-64)"},
    GptTypeName{"69dad710-2ce4-4e3c-b16c-21a1d49abed3", "Linux root (ARM)"},
    GptTypeName{"b921b045-1df0-41c3-af44-4c6f280d3fae", "Linux root (ARM64)"},
    GptTypeName{"48465300-0000-11aa-aa11-00306543ecac", "Apple HFS+"},
    GptTypeName{"7c3457ef-0000-11aa-aa11-00306543ecac", "Apple APFS"},
    GptTypeName{"53746f72-6167-11aa-aa11-00306543ecac", "Apple Core Storage"},
    GptTypeName{"55465300-0000-11aa-aa11-00306543ecac", "Apple UFS"},
    GptTypeName{"52414944-0000-11aa-aa11-00306543ecac", "Apple RAID"},
    GptTypeName{"52414944-5f4f-11aa-aa11-00306543ecac", "Apple RAID, offline"},
    GptTypeName{"426f6f74-0000-11aa-aa11-00306543ecac", "Apple boot"},
    GptTypeName{"4c616265-6c00-11aa-aa11-00306543ecac", "Apple label"},
    GptTypeName{"5265636f-7665-11aa-aa11-00306543ecac", "Apple TV recovery"},
    GptTypeName{"69646961-6700-11aa-aa11-00306543ecac", "Apple Silicon boot"},
    GptTypeName{"52637672-7900-11aa-aa11-00306543ecac", "Apple Silicon recovery"},
    GptTypeName{"6a898cc3-1dd2-11b2-99a6-080020736631", "Solaris usr or ZFS"},
    GptTypeName{"516e7cb4-6ecf-11d6-8ff8-00022d09712b", "FreeBSD data"},
    GptTypeName{"83bd6b9d-7f41-11dc-be0b-001560b84f0f", "FreeBSD boot"},
    GptTypeName{"516e7cb5-6ecf-11d6-8ff8-00022d09712b", "FreeBSD swap"},
    GptTypeName{"516e7cb6-6ecf-11d6-8ff8-00022d09712b", "FreeBSD UFS"},
    GptTypeName{"516e7cba-6ecf-11d6-8ff8-00022d09712b", "FreeBSD ZFS"},
    GptTypeName{"fe3a2a5d-4f32-41a7-b725-accc3285a309", "ChromeOS kernel"},
    GptTypeName{"3cb8e202-3b7e-47dd-8a3c-7ff2a13cfcec", "ChromeOS root"},
    GptTypeName{"2e0a753d-9e48-43b0-8337-b15192cb1b5e", "ChromeOS reserved"},
    GptTypeName{"9e1a2d38-c612-4316-aa26-8b49521e5a8b", "PowerPC PReP boot"},
    GptTypeName{"aa31e02a-400f-11db-9590-000c2911d1b8", "VMware VMFS"},
};

} // namespace

std::string_view mbr_type_name(std::uint8_t type) {
    const auto known = std::ranges::find(mbr_names, type, &MbrTypeName::type);
    return known == mbr_names.end() ? std::string_view() : known->name;
}

std::string_view gpt_type_name(std::string_view type) {
    const auto known = std::ranges::find(gpt_names, type, &GptTypeName::type);
    return known == gpt_names.end() ? std::string_view() : known->name;
}

} // namespace mediarig::media
