// SPDX-License-Identifier: GPL-3.0-or-later
/// Tables of sfdisk and sgdisk, read by sfdisk --json, sgdisk, mmls and blkid.
#include <fmt/format.h>

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/media/inspect/reference_checkers.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

constexpr const char* basic_data = "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7";

nlohmann::json table_of(const std::string& path, const std::string& label = {}) {
    std::vector<std::string> arguments{"--json", path};
    if (!label.empty()) arguments.insert(arguments.begin(), {"-Y", label});
    return nlohmann::json::parse(said_by("sfdisk", arguments))["partitiontable"];
}

void same_span(const InspectedVolume& volume, const nlohmann::json& judged, Bytes sector) {
    CHECK(volume.start == sector * judged["start"].get<std::uint64_t>());
    CHECK(volume.length == sector * judged["size"].get<std::uint64_t>());
    CHECK(value(volume, "partition_start") == std::to_string(volume.start.count));
    CHECK(value(volume, "partition_length") == std::to_string(volume.length.count));
}

void agrees_on_mbr(const InspectReport& report, const std::string& path) {
    const nlohmann::json judged = table_of(path);
    INFO(judged.dump(1));
    const Bytes sector{report.sector_size};
    CHECK(report.scheme == "mbr");
    CHECK(judged["label"] == "dos");
    CHECK("0x" + table_value(report, "disk_signature") == judged["id"].get<std::string>());
    CHECK(judged["sectorsize"] == report.sector_size);
    REQUIRE(report.volumes.size() == judged["partitions"].size());
    for (std::size_t i = 0; i < report.volumes.size(); ++i) {
        const InspectedVolume& volume = report.volumes[i];
        const nlohmann::json& entry = judged["partitions"][i];
        same_span(volume, entry, sector);
        CHECK(value(volume, "partition_type") ==
              fmt::format("0x{:02x}", std::stoul(entry["type"].get<std::string>(), nullptr, 16)));
        CHECK(value(volume, "partition_active") == (entry.value("bootable", false) ? "yes" : "no"));
    }
}

void agrees_on_gpt(const InspectReport& report, const std::string& path) {
    const nlohmann::json judged = table_of(path);
    INFO(judged.dump(1));
    const Bytes sector{report.sector_size};
    CHECK(report.scheme == "gpt");
    CHECK(report.problem.empty());
    CHECK(judged["label"] == "gpt");
    CHECK(table_value(report, "disk_guid") == lower(judged["id"]));
    CHECK(table_value(report, "first_usable") ==
          std::to_string(sector.count * judged["firstlba"].get<std::uint64_t>()));
    CHECK(table_value(report, "last_usable") == std::to_string(judged["lastlba"].get<std::uint64_t>()));
    CHECK(table_value(report, "alternate_header") == std::to_string(report.size / sector - 1));
    CHECK(table_value(report, "backup_at_end") == "yes");
    REQUIRE(report.volumes.size() == judged["partitions"].size());
    for (std::size_t i = 0; i < report.volumes.size(); ++i) {
        const InspectedVolume& volume = report.volumes[i];
        const nlohmann::json& entry = judged["partitions"][i];
        same_span(volume, entry, sector);
        CHECK(value(volume, "partition_type") == lower(entry["type"]));
        CHECK(value(volume, "partition_guid") == lower(entry["uuid"]));
        CHECK(media::parameter(volume, "partition_name").value_or("") == entry.value("name", ""));
        CHECK((value(volume, "partition_attributes") == "0x0") == !entry.contains("attrs"));
    }
}

/// sgdisk counts partitions by their numbers in the table.
void agrees_with_sgdisk(const InspectReport& report, const std::string& path, std::size_t numbers) {
    const std::string printed = said_by("sgdisk", {"-p", path});
    INFO(printed);
    CHECK(table_value(report, "disk_guid") == lower(field(printed, "Disk identifier (GUID):")));
    CHECK(table_value(report, "entry_count") == match(printed, R"(holds up to (\d+) entries)"));
    CHECK(table_value(report, "first_usable") ==
          in_bytes(match(printed, R"(First usable sector is (\d+))"), Bytes{report.sector_size}));
    CHECK(table_value(report, "last_usable") == match(printed, R"(last usable sector is (\d+))"));
    CHECK_THAT(said_by("sgdisk", {"-v", path}), ContainsSubstring("No problems found."));
    const Bytes sector{report.sector_size};
    for (std::size_t number = 1; number <= numbers; ++number) {
        const std::string said = said_by("sgdisk", {"-i", std::to_string(number), path});
        INFO(said);
        const InspectedVolume& volume = report.volumes.at(number - 1);
        CHECK(value(volume, "partition_type") == lower(match(said, R"(Partition GUID code: ([0-9A-F-]+))")));
        CHECK(value(volume, "partition_guid") == lower(field(said, "Partition unique GUID:")));
        CHECK(value(volume, "partition_start") == in_bytes(match(said, R"(First sector: (\d+))"), sector));
        CHECK(value(volume, "partition_length") == in_bytes(match(said, R"(Partition size: (\d+) sectors)"), sector));
        CHECK(value(volume, "partition_attributes") ==
              fmt::format("{:#x}", std::stoull(field(said, "Attribute flags:"), nullptr, 16)));
        CHECK("'" + media::parameter(volume, "partition_name").value_or("") + "'" == field(said, "Partition name:"));
    }
}

