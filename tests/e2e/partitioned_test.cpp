// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests a factory card, which has a partition table and files that must be kept.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "tests/catch.hpp"
#include "tests/e2e/records.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t mib = 1 << 20;
constexpr std::uint64_t start = 16 * mib, length = 96 * mib;

bool works(const std::vector<std::string>& words) {
    const ProgramOutput output = tool(words);
    UNSCOPED_INFO(words.front() << ": " << output.out << output.err);
    return output.status == 0;
}

/// The volume of an image, mounted without mediarig. The destructor unmounts it.
class ByHand {
public:
    explicit ByHand(const Folder& folder) : point_(folder / "by-hand") {
        fs::create_directories(point_);
        const ProgramOutput attached = tool({"losetup", "--find", "--show", "--offset", std::to_string(start),
                                             "--sizelimit", std::to_string(length), (folder / "card.img").string()});
        REQUIRE(attached.status == 0);
        loop_ = attached.out.substr(0, attached.out.find('\n'));
    }
    ByHand(const ByHand&) = delete;
    ByHand& operator=(const ByHand&) = delete;
    ~ByHand() {
        if (mounted_) (void)tool({"umount", point_.string()});
        (void)tool({"losetup", "--detach", loop_});
    }
    [[nodiscard]] const std::string& node() const { return loop_; }
    [[nodiscard]] const fs::path& mount() {
        mounted_ = works({"mount.exfat-fuse", loop_, point_.string()});
        REQUIRE(mounted_);
        return point_;
    }

private:
    fs::path point_;
    std::string loop_;
    bool mounted_{};
};

