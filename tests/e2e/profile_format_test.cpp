// SPDX-License-Identifier: GPL-3.0-or-later
/// `inspect --expect` finds no deviation on a medium made by `format --profile` with the same name. Tested with the
/// real programs.
#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"

using namespace mediarig;
using namespace mediarig::e2e;

namespace {

bool has_tools() {
    return tool({"sfdisk", "--version"}).status == 0 && tool({"mkfs.fat", "--help"}).status == 0 &&
           tool({"mkfs.exfat", "-V"}).status != 127;
}

#define NEEDS_LOOPS()                                             \
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices"); \
    if (!has_tools()) MEDIARIG_SKIP("needs exfatprogs, dosfstools and fdisk")

/// A loop device over a temporary file; the destructor removes both.
class LoopOver {
public:
    explicit LoopOver(const std::string& image) {
        const ProgramOutput output = tool({"losetup", "-f", "--show", image});
        REQUIRE(output.status == 0);
        node_ = output.out.substr(0, output.out.find('\n'));
    }
    LoopOver(const LoopOver&) = delete;
    LoopOver& operator=(const LoopOver&) = delete;
    ~LoopOver() { static_cast<void>(tool({"losetup", "-d", node_})); }
    [[nodiscard]] const std::string& node() const { return node_; }

private:
    std::string node_;
};

} // namespace

TEST_CASE("an image that is formatted to each profile in turn matches that profile") {
    NEEDS_LOOPS();
    const Folder folder;
    const std::string image = folder / "card.img";
    make_image(image, 60'579'840ULL * 512);
    struct Row {
        const char* profile;
        const char* fs; ///< empty: the profile's file system
        const char* output;
        const char* table; ///< part of the output of sfdisk
    };
    const Row rows[] = {
        {"sd", "", "holds FAT32 in partition 1 (MBR) from byte 4194304", "start=        8192"},
        {"windows", "", "holds exFAT in partition 1 (MBR) from byte 1048576", "start=        2048"},
        {"macos", "hfs+j", "holds HFS+ Journaled in partition 2 (GPT) from byte 209735680", "start=      409640"},
        {"linux", "fat32", "holds FAT32 in partition 1 (MBR) from byte 1048576", "start=        2048"},
        {"sd", "fat32", "holds FAT32 in partition 1 (MBR) from byte 4194304", "size=    60571648, type=c"}};
    for (const Row& row : rows) {
        CAPTURE(row.profile, row.fs);
        std::vector<std::string> words{"format", image, "--profile", row.profile, "--confirm", image};
        if (*row.fs != 0) words.insert(words.end(), {"--fs", row.fs});
        const ProgramOutput made = call_mediarig(words, folder.path());
        CAPTURE(made.err, made.out);
        REQUIRE(made.status == 0);
        CHECK_THAT(made.out, ContainsSubstring(row.output));
        CHECK_THAT(made.out, ContainsSubstring("finds it clean"));
        const ProgramOutput found = call_mediarig({"inspect", image, "--expect", row.profile}, folder.path());
        CAPTURE(found.out);
        CHECK(found.status == 0);
        CHECK_THAT(tool({"sfdisk", "-d", image}).out, ContainsSubstring(row.table));
        CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
    }
}

TEST_CASE(
    "a device formatted to a profile matches the profile, and can then be formatted with a partition table from "
    "options") {
    NEEDS_LOOPS();
    if (is_plain_chroot()) MEDIARIG_SKIP("the file behind a loop device has another path outside of this chroot");
    const Folder folder;
    const std::string image = folder / "sdxc.img";
    make_image(image, 124'735'488ULL * 512);
    const LoopOver device(image);
    // A loop device is confirmed by the path of the file below it.
    const ProgramOutput made =
        call_mediarig({"format", device.node(), "--profile", "sd", "--confirm", image}, folder.path());
    CAPTURE(made.err, made.out);
    REQUIRE(made.status == 0);
    CHECK_THAT(made.out, ContainsSubstring("holds exFAT in partition 1 (MBR) from byte 16777216"));
    CHECK(made.out.find("no partition table") == std::string::npos);
    CHECK(call_mediarig({"inspect", device.node(), "--expect", "sd"}, folder.path()).status == 0);
    CHECK_THAT(tool({"sfdisk", "-d", device.node()}).out,
               ContainsSubstring("start=       32768, size=   124702720, type=7"));

    const ProgramOutput by_hand =
        call_mediarig({"format", device.node(), "--fs", "exfat", "--table", "gpt", "--partition-start", "4MiB",
                       "--label", "CARD", "--confirm", image, "--json"},
                      folder.path());
    CAPTURE(by_hand.err);
    CHECK(by_hand.status == 0);
    CHECK_THAT(by_hand.out, ContainsSubstring("\"start\": 4194304"));
    CHECK_THAT(by_hand.out, ContainsSubstring("\"table\": \"gpt\""));
    // A loop device is not a card, and inspect reports this.
    CHECK(call_mediarig({"inspect", device.node(), "--expect", "sd"}, folder.path()).status == 1);
    CHECK(call_mediarig({"inspect", device.node()}, folder.path()).status == 0);
}

