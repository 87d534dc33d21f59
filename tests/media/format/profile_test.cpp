// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/format/profile.hpp"
#include "tests/media/conformance/profile_changes.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

/// Cards and sticks on the market, and the limits between the classes.
const Bytes ladder[] = {64_MiB,
                        128_MiB,
                        1_GiB,
                        sectors(3'862'528),
                        2_GiB,
                        sectors(7'744'512),
                        sectors(15'523'840),
                        sectors(31'116'288),
                        sectors(60'579'840),
                        sectors(124'735'488),
                        sectors(244'285'440),
                        sectors(500'118'192),
                        sectors(1'000'215'216),
                        sectors(1'953'525'168),
                        sectors(4'294'967'295)};

} // namespace

TEST_CASE("a medium formatted by a profile meets the standard of the same name, for each capacity") {
    NEEDS_TOOLS();
    for (const FormatProfile profile :
         {FormatProfile::sd, FormatProfile::windows, FormatProfile::macos, FormatProfile::linux}) {
        for (const Bytes size : ladder) {
            CAPTURE(name_of(profile), size.count);
            const auto spec = spec_for(profile, size, 512, {});
            if (profile == FormatProfile::macos && size <= 2_GiB) {
                CHECK_FALSE(spec);
                continue;
            }
            REQUIRE(reason(spec) == "success");
            LoopMedium medium(size);
            const auto made = format(medium, *spec);
            REQUIRE(reason(made) == "success");
            const InspectReport found = inspected(medium);
            CHECK(errors(found, expectation_of(profile)) == std::vector<std::string>{});
            CHECK(found.stale_signatures.empty());
            CHECK(made->usable == found.volumes.back().usable);

            REQUIRE(made->partition);
            const CreatedPartition& partition = *made->partition;
            CHECK(partition.tool == "sfdisk");
            CHECK(partition.start == *spec->partition->start);
            const std::vector<std::string> listed = by_sfdisk(medium.node());
            REQUIRE(listed.size() == (profile == FormatProfile::macos ? 2 : 1));
            CHECK_THAT(listed.back(),
                       ContainsSubstring(fmt::format("{}+{} ", partition.start / 512_B, partition.length / 512_B)));
            if (profile == FormatProfile::macos && is_installed("sgdisk"))
                CHECK_THAT(run_checker("sgdisk", {"-v", medium.node()}).out, ContainsSubstring("No problems found"));
            const CheckReport sound = checked(medium, *made);
            CHECK(sound.clean);
            CAPTURE(sound.said);
        }
    }
}

TEST_CASE("a formatted medium has no deviation from its profile, and each changed property is the only deviation") {
    NEEDS_TOOLS();
    struct Row {
        FormatProfile profile;
        Bytes size;
        FileSystem fs;
    };
    const Row rows[] = {{FormatProfile::sd, 64_MiB, FileSystem::fat12},
                        {FormatProfile::sd, 1_GiB, FileSystem::fat16},
                        {FormatProfile::sd, sectors(31'116'288), FileSystem::fat32},
                        {FormatProfile::sd, sectors(124'735'488), FileSystem::exfat},
                        {FormatProfile::windows, 64_GiB, FileSystem::exfat},
                        {FormatProfile::windows, 8_GiB, FileSystem::fat32},
                        {FormatProfile::linux, 64_GiB, FileSystem::exfat},
                        {FormatProfile::linux, 8_GiB, FileSystem::fat32},
                        {FormatProfile::macos, 12_GiB, FileSystem::exfat},
                        {FormatProfile::macos, 12_GiB, FileSystem::fat32},
                        {FormatProfile::macos, 12_GiB, FileSystem::hfs_plus_journaled},
                        {FormatProfile::macos, 12_GiB, FileSystem::apfs}};
    for (const Row& row : rows) {
        CAPTURE(name_of(row.profile), row.size.count, name_of(row.fs));
        const auto spec = spec_for(row.profile, row.size, 512, row.fs);
        REQUIRE(reason(spec) == "success");
        LoopMedium medium(row.size);
        REQUIRE(reason(format(medium, *spec)) == "success");
        const InspectReport found = inspected(medium);
        CHECK(deviation_lines(deviations_from(expectation_of(row.profile), found)) == std::vector<std::string>{});
        std::vector<std::string> decided;
        CHECK(wrong_after_changes(found, row.profile, decided) == std::vector<std::string>{});
        CHECK(decided.size() >= 6);
    }
}

TEST_CASE("the SD layout of a 128 GB card equals the layout of a camera to the sector") {
    NEEDS_TOOLS();
    LoopMedium medium(sectors(244'285'440));
    const auto spec = spec_for(FormatProfile::sd, sectors(244'285'440), 512, {});
    REQUIRE(reason(spec) == "success");
    const auto made = format(medium, *spec);
    REQUIRE(reason(made) == "success");
    CHECK(value(*made, "partition_offset") == std::to_string(32768 * 512));
    CHECK(value(*made, "volume_length") == std::to_string(244252672ULL * 512));
    CHECK(value(*made, "fat_offset") == std::to_string(16384 * 512));
    CHECK(value(*made, "fat_length") == std::to_string(16384 * 512));
    CHECK(value(*made, "cluster_heap_offset") == std::to_string(32768 * 512));
    CHECK(value(*made, "cluster_count") == "953984");
    CHECK(value(*made, "root_cluster") == "4");
    CHECK(value(*made, "cluster_size") == "131072");
    CHECK(by_sfdisk(medium.node()) == std::vector<std::string>{"32768+244252672 7"});
    Shown shown(medium, *made->partition);
    const std::string dump = run_checker("dump.exfat", {shown.node()}).out;
    CHECK(field(dump, "FAT Length(sectors):") == "16384");
    CHECK(field(dump, "Cluster Heap Offset (sector offset):") == "32768");
    CHECK(field(dump, "Cluster Count:") == "953984");
    shown.detach();
    // The extension of the FAT is zero: it contains no entry of an earlier file system.
    CHECK(medium.read((32768 + 16384) * 512ULL + 8192 * 512, 8192 * 512) == std::string(8192 * 512, '\0'));
}

TEST_CASE("the partition entry equals the entry of common tools in every byte") {
    NEEDS_TOOLS();
    struct Row {
        std::uint64_t card;
        std::vector<unsigned char> entry;
    };
    const Row rows[] = {
        {124'735'488, {0x00, 0x0A, 0x09, 0x02, 0x07, 0xFE, 0xFF, 0xFF, 0x00, 0x80, 0x00, 0x00, 0x00, 0xD0, 0x6E, 0x07}},
        // Entry of a real card of 32 GB.
        {60'579'840, {0x00, 0x82, 0x03, 0x00, 0x0C, 0xFE, 0xFF, 0xFF, 0x00, 0x20, 0x00, 0x00, 0x00, 0x40, 0x9C, 0x03}}};
    for (const Row& row : rows) {
        CAPTURE(row.card);
        LoopMedium medium(sectors(row.card));
        const auto spec = spec_for(FormatProfile::sd, sectors(row.card), 512, {});
        REQUIRE(reason(spec) == "success");
        REQUIRE(reason(format(medium, *spec)) == "success");
        const std::string entry = medium.read(446, 16);
        CHECK(std::vector<unsigned char>(entry.begin(), entry.end()) == row.entry);
        CHECK(medium.read(446 + 16, 48) == std::string(48, '\0'));
    }
}

TEST_CASE("macOS: each file system of macOS is made after an EFI partition, at either start") {
    NEEDS_TOOLS();
    for (const FileSystem fs :
         {FileSystem::exfat, FileSystem::fat32, FileSystem::hfs_plus_journaled, FileSystem::apfs}) {
        for (const Bytes size : {8_GiB, 12_GiB, 300_GiB}) {
            CAPTURE(name_of(fs), size.count);
            const auto spec = spec_for(FormatProfile::macos, size, 512, fs);
            REQUIRE(reason(spec) == "success");
            LoopMedium medium(size);
            const auto made = format(medium, *spec);
            REQUIRE(reason(made) == "success");
            CHECK(made->partition->number == 2);
            const InspectReport found = inspected(medium);
            CHECK(errors(found, ConformanceStandard::macos) == std::vector<std::string>{});
            REQUIRE(found.volumes.size() == 2);
            CHECK(found.volumes[0].file_system == "fat32");
            CHECK(found.volumes[0].label == "EFI");
            CHECK(parameter(found.volumes[0], "cluster_size") == "512");
            CHECK(found.volumes[1].file_system == name_of(fs));
            CHECK(by_sfdisk(medium.node()).front() == "40+409600 C12A7328-F81F-11D2-BA4B-00A0C93EC93B");
            CHECK(checked(medium, *made).clean);
        }
    }
}

TEST_CASE("every table can contain every file system, on sectors of 512 and 4096 bytes") {
    NEEDS_TOOLS();
    for (const std::uint32_t sector : {512U, 4096U}) {
        for (const FileSystem fs : {FileSystem::exfat, FileSystem::fat32, FileSystem::fat16,
                                    FileSystem::hfs_plus_journaled, FileSystem::hfs_plus, FileSystem::apfs}) {
            for (const TableScheme table : {TableScheme::mbr, TableScheme::gpt}) {
                if (fs == FileSystem::apfs && table == TableScheme::mbr) continue;
                CAPTURE(sector, name_of(fs), name_of(table));
                LoopMedium medium(520_MiB, sector);
                FormatSpec spec{.fs = fs, .cluster_size = {}, .label = {}};
                spec.partition = PartitionSpec{.table = table};
                const auto made = format(medium, spec);
                REQUIRE(reason(made) == "success");
                const InspectReport found = inspected(medium);
                CHECK(found.scheme == name_of(table));
                REQUIRE(found.volumes.size() == 1);
                CHECK(found.volumes[0].file_system == name_of(fs));
                CHECK(found.volumes[0].start == 1_MiB);
                CHECK(errors(found, ConformanceStandard::sound) == std::vector<std::string>{});
                CHECK(run_checker("sfdisk", {"-V", medium.node()}).succeeded());
                CHECK(checked(medium, *made).clean);
            }
        }
    }
}

TEST_CASE("each format clears the remains of any former format") {
    NEEDS_TOOLS();
    struct Row {
        FileSystem fs;
        TableScheme table;
        std::uint64_t start;
    };
    // Thirteen is prime: rounds with every step from 1 to 12 make each format follow each other format.
    constexpr Row rows[] = {{FileSystem::exfat, TableScheme::none, 0},
                            {FileSystem::exfat, TableScheme::mbr, 63},
                            {FileSystem::exfat, TableScheme::gpt, 411648},
                            {FileSystem::fat32, TableScheme::none, 0},
                            {FileSystem::fat32, TableScheme::mbr, 8192},
                            {FileSystem::fat32, TableScheme::gpt, 2048},
                            {FileSystem::fat16, TableScheme::mbr, 63},
                            {FileSystem::hfs_plus_journaled, TableScheme::none, 0},
                            {FileSystem::hfs_plus_journaled, TableScheme::mbr, 32768},
                            {FileSystem::hfs_plus_journaled, TableScheme::gpt, 409640},
                            {FileSystem::apfs, TableScheme::none, 0},
                            {FileSystem::apfs, TableScheme::gpt, 409640},
                            {FileSystem::apfs, TableScheme::gpt, 2048}};
    const std::size_t count = std::size(rows);
    LoopMedium medium(520_MiB);
    std::size_t at = 0;
    for (std::size_t step = 1; step < count; ++step) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t before = at;
            at = (at + step) % count;
            const Row& row = rows[at];
            FormatSpec spec{.fs = row.fs, .cluster_size = {}, .label = {}};
            if (row.table != TableScheme::none)
                spec.partition = PartitionSpec{.table = row.table, .start = sectors(row.start), .length = 300_MiB};
            // Some formats extend to the end of the medium, and one has an EFI partition at the start.
            if (row.start == 8192 || row.start == 32768) spec.partition->length.reset();
            if (row.start == 409640) spec.partition->efi_system_partition = true;
            CAPTURE(before, at, to_json(spec).dump());
            REQUIRE(reason(format(medium, spec)) == "success");
            const InspectReport found = inspected(medium);
            CHECK(found.stale_signatures.empty());
            CHECK(found.problem.empty());
            CHECK(found.volumes.back().file_system == name_of(row.fs));
        }
    }
}

TEST_CASE("formatting clears superblock copies of former file systems at large offsets") {
    NEEDS_TOOLS();
    LoopMedium medium(520_MiB);
    const auto plant = [&] {
        for (const Bytes start : {0_B, 1_MiB, 4_MiB}) {
            medium.write((start + 64_MiB).count + 0x40, "_BHRfS_M");
            medium.write((start + 5_KiB).count, "\x10\x20\xF5\xF2");
        }
    };
    plant();
    CHECK(inspected(medium).stale_signatures.size() == 6);
    for (const TableScheme table : {TableScheme::none, TableScheme::mbr}) {
        plant();
        FormatSpec spec{.fs = FileSystem::exfat, .cluster_size = {}, .label = {}};
        if (table != TableScheme::none) spec.partition = PartitionSpec{.table = table, .start = 4_MiB};
        REQUIRE(reason(format(medium, spec)) == "success");
        CHECK(inspected(medium).stale_signatures.empty());
    }
}

TEST_CASE("FAT: values read back agree with fsstat, and mkfs.fat does not change the alignment of the layout") {
    NEEDS_TOOLS();
    if (!is_installed("fsstat")) MEDIARIG_SKIP("fsstat is not installed");
    for (const std::uint64_t card : {131'072ULL, 3'862'528ULL, 7'744'512ULL, 60'579'840ULL}) {
        CAPTURE(card);
        const auto spec = spec_for(FormatProfile::sd, sectors(card), 512, {});
        REQUIRE(reason(spec) == "success");
        LoopMedium medium(sectors(card));
        FormatSpec labelled = *spec;
        labelled.label = "KARTE 1";
        const auto made = format(medium, labelled);
        REQUIRE(reason(made) == "success");
        const auto laid_out = sd_volume_for(sectors(card));
        REQUIRE(reason(laid_out) == "success");
        CHECK(value(*made, "data_offset") == std::to_string(laid_out->data_offset.count));
        CHECK(value(*made, "cluster_count") == std::to_string(laid_out->clusters));
        CHECK(made->usable ==
              laid_out->layout.cluster_size * (laid_out->clusters - (made->fs == FileSystem::fat32 ? 1U : 0U)));
        Shown shown(medium, *made->partition);
        const std::string stated = run_checker("fsstat", {shown.node()}).out;
        CHECK_THAT(stated, ContainsSubstring("Cluster Size: 32768") || ContainsSubstring("Cluster Size: 16384"));
        CHECK_THAT(stated, ContainsSubstring(fmt::format("Sectors before file system: {}", laid_out->start / 512_B)));
        CHECK_THAT(stated, ContainsSubstring("Volume Label (Root Directory): KARTE 1"));
        shown.detach();
        CHECK(checked(medium, *made).clean);
    }
}
