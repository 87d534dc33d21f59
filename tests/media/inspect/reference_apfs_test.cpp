// SPDX-License-Identifier: GPL-3.0-or-later
/// Containers of mkapfs, read by pstat, fsapfsinfo and blkid.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/media/inspect/reference_checkers.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

void agrees_with_pstat(const InspectedVolume& volume, const std::string& path) {
    const std::string said = said_by("pstat", {path});
    INFO(said.substr(0, 2000));
    CHECK(value(volume, "container_uuid") == match(said, R"(Container ([0-9a-f-]{36}))"));
    CHECK(value(volume, "checkpoint_transaction") == match(said, R"(NX xid: (\d+))"));
    CHECK(value(volume, "block_size") == match(said, R"(Block Size: +(\d+) B)"));
    CHECK(value(volume, "block_count") == match(said, R"(Number of Blocks: +(\d+))"));
    CHECK(value(volume, "free_blocks") == match(said, R"(Number of Free Blocks: +(\d+))"));
    CHECK(std::to_string(volume.usable.count) == match(said, R"(Capacity Available: +(\d+) B)"));
    CHECK(value(volume, "volume_uuid") == match(said, R"(Volume ([0-9a-f-]{36}))"));
    CHECK(volume.label == match(said, R"(Name \(Role\): (.*) \(No specific role\))"));
    CHECK(value(volume, "volume_role") == "0x0");
    CHECK(value(volume, "volume_case_sensitive") == (field(said, "Case Sensitive:") == "Yes" ? "yes" : "no"));
    CHECK(value(volume, "volume_encrypted") == (field(said, "Encrypted:") == "Yes" ? "yes" : "no"));
    CHECK(value(volume, "volume_formatted_by") == field(said, "Formatted by:"));
    CHECK(in_bytes(value(volume, "volume_allocated_blocks"), 4096_B) == match(said, R"(Capacity Consumed: (\d+) B)"));
    CHECK(field(said, "Capacity Reserved:") == "None");
    CHECK(value(volume, "volume_reserve_blocks") == "0");
    CHECK(field(said, "Capacity Quota:") == "None");
    CHECK(value(volume, "volume_quota_blocks") == "0");
}

void agrees_with_fsapfsinfo(const InspectedVolume& volume, const std::string& path) {
    const std::string said = said_by("fsapfsinfo", {path});
    INFO(said);
    const auto after_colon = [&](const std::string& label) { return field(field(said, label), ":"); };
    CHECK(value(volume, "container_uuid") == after_colon("Identifier"));
    CHECK(value(volume, "volumes") == after_colon("Number of volumes"));
    const std::string of_volume = said.substr(said.find("Volume: 1"));
    CHECK(value(volume, "volume_uuid") == field(field(of_volume, "Identifier"), ":"));
    CHECK(volume.label == field(field(of_volume, "Name\t"), ":"));
    // The number is correct. The printed name of bit 0 is that of a container feature.
    const std::uint64_t incompatible = std::stoull(field(field(of_volume, "Incompatible features"), ":"), nullptr, 16);
    CHECK(value(volume, "volume_case_sensitive") == ((incompatible & 1) != 0 ? "no" : "yes"));
}

void apfs_agrees_with_blkid(const InspectedVolume& volume, const std::string& path) {
    const std::string said = said_by("blkid", {"-p", "-o", "export", path});
    INFO(said);
    CHECK(field(said, "\nTYPE=") == volume.file_system);
    CHECK(field(said, "\nUUID=") == value(volume, "container_uuid"));
    CHECK(field(said, "BLOCK_SIZE=") == value(volume, "block_size"));
}

struct ApfsRow {
    Bytes size;
    std::vector<std::string> more{};
};

} // namespace

TEST_CASE("APFS reference checkers: pstat, fsapfsinfo and blkid agree at 16 containers from 128 MiB to 2 TiB") {
    MEDIARIG_NEEDS("mkapfs", "pstat", "fsapfsinfo", "blkid");
    const ApfsRow rows[] = {{128_MiB},
                            {Bytes{200'000'512}}, // not a multiple of 4096
                            {512_MiB - 4_KiB},
                            {512_MiB + 4_KiB}, // space for one more volume
                            {1_GiB},
                            {1_GiB, {"-s"}},
                            {1_GiB, {"-s", "-z"}},
                            {8_GiB + 512_B},
                            {Bytes{31'914'983'424}},
                            {Bytes{63'864'569'856}},
                            {128_GiB},
                            {512_GiB},
                            {1024_GiB},
                            {1024_GiB + 512_B},
                            {Bytes{2'000'000'000'000}},
                            {2048_GiB}};
    for (const ApfsRow& row : rows) {
        CAPTURE(row.size.count);
        const CheckedImage image(row.size);
        std::vector<std::string> arguments{"-L", "Größe 1"};
        arguments.insert(arguments.end(), row.more.begin(), row.more.end());
        arguments.push_back(image.path());
        (void)said_by("mkapfs", arguments);
        const InspectedVolume volume = image.only_volume();
        CHECK(volume.file_system == "apfs");
        agrees_with_pstat(volume, image.path());
        agrees_with_fsapfsinfo(volume, image.path());
        apfs_agrees_with_blkid(volume, image.path());
        CHECK(value(volume, "volume_case_sensitive") == (row.more.empty() ? "no" : "yes"));
        CHECK(image.look().read.count <= (2_MiB).count);
    }
}
