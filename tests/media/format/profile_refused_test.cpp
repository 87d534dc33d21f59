// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>

#include "host/media/format/linux/format_target.hpp"
#include "tests/media/format/profile.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

TEST_CASE("a missing tool prevents every write, and the result of a tool that reports success is verified") {
    NEEDS_TOOLS();
    LoopMedium medium(256_MiB);
    medium.write(0, "precious");
    FormatSpec spec{.fs = FileSystem::fat32, .cluster_size = {}, .label = "WANTED"};
    spec.partition = PartitionSpec{};
    const auto with = [&](const ToolSetting& setting) {
        return format_medium(medium.claim(), medium.discovery(), make_formatters(setting), spec, setting);
    };
    CHECK(reason(with({.search_path = "/nowhere"})) ==
          "mkfs.fat is not installed: apt install dosfstools (looked in /nowhere)");
    ToolFolder alone;
    alone.add("mkfs.fat", "echo 'mkfs.fat 4.2'");
    CHECK(reason(with({.search_path = alone.path()})) ==
          "sfdisk is not installed: apt install fdisk (looked in " + alone.path() + ")");
    CHECK(medium.read(0, 8) == "precious");

    ToolFolder tools;
    const ToolSetting setting{.search_path = tools.search_path()};
    tools.add("sfdisk", "[ \"$1\" = --version ] && echo 9.9; exit 0");
    CHECK(reason(with(setting)) ==
          medium.node() + " does not contain the partition table that sfdisk wrote: scheme none; check the medium");
    tools.add("sfdisk", "[ \"$1\" = --version ] && exit 0; echo 'the table is on fire' >&2; exit 3");
    CHECK(reason(with(setting)) == "sfdisk failed on " + medium.node() + " with exit status 3: the table is on fire");
    tools.add("sfdisk",
              "[ \"$1\" = --version ] && exit 0; printf 'label: dos\\nstart=4096\\n' | exec /usr/sbin/sfdisk "
              "--no-reread --no-tell-kernel -q /proc/self/fd/3");
    CHECK_THAT(reason(with(setting)), ContainsSubstring("partition 1 of 266338304 bytes at byte 2097152"));
    tools.add("sfdisk", "exec /usr/sbin/sfdisk \"$@\"");
    tools.add("mkfs.fat", "[ \"$1\" = --help ] && exit 0; exec /usr/sbin/mkfs.fat -I -F 16 /proc/self/fd/3");
    CHECK_THAT(reason(with(setting)),
               ContainsSubstring("does not contain the data that mkfs.fat wrote: FAT16; check the medium"));
    tools.add("mkfs.fat", "[ \"$1\" = --help ] && exit 0; exec /usr/sbin/mkfs.fat -I -F 32 -n OTHER /proc/self/fd/3");
    CHECK_THAT(reason(with(setting)),
               ContainsSubstring("does not contain the data that mkfs.fat wrote: label 'OTHER'"));
    tools.add("mkfs.fat", "exec /usr/sbin/mkfs.fat \"$@\"");
    CHECK(reason(with(setting)) == "success");
}

TEST_CASE("a FAT that would overlap the cluster heap is refused") {
    NEEDS_TOOLS();
    LoopMedium medium(1_GiB);
    FormatSpec spec{.fs = FileSystem::exfat, .cluster_size = 4_KiB, .label = {}};
    spec.fat_length = 2_MiB;
    const auto made = format(medium, spec);
    REQUIRE_FALSE(made);
    CHECK(made.error() == Error{Errc::bad_request,
                                "FAT length 2097152: the clusters of this volume need 1047040, and 1048576 are "
                                "available before the cluster heap; choose a length between them"});
}

