// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "host/media/expect/rules.hpp"
#include "host/media/format/layouts/sd_layout.hpp"
#include "host/media/format/medium_format.hpp"
#include "host/media/format/profiles.hpp"
#include "host/media/inspect/inspect.hpp"
#include "host/media/partition/partition_view.hpp"
#include "tests/media/format_loop.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

#define NEEDS_TOOLS()                                                       \
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");                     \
    for (const char* tool : {"mkfs.exfat", "mkfs.fat", "mkapfs", "sfdisk"}) \
        if (!is_installed(tool)) MEDIARIG_SKIP(std::string(tool) + " is not installed")

Bytes sectors(std::uint64_t count) {
    return Bytes{count * 512};
}

Result<FormatReport> format(LoopMedium& medium, const FormatSpec& spec) {
    return format_medium(medium.claim(), medium.discovery(), make_formatters(), spec);
}

Expectation expectation_of(FormatProfile profile) {
    const auto expectation = expectation_from(name_of(profile));
    REQUIRE(reason(expectation) == "success");
    return *expectation;
}

InspectReport inspected(LoopMedium& medium) {
    REQUIRE(reason(drop_cached(medium.claim().descriptor())) == "success");
    const Medium& is = medium.claim().medium();
    auto report = inspect(medium.claim().descriptor(), is.size, is.logical_sector);
    REQUIRE(reason(report) == "success");
    return std::move(*report);
}

/// Everything but notes, one line each.
std::vector<std::string> complaints(const InspectReport& report, Expectation expectation) {
    std::vector<std::string> lines;
    for (const Deviation& deviation : deviations_from(expectation, report))
        if (deviation.severity != Severity::note)
            lines.push_back(fmt::format("{} {} {}: {} not {}", name_of(deviation.severity), deviation.subject,
                                        deviation.name, deviation.found, deviation.expected));
    return lines;
}

std::string value(const FormatReport& report, const std::string& name) {
    for (const auto& [key, text] : report.parameters)
        if (key == name) return text;
    return "(none)";
}

/// Starts, lengths and types as sfdisk sees them: "32768+249823232 7".
std::vector<std::string> by_sfdisk(const std::string& node) {
    std::vector<std::string> found;
    const std::string dump = judge("sfdisk", {"-d", node}).out;
    for (std::size_t at = dump.find("start="); at != std::string::npos; at = dump.find("start=", at + 1)) {
        const auto word = [&](const char* name) {
            const std::size_t begin = dump.find_first_not_of(' ', dump.find(name, at) + std::strlen(name));
            return dump.substr(begin, dump.find_first_of(",\n", begin) - begin);
        };
        found.push_back(fmt::format("{}+{} {}", word("start="), word("size="), word("type=")));
    }
    return found;
}

/// A partition as a device of its own, for judges that want one.
class Shown {
public:
    Shown(LoopMedium& medium, const MadePartition& partition)
        : view_(open_partition(medium.claim(), partition.start, partition.length)) {
        REQUIRE(reason(view_) == "success");
    }
    [[nodiscard]] const std::string& node() const { return view_->node(); }
    [[nodiscard]] Ground ground() const {
        return {.descriptor = view_->descriptor(),
                .start = view_->start(),
                .length = view_->length(),
                .sector = 512,
                .node = view_->node()};
    }
    void give_back() { REQUIRE(reason(view_->give_back()) == "success"); }

private:
    Result<PartitionView> view_;
};

CheckReport checked(LoopMedium& medium, const FormatReport& made) {
    Shown shown(medium, *made.partition);
    const Formatters formatters = make_formatters();
    const auto report = (*select_formatter(formatters, made.fs))->check(shown.ground(), made.fs);
    shown.give_back();
    REQUIRE(reason(report) == "success");
    return *report;
}

/// Cards and sticks as they are sold, and the edges between the classes.
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

TEST_CASE("each profile on each capacity: what inspect expects of that name is what format makes") {
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
            CHECK(complaints(found, expectation_of(profile)) == std::vector<std::string>{});
            CHECK(found.leftovers.empty());
            CHECK(made->usable == found.volumes.back().usable);

            REQUIRE(made->partition);
            const MadePartition& partition = *made->partition;
            CHECK(partition.tool == "sfdisk");
            CHECK(partition.start == *spec->partition->start);
            const std::vector<std::string> listed = by_sfdisk(medium.node());
            REQUIRE(listed.size() == (profile == FormatProfile::macos ? 2 : 1));
            CHECK_THAT(listed.back(),
                       ContainsSubstring(fmt::format("{}+{} ", partition.start / 512_B, partition.length / 512_B)));
            if (profile == FormatProfile::macos && is_installed("sgdisk"))
                CHECK_THAT(judge("sgdisk", {"-v", medium.node()}).out, ContainsSubstring("No problems found"));
            const CheckReport sound = checked(medium, *made);
            CHECK(sound.clean);
            CAPTURE(sound.said);
        }
    }
}

