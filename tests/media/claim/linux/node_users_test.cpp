// SPDX-License-Identifier: GPL-3.0-or-later
/// Programs that write to a claimed device through another node of its stack, on the real kernel.
#include "host/media/claim/linux/kernel/node_users.hpp"

#include <sched.h>
#include <sys/file.h>
#include <sys/mman.h>

#include <atomic>
#include <thread>

#include "host/media/claim/claim.hpp"
#include "host/media/claim/linux/linux_media.hpp"
#include "tests/media/claim/image/holders.hpp"

namespace mediarig::media::holders {

namespace {

/// A disk with a partition that another program has attached. This process and its children have no descriptor of the
/// disk.
class PartitionedDisk {
public:
    explicit PartitionedDisk(const Folder& folder) : image_(folder.file("disk.img", 64_MiB)) {
        const std::string name = folder.path("loop name");
        if (run("losetup -f --show '" + image_ + "'") != 0) return;
        REQUIRE(std::system(("losetup -n -O NAME -j '" + image_ + "' >'" + name + "'").c_str()) == 0);
        std::ifstream(name) >> node_;
        run("partx -d " + node_); // remove a partition of an earlier user of this loop device
        added_ = run("addpart " + node_ + " 2 4096 32768") == 0;
    }
    PartitionedDisk(const PartitionedDisk&) = delete;
    PartitionedDisk& operator=(const PartitionedDisk&) = delete;
    ~PartitionedDisk() {
        if (added_) run("delpart " + node_ + " 2");
        if (!node_.empty()) run("losetup -d " + node_);
    }
    [[nodiscard]] bool is_there() const { return added_; }
    [[nodiscard]] const std::string& image() const { return image_; }
    [[nodiscard]] const std::string& node() const { return node_; }
    [[nodiscard]] std::string partition() const { return node_ + "p2"; }
    [[nodiscard]] std::string claimed() const {
        const auto discovery = make_linux_discovery();
        const auto claim = claim_erasable(*discovery, node_, image_);
        if (!claim) CHECK(claim.error().code == Errc::refused);
        return reason(claim);
    }

private:
    std::string image_, node_;
    bool added_{};
};

#define NEEDS_PARTITION(disk) \
    if (!(disk).is_there())   \
    MEDIARIG_SKIP("addpart of util-linux, or a kernel with partitions of loop devices, is missing")

} // namespace

TEST_CASE("a program that has a partition of the claimed disk open for writing causes a refusal that names both") {
    NEEDS_ROOT();
    const Folder folder;
    const PartitionedDisk disk(folder);
    NEEDS_PARTITION(disk);
    for (const int flags : {O_WRONLY, O_RDWR, O_RDWR | O_DIRECT}) {
        const Holder holder([&] { return ::open(disk.partition().c_str(), flags) >= 0; });
        REQUIRE(holder.holds());
        CHECK_THAT(disk.claimed(), ContainsSubstring(disk.node() + " may not be erased: " + disk.partition() +
                                                     " is open for writing in " + holder.name()) &&
                                       ContainsSubstring("end that program, then try again"));
    }
    const Holder reader([&] { return ::open(disk.partition().c_str(), O_RDONLY) >= 0; });
    REQUIRE(reader.holds());
    CHECK(disk.claimed() == "success");
}

TEST_CASE("a program that uses a node made by mknod for the disk or its partition is found") {
    NEEDS_ROOT();
    const Folder folder;
    const PartitionedDisk disk(folder);
    NEEDS_PARTITION(disk);
    for (const std::string& node : {disk.node(), disk.partition()}) {
        const DeviceNumber number = number_of(node);
        const std::string alias = folder.path("alias");
        REQUIRE(::mknod(alias.c_str(), S_IFBLK | 0600, makedev(number.major, number.minor)) == 0);
        const Holder holder([&] { return ::open(alias.c_str(), O_WRONLY) >= 0; });
        fs::remove(alias);
        if (!holder.holds()) MEDIARIG_SKIP("the temporary folder is on a file system without device nodes");
        CHECK_THAT(disk.claimed(), ContainsSubstring(node + " is open for writing in " + holder.name()));
    }
}

TEST_CASE("a writable shared mapping of a partition causes a refusal, also after its descriptor was closed") {
    NEEDS_ROOT();
    const Folder folder;
    const PartitionedDisk disk(folder);
    NEEDS_PARTITION(disk);
    struct Row {
        int flags, protection, kind;
        bool made_read_only, refused;
    };
    for (const Row& row : {Row{O_RDWR, PROT_READ | PROT_WRITE, MAP_SHARED, false, true},
                           {O_RDWR, PROT_READ | PROT_WRITE, MAP_SHARED, true, true},
                           {O_RDONLY, PROT_READ, MAP_SHARED, false, false},
                           {O_RDWR, PROT_READ | PROT_WRITE, MAP_PRIVATE, false, false}}) {
        CAPTURE(row.flags, row.kind, row.made_read_only);
        const Holder holder([&] {
            const Descriptor node(::open(disk.partition().c_str(), row.flags));
            void* const map = ::mmap(nullptr, 4096, row.protection, row.kind, node.get(), 0);
            return map != MAP_FAILED && (!row.made_read_only || ::mprotect(map, 4096, PROT_READ) == 0);
        });
        REQUIRE(holder.holds());
        if (row.refused)
            CHECK_THAT(disk.claimed(),
                       ContainsSubstring(disk.partition() + " is mapped for writing in " + holder.name()));
        else
            CHECK(disk.claimed() == "success");
    }
}

TEST_CASE("a lock of any kind on a partition causes a refusal, even if its holder only reads") {
    NEEDS_ROOT();
    const Folder folder;
    const PartitionedDisk disk(folder);
    NEEDS_PARTITION(disk);
    for (const int kind : {0, F_OFD_SETLK, F_SETLK}) {
        CAPTURE(kind);
        const Holder holder([&] {
            const int node = ::open(disk.partition().c_str(), O_RDONLY);
            struct flock range {};
            range.l_type = F_RDLCK;
            range.l_start = 4096;
            range.l_len = 1;
            return kind == 0 ? ::flock(node, LOCK_SH) == 0 : ::fcntl(node, kind, &range) == 0;
        });
        REQUIRE(holder.holds());
        CHECK_THAT(disk.claimed(), ContainsSubstring(disk.partition() + " is locked in " + holder.name()));
    }
}

TEST_CASE("a thread that has its own descriptor table is found") {
    NEEDS_ROOT();
    const Folder folder;
    const PartitionedDisk disk(folder);
    NEEDS_PARTITION(disk);
    const Holder holder([&] {
        std::atomic<int> opened{-2};
        std::thread([&, node = disk.partition()] {
            opened = ::unshare(CLONE_FILES) == 0 ? ::open(node.c_str(), O_WRONLY) : -1;
            while (true) ::pause();
        }).detach();
        while (opened == -2) ::usleep(1000);
        return opened >= 0;
    });
    REQUIRE(holder.holds());
    CHECK_THAT(disk.claimed(), ContainsSubstring(disk.partition() + " is open for writing in " + holder.name()));
}

TEST_CASE("a program that opens a partition for writing after the claim voids the claim at the next recheck") {
    NEEDS_ROOT();
    const Folder folder;
    const PartitionedDisk disk(folder);
    NEEDS_PARTITION(disk);
    const auto discovery = make_linux_discovery();
    auto claim = claim_erasable(*discovery, disk.node(), disk.image());
    REQUIRE(reason(claim) == "success");
    REQUIRE(reason(claim->recheck(*discovery)) == "success");
    // While the disk is held, the kernel allows other programs to open its partitions, but not exclusively.
    const Holder holder([&] {
        // Descriptors from the claim share its lock; descriptors of other files stay open.
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
            std::error_code unreadable;
            const std::string opened = std::filesystem::read_symlink(entry.path(), unreadable).string();
            if (opened.starts_with("/dev/loop")) ::close(std::stoi(entry.path().filename().string()));
        }
        return ::open(disk.partition().c_str(), O_WRONLY) >= 0;
    });
    REQUIRE(holder.holds());
    CHECK_THAT(reason(claim->recheck(*discovery)),
               ContainsSubstring(disk.partition() + " is open for writing in " + holder.name()));
    CHECK(claim->descriptor() == -1);
}

