// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <functional>

#include "host/media/inspect/exfat.hpp"
#include "host/media/inspect/read_exfat.hpp"
#include "tests/catch.hpp"
#include "tests/media/inspect/image.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

Image golden_exfat() {
    return image_from_hex("exfat_1gib.hex", 1_GiB);
}

ExfatBoot golden_boot() {
    const auto boot = parse_exfat_boot(golden_exfat().read(0, 512));
    REQUIRE(reason(boot) == "success");
    return *boot;
}

std::string value(const Parameters& parameters, const std::string& name) {
    for (const auto& [key, text] : parameters)
        if (key == name) return text;
    return "(none)";
}

} // namespace

TEST_CASE("exFAT boot sector: the fields of a known volume are decoded") {
    const ExfatBoot boot = golden_boot();
    CHECK(boot == ExfatBoot{.sector_size = 512_B,
                            .cluster_size = 32_KiB,
                            .partition_offset = 0_B,
                            .volume_length = 1_GiB,
                            .fat_offset = 1_MiB,
                            .fat_length = 128_KiB,
                            .heap_offset = 2_MiB,
                            .cluster_count = 32704,
                            .root_cluster = 4,
                            .serial = 0x12345678,
                            .revision = 0x0100,
                            .number_of_fats = 1,
                            .percent_in_use = 0,
                            .dirty = false,
                            .media_failure = false,
                            .second_fat_active = false,
                            .volume_flags = 0,
                            .drive_select = 0x80,
                            .jump_boot_valid = true,
                            .boot_code = "00"});
    CHECK(boot.cluster_offset(4) == Bytes{0x210000});
    CHECK(boot.holds_cluster(32705));
    CHECK_FALSE(boot.holds_cluster(32706));
    CHECK_FALSE(boot.holds_cluster(1));
}

TEST_CASE("exFAT boot sector: an invalid boot sector is refused") {
    struct Row {
        const char* field;
        std::size_t offset;
        std::vector<int> bytes;
    };
    const Row rows[] = {
        {"FileSystemName", 3, {'N'}},
        {"BootSignature", 510, {0}},
        {"MustBeZero", 11, {2}},
        {"MustBeZero", 63, {1}},
        {"PartitionOffset", 64, {0, 0, 0, 0, 0, 0, 0, 0x80}},
        {"VolumeLength", 72, le64(2047)}, // less than 1 MiB
        {"VolumeLength", 72, le64(~0ULL)},
        {"FatOffset", 80, le32(23)},
        {"FatLength", 84, le32(255)},          // 32704 + 2 entries of 4 bytes need 256 sectors
        {"ClusterHeapOffset", 88, le32(2303)}, // inside the FAT
        {"ClusterHeapOffset", 88, le32(0xFFFFFFFF)},
        {"ClusterCount", 92, le32(32705)}, // one cluster more than fits into the volume
        {"ClusterCount", 92, le32(0)},
        {"FirstClusterOfRootDirectory", 96, le32(1)},
        {"FirstClusterOfRootDirectory", 96, le32(32706)},
        {"FileSystemRevision", 105, {0}},
        {"BytesPerSectorShift", 108, {8}},
        {"BytesPerSectorShift", 108, {13}},    // 8 KiB sectors do not exist
        {"SectorsPerClusterShift", 109, {17}}, // 2^(9+17) = 64 MiB
        {"SectorsPerClusterShift", 109, {255}},
        {"NumberOfFats", 110, {0}},
        {"NumberOfFats", 110, {3}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.field, row.offset);
        Image image = golden_exfat();
        image.write(row.offset, row.bytes);
        CHECK(reason(parse_exfat_boot(image.read(0, 512))) == row.field);
    }
    CHECK(reason(parse_exfat_boot({})) == "FileSystemName");
}

TEST_CASE("exFAT boot sector: the flags are decoded") {
    Image image = golden_exfat();
    image.write(106, std::vector<int>{0x06});
    const auto boot = parse_exfat_boot(image.read(0, 512));
    REQUIRE(reason(boot) == "success");
    CHECK(boot->dirty);
    CHECK(boot->media_failure);
}

TEST_CASE("exFAT boot region: checksum, signatures and backup of a known volume agree") {
    const Image image = golden_exfat();
    const auto main = image.read(0, 12 * 512);
    const auto backup = image.read(12 * 512, 12 * 512);
    const auto checked = check_exfat_region(main, 512_B);
    REQUIRE(reason(checked) == "success");
    CHECK(*checked == 0x8423D968);
    CHECK(first_backup_difference(main, backup) == std::nullopt);
    CHECK(exfat_oem_parameters(Raw(main).subspan(9 * 512, 512)) == "filled with ff");
}

