// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <sys/stat.h>

#include <thread>

#include "host/media/format/linux/apfs_formatter.hpp"
#include "host/media/format/linux/format_target.hpp"
#include "host/media/format/linux/medium_format.hpp"
#include "host/media/inspect/inspect.hpp"
#include "tests/media/format/format_loop.hpp"
#include "tests/media/format/profile.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

std::uint64_t number(const FormatReport& report, const std::string& name) {
    return std::strtoull(value(report, name).c_str(), nullptr, 10);
}

Result<CheckReport> check(LoopMedium& medium, FileSystem fs, const ToolSetting& setting = {}) {
    const Formatters formatters = make_formatters(setting);
    return (*select_formatter(formatters, fs))->check(whole(medium.claim()), fs);
}

#define NEEDS(program)                                  \
    if (!may_make_loops()) MEDIARIG_SKIP("needs root"); \
    if (!is_installed(program)) MEDIARIG_SKIP(std::string(program) + " is not installed")

} // namespace

TEST_CASE("exFAT: values read back from the device agree with dump.exfat, fsstat and blkid") {
    NEEDS("mkfs.exfat");
    struct Row {
        Bytes size;
        std::optional<Bytes> cluster;
        std::uint32_t sector;
    };
    const Row rows[] = {{64_MiB, {}, 512},    {256_MiB, {}, 512}, {257_MiB, {}, 512},  {1_GiB, 128_KiB, 512},
                        {8_GiB, 4_KiB, 512},  {32_GiB, {}, 512},  {64_GiB, {}, 512},   {64_GiB, 256_KiB, 512},
                        {1_GiB, 32_MiB, 512}, {1_GiB, {}, 4096},  {64_MiB, 512_B, 512}};
    for (const Row& row : rows) {
        CAPTURE(row.size.count, row.cluster.value_or(0_B).count, row.sector);
        LoopMedium medium(row.size, row.sector);
        const auto report = format(medium, {.fs = FileSystem::exfat, .cluster_size = row.cluster, .label = "Größe 1"});
        REQUIRE(reason(report) == "success");
        CHECK(report->tool == "mkfs.exfat");
        CHECK(report->arguments.back() == "/proc/self/fd/3");
        CHECK(report->elapsed.count() > 0);
        if (row.cluster) CHECK(value(*report, "cluster_size") == std::to_string(row.cluster->count));

        medium.release(); // dump.exfat requires its device exclusively
        const std::string dump = run_checker("dump.exfat", {medium.node()}).out;
        const std::uint64_t sector = number(*report, "sector_size");
        CHECK(sector == row.sector);
        CHECK(field(dump, "Volume Length(sectors):") == std::to_string(number(*report, "volume_length") / sector));
        CHECK(field(dump, "FAT Offset(sector offset):") == std::to_string(number(*report, "fat_offset") / sector));
        CHECK(field(dump, "FAT Length(sectors):") == std::to_string(number(*report, "fat_length") / sector));
        CHECK(field(dump, "Cluster Heap Offset (sector offset):") ==
              std::to_string(number(*report, "cluster_heap_offset") / sector));
        CHECK(field(dump, "Cluster Count:") == value(*report, "cluster_count"));
        CHECK(field(dump, "Root Cluster (cluster offset):") == value(*report, "root_cluster"));
        CHECK(field(dump, "Bitmap start cluster:") == value(*report, "bitmap_cluster"));
        CHECK(field(dump, "Free Clusters:") == value(*report, "free_clusters"));
        CHECK(field(dump, "Volume label:") == "Größe 1");
        CHECK(report->usable == Bytes{number(*report, "free_clusters") * number(*report, "cluster_size")});

        const std::string probed = run_checker("blkid", {"-p", medium.node()}).out;
        CHECK_THAT(probed, ContainsSubstring("TYPE=\"exfat\""));
        CHECK_THAT(probed, ContainsSubstring("UUID=\"" + value(*report, "serial_number") + "\""));
        // blkid prints non-ASCII bytes in the form of `cat -v`.
        CHECK_THAT(probed, ContainsSubstring("LABEL=\"GrM-CM-6M-CM-^_e 1\""));
        if (is_installed("fsstat") && sector == 512) {
            const std::string stated = run_checker("fsstat", {"-f", "exfat", medium.node()}).out;
            CHECK(field(stated, "Cluster Size:") == value(*report, "cluster_size"));
            CHECK_THAT(stated, ContainsSubstring(fmt::format("Cluster Heap: {} - ",
                                                             number(*report, "cluster_heap_offset") / sector)));
        }
        const auto checked = check(medium, FileSystem::exfat);
        REQUIRE(reason(checked) == "success");
        CHECK(checked->clean);
        CHECK(checked->tool == "fsck.exfat");
        CHECK(checked->tool_version == report->tool_version);
    }
}