TEST_CASE("nodes_over_bytes_of() lists only the loop devices on the same bytes of a file") {
    NEEDS_ROOT();
    const Folder folder;
    const PartitionedDisk disk(folder);
    NEEDS_PARTITION(disk);
    const auto window = [](Bytes offset, Bytes length) {
        return LoopWindow{.offset = offset, .length = length, .block_size = 0};
    };
    // The partition is [2 MiB, 18 MiB) of the disk.
    const auto within = attached(disk.image(), window(4_MiB, 1_MiB)),
               beside = attached(disk.image(), window(32_MiB, 1_MiB)),
               on_partition = attached(disk.partition(), window(8_MiB, 1_MiB));
    const auto nodes_of = [](const std::string& node) {
        const auto found = nodes_over_bytes_of(number_of(node));
        REQUIRE(reason(found) == "success");
        CHECK(found->of_file);
        return found->numbers;
    };
    const auto has = [](const std::vector<DeviceNumber>& numbers, const std::string& node) {
        return std::ranges::find(numbers, number_of(node)) != numbers.end();
    };
    const auto whole = nodes_of(disk.node());
    for (const std::string& node : {disk.node(), disk.partition(), within.node(), beside.node(), on_partition.node()})
        CHECK(has(whole, node));
    const auto small = nodes_of(beside.node());
    CHECK(has(small, disk.node()));
    CHECK_FALSE(has(small, disk.partition()));
    CHECK_FALSE(has(small, within.node()));
    const auto above = nodes_of(on_partition.node());
    CHECK(has(above, disk.node()));
    CHECK(has(above, disk.partition()));
    CHECK_FALSE(has(above, within.node()));
}

} // namespace mediarig::media::holders