TEST_CASE("a medium formatted by the profile of a golden medium matches the profile") {
    NEEDS_LOOPS();
    const Folder folder;
    const std::string golden = folder / "golden.img", card = folder / "card.img", profile = folder / "ours.json";
    for (const std::string& image : {golden, card}) make_image(image, 512ULL << 20);
    struct Row {
        std::vector<std::string> words;
    };
    const Row rows[] = {
        {{"--fs", "exfat", "--cluster-size", "64KiB", "--table", "mbr", "--partition-start", "4MiB", "--label",
          "OURS"}},
        {{"--fs", "fat32", "--cluster-size", "2KiB", "--table", "gpt"}},
        {{"--fs", "hfs+j", "--journal-size", "8MiB", "--label", "Disk"}},
        {{"--profile", "sd"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.words);
        std::vector<std::string> words{"format", golden, "--confirm", golden};
        words.insert(words.end(), row.words.begin(), row.words.end());
        REQUIRE(call_mediarig(words, folder.path()).status == 0);
        REQUIRE(call_mediarig({"inspect", golden, "--save-profile", profile, "--force"}, folder.path()).status == 0);
        const ProgramOutput made =
            call_mediarig({"format", card, "--profile", profile, "--confirm", card}, folder.path());
        CAPTURE(made.out, made.err);
        CHECK(made.status == 0);
        CHECK_THAT(made.out, ContainsSubstring("Against the profile " + profile + ": "));
        CHECK(call_mediarig({"inspect", card, "--expect", profile}, folder.path()).status == 0);
    }
    // A parameter without a format option is reported as a deviation, because format cannot set it.
    std::string other = read_file(profile);
    const auto at = other.find("\"oem_name\"");
    REQUIRE(at != std::string::npos);
    other.replace(other.find("mkfs.fat", at), 8, "OURSELVS");
    write_file(profile, other);
    const ProgramOutput told = call_mediarig({"format", card, "--profile", profile, "--confirm", card}, folder.path());
    CAPTURE(told.out, told.err);
    CHECK(told.status == 1);
    CHECK_THAT(told.out, ContainsSubstring("OURSELVS"));
}

TEST_CASE("a profile that the medium cannot satisfy is refused before any write") {
    NEEDS_LOOPS();
    const Folder folder;
    const std::string image = folder / "x.img";
    make_image(image, 64ULL << 20);
    write_file(folder / "first", "precious");
    REQUIRE(tool({"dd", "if=" + (folder / "first").string(), "of=" + image, "conv=notrunc"}).status == 0);
    struct Row {
        std::vector<std::string> words;
        const char* line;
    };
    const Row rows[] = {
        {{"--profile", "sd", "--fs", "exfat"}, "the profile sd does not support exFAT on this medium, only FAT12"},
        {{"--profile", "macos"}, "the format of macOS for a medium of 67.1 MB is not publicly known"},
        {{"--profile", "windows", "--fs", "apfs"}, "the profile windows does not support APFS on this medium"},
        {{"--fs", "apfs", "--table", "mbr"}, "APFS has no partition type in an MBR: use gpt, or no table"},
        {{"--fs", "exfat", "--table", "mbr", "--partition-start", "64MiB"},
         "does not fit: the table leaves bytes 512 to"},
        {{"--fs", "fat32", "--cluster-size", "32KiB"}, "cluster size 32768: a medium of 67.1 MB would have 204"},
    };
    for (const Row& row : rows) {
        std::vector<std::string> words{"format", image, "--confirm", image};
        words.insert(words.end(), row.words.begin(), row.words.end());
        const ProgramOutput output = call_mediarig(words, folder.path());
        CAPTURE(output.err, output.out);
        CHECK(output.status == 2);
        CHECK_THAT(output.err, ContainsSubstring(row.line));
        CHECK(read_file(image).substr(0, 8) == "precious");
    }
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}