TEST_CASE("APFS: values read back from the device agree with pstat, and apfsck finds no fault") {
    NEEDS("mkapfs");
    for (const Bytes size : {128_MiB, 1_GiB, 8_GiB, 64_GiB}) {
        CAPTURE(size.count);
        LoopMedium medium(size);
        const auto report = format(medium, {.fs = FileSystem::apfs, .cluster_size = {}, .label = "Größe 1"});
        REQUIRE(reason(report) == "success");
        CHECK(report->tool == "mkapfs");
        CHECK(report->arguments == std::vector<std::string>{"-L", "Größe 1", "/proc/self/fd/3"});
        CHECK(value(*report, "volume_name") == "Größe 1");
        CHECK(value(*report, "block_count") == std::to_string(size.count / 4096));
        CHECK(value(*report, "volume_case_sensitive") == "no");
        if (is_installed("pstat")) {
            const std::string stated = run_checker("pstat", {medium.node()}).out;
            CHECK(field(stated, "Number of Blocks:") == value(*report, "block_count"));
            CHECK(field(stated, "Number of Free Blocks:") == value(*report, "free_blocks"));
            CHECK(field(stated, "Capacity Available:") == fmt::format("{} B", report->usable.count));
            CHECK(field(stated, "Formatted by:") == value(*report, "volume_formatted_by"));
            CHECK_THAT(stated, ContainsSubstring("Volume " + value(*report, "volume_uuid")));
        }
        CHECK_THAT(run_checker("blkid", {"-p", medium.node()}).out,
                   ContainsSubstring("UUID=\"" + value(*report, "container_uuid") + "\""));
        const auto checked = check(medium, FileSystem::apfs);
        REQUIRE(reason(checked) == "success");
        CHECK(checked->clean);
        CHECK(checked->said.empty());
    }
}

TEST_CASE("HFS+: every variant is made on a device, read back and found valid") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    struct Row {
        FileSystem fs;
        Bytes size;
        std::optional<Bytes> block;
        std::uint32_t sector;
    };
    const Row rows[] = {{FileSystem::hfs_plus, 16_MiB, {}, 512},
                        {FileSystem::hfs_plus_journaled, 64_MiB, {}, 512},
                        {FileSystem::hfs_plus_journaled, 1_GiB, 8_KiB, 4096},
                        {FileSystem::hfsx_journaled, 1024_GiB, {}, 512}};
    for (const Row& row : rows) {
        CAPTURE(name_of(row.fs), row.size.count);
        LoopMedium medium(row.size, row.sector);
        FormatSpec spec{.fs = row.fs, .cluster_size = row.block, .label = "Karte 1"};
        spec.volume_id = 0x0123456789ABCDEF;
        const auto report = format(medium, spec);
        REQUIRE(reason(report) == "success");
        CHECK(report->tool == "mediarig");
        CHECK(value(*report, "volume_name") == "Karte 1");
        CHECK(value(*report, "volume_uuid") == "de53349f-21ad-3c08-9044-ae10cd9587d3");
        CHECK(value(*report, "block_size") == std::to_string(row.block.value_or(4_KiB).count));
        CHECK(value(*report, "journaled") == (row.fs == FileSystem::hfs_plus ? "no" : "yes"));
        CHECK(value(*report, "case_sensitive") == (row.fs == FileSystem::hfsx_journaled ? "yes" : "no"));
        CHECK(report->usable == Bytes{number(*report, "free_blocks") * number(*report, "block_size")});
        CHECK(number(*report, "written_bytes") < 1 << 20);
        CHECK_THAT(run_checker("blkid", {"-p", medium.node()}).out,
                   ContainsSubstring("UUID=\"" + value(*report, "volume_uuid") + "\""));
        // A terabyte takes a few MiB in the file below the device: the other blocks were cleared, not written.
        struct stat image {};
        REQUIRE(::stat(medium.image().c_str(), &image) == 0);
        CHECK(image.st_blocks * 512 < 16 << 20);

        auto checked = check(medium, row.fs);
        REQUIRE(reason(checked) == "success");
        CHECK(checked->clean);
        CHECK(checked->tool == "mediarig");
        medium.write(1024 + 6, std::string(1, row.fs == FileSystem::hfs_plus ? '\x00' : '\x20'));
        checked = check(medium, row.fs);
        REQUIRE(reason(checked) == "success");
        CHECK_FALSE(checked->clean);
        CHECK(checked->said ==
              std::vector<std::string>{"volume header: attributes: the volume was not unmounted properly"});
    }
}

