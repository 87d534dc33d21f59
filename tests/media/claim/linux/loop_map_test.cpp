// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests which bytes loop devices show, and the search for other users of the bytes of a medium, on the real kernel.
#include "host/media/claim/linux/kernel/loop_map.hpp"

#include <linux/blkpg.h>
#include <sys/sysmacros.h>

#include <thread>

#include "host/media/claim/claim.hpp"
#include "host/media/claim/image/image_file.hpp"
#include "host/media/claim/linux/linux_media.hpp"
#include "tests/media/claim/image/holders.hpp"

namespace mediarig::media::holders {

namespace {

std::optional<ByteRange> range_of(const std::string& node) {
    const auto map = LoopMap::read();
    REQUIRE(reason(map) == "success");
    return map->range_of(number_of(node));
}

ByteRange part(const std::string& file, Bytes start, Bytes end) {
    return {.file = identity_of(file), .disk = {}, .start = start.count, .end = end.count};
}

/// A partition registered with a kernel that reads no tables. It would outlive the loop device, so it is removed first.
class KernelPartition {
public:
    KernelPartition(const LoopAttachment& disk, Bytes start, Bytes length) : disk_(disk) {
        // Partitions left by a killed earlier user of this loop device may overlap.
        for (int stale = 1; stale <= 31; ++stale) ask(BLKPG_DEL_PARTITION, stale, 0_B, 0_B);
        added_ = ask(BLKPG_ADD_PARTITION, number, start, length);
    }
    KernelPartition(const KernelPartition&) = delete;
    KernelPartition& operator=(const KernelPartition&) = delete;
    ~KernelPartition() {
        if (added_) ask(BLKPG_DEL_PARTITION, number, 0_B, 0_B);
    }
    [[nodiscard]] bool added() const { return added_; }
    [[nodiscard]] std::string node() const { return disk_.node() + "p1"; }

private:
    static constexpr int number = 1;