/// Start and length of each partition in the order of the medium, as listed by mmls.
void agrees_with_mmls(const InspectReport& report, const std::string& path) {
    const std::string said = said_by("mmls", {"-b", fmt::format("{}", report.sector_size), "-a", path});
    INFO(said);
    for (const InspectedVolume& volume : report.volumes) {
        const Bytes sector{report.sector_size};
        CHECK_THAT(said,
                   ContainsSubstring(fmt::format("{:010}   {:010}   {:010}", volume.start / sector,
                                                 (volume.start + volume.length) / sector - 1, volume.length / sector)));
    }
    CHECK(static_cast<std::size_t>(std::ranges::count(said, '\n')) >= report.volumes.size());
}

void table_agrees_with_blkid(const InspectReport& report, const std::string& path) {
    const std::string said = said_by("blkid", {"-p", "-o", "export", path});
    INFO(said);
    CHECK(field(said, "PTTYPE=") == (report.scheme == "mbr" ? "dos" : "gpt"));
    CHECK(field(said, "PTUUID=") == table_value(report, report.scheme == "mbr" ? "disk_signature" : "disk_guid"));
}

/// The inspection reads the table, probes for file systems and stale signatures: less than 96 KiB for each partition.
void table_reads_little(const InspectReport& report) {
    CHECK(report.read.count <= (1_MiB + Bytes{report.volumes.size() * 96 * 1024}).count);
}

const Bytes table_sizes[] = {
    64_MiB,  Bytes{100'000'256}, // not a multiple of 4096
    1_GiB,   2_GiB + 512_B,      8_GiB - 512_B,           Bytes{31'914'983'424}, Bytes{63'864'569'856},
    512_GiB, 1024_GiB,           Bytes{2'000'000'000'000}};

/// `count` partitions of a 64th of the medium each, from 1 MiB on. `more` is appended to each script line.
std::string script(const char* label, Bytes size, int count, const std::string& more) {
    const std::uint64_t step = align_down(Bytes{size.count / 64}, 4_KiB) / 512_B;
    std::string text = std::string(label) + '\n';
    for (int i = 0; i < count; ++i)
        text += fmt::format("start={}, size={}, {}\n", 2048 + step * static_cast<std::uint64_t>(i), step, more);
    return text;
}

} // namespace

TEST_CASE("table reference checkers: sfdisk --json, mmls and blkid agree on an MBR at 10 sizes from 64 MiB to 2 TB") {
    MEDIARIG_NEEDS("sfdisk", "mmls", "blkid");
    for (const Bytes size : table_sizes) {
        CAPTURE(size.count);
        const CheckedImage image(size);
        const std::string label = "label: dos\nlabel-id: 0x12345678";
        for (const int count : {1, 4}) {
            write_table(image.path(), script(label.c_str(), size, count, "type=7"));
            agrees_on_mbr(image.look(), image.path());
        }
        write_table(image.path(), label +
                                      "\nstart=2048, size=8192, type=c, bootable\nstart=20480, size=2048, type=b\n"
                                      "start=30720, size=2050, type=83\nstart=40963, size=1, type=af\n");
        const InspectReport report = image.look();
        agrees_on_mbr(report, image.path());
        agrees_with_mmls(report, image.path());
        table_agrees_with_blkid(report, image.path());
        table_reads_little(report);
    }
}

TEST_CASE("table reference checkers: an MBR with maximal 32-bit extent agrees on a medium of 2 TiB and more") {
    MEDIARIG_NEEDS("sfdisk", "mmls");
    const CheckedImage image(2100_GiB);
    write_table(image.path(), "label: dos\nlabel-id: 0xfedcba98\nstart=2048, size=4294965247, type=7\n");
    const InspectReport report = image.look();
    agrees_on_mbr(report, image.path());
    agrees_with_mmls(report, image.path());
}

