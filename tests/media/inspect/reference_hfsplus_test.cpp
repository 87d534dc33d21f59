// SPDX-License-Identifier: GPL-3.0-or-later
/// Volumes of mediarig's own formatter, and of mkfs.hfsplus (proprietary, rarely available) if it is installed, read by
/// fsstat, fshfsinfo and blkid.
#include <fmt/format.h>

#include "host/media/format/hfsplus/volume_name.hpp"
#include "tests/catch.hpp"
#include "tests/media/format/hfsplus_volume.hpp"
#include "tests/media/inspect/reference_checkers.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::media::hfsplus;
using namespace mediarig::test;

namespace {

/// Sizes at which a rule of newfs_hfs changes, and sizes that are not multiples of a unit.
const Bytes hfsplus_sizes[] = {64_MiB,
                               Bytes{100'000'256},
                               128_MiB - 512_B,
                               128_MiB,
                               1_GiB - 512_B,
                               1_GiB,
                               8_GiB,
                               10_GiB - 4_KiB,
                               10_GiB,
                               Bytes{63'864'569'856},
                               100_GiB - 512_B,
                               100_GiB,
                               512_GiB,
                               1024_GiB,
                               Bytes{2'000'000'000'000},
                               2048_GiB - 4_KiB,
                               2048_GiB};

void hfsplus_agrees_with_fsstat(const InspectedVolume& volume, const std::string& path) {
    // fsstat prints the local time.
    const std::string said = said_by("env", {"TZ=UTC", "fsstat", path});
    INFO(said);
    const bool case_sensitive = value(volume, "case_sensitive") == "yes";
    CHECK(field(said, "File System Version:").starts_with(case_sensitive ? "HFSX" : "HFS+"));
    CHECK(volume.label == field(said, "Volume Name:"));
    CHECK((said.find("Volume Unmounted Properly") != std::string::npos) == (value(volume, "unmounted") == "yes"));
    CHECK((said.find("Journal Info Block: ") != std::string::npos) == (value(volume, "journaled") == "yes"));
    const auto utc = [&](const char* label) { return field(said, label).substr(0, 19); };
    // By the format, the creation date is local time. fsstat and mediarig print the number as UTC.
    CHECK(value(volume, "created") == utc("Creation Date:"));
    CHECK(value(volume, "modified") == utc("Last Written Date:"));
    CHECK(value(volume, "checked") == utc("Last Checked Date:"));
    CHECK(value(volume, "file_count") == match(said, R"(Number of files: (\d+))"));
    CHECK(value(volume, "folder_count") == match(said, R"(Number of folders: (\d+))"));
    CHECK(value(volume, "block_size") == field(said, "Allocation Block Size:"));
    CHECK(value(volume, "free_blocks") == field(said, "Number of Free Blocks:"));
    CHECK(std::stoull(value(volume, "block_count")) == 1 + std::stoull(match(said, R"(Block Range: 0 - (\d+))")));
    // fsstat translates the four letters into a name: "10.0" means a formatter that never mounts.
    CHECK(value(volume, "last_mounted_by") == "10.0");
    CHECK(field(said, "Last Mounted By:") == "Mac OS X");
}

void agrees_with_fshfsinfo(const InspectedVolume& volume, const std::string& path) {
    const std::string said = said_by("fshfsinfo", {path});
    INFO(said);
    CHECK(volume.label == field(field(said, "\tName"), ":"));
}

void hfsplus_agrees_with_blkid(const InspectedVolume& volume, const std::string& path) {
    const std::string said = said_by("blkid", {"-p", "-o", "export", path});
    INFO(said);
    CHECK(field(said, "\nTYPE=") == "hfsplus");
    CHECK(field(said, "\nUUID=") == value(volume, "volume_uuid"));
    CHECK(field(said, "BLOCK_SIZE=") == value(volume, "block_size"));
    CHECK(field(said, "\nLABEL=") == volume.label);
}

} // namespace

TEST_CASE(
    "HFS+ reference checkers: fsstat, fshfsinfo and blkid agree at 17 sizes from 64 MiB to 2 TiB for all variants") {
    MEDIARIG_NEEDS("fsstat", "fshfsinfo", "blkid");
    struct Variant {
        const char* name;
        JournalMode journal;
        CaseSensitivity names;
    };
    for (const Variant& variant : {Variant{"hfs+", JournalMode::none, CaseSensitivity::ignore_case},
                                   Variant{"hfs+j", JournalMode::inside, CaseSensitivity::ignore_case},
                                   Variant{"hfsx", JournalMode::none, CaseSensitivity::case_sensitive},
                                   Variant{"hfsx+j", JournalMode::inside, CaseSensitivity::case_sensitive}})
        for (const Bytes size : hfsplus_sizes) {
            CAPTURE(variant.name, size.count);
            Options options = some_options();
            options.journal = variant.journal;
            options.names = variant.names;
            options.name = volume_name("CARD-1").value();
            const MadeVolume made = make_volume(size, options);
            const auto report = look_at(made.image.path(), size, 512);
            REQUIRE(report.volumes.size() == 1);
            const InspectedVolume& volume = report.volumes[0];
            CHECK(volume.problem.empty());
            CHECK(report.stale_signatures.empty());
            CHECK(volume.file_system == variant.name);
            hfsplus_agrees_with_fsstat(volume, made.image.path());
            // fshfsinfo 20201104 and blkid 2.38 find no name if the blocks are larger than the catalog's nodes.
            if (value(volume, "block_size") <= value(volume, "catalog_node_size")) {
                agrees_with_fshfsinfo(volume, made.image.path());
                hfsplus_agrees_with_blkid(volume, made.image.path());
            }
            // For any size the inspection reads the headers, header nodes and the first leaf.
            CHECK(report.read.count <= (256_KiB).count);
        }
}

TEST_CASE("HFS+ reference checkers: volumes of mkfs.hfsplus agree with its output from 64 MiB to 2 TB") {
    MEDIARIG_NEEDS("mkfs.hfsplus", "fsstat", "blkid");
    for (const Bytes size : hfsplus_sizes) {
        CAPTURE(size.count);
        const CheckedImage image(size);
        (void)said_by("mkfs.hfsplus", {"-J", "-v", "CARD-1", image.path()});
        const InspectedVolume volume = image.only_volume();
        CHECK(volume.file_system == "hfs+j");
        CHECK(volume.label == "CARD-1");
        hfsplus_agrees_with_fsstat(volume, image.path());
        CHECK(image.look().read.count <= (256_KiB).count);
    }
}