TEST_CASE("HFS+: a medium that stores nothing is detected, and a cancelled format is reported") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    LoopMedium medium(64_MiB);
    medium.write(0, "precious");
    FormatSpec spec{.fs = FileSystem::hfs_plus_journaled};
    spec.journal_size = 1_KiB;
    CHECK(reason(format(medium, spec)) ==
          "journal size 1024: this volume takes multiples of 4096 from 262144 to 8388608");
    CHECK(medium.read(0, 8) == "precious");
    const std::atomic<bool> cancel{true};
    const auto cancelled = format(medium, {.fs = FileSystem::hfs_plus}, {.cancel = &cancel});
    REQUIRE_FALSE(cancelled);
    CHECK(cancelled.error() ==
          Error{Errc::cancelled, medium.node() +
                                     ": the format was cancelled: the medium contains no file system now; " +
                                     medium.node() + " is already erased: format it again"});
}

TEST_CASE("mkapfs 0.1 makes valid containers up to mediarig's limit and damaged containers above the limit") {
    const auto version = process::run_process({.program = "mkapfs", .arguments = {"-v"}});
    if (!version || version->out.find("version 0.1") == std::string::npos) MEDIARIG_SKIP("needs mkapfs 0.1");
    for (const bool above : {false, true}) {
        const TemporaryFile image(largest_apfs_of_mkapfs_0_1 + (above ? 1_MiB : 0_B));
        REQUIRE(run_checker("mkapfs", {image.path()}).succeeded());
        CHECK(run_checker("apfsck", {"-cuw", image.path()}).succeeded() == !above);
    }
}

TEST_CASE("a label that looks like a command-line option is used as a label") {
    NEEDS("mkfs.exfat");
    LoopMedium medium(64_MiB);
    REQUIRE(reason(format(medium, {.fs = FileSystem::exfat, .cluster_size = {}, .label = "-V"})) == "success");
    const auto report = inspect(medium.claim().descriptor(), 64_MiB, 512);
    REQUIRE(reason(report) == "success");
    CHECK(report->volumes.at(0).label == "-V");
}

TEST_CASE("a format leaves no signature of an earlier format") {
    NEEDS("mkfs.exfat");
    LoopMedium medium(256_MiB);
    const std::uint64_t end = 256 << 20;
    // An alternate HFS+ header, a backup GPT header, and noise over both ends.
    medium.write(0, std::string(4 << 20, '\xA5'));
    medium.write(end - (4 << 20), std::string(4 << 20, '\xA5'));
    medium.write(end - 1024, std::string("H+\x00\x04", 4));
    medium.write(end - 512, "EFI PART");
    const auto wiped_end = std::string(4 << 20, '\0');
    for (const FileSystem fs : {FileSystem::hfs_plus_journaled, FileSystem::exfat, FileSystem::apfs,
                                FileSystem::hfs_plus_journaled, FileSystem::exfat}) {
        const auto report = format(medium, {.fs = fs, .cluster_size = {}, .label = {}});
        if (!report && report.error().code == Errc::no_driver) continue;
        REQUIRE(reason(report) == "success");
        if (fs != FileSystem::hfs_plus_journaled) CHECK(medium.read(end - (4 << 20), 4 << 20) == wiped_end);
        // wipefs lists every known signature at any offset: it must list one, and an additional "dos" for exFAT.
        const std::string found = run_checker("wipefs", {"-n", "--noheadings", "-O", "TYPE", medium.node()}).out;
        CHECK(found == (fs == FileSystem::exfat ? "exfat\ndos\n" : fs == FileSystem::apfs ? "apfs\n" : "hfsplus\n"));
    }
}

