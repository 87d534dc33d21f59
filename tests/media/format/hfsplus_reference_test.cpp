// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads volumes made by mediarig with other programs. fsck.hfsplus is proprietary and rarely available: it is searched
/// in $PATH, or set by $MEDIARIG_FSCK_HFSPLUS.
#include <fmt/format.h>

#include <cstdlib>

#include "host/base/process/run_process.hpp"
#include "host/media/format/hfsplus/volume_name.hpp"
#include "host/media/inspect/inspect.hpp"
#include "host/media/inspect/read_hfsplus.hpp"
#include "tests/catch.hpp"
#include "tests/media/format/hfsplus_volume.hpp"

namespace mediarig::media::hfsplus {

using namespace mediarig::test;

namespace {

std::string out_of(const std::string& program, const std::vector<std::string>& arguments) {
    const auto finished = process::run_process({.program = program, .arguments = arguments});
    REQUIRE(reason(finished) == "success");
    return finished->out + finished->err;
}

std::optional<std::string> fsck_hfsplus() {
    if (const char* named = std::getenv("MEDIARIG_FSCK_HFSPLUS"); named != nullptr) return named;
    if (process::find_program("fsck.hfsplus")) return "fsck.hfsplus";
    return std::nullopt;
}

struct Variant {
    const char* name;
    JournalMode journal;
    CaseSensitivity names;
};
constexpr Variant variants[] = {{"hfs+", JournalMode::none, CaseSensitivity::ignore_case},
                                {"hfs+j", JournalMode::inside, CaseSensitivity::ignore_case},
                                {"hfsx+j", JournalMode::inside, CaseSensitivity::case_sensitive}};

/// Every size at which a rule changes, and sizes that are not multiples of a unit.
const Bytes sizes[] = {16_MiB, 17_MiB + 512_B, 64_MiB,  127_MiB,  128_MiB,  1023_MiB, 1_GiB,    8_GiB,
                       10_GiB, 64_GiB,         100_GiB, 1024_GiB, 2047_GiB, 2048_GiB, 8192_GiB, 16384_GiB};

template <class Look>
void for_each_volume(const Look& look) {
    for (const Variant& variant : variants)
        for (const Bytes size : sizes) {
            CAPTURE(variant.name, size.count);
            Options options = some_options();
            options.journal = variant.journal;
            options.names = variant.names;
            options.name = volume_name("Größe 1").value();
            look(make_volume(size, options), variant);
        }
}

#define NEEDS(program) \
    if (!process::find_program(program)) MEDIARIG_SKIP(std::string(program) + " is not installed")

} // namespace

TEST_CASE("HFS+ reference checkers: blkid agrees on volume name and UUID") {
    NEEDS("blkid");
    for_each_volume([](const MadeVolume& made, const Variant& variant) {
        const std::string said = out_of("blkid", {"-p", made.image.path()});
        CHECK_THAT(said, ContainsSubstring("TYPE=\"hfsplus\""));
        CHECK_THAT(said, ContainsSubstring("UUID=\"" + hfs_plus_uuid(0x0123456789ABCDEF) + "\""));
        // blkid 2.38 searches for the first leaf in steps of whole blocks, and does not find it if a block is larger
        // than a node.
        if (made.layout.block_size <= Bytes{made.layout.catalog.node_size})
            CHECK_THAT(said, ContainsSubstring("LABEL=\"GroM-LM-^HM-CM-^_e 1\"")); // decomposed, as cat -v writes it
        const auto found = inspect(made.image.descriptor(), made.image.size(), 512);
        REQUIRE(reason(found) == "success");
        CHECK(found->volumes.at(0).file_system == variant.name);
        CHECK(found->volumes.at(0).problem.empty());
    });
    CHECK(hfs_plus_uuid(0x0123456789ABCDEF) == "de53349f-21ad-3c08-9044-ae10cd9587d3");
}

TEST_CASE("HFS+ reference checkers: fsstat reads the same numbers") {
    NEEDS("fsstat");
    for_each_volume([](const MadeVolume& made, const Variant& variant) {
        // fsstat prints the local time.
        const std::string said = out_of("env", {"TZ=UTC", "fsstat", made.image.path()});
        const Layout& layout = made.layout;
        const std::string type = layout.options.names == CaseSensitivity::case_sensitive ? "HFSX" : "HFS+";
        CHECK_THAT(said, ContainsSubstring("File System Version: " + type));
        CHECK_THAT(said, ContainsSubstring("Volume Unmounted Properly"));
        CHECK_THAT(said, ContainsSubstring("Volume Identifier: 0123456789abcdef"));
        CHECK_THAT(said, ContainsSubstring("2023-11-14 22:13:20 (UTC)"));
        CHECK_THAT(said, ContainsSubstring(fmt::format("Block Range: 0 - {}\n", layout.total_blocks - 1)));
        CHECK_THAT(said, ContainsSubstring(fmt::format("Allocation Block Size: {}\n", layout.block_size.count)));
        CHECK_THAT(said, ContainsSubstring(fmt::format("Number of Free Blocks: {}\n", layout.free_blocks)));
        if (variant.journal == JournalMode::inside)
            CHECK_THAT(said, ContainsSubstring(fmt::format("Journal Info Block: {}\n", layout.journal_info->start)));
    });
}

TEST_CASE("HFS+ reference checkers: fshfsinfo lists the root folder") {
    NEEDS("fshfsinfo");
    for_each_volume([](const MadeVolume& made, const Variant& variant) {
        // Version 20201104 finds no name in a volume whose blocks are larger than its nodes, including Apple's own
        // volumes.
        if (made.layout.block_size > Bytes{made.layout.catalog.node_size}) return;
        CHECK_THAT(out_of("fshfsinfo", {made.image.path()}),
                   ContainsSubstring("Größe 1") || ContainsSubstring("Gro\u0308ße 1"));
        const std::string listed = out_of("fshfsinfo", {"-H", made.image.path()});
        CHECK((listed.find("/.journal_info_block\n") != std::string::npos) == (variant.journal == JournalMode::inside));
    });
}

TEST_CASE("HFS+ reference checkers: 7z lists the journal's files with their sizes") {
    NEEDS("7z");
    for_each_volume([](const MadeVolume& made, const Variant& variant) {
        const std::string said = out_of("7z", {"l", "-slt", made.image.path()});
        CHECK_THAT(said, ContainsSubstring("Type = HFS"));
        CHECK_THAT(said, ContainsSubstring(fmt::format("Cluster Size = {}\n", made.layout.block_size.count)));
        CHECK_THAT(said, ContainsSubstring(fmt::format("Free Space = {}\n",
                                                       (made.layout.block_size * made.layout.free_blocks).count)));
        // If the medium is not a multiple of a block, 7z warns about the data after the last block.
        if (made.layout.size % made.layout.block_size == 0_B)
            CHECK_THAT(said, !ContainsSubstring("ERROR") && !ContainsSubstring("WARNING"));
        if (variant.journal == JournalMode::inside)
            CHECK_THAT(
                said, ContainsSubstring(fmt::format("Size = {}\n", made.layout.length_of(*made.layout.journal).count)));
    });
}

TEST_CASE("HFS+ reference checkers: testdisk finds the volume and its backup header") {
    NEEDS("testdisk");
    for_each_volume([](const MadeVolume& made, const Variant&) {
        const std::string said = out_of("testdisk", {"/list", made.image.path()});
        CHECK_THAT(said,
                   ContainsSubstring(made.layout.options.names == CaseSensitivity::case_sensitive ? "HFSX" : "HFS+"));
        CHECK_THAT(said, ContainsSubstring(fmt::format("blocksize={}", made.layout.block_size.count)));
        CHECK_THAT(said, ContainsSubstring("+ Backup"));
    });
}

TEST_CASE("HFS+ reference checkers: fsck.hfsplus accepts every volume made by mediarig and detects damage") {
    const auto fsck = fsck_hfsplus();
    if (!fsck) MEDIARIG_SKIP("fsck.hfsplus is not installed (not free; set MEDIARIG_FSCK_HFSPLUS)");
    const auto fsck_of = [&](const Image& image) {
        const auto finished = process::run_process({.program = *fsck, .arguments = {"-fn", image.path()}});
        REQUIRE(reason(finished) == "success");
        INFO(finished->out << finished->err);
        return finished->exit_status;
    };
    for_each_volume([&](const MadeVolume& made, const Variant&) { CHECK(fsck_of(made.image) == 0); });
    Image written = image_from_hex("hfsplus_written_by_linux.hex", 16_MiB);
    CHECK(fsck_of(written) == 0);
    written.write(0x203000 + 0x14, std::vector<int>{0, 0, 0, 121}); // leafRecords
    CHECK(fsck_of(written) != 0);
}

} // namespace mediarig::media::hfsplus
