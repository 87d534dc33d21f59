// SPDX-License-Identifier: GPL-3.0-or-later
/// `inspect --expect X` compares exactly what `format --profile X` decides. tests/media/format/profile_test.cpp does
/// the same with formatted media.
#include <set>

#include "host/media/format/hfsplus/layout.hpp"
#include "host/media/format/table_plan.hpp"
#include "tests/media/conformance/profile_changes.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

constexpr std::array all_profiles{FormatProfile::sd, FormatProfile::windows, FormatProfile::macos,
                                  FormatProfile::linux};

Bytes card(std::uint64_t sectors) {
    return Bytes{sectors * 512};
}

void add_parameter(InspectedVolume& volume, const char* name, Bytes value) {
    volume.parameters.emplace_back(name, std::to_string(value.count));
}

void add_exfat(InspectedVolume& volume, const FormatSpec& spec, Bytes size) {
    const Bytes fat = spec.boundary.value_or(1_MiB), length = spec.fat_length.value_or(4_MiB);
    add_parameter(volume, "cluster_size", *spec.cluster_size);
    add_parameter(volume, "partition_offset", volume.start);
    add_parameter(volume, "fat_offset", fat);
    add_parameter(volume, "fat_length", length);
    const auto card_layout = sd_volume_for(size);
    add_parameter(volume, "cluster_heap_offset",
                  card_layout && spec.fat_length == card_layout->fat_length ? card_layout->data_offset : fat + length);
}

void add_fat(InspectedVolume& volume, const FormatSpec& spec, Bytes size) {
    add_parameter(volume, "cluster_size", spec.cluster_size.value_or(16_KiB));
    if (spec.reserved_sectors) add_parameter(volume, "reserved_sectors", Bytes{*spec.reserved_sectors});
    const auto card_layout = sd_volume_for(size);
    add_parameter(volume, "data_offset", card_layout ? card_layout->data_offset : 1_MiB);
}

void add_hfs(InspectedVolume& volume) {
    const auto layout = hfsplus::plan_volume(volume.length, 512_B, {.volume_id = 1});
    REQUIRE(reason(layout) == "success");
    volume.parameters.emplace_back("journaled", "yes");
    add_parameter(volume, "block_size", layout->block_size);
    add_parameter(volume, "journal_size", layout->length_of(*layout->journal));
    add_parameter(volume, "catalog_node_size", Bytes{layout->catalog.node_size});
    add_parameter(volume, "extents_node_size", Bytes{layout->extents.node_size});
    add_parameter(volume, "attributes_node_size", Bytes{layout->attributes.node_size});
}

/// The inspection of a medium that was formatted by a profile.
InspectReport formatted(FormatProfile profile, Bytes size, std::optional<FileSystem> fs) {
    const auto spec = spec_for(profile, size, 512, fs);
    REQUIRE(reason(spec) == "success");
    const auto plan = plan_table(*spec->partition, spec->fs, size, 512_B);
    REQUIRE(reason(plan) == "success");
    InspectReport report{.size = size, .scheme = std::string(name_of(plan->scheme)), .volumes = {}};
    for (const PlannedPartition& partition : plan->partitions) {
        const bool main = &partition == &plan->main();
        InspectedVolume volume{.start = partition.start, .length = partition.length};
        volume.file_system = main ? name_of(spec->fs) : "fat32";
        volume.parameters.emplace_back("partition_type", partition.type);
        if (main && spec->fs == FileSystem::exfat) add_exfat(volume, *spec, size);
        if (main && is_fat(spec->fs)) add_fat(volume, *spec, size);
        if (main && is_hfs(spec->fs)) add_hfs(volume);
        if (main && spec->fs == FileSystem::apfs) add_parameter(volume, "block_size", 4_KiB);
        report.volumes.push_back(std::move(volume));
    }
    return report;
}

struct Made {
    FormatProfile profile;
    Bytes size;
    FileSystem fs;
    std::vector<std::string> also; ///< properties beyond table, file system, start, length and type
};
const std::vector<std::string> of_table{"scheme", "partitions", "file_system", "length", "partition_type"};

const std::vector<Made>& all_made() {
    static const std::vector<Made> made{
        {FormatProfile::sd, 64_MiB, FileSystem::fat12, {"cluster_size", "data_offset", "reserved_sectors"}},
        {FormatProfile::sd, 1_GiB, FileSystem::fat16, {"cluster_size", "data_offset", "reserved_sectors"}},
        {FormatProfile::sd,
         card(31'116'288),
         FileSystem::fat32,
         {"start", "cluster_size", "data_offset", "reserved_sectors"}},
        {FormatProfile::sd,
         card(124'735'488),
         FileSystem::exfat,
         {"start", "cluster_size", "fat_offset", "fat_length", "cluster_heap_offset"}},
        {FormatProfile::windows, 64_GiB, FileSystem::exfat, {"start", "cluster_size"}},
        {FormatProfile::windows, 8_GiB, FileSystem::fat32, {"start"}},
        {FormatProfile::windows, 3072_GiB, FileSystem::exfat, {"start", "cluster_size"}},
        {FormatProfile::linux, 64_GiB, FileSystem::exfat, {"start", "cluster_size", "fat_offset"}},
        {FormatProfile::linux, 8_GiB, FileSystem::fat32, {"start"}},
        {FormatProfile::macos,
         12_GiB,
         FileSystem::exfat,
         {"start", "cluster_size", "fat_offset", "fat_length", "cluster_heap_offset"}},
        {FormatProfile::macos, 12_GiB, FileSystem::fat32, {"start", "cluster_size", "reserved_sectors"}},
        {FormatProfile::macos,
         12_GiB,
         FileSystem::hfs_plus_journaled,
         {"start", "journaled", "block_size", "journal_size", "catalog_node_size", "extents_node_size",
          "attributes_node_size"}},
        {FormatProfile::macos, 12_GiB, FileSystem::apfs, {"start", "block_size"}},
    };
    return made;
}

} // namespace

