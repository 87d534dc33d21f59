// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the plugin in the real server with clients of other projects.

#include <sys/stat.h>

#include "tests/json.hpp"
#include "tests/lab/card/serving.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::lab;

namespace {

/// Runs nbdkit with the plugin and these parameters until it exits.
std::string refused(std::vector<std::string> parameters) {
    // With its default socket, nbdkit leaves a folder behind when it refuses the configuration.
    const tests::Scratch folder;
    std::vector<std::string> arguments{"-f", "-U", (folder / "refused.nbd").string(), MEDIARIG_CARD_PLUGIN};
    arguments.insert(arguments.end(), parameters.begin(), parameters.end());
    arguments.insert(arguments.end(), {"--run", "true"});
    return run_checker("nbdkit", arguments);
}

std::string random_looking(std::size_t size) {
    std::string data(size, '\0');
    std::uint64_t state = 88172645463325252;
    for (char& byte : data) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
        byte = static_cast<char>(state);
    }
    return data;
}

} // namespace

TEST_CASE("card plugin: nbdinfo prints the description of the medium") {
    Serving card("hard-disk-2tb");
    card.start();
    const auto info = nlohmann::json::parse(run_checker("nbdinfo", {"--json", card.uri()}));
    const auto& disk = info.at("exports").at(0);
    CHECK(disk.at("export-size") == 2000398934016);
    CHECK(disk.at("is_rotational") == true);
    CHECK(disk.at("can_flush") == true);
    CHECK(disk.at("can_fua") == true);
    CHECK(disk.at("can_trim") == false);
    CHECK(disk.at("can_multi_conn") == true);
    CHECK(disk.at("block_size_minimum") == 512);

    struct stat status {};
    REQUIRE(::stat((card.folder / "m.raw").c_str(), &status) == 0);
    CHECK(status.st_size == 2000398934016);
    CHECK(status.st_blocks == 0);
}

TEST_CASE("card plugin: nbdcopy reads back the data that it wrote, and the backing file contains them") {
    for (const std::string config :
         {R"({"claimed_bytes": "8MiB"})", R"({"claimed_bytes": "8MiB", "volatile_cache": {"bytes": "1MiB"}})"}) {
        CAPTURE(config);
        Serving card(config);
        card.start();
        const std::string data = random_looking(8 << 20);
        const std::string source = card.folder.write("in", data);
        REQUIRE(run_checker("nbdcopy", {"--flush", source, card.uri()}) == "done");
        REQUIRE(run_checker("nbdcopy", {card.uri(), (card.folder / "out").string()}) == "done");
        CHECK(tests::text_of(card.folder / "out") == data);
        CHECK(tests::text_of(card.folder / "m.raw") == data);
        const auto stats = card.stats();
        REQUIRE(stats);
        CHECK(stats->of(BlockRequest::write).bytes == 8 << 20);
        CHECK(stats->of(BlockRequest::read).bytes == 8 << 20);
        CHECK(stats->of(BlockRequest::flush).requests >= 1);
    }
}

TEST_CASE("card plugin: qemu-io detects a fake of each kind") {
    if (!installed("qemu-io")) MEDIARIG_SKIP("qemu-io (package qemu-utils) is not installed");
    struct Row {
        const char *beyond, *pattern;
        bool matches;
    };
    for (const Row& row : {Row{"wrap", "0x33", true}, Row{"drop", "0", true}, Row{"garbage", "0", false}}) {
        CAPTURE(row.beyond);
        Serving card(R"({"claimed_bytes": "1GiB", "real_bytes": "16MiB", "beyond_real": ")" + std::string(row.beyond) +
                     "\"}");
        card.start();
        const auto io = [&](const std::string& command) {
            return run_checker("qemu-io", {"-f", "raw", "-c", command, card.uri()});
        };
        CHECK_THAT(io("write -P 0x11 0 64k"), ContainsSubstring("wrote 65536/65536"));
        CHECK_THAT(io("write -P 0x33 512M 64k"), ContainsSubstring("wrote 65536/65536"));
        // 512 MiB is 32 times the real size: a wrapping fake writes it to the start.
        CHECK_THAT(io(std::string("read -P ") + (row.beyond == std::string("wrap") ? "0x33" : "0x11") + " 0 64k"),
                   ContainsSubstring("read 65536/65536") && !ContainsSubstring("failed"));
        const std::string found = io(std::string("read -P ") + row.pattern + " 512M 64k");
        CHECK((found.find("Pattern verification failed") == std::string::npos) == row.matches);
    }
}

TEST_CASE("card plugin: bad sectors fail at exactly those sectors") {
    if (!installed("nbdsh")) MEDIARIG_SKIP("nbdsh (package python3-libnbd) is not installed");
    Serving card(R"({"claimed_bytes": "1MiB", "bad_sectors": [{"first_sector": 100, "sector_count": 3, "fails": "read"},
                                                              {"first_sector": 200, "fails": "write"}]})");
    card.start();
    const std::string sweep = R"(
def fails(act):
    try: act()
    except nbd.Error as error: return error.errnum == errno.EIO
    return False
import errno
print("read", [s for s in range(2048) if fails(lambda: h.pread(512, s * 512))])
print("write", [s for s in range(2048) if fails(lambda: h.pwrite(b"x" * 512, s * 512))])
)";
    CHECK(card.nbdsh(sweep) == "read [100, 101, 102]\nwrite [200]\n");
    REQUIRE(card.tell(RemoveBadSectors{{{101}, 200}}));
    REQUIRE(card.tell(AddBadSectors{{.sectors = {{2047}, 1}}}));
    CHECK(card.nbdsh(sweep) == "read [100, 2047]\nwrite [2047]\n");
}