    bool ask(int operation, int partition_number, Bytes start, Bytes length) const {
        struct blkpg_partition partition {};
        partition.start = static_cast<long long>(start.count);
        partition.length = static_cast<long long>(length.count);
        partition.pno = partition_number;
        struct blkpg_ioctl_arg request {};
        request.op = operation;
        request.datalen = sizeof partition;
        request.data = &partition;
        return ::ioctl(disk_.descriptor(), BLKPG, &request) == 0;
    }
    const LoopAttachment& disk_;
    bool added_{};
};

LoopWindow window(Bytes offset, Bytes length) {
    return {.offset = offset, .length = length, .block_size = 0};
}

} // namespace

TEST_CASE("ranges of one file or disk overlap if they share a byte") {
    const FileIdentity file{1, 2};
    const auto range = [&](std::uint64_t start, std::uint64_t end) {
        return ByteRange{.file = file, .disk = {}, .start = start, .end = end};
    };
    CHECK(overlaps(range(0, 10), range(9, 20)));
    CHECK(overlaps(range(5, 6), whole_file(file)));
    CHECK_FALSE(overlaps(range(0, 10), range(10, 20)));
    CHECK_FALSE(overlaps(range(0, 10), whole_file({1, 3})));
    const ByteRange disk{.file = {}, .disk = {8, 0}, .start = 0, .end = 10};
    CHECK_FALSE(overlaps(range(0, 10), disk));
    CHECK_FALSE(overlaps(disk, {.file = {}, .disk = {8, 16}, .start = 0, .end = 10}));
    CHECK(overlaps(disk, {.file = {}, .disk = {8, 0}, .start = 9, .end = ByteRange::no_end}));
}

TEST_CASE(
    "a loop device is resolved through offsets, other loop devices, partitions and aliases to the bytes of its file") {
    NEEDS_ROOT();
    const Folder folder;
    const std::string file = folder.file("disk.img", 64_MiB);
    const auto whole = attached(file);
    CHECK(range_of(whole.node()) == whole_file(identity_of(file)));
    const auto lower = attached(file, window(8_MiB, 32_MiB));
    CHECK(range_of(lower.node()) == part(file, 8_MiB, 40_MiB));
    // Use a node with another name, because the kernel compares numbers.
    const std::string alias = folder.path("alias");
    const DeviceNumber number = number_of(lower.node());
    REQUIRE(::mknod(alias.c_str(), S_IFBLK | 0600, makedev(number.major, number.minor)) == 0);
    CHECK(range_of(alias) == part(file, 8_MiB, 40_MiB));
    const auto upper = attached(alias, window(2_MiB, 0_B));
    fs::remove(alias);
    CHECK(range_of(upper.node()) == part(file, 10_MiB, 40_MiB));
    const auto beyond = attached(upper.node(), window(4_MiB, 2_MiB));
    CHECK(range_of(beyond.node()) == part(file, 14_MiB, 16_MiB));

    const KernelPartition partition(lower, 1_MiB, 16_MiB);
    REQUIRE(partition.added());
    CHECK(range_of(partition.node()) == part(file, 9_MiB, 25_MiB));
    const auto on_partition = attached(partition.node(), window(1_MiB, 1_MiB));
    CHECK(range_of(on_partition.node()) == part(file, 10_MiB, 11_MiB));
}

TEST_CASE("a disk resolves to itself, and a missing device resolves to nothing") {
    const auto map = LoopMap::read();
    REQUIRE(reason(map) == "success");
    const auto media = make_linux_discovery()->list();
    REQUIRE(reason(media) == "success");
    for (const Medium& medium : *media) {
        if (medium.transport == Transport::loop) continue;
        CHECK(map->range_of(medium.number) ==
              ByteRange{.file = {}, .disk = medium.number, .start = 0, .end = ByteRange::no_end});
    }
    CHECK_FALSE(map->range_of({4000, 4000}));
}

TEST_CASE("the kernel's identity of a backing file equals that of stat on local file systems") {
    NEEDS_ROOT();
    for (const char* type : {"ext4", "xfs", "btrfs", "tmpfs", "overlay"}) {
        CAPTURE(type);
        Folder folder;
        std::string at;
        std::optional<LoopAttachment> disk;
        if (type == std::string("tmpfs")) {
            at = folder.mounted("tmpfs", "at", type);
        } else if (type == std::string("overlay")) {
            const std::string lower = folder.directory("lower"), upper = folder.directory("upper"),
                              work = folder.directory("work");
            at = folder.mounted("overlay", "at", type, "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work);
        } else {
            const std::string file = folder.file("fs.img", 400_MiB);
            if (run(std::string("mkfs.") + type + " " + file) != 0) {
                std::cout << "SKIPPED: mkfs." << type << " is not installed\n";
                continue;
            }
            disk = attached(file);
            at = folder.mounted(disk->node(), "at", type);
        }
        if (at.empty()) {
            std::cout << "SKIPPED: this kernel does not mount " << type << "\n";
            continue;
        }
        // A subvolume has its own device number.
        if (type == std::string("btrfs") && run("btrfs subvolume create " + at + "/sub") == 0) at += "/sub";
        const std::string image = at + "/card.img";
        REQUIRE(run("truncate -s 4M " + image) == 0);
        const auto loop = attached(image);
        CHECK(range_of(loop.node()) == whole_file(identity_of(image)));
        CHECK_THAT(said(refusals_of(image)),
                   ContainsSubstring("held: " + image + " is attached to /dev/" + name_of_loop(loop)));
        ::umount2(at.c_str(), MNT_DETACH);
    }
}

TEST_CASE("a loop device without ioctl access is resolved by the path of its file, otherwise its range is unknown") {
    NEEDS_ROOT();
    const Folder folder;
    const std::string file = folder.file("card.img");
    const auto loop = attached(file, window(1_MiB, 2_MiB));
    const LoopQuery nobody = [](LoopEntry& entry) {
        entry.doubt = entry.name + " cannot be opened";
        return LoopAnswer::not_told;
    };
    const auto by_path = LoopMap::read(nobody);
    REQUIRE(reason(by_path) == "success");
    CHECK(by_path->range_of(number_of(loop.node())) == part(file, 1_MiB, 3_MiB));
    fs::rename(file, folder.path("other.img"));
    fs::remove(folder.path("other.img"));
    const auto nowhere = LoopMap::read(nobody);
    REQUIRE(reason(nowhere) == "success");
    CHECK_FALSE(nowhere->range_of(number_of(loop.node())));
    std::string doubts;
    for (const std::string& doubt : nowhere->doubts(std::nullopt, BackingStorage::local)) doubts += doubt + "\n";
    CHECK_THAT(doubts, ContainsSubstring("the range of " + name_of_loop(loop) + " is unknown: "));
    // The kernel still reports the range to a caller with ioctl access.
    CHECK(range_of(loop.node()));
}

TEST_CASE("a loop device on a removed disk causes doubts only for itself and for a disk of that name or number") {
    NEEDS_ROOT();
    const Folder folder;
    const auto loop = attached(folder.file("card.img")), other = attached(folder.file("other.img"));
    const DeviceNumber number = number_of(other.node());
    const auto map_with = [&](DeviceNumber gone, const std::string& path) {
        auto map = LoopMap::read([&](LoopEntry& entry) {
            if (entry.number != number_of(loop.node())) return LoopAnswer::detached;
            entry.device = gone;
            entry.backing_file = path;
            return LoopAnswer::told;
        });
        REQUIRE(reason(map) == "success");
        return std::move(*map);
    };
    const ByteRange disk{.file = {}, .disk = number, .start = 0, .end = ByteRange::no_end};
    const ByteRange file = whole_file(identity_of(folder.path("other.img")));
    const LoopMap unplugged = map_with({4000, 17}, "/dev/sdzz1 (deleted)");
    CHECK_FALSE(unplugged.content_doubt(unplugged.entries().front()).empty());
    CHECK(unplugged.doubts(disk, BackingStorage::local).empty());
    CHECK(unplugged.doubts(file, BackingStorage::local).empty());
    CHECK(unplugged.doubts(std::nullopt, BackingStorage::local).size() == 1);
    for (const std::string part : {"", "p1", "p12"}) {
        const LoopMap of_present = map_with({4000, 17}, other.node() + part);
        CHECK(of_present.doubts(disk, BackingStorage::local).size() == 1);
        CHECK(of_present.doubts(file, BackingStorage::local).empty());
    }
    CHECK(map_with({4000, 17}, other.node() + "1").doubts(disk, BackingStorage::local).empty());
}

TEST_CASE("a loop device on a broken file system causes doubts for files but not for disks") {
    NEEDS_ROOT();
    Folder folder;
    const auto below = attached(folder.file("fs.img", 400_MiB));
    if (run("mkfs.xfs -q " + below.node()) != 0) MEDIARIG_SKIP("mkfs.xfs is not installed");
    const std::string point = folder.mounted(below.node(), "point", "xfs");
    if (point.empty()) MEDIARIG_SKIP("this kernel does not mount XFS");
    REQUIRE(run("truncate -s 4M " + point + "/card.img") == 0);
    const auto loop = attached(point + "/card.img");
    const std::string image = folder.file("image.img");
    if (run("xfs_io -x -c shutdown " + point) != 0) MEDIARIG_SKIP("xfs_io cannot shut down the file system");
    const std::string doubt = "the range of " + name_of_loop(loop) + " is unknown: ";
    CHECK_THAT(said(refusals_of(loop.node())), ContainsSubstring(doubt));
    CHECK_THAT(said(refusals_of(image)), ContainsSubstring(doubt));
    const auto map = LoopMap::read();
    REQUIRE(reason(map) == "success");
    const ByteRange disk{.file = {}, .disk = {8, 0}, .start = 0, .end = ByteRange::no_end};
    CHECK(map->doubts(disk, BackingStorage::local).empty());
}

TEST_CASE("swap on a device with a hidden name causes a refusal of that device only") {
    NEEDS_ROOT();
    Folder folder;
    const auto swap = attached(folder.file("swap.img")), other = attached(folder.file("other.img"));
    const std::string hidden = folder.directory("hidden") + "/node";
    const DeviceNumber number = number_of(swap.node());
    REQUIRE(::mknod(hidden.c_str(), S_IFBLK | 0600, makedev(number.major, number.minor)) == 0);
    REQUIRE(run("mkswap " + hidden) == 0);
    if (::swapon(hidden.c_str(), 0) != 0) MEDIARIG_SKIP("this kernel does not swap to a loop device");
    const std::string cover = folder.mounted("none", "hidden", "tmpfs");
    const std::string of_other = said(refusals_of(other.node())),
                      of_image = said(refusals_of(folder.path("other.img")));
    const auto discovery = make_linux_discovery();
    const std::string claim = reason(claim_erasable(*discovery, swap.node(), folder.path("swap.img")));
    ::umount2(cover.c_str(), MNT_DETACH);
    REQUIRE(::swapoff(hidden.c_str()) == 0);
    CHECK(of_other.empty());
    CHECK_THAT(of_image, !ContainsSubstring("swap"));
    CHECK((claim.find("is held exclusively") != std::string::npos ||
           claim.find("may be the swap area") != std::string::npos));
}

TEST_CASE("LoopMap waits for a loop device that is being detached, and other devices have no doubts") {
    NEEDS_ROOT();
    const Folder folder;
    const auto target = attached(folder.file("card.img"));
    auto leaving = attached(folder.file("other.img"));
    fs::remove(folder.path("other.img")); // its path would not identify its backing file
    REQUIRE(::ioctl(leaving.descriptor(), LOOP_CLR_FD) == 0);
    REQUIRE(::open(leaving.node().c_str(), O_RDONLY | O_CLOEXEC) < 0);
    REQUIRE(errno == ENXIO);
    std::jthread closes([&] { (void)leaving.detach(); });
    CHECK(said(refusals_of(target.node())).empty());
}

TEST_CASE("a loop device is refused while another loop device shows some of the same bytes") {
    NEEDS_ROOT();
    const Folder folder;
    const std::string file = folder.file("card.img", 64_MiB);
    const auto target = attached(file, window(16_MiB, 16_MiB));
    CHECK(refusals_of(target.node()).empty());
    {
        const auto below = attached(file, window(0_B, 16_MiB)), above = attached(file, window(32_MiB, 0_B));
        CHECK(refusals_of(target.node()).empty());
    }
    for (const LoopWindow& other :
         {window(0_B, 0_B), window(0_B, 16_MiB + 512_B), window(31_MiB, 0_B), window(20_MiB, 1_MiB)}) {
        const auto loop = attached(file, other);
        CHECK(refusals_of(target.node()) ==
              std::vector<Refusal>{{RefusalKind::held, name_of_loop(loop) + " shows the same bytes of " + file}});
        CHECK(refusals_of(target.node(), {number_of(loop.node())}).empty());
        const auto image = refusals_of(file, {number_of(target.node()), number_of(loop.node())});
        CHECK(image.empty());
    }
}

TEST_CASE("a loop device is refused if another loop device with the same bytes is mounted") {
    NEEDS_ROOT();
    Folder folder;
    const std::string file = folder.file("card.img", 64_MiB);
    const auto target = attached(file);
    const auto other = attached(file, window(8_MiB, 32_MiB));
    REQUIRE(run("mkfs.ext4 -q -F " + other.node()) == 0);
    const std::string point = folder.mounted(other.node(), "point", "ext4");
    if (point.empty()) MEDIARIG_SKIP("this kernel does not mount ext4");
    const Refusal mounted{RefusalKind::mounted, name_of_loop(other) + ", over the same bytes as " +
                                                    name_of_loop(target) + ", is mounted on " + point};
    CHECK(refusals_of(target.node()) == std::vector<Refusal>{mounted});
    // A mount of the other loop device counts, although that device belongs to the caller.
    CHECK(refusals_of(target.node(), {number_of(other.node())}) == std::vector<Refusal>{mounted});
    CHECK_THAT(said(refusals_of(file)),
               ContainsSubstring("mounted: " + name_of_loop(other) + ", over the same bytes as " + file +
                                 ", is mounted on " + point));
    // A mount of another range of the file does not concern this device.
    const auto beside = attached(file, window(40_MiB, 0_B));
    CHECK_THAT(said(refusals_of(beside.node())), !ContainsSubstring("mounted"));
}

TEST_CASE("a loop device is refused for swap on its file, through loop devices, partitions and hard links") {
    NEEDS_ROOT();
    Folder folder;
    const std::string file = folder.swap_file("card.img");
    fs::create_hard_link(file, folder.path("other name"));
    {
        const auto target = attached(file);
        const auto other = attached(folder.path("other name"));
        const KernelPartition partition(other, 0_B, 8_MiB);
        REQUIRE(partition.added());
        REQUIRE(run("mkswap " + partition.node()) == 0);
        REQUIRE(folder.swap_on(partition.node()));
        CHECK_THAT(said(refusals_of(target.node())),
                   ContainsSubstring("swap: partition " + name_of_loop(other) + "p1, over the same bytes as " +
                                     name_of_loop(target) + ", is in use as swap"));
        REQUIRE(::swapoff(partition.node().c_str()) == 0);
    }
    REQUIRE(run("mkswap " + file) == 0);
    const auto target = attached(folder.path("other name"));
    if (!folder.swap_on(file)) MEDIARIG_SKIP("this kernel does not swap to a file here");
    CHECK_THAT(said(refusals_of(target.node())),
               ContainsSubstring("swap: the backing file of " + name_of_loop(target) + " is in use as swap"));
}

TEST_CASE("a mount in the namespace of another process is found and named") {
    NEEDS_ROOT();
    const Folder folder;
    const std::string image = folder.file("card.img");
    if (run("mkfs.ext4 -q -F " + image) != 0) MEDIARIG_SKIP("mkfs.ext4 is not installed");
    const auto loop = attached(image);
    const std::string point = folder.directory("point");
    const OtherNamespace other(loop.node(), point);
    if (!other.mounted()) MEDIARIG_SKIP("mount namespaces or ext4 are not available");
    const auto discovery = make_linux_discovery();
    CHECK_THAT(reason(claim_erasable(*discovery, loop.node(), image)),
               ContainsSubstring(loop.node().substr(5) + " is mounted on " + point +
                                 " (in the mount namespace of process " + std::to_string(other.process()) + ")"));
}

TEST_CASE("a mount in a namespace without processes is detected by the exclusive open") {
    NEEDS_ROOT();
    const Folder folder;
    const std::string image = folder.file("card.img");
    if (run("mkfs.ext4 -q -F " + image) != 0) MEDIARIG_SKIP("mkfs.ext4 is not installed");
    const auto loop = attached(image);
    const std::string point = folder.directory("point");
    OtherNamespace other(loop.node(), point);
    if (!other.mounted()) MEDIARIG_SKIP("mount namespaces or ext4 are not available");
    const Descriptor kept = other.keep_without_process();
    REQUIRE(kept);
    const auto discovery = make_linux_discovery();
    const auto claim = claim_erasable(*discovery, loop.node(), image);
    REQUIRE_FALSE(claim);
    CHECK_THAT(reason(claim), ContainsSubstring("is held exclusively"));
}

TEST_CASE("a loop device is refused if the path of its backing file now names another file") {
    NEEDS_ROOT();
    const Folder folder;
    const std::string file = folder.file("card.img"), other = folder.file("letters.img");
    const auto loop = attached(file);
    // Through a bind mount the name is the same but the file is another, as in another mount namespace.
    REQUIRE(::mount(other.c_str(), file.c_str(), nullptr, MS_BIND, nullptr) == 0);
    const std::string says = said(refusals_of(loop.node()));
    ::umount(file.c_str());
    CHECK_THAT(says, ContainsSubstring("unknown_state: " + file + " is not the backing file of " + name_of_loop(loop) +
                                       ": that file was renamed"));
    CHECK(refusals_of(loop.node()).empty());
}

TEST_CASE("a path keeps its trailing spaces, and a path with control characters is refused by name") {
    const Folder folder;
    const std::string plain = folder.file("x.img"), spaced = folder.file("x.img ");
    const auto medium = make_linux_discovery()->identify(spaced);
    REQUIRE(reason(medium) == "success");
    CHECK(medium->node == spaced);
    CHECK(medium->file == identity_of(spaced));
    CHECK(medium->file != identity_of(plain));
    for (const auto& [name, shown] : {std::pair{"a\x1b[31m.img", "a?[31m.img"},
                                      {"a\x7f.img", "a?.img"},
                                      {"a\xc2\x9b.img", "a?.img"},
                                      {"a\xff.img", "a?.img"},
                                      {"a\n.img", "a?.img"},
                                      {"gmi.\xe2\x80\xae"
                                       "a",
                                       "gmi.?a"},
                                      {"a\xe2\x80\x8f.img", "a?.img"},
                                      {"a\xe2\x81\xa6.img", "a?.img"},
                                      {"a\xd8\x9c.img", "a?.img"}}) {
        const auto refused = make_linux_discovery()->identify(folder.file(name));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::bad_request);
        CHECK(reason(refused) ==
              folder.path(shown) +
                  " has control or direction characters in its path, or is not valid UTF-8: rename it");
    }
    // A link to such a file is also refused.
    fs::create_symlink(folder.path("a\x7f.img"), folder.path("link"));
    CHECK_THAT(reason(make_linux_discovery()->identify(folder.path("link"))), ContainsSubstring("rename it"));
    CHECK(reason(make_linux_discovery()->identify(folder.file("d\xc3\xbcnn \xe2\x82\xac.img"))) == "success");
}

TEST_CASE("a path of the backing file of a loop device keeps its trailing spaces") {
    NEEDS_ROOT();
    const Folder folder;
    const std::string spaced = folder.file("x.img ");
    const auto loop = attached(spaced);
    const auto medium = make_linux_discovery()->identify(loop.node());
    REQUIRE(reason(medium) == "success");
    CHECK(medium->backing_file == spaced);
    CHECK(medium->file == identity_of(spaced));
}

TEST_CASE("a path below /dev that leads to a file outside is not a device") {
    const auto medium = make_linux_discovery()->identify("/dev/../etc/passwd");
    REQUIRE_FALSE(medium);
    CHECK(medium.error() ==
          Error{Errc::bad_request,
                "/dev/../etc/passwd is not a device, it leads to /etc/passwd: name an image file by its own path"});
}

TEST_CASE("listing the devices stays fast with many loop devices") {
    NEEDS_ROOT();
    const Folder folder;
    const std::string file = folder.file("disk.img", 64_MiB);
    std::vector<LoopAttachment> loops;
    for (std::uint64_t i = 0; i < 32; ++i) loops.push_back(attached(file, window(Bytes{i << 20}, 1_MiB)));
    const auto clock = [](const auto& does) {
        auto best = std::chrono::nanoseconds::max();
        for (int i = 0; i < 5; ++i) {
            const auto start = processor_time();
            does();
            best = std::min(best, processor_time() - start);
        }
        return best;
    };
    const auto map = clock([] { REQUIRE(LoopMap::read()); });
    const auto list = clock([] { REQUIRE(make_linux_discovery()->list()); });
    const auto image = clock([&] { REQUIRE(describe_image(file)); });
    std::cout << "with 32 loop devices: map " << map.count() / 1000 << " us, list " << list.count() / 1000
              << " us, image " << image.count() / 1000 << " us\n";
    CHECK(map < std::chrono::milliseconds(50));
}

} // namespace mediarig::media::holders
