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
        {"FatLength", 84, le32(255)},          // 32704 + 2 entries of 4 bytes need 256 sectors
        {"ClusterHeapOffset", 88, le32(2303)}, // inside the FAT
        {"ClusterCount", 92, le32(0)},
        {"FirstClusterOfRootDirectory", 96, le32(1)},
        {"FirstClusterOfRootDirectory", 96, le32(32706)},
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

TEST_CASE(
    "exFAT boot sector: a wrong field that no driver needs is reported as a defect with the found and the expected "
    "value") {
    struct Row {
        const char* defect;
        std::size_t offset;
        std::vector<int> bytes;
    };
    const Row rows[] = {
        {"PartitionOffset is 9223372036854775808 sectors, at most 2251799813685248 expected",
         64,
         {0, 0, 0, 0, 0, 0, 0, 0x80}},
        {"VolumeLength is 2047 sectors, at least 2048 expected", 72, le64(2047)},
        {"VolumeLength is 18446744073709551615 sectors, at most 2251799813685248 expected", 72, le64(~0ULL)},
        {"FatOffset is 23 sectors, at least 24 expected", 80, le32(23)},
        {"ClusterHeapOffset is 4294967295 sectors, VolumeLength 2097152", 88, le32(0xFFFFFFFF)},
        {"ClusterCount is 32705, at most 32704 expected by VolumeLength", 92, le32(32705)},
        {"FileSystemRevision is 0x0000, 0x0100 expected", 105, {0}},
        {"PercentInUse is 101, 0 to 100 or 255 expected", 112, {101}},
        {"ActiveFat of VolumeFlags selects the second FAT, but NumberOfFats is 1", 106, {1}},
    };
    CHECK(golden_boot().defects.empty());
    for (const Row& row : rows) {
        CAPTURE(row.defect);
        Image image = golden_exfat();
        image.write(row.offset, row.bytes);
        const auto boot = parse_exfat_boot(image.read(0, 512));
        REQUIRE(reason(boot) == "success");
        REQUIRE_FALSE(boot->defects.empty());
        CHECK(boot->defects.front() == row.defect);
        CHECK(boot->cluster_size == golden_boot().cluster_size);
    }
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
        {"allocation bitmap: cluster 1, 4088 bytes; a cluster of the heap and 4088 bytes expected", 52, le32(1)},
        {"allocation bitmap: cluster 32706, 4088 bytes; a cluster of the heap and 4088 bytes expected", 52,
         le32(32706)},
        {"allocation bitmap: cluster 2, 4087 bytes; a cluster of the heap and 4088 bytes expected", 56, le64(4087)},
        {"allocation bitmap: cluster 2, 18446744073709551615 bytes; a cluster of the heap and 4088 bytes expected", 56,
         le64(~0ULL)},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        Image image = golden_exfat();
        image.write(0x210000 + row.offset, row.bytes);
        CHECK(reason(parse_exfat_root(image.read(0x210000, 32768), golden_boot())) == row.what);
    }
    CHECK(reason(parse_exfat_root({}, golden_boot())) == "no allocation bitmap in the root directory");
}