TEST_CASE(
    "table reference checkers: sfdisk --json, sgdisk, mmls and blkid agree on a GPT at 10 sizes from 64 MiB to 2 TB") {
    MEDIARIG_NEEDS("sfdisk", "sgdisk", "mmls", "blkid");
    for (const Bytes size : table_sizes) {
        CAPTURE(size.count);
        const CheckedImage by_sfdisk(size), by_sgdisk(size);
        write_table(by_sfdisk.path(),
                    script("label: gpt", size, 4, fmt::format("type={}, name=\"Größe\"", basic_data)));
        (void)said_by("sgdisk", {"-o", "-n", "1:2048:+16M", "-t", "1:0700", "-c", "1:one", "-n", "2:0:+10M", "-A",
                                 "2:set:60", "-A", "2:set:0", "-n", "3:0:0", "-t", "3:AF00", by_sgdisk.path()});
        for (const CheckedImage* image : {&by_sfdisk, &by_sgdisk}) {
            const InspectReport report = image->look();
            agrees_on_gpt(report, image->path());
            agrees_with_sgdisk(report, image->path(), report.volumes.size());
            agrees_with_mmls(report, image->path());
            table_agrees_with_blkid(report, image->path());
            CHECK(table_value(report, "hybrid_mbr") == "no");
            table_reads_little(report);
        }
    }
}

TEST_CASE("table reference checkers: a GPT with more than 128 entries and a GPT with 120 partitions agree") {
    MEDIARIG_NEEDS("sfdisk", "sgdisk");
    const CheckedImage image(2_GiB);
    std::string text = "label: gpt\ntable-length: 256\n";
    for (int i = 0; i < 200; ++i) text += fmt::format("start={}, size=2048, name=\"p{}\"\n", 2048 * (i + 1), i);
    write_table(image.path(), text);
    InspectReport report = image.look();
    CHECK(report.volumes.size() == 200);
    CHECK(table_value(report, "entry_count") == "256");
    agrees_on_gpt(report, image.path());
    agrees_with_sgdisk(report, image.path(), 3);
    table_reads_little(report);

    const CheckedImage usual(2_GiB);
    write_table(usual.path(), script("label: gpt", 2_GiB, 60, "name=\"x\""));
    report = usual.look();
    CHECK(report.volumes.size() == 60);
    agrees_on_gpt(report, usual.path());
}

TEST_CASE("table reference checkers: gaps between partitions agree") {
    MEDIARIG_NEEDS("sgdisk", "sfdisk");
    const CheckedImage image(1_GiB);
    (void)said_by("sgdisk", {"-o", "-n", "3:8192:+1M", "-n", "7:4096:+1M", "-n", "120:2048:+512K", image.path()});
    agrees_on_gpt(image.look(), image.path());
}

TEST_CASE("table reference checkers: sfdisk and sgdisk report the GPT of a hybrid, and mediarig reports a hybrid") {
    MEDIARIG_NEEDS("sgdisk", "sfdisk");
    const CheckedImage image(1_GiB);
    (void)said_by("sgdisk", {"-o", "-n", "1:2048:+100M", "-t", "1:0700", "-n", "2:0:+10M", "-h", "1:EE", image.path()});
    const InspectReport report = image.look();
    agrees_on_gpt(report, image.path());
    CHECK(table_value(report, "hybrid_mbr") == "yes");
    // The MBR of the hybrid, which is the table for systems without GPT support.
    CHECK(table_of(image.path(), "dos")["partitions"].size() == 2);
}

TEST_CASE(
    "table reference checkers: sfdisk --json and sgdisk agree on 4096-byte sectors at 8 sizes from 64 MiB to 2 TB") {
    MEDIARIG_NEEDS("sfdisk", "sgdisk", "mmls");
    if (!may_make_loops()) MEDIARIG_SKIP("no right to make loop devices");
    for (const Bytes size :
         {64_MiB, Bytes{100'003'840}, 1_GiB, 8_GiB, 64_GiB, 512_GiB, 1024_GiB, Bytes{1'999'999'995'904}}) {
        CAPTURE(size.count);
        const LoopMedium medium(size, 4096);
        write_table(medium.node(),
                    "label: dos\nlabel-id: 0x12345678\nstart=256, size=1024, type=7\nstart=2048, size=512, type=c\n");
        agrees_on_mbr(look_at(medium.node(), size, 4096), medium.node());
        agrees_with_mmls(look_at(medium.node(), size, 4096), medium.node());
        write_table(medium.node(), fmt::format("label: gpt\nstart=256, size=1024, type={}, name=\"a\"\n"
                                               "start=2048, size=512\n",
                                               basic_data));
        const InspectReport report = look_at(medium.node(), size, 4096);
        agrees_on_gpt(report, medium.node());
        agrees_with_sgdisk(report, medium.node(), 2);
    }
}
