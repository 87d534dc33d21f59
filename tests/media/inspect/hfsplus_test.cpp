// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/hfsplus.hpp"
#include "host/media/inspect/inspect.hpp"
#include "tests/catch.hpp"
#include "tests/media/inspect/image.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

InspectedVolume only_volume_of(const Image& image) {
    const auto report = inspect(image.descriptor(), image.size(), 512);
    REQUIRE(reason(report) == "success");
    REQUIRE(report->volumes.size() == 1);
    return report->volumes.front();
}

} // namespace

TEST_CASE("HFS+: the parameters of a volume by mkfs.hfsplus are shown") {
    const Image image = image_from_hex("hfsplus_journaled_64mib.hex", 64_MiB);
    const InspectedVolume volume = only_volume_of(image);
    CHECK(volume.file_system == "hfs+j");
    CHECK(volume.label == "HFSTEST");
    CHECK(volume.problem.empty());
    CHECK(volume.parameters ==
          std::vector<std::pair<std::string, std::string>>{{"block_size", "4096"},
                                                           {"block_count", "16384"},
                                                           {"free_blocks", "15868"},
                                                           {"attributes", "unmounted, journaled, unused nodes zeroed"},
                                                           {"journaled", "yes"},
                                                           {"case_sensitive", "no"},
                                                           {"unmounted", "yes"},
                                                           {"inconsistent", "no"},
                                                           {"last_mounted_by", "10.0"},
                                                           {"version", "4"},
                                                           {"created", "2026-11-21 16:18:37"},
                                                           {"modified", "2026-11-21 16:18:37"},
                                                           {"backed_up", "never"},
                                                           {"checked", "2026-11-21 16:18:37"},
                                                           {"file_count", "2"},
                                                           {"folder_count", "0"},
                                                           {"next_allocation", "3075"},
                                                           {"next_catalog_id", "18"},
                                                           {"write_count", "0"},
                                                           {"data_clump_size", "65536"},
                                                           {"resource_clump_size", "65536"},
                                                           {"encodings", "0x1"},
                                                           {"volume_uuid", "bcb0e1d2-2b12-31ee-80fb-9924dde35c5b"},
                                                           {"allocation_file_size", "4096"},
                                                           {"allocation_clump_size", "4096"},
                                                           {"extents_file_size", "524288"},
                                                           {"extents_file_start", "536576"},
                                                           {"extents_clump_size", "524288"},
                                                           {"extents_node_size", "4096"},
                                                           {"extents_max_key_length", "10"},
                                                           {"extents_key_compare", "none"},
                                                           {"extents_tree_attributes", "0x2"},
                                                           {"extents_tree_depth", "0"},
                                                           {"extents_total_nodes", "128"},
                                                           {"extents_free_nodes", "127"},
                                                           {"extents_leaf_records", "0"},
                                                           {"extents_tree_clump_size", "524288"},
                                                           {"catalog_file_size", "524288"},
                                                           {"catalog_file_start", "6828032"},
                                                           {"catalog_clump_size", "524288"},
                                                           {"catalog_node_size", "4096"},
                                                           {"catalog_max_key_length", "516"},
                                                           {"catalog_key_compare", "case folding"},
                                                           {"catalog_tree_attributes", "0x6"},
                                                           {"catalog_tree_depth", "1"},
                                                           {"catalog_total_nodes", "128"},
                                                           {"catalog_free_nodes", "126"},
                                                           {"catalog_leaf_records", "6"},
                                                           {"catalog_tree_clump_size", "524288"},
                                                           {"attributes_file_size", "524288"},
                                                           {"attributes_file_start", "1060864"},
                                                           {"attributes_clump_size", "524288"},
                                                           {"attributes_node_size", "8192"},
                                                           {"attributes_max_key_length", "266"},
                                                           {"attributes_key_compare", "none"},
                                                           {"attributes_tree_attributes", "0x6"},
                                                           {"attributes_tree_depth", "0"},
                                                           {"attributes_total_nodes", "64"},
                                                           {"attributes_free_nodes", "63"},
                                                           {"attributes_leaf_records", "0"},
                                                           {"attributes_tree_clump_size", "524288"},
                                                           {"volume_name", "HFSTEST"},
                                                           {"journal_offset", "12288"},
                                                           {"journal_size", "524288"},
                                                           {"journal_place", "in the volume"},
                                                           {"journal_initialised", "no"}});
    const InspectedVolume plain = only_volume_of(image_from_hex("hfsplus_64mib.hex", 64_MiB));
    CHECK(plain.file_system == "hfs+");
    CHECK(plain.problem.empty());
}