TEST_CASE("exFAT boot region: only flags and percentage may change without a new checksum") {
    Image image = golden_exfat();
    image.write(106, std::vector<int>{0x02, 0x00});
    image.write(112, std::vector<int>{55});
    CHECK(reason(check_exfat_region(image.read(0, 12 * 512), 512_B)) == "success");
    CHECK(first_backup_difference(image.read(0, 12 * 512), image.read(12 * 512, 12 * 512)) == std::nullopt);

    image.write(100, std::vector<int>{0x79});
    CHECK(reason(check_exfat_region(image.read(0, 12 * 512), 512_B)) ==
          "BootChecksum: 0x8423d968 stored at byte 5632 of the region, 0x8423da68 computed");
    CHECK(first_backup_difference(image.read(0, 12 * 512), image.read(12 * 512, 12 * 512)) == Bytes{100});
}

TEST_CASE("exFAT boot region: a damaged copy of the checksum, a lost signature and a short region are found") {
    Image image = golden_exfat();
    image.write(11 * 512 + 508, le32(1));
    CHECK(reason(check_exfat_region(image.read(0, 12 * 512), 512_B)) ==
          "BootChecksum: 0x00000001 stored at byte 6140 of the region, 0x8423d968 computed");
    image.write(9 * 512 - 4, le32(0));
    CHECK(reason(check_exfat_region(image.read(0, 12 * 512), 512_B)) == "ExtendedBootSignature of sector 8");
    CHECK(reason(check_exfat_region(image.read(0, 512), 512_B)) == "boot region of 512 bytes");
}

TEST_CASE("exFAT OEM parameters: the software that wrote them is recognised") {
    std::vector<std::byte> sector(512);
    CHECK(exfat_oem_parameters(sector) == "none");
    const auto guid = [&sector](std::size_t at) {
        const int flash[] = {0x46, 0x7E, 0x0C, 0x0A, 0x99, 0x33, 0x21, 0x40,
                             0x90, 0xC8, 0xFA, 0x6D, 0x38, 0x9C, 0x4B, 0xA2};
        for (std::size_t i = 0; i < 16; ++i) sector[at + i] = static_cast<std::byte>(flash[i]);
    };
    guid(48); // preceded by an unused record
    CHECK(exfat_oem_parameters(sector) == "flash");
    sector[48] = std::byte{1};
    CHECK(exfat_oem_parameters(sector) == "unknown");
}

TEST_CASE("exFAT root directory: label, bitmap and up-case table of a known volume are decoded") {
    const auto root = parse_exfat_root(golden_exfat().read(0x210000, 32768), golden_boot());
    REQUIRE(reason(root) == "success");
    CHECK(root->label == "EXTEST");
    CHECK(root->bitmap == ExfatExtent{.first_cluster = 2, .length = 4088_B});
    CHECK(root->upcase == ExfatExtent{.first_cluster = 3, .length = 5836_B});
    CHECK(root->upcase_checksum == 0xE619D30D);
    CHECK(root->files == 0);
    CHECK(root->volume_guid == std::nullopt);
}

TEST_CASE("exFAT root directory: an invalid root directory is refused") {
    struct Row {
        const char* what;
        std::size_t offset;
        std::vector<int> bytes;
    };
    const Row rows[] = {
        {"no allocation bitmap in the root directory", 0, {0x00}},
        {"no allocation bitmap in the root directory", 32, {0x01}},
        {"no allocation bitmap in the root directory", 33, {0x01}}, // only the second bitmap of TexFAT exists
        {"no up-case table in the root directory", 64, {0x02}},
        {"volume label of 12 characters", 1, {12}},
        {"allocation bitmap: cluster 1, 4088 bytes", 52, le32(1)},
        {"allocation bitmap: cluster 32706, 4088 bytes", 52, le32(32706)},
        {"allocation bitmap: cluster 2, 4087 bytes", 56, le64(4087)},
        {"allocation bitmap: cluster 2, 18446744073709551615 bytes", 56, le64(~0ULL)},
        {"up-case table: cluster 3, 0 bytes", 88, le64(0)},
        {"up-case table: cluster 3, 131073 bytes", 88, le64(131073)},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        Image image = golden_exfat();
        image.write(0x210000 + row.offset, row.bytes);
        CHECK(reason(parse_exfat_root(image.read(0x210000, 32768), golden_boot())) == row.what);
    }
    CHECK(reason(parse_exfat_root({}, golden_boot())) == "no allocation bitmap in the root directory");
}

TEST_CASE("exFAT root directory: a label is valid text, whatever its bytes") {
    Image image = golden_exfat();
    image.write(0x210000, std::vector<int>{0x83, 5, 0xE4, 0x00, 0x3D, 0xD8, 0xBE, 0xDC, 0x00, 0xD8, 0x07, 0x00});
    auto root = parse_exfat_root(image.read(0x210000, 32768), golden_boot());
    REQUIRE(reason(root) == "success");
    CHECK(root->label == "ä\U0001F4BE\uFFFD\uFFFD"); // a surrogate pair, an unpaired surrogate, a bell
    image.write(0x210000, std::vector<int>{0x03});   // the entry exists, but is not in use
    CHECK(parse_exfat_root(image.read(0x210000, 32768), golden_boot())->label == std::nullopt);
}