/// Makes exFAT in the second of three partitions, like the format of a camera.
void make_card(const Folder& folder) {
    const std::string image = (folder / "card.img").string();
    make_image(image, 128 * mib);
    {
        std::fstream noise(image, std::ios::in | std::ios::out | std::ios::binary);
        for (const std::uint64_t at : {2 * mib, 120 * mib}) {
            noise.seekp(static_cast<std::streamoff>(at));
            for (int i = 0; i < 100'000; ++i) noise << "not ours ";
        }
    }
    REQUIRE(works(
        {"sh", "-c",
         "printf 'label: gpt\\n2048,16384,U\\n32768,196608\\n237568,8192\\n' | sfdisk --quiet --wipe never " + image}));
    ByHand volume(folder);
    REQUIRE(works({"mkfs.exfat", "-L", "FACTORY", volume.node()}));
    const fs::path root = volume.mount();
    fs::create_directories(root / "DCIM/100");
    for (int i = 0; i < 20; ++i)
        std::ofstream(root / fmt::format("DCIM/100/IMG_{:04}.JPG", i))
            << std::string(10'000 + 777u * static_cast<unsigned>(i), static_cast<char>('a' + i));
}

/// Each file and folder of the volume with its contents.
std::string files_of(const Folder& folder) {
    ByHand volume(folder);
    const fs::path& root = volume.mount();
    const ProgramOutput listed =
        tool({"sh", "-c", "cd '" + root.string() + "' && find . | sort && find . -type f | sort | xargs sha256sum"});
    REQUIRE(listed.status == 0);
    return listed.out;
}

std::string around(const Folder& folder) {
    const std::string all = read_file(folder / "card.img");
    return all.substr(0, start) + all.substr(start + length);
}

/// Produces the state of a card that was pulled during a write: the files exist, but their clusters count as free.
void clear_bitmap(const Folder& folder) {
    std::fstream image(folder / "card.img", std::ios::in | std::ios::out | std::ios::binary);
    std::string boot(512, '\0');
    image.seekg(static_cast<std::streamoff>(start)).read(boot.data(), 512);
    const auto byte = [&](std::size_t at) { return std::uint64_t{static_cast<unsigned char>(boot.at(at))}; };
    const std::uint64_t heap = byte(88) | byte(89) << 8 | byte(90) << 16 | byte(91) << 24;
    const std::uint64_t cluster = std::uint64_t{1} << (byte(108) + byte(109));
    // mkfs.exfat begins the heap with the bitmap; the first eight bits belong to the bitmap, the upcase table and the
    // root.
    const std::uint64_t bytes = length / cluster / 8;
    image.seekp(static_cast<std::streamoff>(start + (heap << byte(108)) + 1));
    image << std::string(bytes - 1, '\0');
    REQUIRE(image.good());
}

ProgramOutput bench(const Folder& folder, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{
        "bench",   (folder / "card.img").string(), "--suite", "disktester", "--quick", "--table", "iops",
        "--store", (folder / "r.db").string()};
    words.insert(words.end(), more.begin(), more.end());
    return call_mediarig(words, folder.path());
}

#define NEEDS_FACTORY_CARD()                                                            \
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");          \
    for (const char* program : {"sfdisk", "mkfs.exfat", "mount.exfat-fuse", "losetup"}) \
        if (tool({"sh", "-c", std::string("command -v ") + program}).status != 0)       \
    MEDIARIG_SKIP(std::string(program) + " is not installed")

} // namespace

TEST_CASE("bench on a factory card changes only bytes inside the measured partition") {
    NEEDS_FACTORY_CARD();
    const Folder folder;
    make_card(folder);
    const std::string files = files_of(folder), outside = around(folder);
    REQUIRE(files.find("IMG_0019.JPG") != std::string::npos);
    const ProgramOutput output = bench(folder);
    CAPTURE(output.err, output.out);
    REQUIRE(output.status == 0);
    CHECK_THAT(output.err, ContainsSubstring("partition 2 (101 MB from byte 16777216"));
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
    CHECK(around(folder) == outside);
    CHECK(files_of(folder) == files);

    const json device = results(folder).at("devices").at(0);
    const json& mounted = device.at("passes").at(0).at("mounted");
    CHECK(mounted.at("partition") == 2);
    CHECK(mounted.at("start") == start);
    CHECK(mounted.at("length") == length);
    REQUIRE(device.at("checks").size() == 1);
    CHECK(device.at("checks").at(0).at("clean") == true);
}

TEST_CASE(
    "option --partition selects a partition, and the error for an unsuitable partition lists the contents of all "
    "partitions") {
    NEEDS_FACTORY_CARD();
    const Folder folder;
    make_card(folder);
    CHECK(bench(folder, {"--partition", "2"}).status == 0);
    const ProgramOutput other = bench(folder, {"--partition", "3"});
    CHECK(other.status == 2);
    CHECK_THAT(other.err,
               ContainsSubstring(
                   "in partition 3 (partition 1: nothing known (EFI system partition), 2: "
                   "exfat, 3: nothing known): make one with mediarig format, or measure the bare device (--raw)"));
    const ProgramOutput raw = bench(folder, {"--partition", "2", "--raw", "--confirm", (folder / "card.img").string()});
    CHECK(raw.status == 2);
    CHECK_THAT(raw.err,
               ContainsSubstring("--partition chooses the file system to be mounted, and --raw mounts no file system"));
    const ProgramOutput directory =
        call_mediarig({"bench", folder.path().string(), "--suite", "disktester", "--partition", "1"}, folder.path());
    CHECK(directory.status == 2);
    CHECK_THAT(directory.err, ContainsSubstring("is a directory: leave one of the two out"));
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}

TEST_CASE("bench refuses a damaged file system and changes no byte of the image") {
    NEEDS_FACTORY_CARD();
    const Folder folder;
    make_card(folder);
    clear_bitmap(folder);
    {
        const ByHand volume(folder);
        REQUIRE(tool({"fsck.exfat", "-n", volume.node()}).status != 0);
    }
    const std::string before = read_file(folder / "card.img");
    const ProgramOutput output = bench(folder);
    CAPTURE(output.out);
    CHECK(output.status == 4);
    CHECK_THAT(output.err, ContainsSubstring("is damaged or was not unmounted (fsck.exfat"));
    CHECK_THAT(output.err, ContainsSubstring("repair it or format it first"));
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
    CHECK(read_file(folder / "card.img") == before);
}