TEST_CASE("HFS+: impossible values in a header are reported as faults with their offset") {
    Image image = image_from_hex("hfsplus_journaled_64mib.hex", 64_MiB);
    const auto with = [&image](std::uint64_t at, const std::vector<int>& bytes) {
        const auto before = image.read(at, bytes.size());
        image.write(at, bytes);
        const InspectedVolume volume = only_volume_of(image);
        image.write(at, before);
        return volume;
    };
    const auto header = [](std::uint64_t field) { return 1024 + field; };
    CHECK(with(header(0), {0x48, 0x58, 0x00, 0x05}).file_system == "hfsx+j");
    CHECK(with(header(6), {0x01}).file_system == "hfs+");
    CHECK(with(header(0x28), {0, 0, 0x10, 0x01}).problem == "HFS+ volume header at byte 1024: blockSize");
    CHECK(with(header(0x2C), {0, 0, 0, 0}).problem == "HFS+ volume header at byte 1024: totalBlocks");
    CHECK(with(header(0x30), {1, 0, 0, 2}).problem == "HFS+ volume header at byte 1024: freeBlocks");
    CHECK(with(header(0x0C), {1, 0, 0, 2}).problem == "HFS+ volume header at byte 1024: journalInfoBlock");
    CHECK(with(header(0x2C), {0, 1, 0, 0}).problem ==
          "HFS+ volume header at byte 1024: totalBlocks: the volume of 268435456 bytes is larger than its partition or "
          "medium of 67108864 bytes; HFS+ volume header at "
          "byte 1024: allocationFile.logicalSize is 4096");
    CHECK(with((64 << 20) - 1024, {0}).problem == "alternate volume header at byte 67107840: signature");
    CHECK(with((64 << 20) - 1024 + 0x2C, {0, 0, 0x41, 0}).problem ==
          "alternate volume header at byte 67107884: totalBlocks is 0x4100, in the volume header 0x4000");
    CHECK(with(6828032 + 0x20, {0x10, 0x01}).problem == "header node of the catalog file at byte 6828032: nodeSize");
    CHECK(with(6828032 + 0x18, {0, 0, 1, 0}).problem ==
          "header node of the catalog file at byte 6828032: firstLeafNode");
    CHECK(with(6828032 + 4096 + 8, {0}).problem == "first leaf of the catalog file at byte 6832128: no root folder");
    CHECK(with(6828032 + 4096 + 14, {0, 7}).label == "HFSTEST");
    CHECK(with(8192 + 0x24, {0, 0, 0, 1}).problem ==
          "journal info block at byte 8192: offset 4294979584 and size 524288 are outside the volume");
    // A header with the signature of HFS+ and the version of HFSX is neither.
    image.write(header(0), {0x48, 0x2B, 0x00, 0x05});
    const auto neither = inspect(image.descriptor(), image.size(), 512);
    CHECK(neither->volumes.empty());
}

TEST_CASE("HFS+: dates count from 1904 and names keep private characters") {
    CHECK(hfs_plus_date_text(0) == "never");
    CHECK(hfs_plus_date_text(1) == "1904-01-01 00:00:01");
    CHECK(hfs_plus_date_text(hfs_plus_unix_epoch) == "1970-01-01 00:00:00");
    CHECK(hfs_plus_date_text(0xFFFFFFFF) == "2040-02-06 06:28:15");
    const std::vector<std::byte> name{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{'H'}};
    CHECK(text_from_utf16be(name) == "\uFFFDH");
}

TEST_CASE("HFSX: case sensitivity depends on the catalog, not on the signature alone") {
    Image image = image_from_hex("hfsplus_journaled_64mib.hex", 64_MiB);
    for (const std::uint64_t header : {std::uint64_t{1024}, (64_MiB).count - 1024})
        image.write(header, std::vector<int>{'H', 'X', 0, 5});
    const auto told = [&image] {
        const InspectedVolume volume = only_volume_of(image);
        CHECK(volume.file_system == "hfsx+j");
        CHECK(volume.problem.empty());
        for (const FieldLocation& place : volume.places)
            if (place.name == "case_sensitive")
                return std::tuple{*parameter(volume, place.name), place.field, place.at};
        return std::tuple{std::string(), std::string(), Bytes{}};
    };
    const Bytes in_catalog{6828032 + 0x33};
    CHECK(told() == std::tuple{std::string("no"), std::string("keyCompareType"), in_catalog});
    image.write(in_catalog.count, std::vector<int>{0xBC});
    CHECK(told() == std::tuple{std::string("yes"), std::string("keyCompareType"), in_catalog});
    // If there is no catalog, only the signature counts.
    image.write(6828032 + 8, std::vector<int>{0x55});
    const InspectedVolume lost = only_volume_of(image);
    CHECK(parameter(lost, "case_sensitive") == "yes");
    for (const FieldLocation& place : lost.places)
        if (place.name == "case_sensitive") CHECK(place.field == "signature");
}