TEST_CASE("a format whose tool is missing fails with no_driver and leaves the medium unchanged") {
    NEEDS("mkfs.exfat");
    LoopMedium medium(256_MiB);
    medium.write(0, "precious");
    const ToolSetting nowhere{.search_path = "/nowhere"};
    const auto exfat = format(medium, {.fs = FileSystem::exfat, .cluster_size = {}, .label = {}}, nowhere);
    REQUIRE_FALSE(exfat);
    CHECK(exfat.error() ==
          Error{Errc::no_driver, "mkfs.exfat is not installed: apt install exfatprogs (looked in /nowhere)"});
    const auto apfs = format(medium, {.fs = FileSystem::apfs, .cluster_size = {}, .label = {}}, nowhere);
    REQUIRE_FALSE(apfs);
    CHECK(apfs.error() ==
          Error{Errc::no_driver, "mkapfs is not installed: apt install apfsprogs (looked in /nowhere)"});
    CHECK(reason(check(medium, FileSystem::exfat, nowhere)) ==
          "fsck.exfat is not installed: apt install exfatprogs (looked in /nowhere)");
    CHECK(reason(check(medium, FileSystem::apfs, nowhere)) ==
          "apfsck is not installed: apt install apfsprogs (looked in /nowhere)");
    const auto impossible = format(medium, {.fs = FileSystem::exfat, .cluster_size = 3_KiB, .label = {}});
    REQUIRE_FALSE(impossible);
    CHECK(impossible.error().code == Errc::bad_request);
    CHECK(medium.read(0, 8) == "precious");
}

TEST_CASE("a format is verified on the medium even if the tool reports success") {
    NEEDS("mkfs.exfat");
    LoopMedium medium(64_MiB);
    ToolFolder tools;
    const ToolSetting setting{.search_path = tools.search_path()};
    const FormatSpec spec{.fs = FileSystem::exfat, .cluster_size = 64_KiB, .label = "WANTED"};

    tools.add("mkfs.exfat", "echo 'exfatprogs version : 9.9'; exit 0");
    CHECK(reason(format(medium, spec, setting)) == medium.node() +
                                                       " does not contain the data that mkfs.exfat wrote: exFAT boot "
                                                       "sector at byte 0: FileSystemName; check the medium");
    tools.add("mkfs.exfat",
              "[ \"$1\" = -V ] && exec /usr/sbin/mkfs.exfat -V\nexec /usr/sbin/mkfs.exfat -c 32K "
              "/proc/self/fd/3");
    CHECK(reason(format(medium, spec, setting)) ==
          medium.node() + " does not contain the data that mkfs.exfat wrote: cluster size 32768; check the medium");
    tools.add("mkfs.exfat",
              "[ \"$1\" = -V ] && exec /usr/sbin/mkfs.exfat -V\nexec /usr/sbin/mkfs.exfat -c 64K -L OTHER "
              "/proc/self/fd/3");
    CHECK(reason(format(medium, spec, setting)) ==
          medium.node() + " does not contain the data that mkfs.exfat wrote: label 'OTHER'; check the medium");
    tools.add("mkfs.exfat", "[ \"$1\" = -V ] && exit 0\necho 'the disk is on fire' >&2; exit 7");
    CHECK(reason(format(medium, spec, setting)) ==
          "mkfs.exfat failed on " + medium.node() + " with exit status 7: the disk is on fire");
    tools.add("mkapfs", "exit 0");
    CHECK(reason(check(medium, FileSystem::exfat)).find("success") == 0);
    LoopMedium larger(128_MiB);
    CHECK(reason(format(larger, {.fs = FileSystem::apfs, .cluster_size = {}, .label = {}}, setting)) ==
          larger.node() +
              " does not contain the data that mkapfs wrote: APFS container at byte 0: nx_magic; check the medium");
    tools.add("mkapfs", "[ \"$1\" = -v ] || { echo no >&2; exit 1; }");
    CHECK(reason(format(larger, {.fs = FileSystem::apfs, .cluster_size = {}, .label = {}}, setting)) ==
          "mkapfs failed on " + larger.node() + " with exit status 1: no");
}

