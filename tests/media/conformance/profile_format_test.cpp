// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/conformance/profile_format.hpp"

#include "host/media/format/profiles.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

/// A profile of one volume.
Profile profile(const std::string& scheme, std::vector<RequiredValue> values) {
    return {.name = "ours", .size = std::nullopt, .scheme = scheme, .volumes = {{std::move(values)}}};
}

std::string number(Bytes bytes) {
    return std::to_string(bytes.count);
}

} // namespace

TEST_CASE("a maker's profile of a card in SD layout gives the format of the SD layout") {
    // 124735488 sectors, as formatted by a camera: exFAT begins after one boundary unit, and the FAT half a unit later.
    const Bytes medium = Bytes{124'735'488} * 512;
    const auto sd = spec_for(FormatProfile::sd, medium, 512, std::nullopt);
    REQUIRE(sd);
    const auto spec = spec_from(profile("mbr", {{"start", number(16_MiB)},
                                                {"length", number(*sd->partition->length)},
                                                {"file_system", "exfat"},
                                                {"cluster_size", "131072"},
                                                {"sector_size", "512"},
                                                {"fat_offset", number(8_MiB)},
                                                {"fat_length", number(8_MiB)},
                                                {"cluster_heap_offset", number(16_MiB)}}),
                                medium);
    REQUIRE(reason(spec) == "success");
    CHECK(*spec == *sd);
}

TEST_CASE("a maker's profile determines label, clusters, journal, reserved sectors and table") {
    const auto hfs = spec_from(
        profile("none",
                {{"file_system", "hfs+j"}, {"label", "DISK"}, {"block_size", "8192"}, {"journal_size", "8388608"}}),
        1_GiB);
    REQUIRE(hfs);
    CHECK(*hfs ==
          FormatSpec{
              .fs = FileSystem::hfs_plus_journaled, .cluster_size = 8_KiB, .label = "DISK", .journal_size = 8_MiB});
    const auto fat = spec_from(
        profile("gpt",
                {{"start", "1048576"}, {"file_system", "fat32"}, {"cluster_size", "4096"}, {"reserved_sectors", "64"}}),
        1_GiB);
    REQUIRE(fat);
    CHECK(fat->reserved_sectors == 64U);
    CHECK(fat->partition == PartitionSpec{.table = TableScheme::gpt, .start = 1_MiB, .length = {}});
    // APFS blocks have a fixed size, for which no formatter has an option.
    const auto apfs = spec_from(profile("none", {{"file_system", "apfs"}, {"block_size", "4096"}}), 1_GiB);
    REQUIRE(apfs);
    CHECK_FALSE(apfs->cluster_size);
}

TEST_CASE("a FAT or heap position that no boundary explains is left to the formatter") {
    const auto spec = spec_from(profile("mbr", {{"start", number(1_MiB)},
                                                {"file_system", "exfat"},
                                                {"fat_offset", "65536"},
                                                {"fat_length", "4096"},
                                                {"cluster_heap_offset", "8388608"}}),
                                1_GiB);
    REQUIRE(spec);
    CHECK_FALSE(spec->boundary);
    CHECK_FALSE(spec->fat_length);
}

TEST_CASE("the EFI partition of a Mac is made together with the following volume") {
    Profile mac = profile("gpt", {{"start", "209735680"}, {"file_system", "exfat"}});
    const std::vector<RequiredValue> efi{{"file_system", "fat32"},
                                         {"partition_type", "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"}};
    mac.volumes->insert(mac.volumes->begin(), efi);
    const auto spec = spec_from(mac, 32_GiB);
    REQUIRE(spec);
    CHECK(spec->fs == FileSystem::exfat);
    CHECK(spec->partition->efi_system_partition);
}

TEST_CASE("a maker's profile that describes no possible format is refused with the reason") {
    Profile sized = profile("none", {{"file_system", "exfat"}});
    sized.size = 2_GiB;
    Profile two = profile("mbr", {{"file_system", "exfat"}});
    two.volumes->push_back(std::vector<RequiredValue>{{"file_system", "fat32"}});
    Profile any = profile("none", {});
    any.volumes.reset();
    struct Row {
        Profile profile;
        const char* reason;
    };
    const Row rows[] = {
        {sized, "is for a medium of 2147483648 bytes, and this medium has 1073741824"},
        {two, "has 2 volumes, and a format makes one"},
        {any, "describes no volume"},
        {profile("none", {}), "names no file_system"},
        {profile("none", {{"file_system", "ntfs"}}), "ntfs"},
        {profile("none", {{"file_system", "exfat"}, {"cluster_size", "large"}}),
         "has 'large' for cluster_size, which is not a number"},
    };
    for (const Row& row : rows) {
        const auto spec = spec_from(row.profile, 1_GiB);
        REQUIRE_FALSE(spec);
        CHECK(spec.error().code == Errc::bad_request);
        CHECK_THAT(spec.error().detail, ContainsSubstring(row.reason));
    }
}