TEST_CASE("card plugin: flushed and forced writes survive a power cut, and other writes do not") {
    if (!installed("nbdsh")) MEDIARIG_SKIP("nbdsh (package python3-libnbd) is not installed");
    Serving card(R"({"claimed_bytes": "1MiB", "volatile_cache": {"bytes": "512KiB"}})");
    card.start();
    CHECK(card.nbdsh("h.pwrite(b'a' * 4096, 0); h.flush(); h.pwrite(b'b' * 4096, 4096);"
                     "h.pwrite(b'c' * 4096, 8192, nbd.CMD_FLAG_FUA); print(bytes(h.pread(12288, 0)[::4096]))") ==
          "b'abc'\n");
    const auto cut = card.tell(PowerCut{Loss::all});
    REQUIRE(cut);
    CHECK(cut->sectors == WriteCache::SectorCounts{.kept = 0, .lost = 8});
    CHECK_THAT(card.nbdsh("h.pread(512, 0)"), ContainsSubstring("Input/output error"));
    CHECK_THAT(card.nbdsh("h.flush()"), ContainsSubstring("Input/output error"));
    REQUIRE(card.tell(PowerOn{}));
    CHECK(card.nbdsh("print(bytes(h.pread(12288, 0)[::4096]))") == "b'a\\x00c'\n");
}

TEST_CASE("card plugin: trimmed and zeroed sectors read as zeros and take no space in the backing file") {
    if (!installed("nbdsh")) MEDIARIG_SKIP("nbdsh (package python3-libnbd) is not installed");
    Serving card(R"({"claimed_bytes": "4MiB", "can_trim": true})");
    card.start();
    CHECK(card.nbdsh("h.pwrite(b'x' * 4194304, 0); h.trim(2097152, 0); h.zero(1048576, 2097152); h.flush();"
                     "print(bytes(h.pread(4194304, 0)[::1048576]))") == "b'\\x00\\x00\\x00x'\n");
    struct stat status {};
    REQUIRE(::stat((card.folder / "m.raw").c_str(), &status) == 0);
    CHECK(status.st_blocks <= 4096); // blocks of 512 bytes: at most half of the medium, whatever the file system adds
    CHECK_THAT(card.nbdsh("h.set_strict_mode(0); h.pread(100, 0)"), ContainsSubstring("Invalid argument"));
}

TEST_CASE("card plugin: an invalid configuration is reported before serving") {
    tests::Scratch folder;
    const std::string backing = "backing=" + (folder / "b.raw").string();
    const std::string bad = folder.write("bad.json", R"({"claimed_bytes": "1MiB", "sped": 1})");
    const std::string long_file = folder.write("long.raw", std::string(2 << 20, 'x'));
    struct Row {
        std::vector<std::string> parameters;
        const char* words;
    };
    const Row rows[] = {
        {{"config=good-uhs1"}, "both config= and backing= are needed"},
        {{"config=good-uhs2", backing}, "no card model is named \"good-uhs2\"; did you mean \"good-uhs1\"?"},
        {{"config=" + bad, backing}, "card model: /sped: unknown member"},
        {{"config=good-uhs1", backing, "speed=1"}, "unknown parameter 'speed'"},
        {{"config=good-uhs1", backing, "time_scale=fast"}, "time_scale must be a number from 0 to 1000, is 'fast'"},
        {{"config=good-uhs1", backing, "seed=-1"}, "seed"},
        {{"config=good-uhs1", backing, "size=much"}, "size"},
        {{"config=fake-1tb", backing, "size=1G"}, "/real_bytes: is 34359738368, more than the 1073741824 bytes"},
        {{"config=good-uhs1", "backing=" + long_file, "size=1M"},
         "holds 2097152 bytes, more than the 1048576 of this medium"},
        {{"config=good-uhs1", "backing=/dev/null"}, "the backing file /dev/null is not a regular file"},
        {{"config=good-uhs1", "backing=/nowhere/b.raw"}, "cannot open the backing file /nowhere/b.raw: No such file"},
        {{"config=good-uhs1", backing, "control=" + (folder / std::string(100, 'c')).string()},
         "the path of the control socket is"},
        {{"config=good-uhs1", backing, "control=/nowhere/c"}, "cannot listen on the control socket /nowhere/c"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.words);
        CHECK_THAT(refused(row.parameters), ContainsSubstring("exit status 1") && ContainsSubstring(row.words));
    }
    const std::string other = "backing=" + (folder / "o.raw").string();
    CHECK(refused({"config=fake-1tb", other, "size=1G", "real_size=16M", "seed=5"}) == "done");
}

TEST_CASE("card plugin: a storage failure of the host gives an I/O error and is counted separately") {
    if (!installed("nbdsh")) MEDIARIG_SKIP("nbdsh (package python3-libnbd) is not installed");
    Serving card(R"({"claimed_bytes": "1MiB"})");
    card.start();
    REQUIRE(::truncate((card.folder / "m.raw").c_str(), 4096) == 0);
    CHECK_THAT(card.nbdsh("h.pread(4096, 8192)"), ContainsSubstring("Input/output error"));
    const auto stats = card.stats();
    REQUIRE(stats);
    CHECK(stats->storage_failures == 1);
    CHECK(stats->of(BlockRequest::read).refused == 0);
}