TEST_CASE("an impossible format is refused before any write") {
    NEEDS_TOOLS();
    LoopMedium medium(1_GiB);
    medium.write(0, "precious");
    FormatSpec far{.fs = FileSystem::exfat, .cluster_size = {}, .label = {}};
    far.boundary = 512_MiB;
    FormatSpec long_fat{.fs = FileSystem::exfat, .cluster_size = 128_KiB, .label = {}};
    long_fat.boundary = 1_MiB;
    long_fat.fat_length = 64_MiB;
    // If the kernel shows the partition, mkfs.exfat counts the boundary from the start of the medium.
    FormatSpec between = long_fat;
    between.boundary = 64_MiB;
    between.fat_length.reset();
    between.partition = PartitionSpec{.table = TableScheme::mbr, .start = 64_MiB - 4_KiB, .length = 128_MiB + 512_KiB};
    for (const FormatSpec& spec : {far, long_fat, between}) {
        const auto made = format(medium, spec);
        REQUIRE_FALSE(made);
        CAPTURE(made.error().detail);
        CHECK(made.error().code == Errc::bad_request);
        CHECK(medium.read(0, 8) == "precious");
    }
}

TEST_CASE("exFAT: mkfs.exfat accepts the smallest medium that a boundary permits") {
    NEEDS_TOOLS();
    for (const Bytes size : {Bytes{1073872896}, Bytes{1073872896 - 512}}) {
        CAPTURE(size.count);
        LoopMedium medium(size);
        FormatSpec spec{.fs = FileSystem::exfat, .cluster_size = {}, .label = {}};
        spec.boundary = 512_MiB;
        CHECK(format(medium, spec).has_value() == (size == Bytes{1073872896}));
    }
}

TEST_CASE("FAT16 and FAT12 without a cluster size are made on every accepted medium") {
    NEEDS_TOOLS();
    struct Row {
        FileSystem fs;
        Bytes size;
    };
    const Row rows[] = {{FileSystem::fat16, 3_MiB}, {FileSystem::fat16, 4_MiB},  {FileSystem::fat16, 8_MiB},
                        {FileSystem::fat16, 9_MiB}, {FileSystem::fat16, 64_MiB}, {FileSystem::fat16, 2_GiB},
                        {FileSystem::fat12, 1_MiB}, {FileSystem::fat12, 8_MiB},  {FileSystem::fat12, 100_MiB}};
    for (const Row& row : rows) {
        CAPTURE(name_of(row.fs), row.size.count);
        LoopMedium medium(row.size);
        CHECK(reason(format(medium, {.fs = row.fs, .cluster_size = {}, .label = {}})) == "success");
    }
}

TEST_CASE("FAT: near the limits of a FAT width a medium is formatted or refused, but never only wiped") {
    NEEDS_TOOLS();
    struct Row {
        FileSystem fs;
        std::optional<Bytes> cluster;
        std::uint64_t from, to; ///< sectors
    };
    const Row rows[] = {{FileSystem::fat16, 2_KiB, 16'350, 16'520},
                        {FileSystem::fat16, {}, 4'100, 4'330},
                        {FileSystem::fat12, 2_KiB, 16'330, 16'430},
                        {FileSystem::fat32, 512_B, 66'550, 66'720}};
    for (const Row& row : rows) {
        std::size_t made = 0, refused = 0;
        for (std::uint64_t count = row.from; count < row.to; count += 10) {
            CAPTURE(name_of(row.fs), count);
            LoopMedium medium(sectors(count));
            medium.write(0, "precious");
            const auto report = format(medium, {.fs = row.fs, .cluster_size = row.cluster, .label = {}});
            ++(report ? made : refused);
            if (report) continue;
            CAPTURE(report.error().detail);
            CHECK(report.error().code == Errc::bad_request);
            CHECK(medium.read(0, 8) == "precious");
        }
        CHECK(made > 0);
        CHECK(refused > 0);
    }
}

TEST_CASE("a medium that needs a loop device for its partitions is not wiped if no loop device is available") {
    NEEDS_TOOLS();
    LoopMedium medium(64_MiB);
    medium.write(0, "precious");
    FormatSpec spec{.fs = FileSystem::exfat, .cluster_size = {}, .label = {}};
    spec.partition = PartitionSpec{};
    const auto made = format_medium(medium.claim(), medium.discovery(), make_formatters(), spec, {},
                                    {.loop_control = "/nowhere/loop-control"});
    REQUIRE_FALSE(made);
    CHECK_THAT(made.error().detail, ContainsSubstring("/nowhere/loop-control"));
    CHECK(medium.read(0, 8) == "precious");
}