TEST_CASE("a format can be cancelled while its tool runs") {
    NEEDS("mkfs.exfat");
    LoopMedium medium(64_MiB);
    ToolFolder tools;
    tools.add("mkfs.exfat", "[ \"$1\" = -V ] && exit 0\necho $$ > " + tools.path() + "/started; exec sleep 600");
    std::atomic<bool> cancel{false};
    std::atomic<bool> over{false};
    std::thread canceller([&] {
        while (!over && ::access((tools.path() + "/started").c_str(), F_OK) != 0) std::this_thread::yield();
        cancel = true;
    });
    const auto report = format(medium, {.fs = FileSystem::exfat, .cluster_size = {}, .label = {}},
                               {.search_path = tools.search_path(), .cancel = &cancel, .sandbox = std::nullopt});
    over = true;
    canceller.join();
    REQUIRE_FALSE(report);
    CHECK(report.error() ==
          Error{Errc::cancelled, "mkfs.exfat was cancelled; " + medium.node() + " is already erased: format it again"});
}

TEST_CASE("a device is not formatted if another process has used it since the claim") {
    NEEDS("mkfs.exfat");
    LoopMedium medium(64_MiB);
    medium.write(0, "precious");
    REQUIRE(medium.claim().descriptor() >= 0);
    // Another process attaches a loop device to the device.
    const auto above = run_checker("losetup", {"-f", "--show", medium.node()});
    REQUIRE(above.succeeded());
    const auto refused = format(medium, {.fs = FileSystem::exfat, .cluster_size = {}, .label = {}});
    CHECK(run_checker("losetup", {"-d", above.out.substr(0, above.out.find('\n'))}).succeeded());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::refused);
    CHECK(medium.read(0, 8) == "precious");
}

TEST_CASE("a check reads the dirty flags itself, because fsck.exfat reports a dirty volume as clean") {
    NEEDS("fsck.exfat");
    LoopMedium medium(64_MiB);
    REQUIRE(reason(format(medium, {.fs = FileSystem::exfat, .cluster_size = {}, .label = {}})) == "success");
    medium.write(106, std::string(1, '\x02'));
    auto report = check(medium, FileSystem::exfat);
    REQUIRE(reason(report) == "success");
    CHECK_FALSE(report->clean);
    CHECK(report->said.back() == "VolumeDirty is set: the volume was not unmounted properly");
    medium.write(106, std::string(1, '\x04'));
    report = check(medium, FileSystem::exfat);
    CHECK_FALSE(report->clean);
    CHECK(report->said.back() == "MediaFailure is set: a driver met bad sectors");
    medium.write(106, std::string(1, '\0'));
    CHECK(check(medium, FileSystem::exfat)->clean);
}

TEST_CASE("the check of a damaged file system gives a result, not an error") {
    NEEDS("fsck.exfat");
    LoopMedium medium(128_MiB);
    REQUIRE(reason(format(medium, {.fs = FileSystem::exfat, .cluster_size = {}, .label = {}})) == "success");
    medium.write(111, std::string(1, '\0')); // DriveSelect: the change makes the checksum wrong
    auto report = check(medium, FileSystem::exfat);
    REQUIRE(reason(report) == "success");
    CHECK_FALSE(report->clean);
    CHECK_THAT(report->said.back(), ContainsSubstring("main boot region at byte 0: BootChecksum"));
    CHECK(report->said.size() <= 50);

    medium.write(0, std::string(1 << 20, '\xA5'));
    report = check(medium, FileSystem::exfat);
    REQUIRE(reason(report) == "success");
    CHECK_FALSE(report->clean);
    CHECK(report->said.back() == "exFAT boot sector at byte 0: FileSystemName");

    if (!is_installed("apfsck")) return;
    report = check(medium, FileSystem::apfs);
    REQUIRE(reason(report) == "success");
    CHECK_FALSE(report->clean);
    CHECK_FALSE(report->said.empty());
    REQUIRE(reason(format(medium, {.fs = FileSystem::apfs, .cluster_size = {}, .label = {}})) == "success");
    CHECK(check(medium, FileSystem::apfs)->clean);
    // The volume's superblock at the position that mkapfs uses. The volume name is at 0x2C0.
    std::uint64_t block = 0;
    while (block < 32768 && medium.read(block * 4096 + 32, 4) != "APSB") ++block;
    REQUIRE(block < 32768);
    medium.write(block * 4096 + 0x2C0, "renamed without a checksum");
    report = check(medium, FileSystem::apfs);
    REQUIRE(reason(report) == "success");
    REQUIRE_FALSE(report->clean);
    CHECK(report->said.back() == "apfsck ended with exit status 1");
}