TEST_CASE("a medium formatted by a profile has no deviation from it, and each changed property is the only deviation") {
    for (const Made& row : all_made()) {
        CAPTURE(name_of(row.profile), row.size.count, name_of(row.fs));
        const InspectReport report = formatted(row.profile, row.size, row.fs);
        CHECK(deviation_lines(deviations_from(standard_of(row.profile), report)) == std::vector<std::string>{});
        std::vector<std::string> decided;
        CHECK(wrong_after_changes(report, row.profile, decided) == std::vector<std::string>{});
        std::set<std::string> expected(of_table.begin(), of_table.end());
        expected.insert(row.also.begin(), row.also.end());
        // The EFI partition of a Mac is compared, too.
        if (row.profile == FormatProfile::macos) expected.insert("start");
        CHECK(std::set<std::string>(decided.begin(), decided.end()) == expected);
    }
}

TEST_CASE(
    "a file system that format --profile refuses is reported as a deviation by inspect --expect, with the same "
    "reason") {
    for (const FormatProfile profile : all_profiles)
        for (const Bytes size : {64_MiB, 8_GiB, 64_GiB, 3072_GiB})
            for (const std::string& name : file_system_names()) {
                CAPTURE(name_of(profile), size.count, name);
                InspectReport report{.size = size, .scheme = "mbr", .volumes = {}};
                report.volumes.push_back({.start = 1_MiB, .length = size - 1_MiB, .file_system = name});
                const auto spec = spec_for(profile, size, 512, *file_system_from(name));
                std::vector<Deviation> refused;
                for (const Deviation& deviation : profile_deviations(report, profile))
                    if (deviation.name == "file_system" || deviation.name == "size") refused.push_back(deviation);
                REQUIRE(refused.size() == (spec ? 0U : 1U));
                if (!spec && refused[0].name == "size")
                    CHECK(refused[0].reason == reason(spec_for(profile, size, 512, {})));
            }
    InspectReport large{.size = 64_GiB, .scheme = "mbr", .volumes = {}};
    large.volumes.push_back({.start = 1_MiB, .length = 64_GiB - 1_MiB, .file_system = "fat32"});
    const auto found = profile_deviations(large, FormatProfile::windows);
    REQUIRE(found.size() == 1);
    CHECK(found[0].expected == "exfat");
    CHECK(found[0].reason == "the profile windows does not support FAT32 on this medium, only exFAT above 32 GiB");
}

TEST_CASE("windows: a medium without a partition table is reported as a deviation, a reserved partition is not") {
    InspectReport bare = formatted(FormatProfile::windows, 64_GiB, {});
    bare.scheme = "none";
    bare.volumes[0].start = 0_B;
    bare.volumes[0].length = bare.size;
    bare.volumes[0].parameters = {{"cluster_size", "131072"}};
    CHECK(deviation_lines(deviations_from(ConformanceStandard::windows, bare)) ==
          std::vector<std::string>{"warning partition table scheme: none not mbr"});
    CHECK(deviation_lines(deviations_from(ConformanceStandard::linux, bare)) ==
          std::vector<std::string>{"note partition table scheme: none not mbr"});

    for (const std::uint64_t reserved : {32'734ULL, 262'144ULL}) { // 16 and 128 MiB from sector 34 on
        InspectReport disk = formatted(FormatProfile::windows, 3072_GiB, {});
        InspectedVolume& data = disk.volumes[0];
        const Bytes start = align_up(card(34 + reserved), 1_MiB);
        data.length = data.length - (start - data.start) - 1_MiB;
        data.start = start;
        data.parameters[2].second = std::to_string(start.count); // partition_offset
        disk.volumes.insert(disk.volumes.begin(), InspectedVolume{.start = card(34), .length = card(reserved)});
        disk.volumes[0].parameters = {{"partition_type", "e3c9e316-0b5c-4db8-817d-f92df00215ae"}};
        CHECK(deviation_lines(deviations_from(ConformanceStandard::windows, disk)) == std::vector<std::string>{});
    }
}

TEST_CASE("the FAT types of an MBR are one family for systems, and the SD layout names one of them") {
    for (const FormatProfile profile : {FormatProfile::windows, FormatProfile::linux, FormatProfile::sd}) {
        InspectReport report = formatted(profile, 16_GiB, FileSystem::fat32);
        report.volumes[0].parameters[0].second = "0x0e";
        const auto found = deviation_lines(deviations_from(standard_of(profile), report));
        CHECK(found == (profile == FormatProfile::sd
                            ? std::vector<std::string>{"warning volume 1 partition_type: 0x0e not 0x0c"}
                            : std::vector<std::string>{}));
    }
}

TEST_CASE("a medium without a published layout gives a note with the refusal of the format") {
    InspectReport huge{.size = 4096_GiB, .scheme = "mbr", .volumes = {}};
    huge.volumes.push_back({.start = 64_MiB, .length = 2_GiB, .file_system = "exfat"});
    for (const auto& [profile, sector] : {std::pair{FormatProfile::sd, 512U}, {FormatProfile::macos, 4096U}}) {
        huge.sector_size = sector;
        const auto found = profile_deviations(huge, profile);
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == DeviationSeverity::note);
        CHECK_THAT(found[0].reason, ContainsSubstring("not publicly known"));
    }
}