TEST_CASE("the number of free clusters is the number of zeros among the bitmap's valid bits") {
    const std::vector<std::byte> bitmap{std::byte{0x07}, std::byte{0xFF}, std::byte{0xF0}};
    CHECK(count_free_clusters(bitmap, 24) == 5 + 0 + 4);
    CHECK(count_free_clusters(bitmap, 20) == 5 + 0 + 4);
    CHECK(count_free_clusters(bitmap, 16) == 5);
    CHECK(count_free_clusters(bitmap, 3) == 0);
    CHECK(count_free_clusters({}, 0) == 0);
}

TEST_CASE("exFAT OEM parameters: the maker's flash parameters are decoded") {
    Image image = golden_exfat();
    image.write(9 * 512,
                {0x46, 0x7E, 0x0C, 0x0A, 0x99, 0x33, 0x21, 0x40, 0x90, 0xC8, 0xFA, 0x6D, 0x38, 0x9C, 0x4B, 0xA2});
    const std::uint32_t values[] = {4 << 20, 16384, 3, 100'000, 700'000, 25, 45};
    for (std::size_t i = 0; i < 7; ++i) image.write(9 * 512 + 16 + 4 * i, le32(values[i]));
    const auto volume = read_exfat({image.descriptor(), image.size()}, {}, image.size());
    REQUIRE(reason(volume) == "success");
    REQUIRE(volume->flash);
    const Parameters parameters = parameters_of(*volume);
    CHECK(value(parameters, "oem_parameters") == "flash");
    CHECK(value(parameters, "flash_erase_block") == "4194304");
    CHECK(value(parameters, "flash_page") == "16384");
    CHECK(value(parameters, "flash_spare_sectors") == "3");
    CHECK(value(parameters, "flash_random_access") == "100000");
    CHECK(value(parameters, "flash_programming") == "700000");
    CHECK(value(parameters, "flash_read_cycle") == "25");
    CHECK(value(parameters, "flash_write_cycle") == "45");
    CHECK(parse_exfat_flash(std::vector<std::byte>(512)) == std::nullopt);
}

TEST_CASE("exFAT root directory: the cluster chain is followed, and a circular chain ends") {
    Image image = golden_exfat();
    // The entries of the volume move to cluster 9, and cluster 4 is full of files.
    const auto entries = image.read(0x210000, 96);
    std::vector<std::byte> full(32768, std::byte{0x85});
    image.write(0x210000, full);
    image.write(0x200000 + 7LL * 32768, entries);
    image.write(0x100000 + 4 * 4, le32(9));
    image.write(0x100000 + 9 * 4, le32(0xFFFFFFFF));
    auto volume = read_exfat({image.descriptor(), image.size()}, {}, image.size());
    REQUIRE(reason(volume) == "success");
    CHECK(volume->problem.empty());
    CHECK(volume->root_clusters == std::vector<std::uint32_t>{4, 9});
    CHECK(volume->root->label == "EXTEST");
    const Listing listing = listing_of(*volume, {});
    for (const FieldLocation& place : listing.places())
        if (place.name == "bitmap_cluster") CHECK(place.at == Bytes{0x200000 + 7 * 32768 + 32 + 20});
    image.write(0x200000 + 7LL * 32768, full);
    image.write(0x100000 + 9 * 4, le32(4));
    volume = read_exfat({image.descriptor(), image.size()}, {}, image.size());
    REQUIRE(reason(volume) == "success");
    CHECK(volume->problem == "root directory at byte 2162688: no allocation bitmap in the root directory");
}

TEST_CASE("exFAT volume: structures at wrong positions or outside the medium are reported") {
    Image image = golden_exfat();
    CHECK(read_exfat({image.descriptor(), image.size()}, {}, 512_MiB)->problem ==
          "exFAT boot sector at byte 0: VolumeLength: the volume of 1073741824 bytes is larger than its partition or "
          "medium of 536870912 bytes");
    CHECK(reason(read_exfat({image.descriptor(), image.size()}, 512_B, 1_MiB)) ==
          "exFAT boot sector at byte 512: FileSystemName");
    CHECK(reason(read_exfat({image.descriptor(), image.size()}, 2_GiB, 1_MiB)) ==
          "512 bytes at byte 2147483648 are outside the medium of 1073741824 bytes");
    CHECK(reason(read_exfat({image.descriptor(), 4_GiB}, 2_GiB, 1_MiB)) == "the medium ends at byte 2147483648");
}
