// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fakes/sample_media.hpp"

#include <fmt/format.h>

namespace mediarig::fakes {
namespace {

using media::InspectedVolume;
using media::InspectReport;

class Listed {
public:
    explicit Listed(InspectedVolume& volume) : volume_(volume) {}
    void add(const char* name, std::string value, const char* field, const char* unit, Bytes at, Bytes length) {
        volume_.parameters.emplace_back(name, std::move(value));
        volume_.places.push_back({.name = name, .field = field, .unit = unit, .at = at, .length = length, .hex = {}});
    }
    void add(const char* name, Bytes value, const char* field, Bytes at, Bytes length) {
        add(name, std::to_string(value.count), field, "B", at, length);
    }

private:
    InspectedVolume& volume_;
};

struct ExfatPlan {
    Bytes start, length, fat_offset, fat_length, heap, cluster;
};

InspectedVolume exfat(const ExfatPlan& plan, bool partitioned) {
    InspectedVolume volume{.start = plan.start, .length = plan.length, .file_system = "exfat"};
    const std::uint64_t clusters = (plan.length - plan.heap) / plan.cluster;
    Listed list(volume);
    if (partitioned) {
        list.add("partition_type", "0x07", "type", "", 450_B, 1_B);
        list.add("partition_start", plan.start, "start LBA", 454_B, 4_B);
    }
    list.add("cluster_size", plan.cluster, "SectorsPerClusterShift", plan.start + 0x6D_B, 1_B);
    list.add("sector_size", 512_B, "BytesPerSectorShift", plan.start + 0x6C_B, 1_B);
    list.add("fat_offset", plan.fat_offset, "FatOffset", plan.start + 0x50_B, 4_B);
    list.add("fat_length", plan.fat_length, "FatLength", plan.start + 0x54_B, 4_B);
    list.add("cluster_heap_offset", plan.heap, "ClusterHeapOffset", plan.start + 0x58_B, 4_B);
    list.add("cluster_count", std::to_string(clusters), "ClusterCount", "clusters", plan.start + 0x5C_B, 4_B);
    list.add("serial_number", "1A2B-3C4D", "VolumeSerialNumber", "", plan.start + 0x64_B, 4_B);
    volume.usable = plan.cluster * (clusters - 4);
    return volume;
}

InspectReport on_mbr(Bytes size, InspectedVolume volume) {
    return {.size = size,
            .scheme = "mbr",
            .volumes = {std::move(volume)},
            .parameters = {{"disk_signature", "00000000"}},
            .places = {{.name = "disk_signature",
                        .field = "disk signature",
                        .unit = "",
                        .at = 0x1B8_B,
                        .length = 4_B,
                        .hex = {}}},
            .read = 700_KiB};
}

} // namespace

InspectReport card_as_sold(Bytes size) {
    InspectedVolume volume = exfat({.start = 16_MiB,
                                    .length = align_down(size - 32_MiB, 128_KiB) + 16_MiB,
                                    .fat_offset = 8_MiB,
                                    .fat_length = 8_MiB,
                                    .heap = 16_MiB,
                                    .cluster = 128_KiB},
                                   true);
    volume.fingerprint = {"SD layout (SD formatter, camera or Android)",
                          media::FormatterConfidence::likely,
                          {"the FAT fills the second half of a boundary unit"}};
    return on_mbr(size, std::move(volume));
}

InspectReport card_off_the_unit(Bytes size) {
    InspectedVolume volume = exfat({.start = 1_MiB,
                                    .length = size - 1_MiB,
                                    .fat_offset = 64_KiB,
                                    .fat_length = 4_MiB,
                                    .heap = 4_MiB + 64_KiB,
                                    .cluster = 32_KiB},
                                   true);
    volume.label = "UNTITLED";
    InspectReport report = on_mbr(size, std::move(volume));
    report.stale_signatures = {{.what = "backup GPT header", .at = size - 512_B, .in_volume = true}};
    return report;
}

InspectReport bare_exfat(Bytes size) {
    InspectedVolume volume = exfat({.start = 0_B,
                                    .length = size,
                                    .fat_offset = 1_MiB,
                                    .fat_length = align_up(Bytes{size / 128_KiB * 4}, 128_KiB),
                                    .heap = align_up(1_MiB + Bytes{size / 128_KiB * 4} + 128_KiB, 1_MiB),
                                    .cluster = 128_KiB},
                                   false);
    volume.label = "MEDIARIG";
    volume.fingerprint = {
        "exfatprogs before 1.2.8", media::FormatterConfidence::likely, {"the OEM parameters are filled with FF"}};
    return {.size = size, .scheme = "none", .volumes = {std::move(volume)}, .read = 200_KiB};
}

InspectReport bare_apfs(Bytes size) {
    InspectedVolume volume{.start = 0_B, .length = size, .file_system = "apfs", .label = "MEDIARIG"};
    Listed list(volume);
    list.add("block_size", 4096_B, "nx_block_size", 0x24_B, 4_B);
    list.add("block_count", std::to_string(size / 4096_B), "nx_block_count", "blocks", 0x28_B, 8_B);
    list.add("volume_case_sensitive", "no", "apfs_incompatible_features", "", 0x4E22038_B, 8_B);
    list.add("volume_encrypted", "no", "apfs_fs_flags", "", 0x4E22108_B, 8_B);
    volume.usable = align_down(size, 4096_B) - 90_MiB;
    volume.fingerprint = {
        "mkapfs for linux, version 0.1", media::FormatterConfidence::stated, {"apfs_formatted_by of the first volume"}};
    return {.size = size, .scheme = "none", .volumes = {std::move(volume)}, .read = 100_KiB};
}

} // namespace mediarig::fakes