TEST_CASE("the SD layout of a card of 128 GB is that of a camera, to the sector") {
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
    const std::string dump = judge("dump.exfat", {shown.node()}).out;
    CHECK_THAT(dump, ContainsSubstring("FAT Length(sectors): \t\t\t16384"));
    CHECK_THAT(dump, ContainsSubstring("Cluster Heap Offset (sector offset): \t32768"));
    CHECK_THAT(dump, ContainsSubstring("Cluster Count: \t\t\t\t953984"));
    shown.give_back();
    // What the FAT grew by is free: no entry of an earlier file system in it.
    CHECK(medium.read((32768 + 16384) * 512ULL + 8192 * 512, 8192 * 512) == std::string(8192 * 512, '\0'));
}

TEST_CASE("the entry of the partition is written as the world's tools write it, byte by byte") {
    NEEDS_TOOLS();
    struct Row {
        std::uint64_t card;
        std::vector<unsigned char> entry;
    };
    const Row rows[] = {
        {124'735'488, {0x00, 0x0A, 0x09, 0x02, 0x07, 0xFE, 0xFF, 0xFF, 0x00, 0x80, 0x00, 0x00, 0x00, 0xD0, 0x6E, 0x07}},
        // As on a real card of 32 GB.
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

TEST_CASE("macOS: each of its file systems behind an EFI partition, on either start") {
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
            CHECK(complaints(found, Expectation::macos) == std::vector<std::string>{});
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

TEST_CASE("every table holds every file system, on sectors of 512 and of 4096 bytes") {
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
                CHECK(complaints(found, Expectation::sound) == std::vector<std::string>{});
                CHECK(judge("sfdisk", {"-V", medium.node()}).succeeded());
                CHECK(checked(medium, *made).clean);
            }
        }
    }
}

TEST_CASE("what one format leaves the next one clears, whichever follows which") {
    NEEDS_TOOLS();
    struct Row {
        FileSystem fs;
        TableScheme table;
        std::uint64_t start;
    };
    // Thirteen, a prime: rounds of every step from 1 to 12 put each one behind each other one.
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
            // Some end where the medium does, and one has an EFI partition in front.
            if (row.start == 8192 || row.start == 32768) spec.partition->length.reset();
            if (row.start == 409640) spec.partition->efi_system_partition = true;
            CAPTURE(before, at, to_json(spec).dump());
            REQUIRE(reason(format(medium, spec)) == "success");
            const InspectReport found = inspected(medium);
            CHECK(found.leftovers.empty());
            CHECK(found.problem.empty());
            CHECK(found.volumes.back().file_system == name_of(row.fs));
        }
    }
}

TEST_CASE("FAT: what is read back is what fsstat sees, and what mkfs.fat would realign stays where it was put") {
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
        const std::string stated = judge("fsstat", {shown.node()}).out;
        CHECK_THAT(stated, ContainsSubstring("Cluster Size: 32768") || ContainsSubstring("Cluster Size: 16384"));
        CHECK_THAT(stated, ContainsSubstring(fmt::format("Sectors before file system: {}", laid_out->start / 512_B)));
        CHECK_THAT(stated, ContainsSubstring("Volume Label (Root Directory): KARTE 1"));
        shown.give_back();
        CHECK(checked(medium, *made).clean);
    }
}