TEST_CASE("exFAT root directory: a defect of one entry does not affect the others") {
    struct Row {
        const char* defect;
        std::size_t offset;
        std::vector<int> bytes;
    };
    const Row rows[] = {
        {"volume label of 12 characters, at most 11 expected", 1, {12}},
        {"volume label of 255 characters, at most 11 expected", 1, {255}},
        {"no up-case table in the root directory", 64, {0x02}},
        {"up-case table: cluster 3, 0 bytes", 88, le64(0)},
        {"up-case table: cluster 3, 131073 bytes", 88, le64(131073)},
    };
    for (const Row& row : rows) {
        CAPTURE(row.defect);
        Image image = golden_exfat();
        image.write(0x210000 + row.offset, row.bytes);
        const auto root = parse_exfat_root(image.read(0x210000, 32768), golden_boot());
        REQUIRE(reason(root) == "success");
        CHECK(root->defects == std::vector<std::string>{row.defect});
        CHECK(root->bitmap == ExfatExtent{.first_cluster = 2, .length = 4088_B});
        CHECK(root->label.value_or("").starts_with("EXTEST"));
        const auto volume = read_exfat({image.descriptor(), image.size()}, {}, image.size());
        REQUIRE(reason(volume) == "success");
        CHECK(volume->free_clusters == 32701);
        CHECK_THAT(volume->problem, ContainsSubstring(row.defect));
    }
    Image image = golden_exfat();
    image.write(0x210000, std::vector<int>{0x83, 15});
    for (std::size_t i = 0; i < 15; ++i) image.write(0x210002 + 2 * i, std::vector<int>{"HOLIDAY-2019-XY"[i], 0});
    CHECK(parse_exfat_root(image.read(0x210000, 32768), golden_boot())->label == "HOLIDAY-2019-XY");
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
    // The entries of the volume move to cluster 9, and cluster 4 is full of deleted files.
    const auto entries = image.read(0x210000, 96);
    std::vector<std::byte> full(32768, std::byte{0x05});
    image.write(0x210000, full);
    image.write(0x200000 + 7LL * 32768, entries);
    image.write(0x100000 + 4 * 4, le32(9));
    image.write(0x100000 + 9 * 4, le32(0xFFFFFFFF));
    image.write(0x200000, std::vector<int>{0x87}); // clusters 2, 3, 4 and 9
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

namespace {

/// Clusters of the golden volume have 32 KiB; the first free one is 5.
constexpr std::uint64_t root_at = 0x210000, bitmap_at = 0x200000, fat_at = 0x100000, cluster_length = 32768;

/// Writes a file set with a stream extension at byte `at` of the medium.
void put_file(Image& image, std::uint64_t at, int attributes, bool chained, std::uint32_t first, std::uint64_t length) {
    image.write(at, std::vector<int>{0x85, 2, 0, 0, attributes, 0});
    image.write(at + 32, std::vector<int>{0xC0, chained ? 1 : 3, 0, 1});
    image.write(at + 52, le32(first));
    image.write(at + 56, le64(length));
    image.write(at + 64, std::vector<int>{0xC1, 0, 'A', 0});
    const unsigned sum = exfat_set_checksum(image.read(at, 96));
    image.write(at + 2, std::vector<int>{static_cast<int>(sum & 0xFF), static_cast<int>(sum >> 8)});
}

ExfatVolume volume_of(const Image& image) {
    auto volume = read_exfat({image.descriptor(), image.size()}, {}, image.size());
    REQUIRE(reason(volume) == "success");
    return std::move(*volume);
}

} // namespace

TEST_CASE("exFAT tree: the bitmap agrees with files, chains and folders") {
    Image image = golden_exfat();
    put_file(image, root_at + 96, 0x20, false, 5, 2 * cluster_length); // clusters 5 and 6
    put_file(image, root_at + 192, 0x10, true, 7, 2 * cluster_length); // a folder in clusters 7 and 9
    image.write(fat_at + 7 * 4, le32(9));
    image.write(fat_at + 9 * 4, le32(0xFFFFFFFF));
    put_file(image, bitmap_at + 5 * cluster_length, 0x20, true, 8, 1); // in the folder
    image.write(fat_at + 8 * 4, le32(0xFFFFFFFF));
    image.write(fat_at + 10 * 4, le32(0xFFFFFFF7)); // bad
    image.write(bitmap_at, std::vector<int>{0xFF, 0x01});

    SECTION("no fault") {
        const ExfatVolume volume = volume_of(image);
        CHECK(volume.problem.empty());
        REQUIRE(volume.tree);
        CHECK(*volume.tree == ExfatTree{.complete = true,
                                        .leaked = {},
                                        .freed = {},
                                        .shared = {},
                                        .defects = {},
                                        .damaged_sets = 0,
                                        .first_damaged_set = {}});
        CHECK(value(parameters_of(volume), "leaked_clusters") == "0");
    }
    SECTION("clusters without an owner are leaked") {
        image.write(bitmap_at + 1, std::vector<int>{0x07});
        const ExfatVolume volume = volume_of(image);
        CHECK(volume.tree->leaked == ExfatClusters{.count = 2, .first = 11});
        CHECK(volume.problem.empty()); // a checker accepts this volume
        CHECK(volume.leaks ==
              "allocation bitmap at byte 2097152: clusters marked used that no file or folder owns: 2, the first is "
              "cluster 11");
    }
    SECTION("a deleted file set owns nothing") {
        image.write(root_at + 96, std::vector<int>{0x05});
        image.write(root_at + 128, std::vector<int>{0x40});
        CHECK(volume_of(image).tree->leaked == ExfatClusters{.count = 2, .first = 5});
    }
    SECTION("clusters of a file that are marked free") {
        image.write(bitmap_at, std::vector<int>{0xEF}); // cluster 6
        const ExfatVolume volume = volume_of(image);
        CHECK(volume.tree->freed == ExfatClusters{.count = 1, .first = 6});
        CHECK_THAT(volume.problem,
                   ContainsSubstring("clusters in use that are marked free: 1, the first is cluster 6"));
    }
    SECTION("clusters of two files") {
        put_file(image, root_at + 288, 0x20, false, 6, cluster_length);
        const ExfatVolume volume = volume_of(image);
        CHECK(volume.tree->shared == ExfatClusters{.count = 1, .first = 6});
        CHECK(value(parameters_of(volume), "shared_clusters") == "1");
    }
    SECTION("a chain that is shorter than its file") {
        put_file(image, bitmap_at + 5 * cluster_length, 0x20, true, 8, cluster_length + 1);
        CHECK_THAT(volume_of(image).problem,
                   ContainsSubstring("the chain from cluster 8 on ends after 1 clusters, its length needs 2"));
    }
    SECTION("a chain that is longer than its folder") {
        put_file(image, root_at + 192, 0x10, true, 7, cluster_length);
        CHECK_THAT(volume_of(image).problem,
                   ContainsSubstring("the chain from cluster 7 on ends after 2 clusters, its length needs 1"));
    }
    SECTION("a set with a wrong checksum") {
        image.write(bitmap_at + 5 * cluster_length + 66, std::vector<int>{'B'});
        const ExfatVolume volume = volume_of(image);
        CHECK(volume.tree->damaged_sets == 1);
        CHECK(volume.tree->first_damaged_set == Bytes{bitmap_at + 5 * cluster_length});
        CHECK(volume.problem ==
              fmt::format("files and folders: entry sets that are incomplete or have a wrong SetChecksum: 1, the first "
                          "is at byte {}",
                          bitmap_at + 5 * cluster_length));
    }
    SECTION("a set without its last entry") {
        image.write(root_at + 192 + 64, std::vector<int>{0x41});
        const ExfatVolume volume = volume_of(image);
        CHECK(volume.tree->damaged_sets == 1);
        CHECK(volume.tree->first_damaged_set == Bytes{root_at + 192});
        image.write(root_at + 192 + 64, std::vector<int>{0x00});
        CHECK(volume_of(image).tree->damaged_sets == 1);
    }
    SECTION("a set that continues in the next cluster of its folder") {
        const std::uint64_t last = bitmap_at + 6 * cluster_length - 32, next = bitmap_at + 7 * cluster_length;
        put_file(image, bitmap_at + 5 * cluster_length + 96, 0x20, false, 0, 0);
        const std::vector<std::byte> set = image.read(bitmap_at + 5 * cluster_length + 96, 96);
        const auto part = [&](std::size_t from, std::size_t to) {
            return std::vector<std::byte>(set.begin() + static_cast<std::ptrdiff_t>(from),
                                          set.begin() + static_cast<std::ptrdiff_t>(to));
        };
        // A deleted entry before the set, so that the folder does not end.
        for (std::uint64_t at = bitmap_at + 5 * cluster_length + 96; at < last; at += 32)
            image.write(at, std::vector<int>{0x05});
        image.write(last, part(0, 32));
        image.write(next, part(32, 96));
        CHECK(volume_of(image).tree->damaged_sets == 0);
        image.write(next + 34, std::vector<int>{'B'});
        CHECK(volume_of(image).tree->first_damaged_set == Bytes{last});
    }
    SECTION("a chain that leaves the heap") {
        image.write(fat_at + 8 * 4, le32(0x00FFFFFF));
        CHECK_THAT(volume_of(image).problem,
                   ContainsSubstring("FatEntry[8] of the chain from cluster 8 on is 0x00ffffff"));
    }
    SECTION("a folder that contains itself ends") {
        put_file(image, bitmap_at + 5 * cluster_length + 96, 0x10, true, 7, cluster_length);
        CHECK(volume_of(image).tree->shared.count == 1);
    }
    SECTION("an entry of an unknown type may own clusters: none is called leaked") {
        image.write(bitmap_at + 1, std::vector<int>{0x07});
        image.write(root_at + 288, std::vector<int>{0x99});
        const ExfatVolume volume = volume_of(image);
        CHECK_FALSE(volume.tree->complete);
        CHECK(volume.problem.empty());
        CHECK(volume.leaks.empty());
    }
}