TEST_CASE("a fault after the wipe is not reported as a refusal") {
    NEEDS_TOOLS();
    LoopMedium medium(64_MiB);
    medium.write(0, "precious");
    ToolFolder tools;
    tools.add("sfdisk",
              "[ \"$1\" = --version ] && exec /usr/sbin/sfdisk --version\n/usr/sbin/sfdisk \"$@\" || exit 1\n"
              "cd " +
                  tools.path() + "; : > written; until [ -e held ]; do sleep 0.01; done");
    FormatSpec spec{.fs = FileSystem::exfat, .cluster_size = {}, .label = {}};
    spec.partition = PartitionSpec{};
    std::atomic<bool> done{};
    std::thread somebody([&] {
        while (!done && !std::filesystem::exists(tools.path() + "/written")) ::usleep(1000);
        // Only the claim can hold the device, but root can redirect the loop device to other bytes.
        const Descriptor loop(::open(medium.node().c_str(), O_RDONLY | O_CLOEXEC));
        struct loop_info64 info {};
        if (::ioctl(loop.get(), LOOP_GET_STATUS64, &info) != 0) return;
        info.lo_sizelimit = Bytes{32_MiB}.count;
        (void)::ioctl(loop.get(), LOOP_SET_STATUS64, &info);
        std::ofstream(tools.path() + "/held") << '\n';
    });
    const ToolSetting setting{.search_path = tools.search_path(), .sandbox = std::nullopt};
    const auto made = format_medium(medium.claim(), medium.discovery(), make_formatters(setting), spec, setting);
    done = true;
    somebody.join();
    REQUIRE_FALSE(made);
    CAPTURE(made.error().detail);
    CHECK(made.error().code == Errc::io_failed);
    CHECK_THAT(made.error().detail, ContainsSubstring(medium.node() + " is already erased: format it again"));
    CHECK(medium.read(0, 8) != "precious");
}

TEST_CASE("values are read back from the medium, not from a cache under a loop device") {
    NEEDS_TOOLS();
    LoopMedium medium(64_MiB);
    ToolFolder tools;
    // The script writes everything, then clears the boot sector.
    tools.add("mkfs.exfat",
              "[ \"$1\" = -V ] && exec /usr/sbin/mkfs.exfat -V\n"
              "loop=$(readlink /proc/self/fd/3)\nlosetup --direct-io=off $loop || exit 1\n"
              "/usr/sbin/mkfs.exfat \"$@\" || exit 1\nsync $loop " +
                  medium.node() + "\ndd if=" + medium.node() +
                  " of=/dev/null bs=4096 skip=256 count=1 2>&1\n"
                  "exec dd if=/dev/zero of=" +
                  medium.image() + " bs=4096 seek=256 count=1 conv=notrunc,fsync 2>&1");
    FormatSpec spec{.fs = FileSystem::exfat, .cluster_size = {}, .label = {}};
    spec.partition = PartitionSpec{};
    const ToolSetting setting{.search_path = tools.search_path(), .sandbox = std::nullopt};
    const auto made = format_medium(medium.claim(), medium.discovery(), make_formatters(setting), spec, setting);
    REQUIRE_FALSE(made);
    CHECK_THAT(made.error().detail, ContainsSubstring("does not contain the data that mkfs.exfat wrote"));
}

TEST_CASE("the check of a damaged FAT volume gives a result, not an error") {
    NEEDS_TOOLS();
    LoopMedium medium(64_MiB);
    REQUIRE(reason(format(medium, {.fs = FileSystem::fat32, .cluster_size = 512_B, .label = {}})) == "success");
    const Formatters formatters = make_formatters();
    Formatter& fat = **select_formatter(formatters, FileSystem::fat32);
    auto report = fat.check(whole(medium.claim()), FileSystem::fat32);
    REQUIRE(reason(report) == "success");
    CHECK(report->clean);
    CHECK(report->tool == "fsck.fat");
    CHECK_THAT(report->tool_version, ContainsSubstring("."));
    medium.write(0, std::string(512, '\xA5'));
    report = fat.check(whole(medium.claim()), FileSystem::fat32);
    REQUIRE(reason(report) == "success");
    CHECK_FALSE(report->clean);
    CHECK_FALSE(report->said.empty());
}