TEST_CASE("without a tool nothing is written, and a tool that says done is not believed") {
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
    CHECK(reason(with(setting)) == medium.node() +
                                       " does not hold the partition table that sfdisk wrote: scheme none; "
                                       "check the medium");
    tools.add("sfdisk", "[ \"$1\" = --version ] && exit 0; echo 'the table is on fire' >&2; exit 3");
    CHECK(reason(with(setting)) == "sfdisk failed on " + medium.node() + " with exit status 3: the table is on fire");
    tools.add("sfdisk",
              "[ \"$1\" = --version ] && exit 0; printf 'label: dos\\nstart=4096\\n' | exec /usr/sbin/sfdisk "
              "--no-reread --no-tell-kernel -q /proc/self/fd/3");
    CHECK_THAT(reason(with(setting)), ContainsSubstring("partition 1 of 266338304 bytes at byte 2097152"));
    tools.add("sfdisk", "exec /usr/sbin/sfdisk \"$@\"");
    tools.add("mkfs.fat", "[ \"$1\" = --help ] && exit 0; exec /usr/sbin/mkfs.fat -I -F 16 /proc/self/fd/3");
    CHECK_THAT(reason(with(setting)), ContainsSubstring("does not hold what mkfs.fat wrote: FAT16; check the medium"));
    tools.add("mkfs.fat", "[ \"$1\" = --help ] && exit 0; exec /usr/sbin/mkfs.fat -I -F 32 -n OTHER /proc/self/fd/3");
    CHECK_THAT(reason(with(setting)), ContainsSubstring("does not hold what mkfs.fat wrote: label 'OTHER'"));
    tools.add("mkfs.fat", "exec /usr/sbin/mkfs.fat \"$@\"");
    CHECK(reason(with(setting)) == "success");
}

TEST_CASE("a FAT that would reach into the cluster heap is refused") {
    NEEDS_TOOLS();
    LoopMedium medium(1_GiB);
    FormatSpec spec{.fs = FileSystem::exfat, .cluster_size = 4_KiB, .label = {}};
    spec.fat_length = 2_MiB;
    const auto made = format(medium, spec);
    REQUIRE_FALSE(made);
    CHECK(made.error() == Error{Errc::bad_request,
                                "FAT length 2097152: the clusters of this volume need 1048576, and between FAT and "
                                "cluster heap lie 1048576; choose one between them"});
}

TEST_CASE("what cannot be made is refused before anything is written") {
    NEEDS_TOOLS();
    LoopMedium medium(1_GiB);
    medium.write(0, "precious");
    FormatSpec far{.fs = FileSystem::exfat, .cluster_size = {}, .label = {}};
    far.boundary = 512_MiB;
    FormatSpec long_fat{.fs = FileSystem::exfat, .cluster_size = 128_KiB, .label = {}};
    long_fat.boundary = 1_MiB;
    long_fat.fat_length = 64_MiB;
    // Where the kernel shows the partition, mkfs.exfat counts the boundary from the start of the medium.
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

TEST_CASE("exFAT: the smallest medium that a boundary allows is one that mkfs.exfat takes") {
    NEEDS_TOOLS();
    for (const Bytes size : {Bytes{1073872896}, Bytes{1073872896 - 512}}) {
        CAPTURE(size.count);
        LoopMedium medium(size);
        FormatSpec spec{.fs = FileSystem::exfat, .cluster_size = {}, .label = {}};
        spec.boundary = 512_MiB;
        CHECK(format(medium, spec).has_value() == (size == Bytes{1073872896}));
    }
}

TEST_CASE("FAT16 and FAT12 without a cluster size are made on every medium that is not refused") {
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

TEST_CASE("FAT: near the limits of a width a medium is made or refused, never wiped in vain") {
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

TEST_CASE("a medium whose partitions only a loop device could show is not wiped where none is to be had") {
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

TEST_CASE("what goes wrong after the wipe is not called refused, whatever refused it") {
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
    Descriptor holder;
    std::atomic<bool> done{};
    std::thread somebody([&] {
        while (!done && !std::filesystem::exists(tools.path() + "/written")) ::usleep(1000);
        holder = Descriptor(::open(medium.node().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
        std::ofstream(tools.path() + "/held") << '\n';
    });
    const ToolSetting setting{.search_path = tools.search_path()};
    const auto made = format_medium(medium.claim(), medium.discovery(), make_formatters(setting), spec, setting);
    done = true;
    somebody.join();
    holder.close();
    REQUIRE_FALSE(made);
    CAPTURE(made.error().detail);
    CHECK(made.error().code == Errc::io_failed);
    CHECK_THAT(made.error().detail, ContainsSubstring(medium.node() + " is erased by now: format it again"));
    CHECK(medium.read(0, 8) != "precious");
}

TEST_CASE("what is read back is what the medium holds, not what this machine still holds of it below a loop device") {
    NEEDS_TOOLS();
    LoopMedium medium(64_MiB);
    ToolFolder tools;
    // All is written down, and then the medium forgets the boot sector.
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
    const ToolSetting setting{.search_path = tools.search_path()};
    const auto made = format_medium(medium.claim(), medium.discovery(), make_formatters(setting), spec, setting);
    REQUIRE_FALSE(made);
    CHECK_THAT(made.error().detail, ContainsSubstring("does not hold what mkfs.exfat wrote"));
}

TEST_CASE("a damaged FAT volume is an answer, not an error") {
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
