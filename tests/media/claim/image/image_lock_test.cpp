// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests locks on image files that other holders use: programs, mappings, loop devices, swap, mounts, QEMU, a database,
/// overlays.
#include "host/media/claim/image/image_lock.hpp"

#include <sys/file.h>
#include <sys/mman.h>

#include "host/media/claim/image/image_file.hpp"
#include "tests/media/claim/image/holders.hpp"

namespace mediarig::media::holders {

namespace {

bool exchange(const std::string& a, const std::string& b) {
    return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

} // namespace

TEST_CASE("an unused file is locked within a millisecond and unused again afterwards") {
    const Folder folder;
    const std::string path = folder.file("card.img");
    auto best = std::chrono::nanoseconds::max();
    for (int i = 0; i < 50; ++i) {
        auto file = opened(path);
        const auto start = processor_time();
        const auto hold = ImageLock::take(file, {::geteuid(), ::getegid()});
        best = std::min(best, processor_time() - start);
        REQUIRE(reason(hold) == "success");
        CHECK(reason(hold->recheck()) == "success");
    }
    std::cout << "holding a free file: " << best.count() / 1000 << " us\n";
    CHECK(best < std::chrono::milliseconds(1));
}

TEST_CASE("a locked file refuses other locks and another ImageLock") {
    const Folder folder;
    const std::string path = folder.file("card.img");
    auto file = opened(path);
    {
        const auto hold = ImageLock::take(file, {::geteuid(), ::getegid()});
        REQUIRE(reason(hold) == "success");
        CHECK_THAT(taken(path, ::geteuid()), ContainsSubstring("card.img is in use: "));
        const Descriptor other(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        CHECK(::flock(other.get(), LOCK_SH | LOCK_NB) == -1);
        struct flock byte {};
        byte.l_type = F_RDLCK;
        byte.l_whence = SEEK_SET;
        byte.l_start = 4711;
        byte.l_len = 1;
        CHECK(::fcntl(other.get(), F_OFD_SETLK, &byte) == -1);
        // recheck() finds a process that has opened the file since the hold began, with or without locks.
        CHECK_THAT(reason(hold->recheck()), ContainsSubstring("card.img is in use: "));
    }
    // The descriptor is still open although the locks are gone.
    const Descriptor other(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    CHECK(::flock(other.get(), LOCK_EX | LOCK_NB) == 0);
}

TEST_CASE("a process that has the file open for reading or writing causes a refusal that names the process") {
    const Folder folder;
    const std::string path = folder.file("card.img");
    for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR}) {
        const Holder holder([&] { return ::open(path.c_str(), flags) >= 0; });
        REQUIRE(holder.holds());
        const auto start = processor_time();
        CHECK_THAT(taken(path, ::geteuid()), ContainsSubstring("open in " + holder.name()));
        const auto took = processor_time() - start;
        std::cout << "naming the holder: " << took / std::chrono::microseconds(1) << " us\n";
        CHECK(took < std::chrono::milliseconds(100));
    }
    CHECK(taken(path, ::geteuid()) == "success");
}

TEST_CASE("a mapping that outlived its descriptor causes a refusal that names the process") {
    const Folder folder;
    const std::string path = folder.file("card.img");
    const Holder holder([&] {
        const Descriptor file(::open(path.c_str(), O_RDWR));
        return ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0) != MAP_FAILED;
    });
    REQUIRE(holder.holds());
    CHECK_THAT(taken(path, ::geteuid()), ContainsSubstring("mapped by " + holder.name()));
}

TEST_CASE("the image of a running virtual machine is refused, and no virtual machine starts on a locked image") {
    if (run("qemu-system-x86_64 --version") != 0) MEDIARIG_SKIP("qemu-system-x86_64 is not installed");
    const Folder folder;
    const std::string path = folder.file("disk.img");
    const std::string qemu =
        "exec qemu-system-x86_64 -machine none -S -display none -monitor none -serial none -drive "
        "if=none,id=disk,format=raw,file=" +
        path + " >" + folder.path("qemu.log") + " 2>&1";
    {
        const Program machine(qemu, [&](pid_t) {
            // QEMU marks a file in use by read locks on bytes 100 and up (block/file-posix.c).
            const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
            struct flock bytes {};
            bytes.l_type = F_WRLCK;
            bytes.l_whence = SEEK_SET;
            return ::fcntl(file.get(), F_OFD_GETLK, &bytes) == 0 && bytes.l_type != F_UNLCK;
        });
        REQUIRE(machine.is_ready());
        CHECK_THAT(taken(path, ::geteuid()), ContainsSubstring("(qemu-system-x86)"));
    }
    auto file = opened(path);
    const auto hold = ImageLock::take(file, {::geteuid(), ::getegid()});
    REQUIRE(reason(hold) == "success");
    CHECK(run("timeout 20 sh -c '" + qemu + "'") != 0);
    CHECK(run("grep -q 'lock' " + folder.path("qemu.log")) == 0);
}

TEST_CASE("a database in a transaction is refused, and sqlite3 reports that a locked database is locked") {
    if (run("sqlite3 --version") != 0) MEDIARIG_SKIP("sqlite3 is not installed");
    const Folder folder;
    const std::string path = folder.path("shop.db");
    REQUIRE(run("sqlite3 " + path + " 'create table t(x); insert into t values (zeroblob(2000000))'") == 0);
    {
        const Program shell(
            "(echo 'begin immediate; select 1;'; exec sleep 100) | exec sqlite3 " + path + " >" + folder.path("out"),
            [&](pid_t) { return run("test -s " + folder.path("out")) == 0; });
        REQUIRE(shell.is_ready());
        CHECK_THAT(taken(path, ::geteuid()), ContainsSubstring("(sqlite3)"));
    }
    auto file = opened(path);
    const auto hold = ImageLock::take(file, {::geteuid(), ::getegid()});
    REQUIRE(reason(hold) == "success");
    CHECK(run("sqlite3 " + path + " 'insert into t values (1)' 2>&1 | grep -q locked") == 0);
}

TEST_CASE("a file below a loop device, also a read-only loop device, is refused with the loop device named") {
    NEEDS_ROOT();
    const Folder folder;
    const std::string path = folder.file("card.img");
    REQUIRE(run("losetup -r -f " + path) == 0);
    CHECK_THAT(taken(path), ContainsSubstring("card.img is attached to /dev/loop"));
    REQUIRE(run("losetup -d $(losetup -n -O NAME -j " + path + ")") == 0);
    CHECK(taken(path) == "success");
}

TEST_CASE("a loop device on the locked descriptor keeps the lock valid, another loop device makes recheck() fail") {
    NEEDS_ROOT();
    const Folder folder;
    const std::string path = folder.file("card.img");
    auto file = opened(path);
    const auto hold = ImageLock::take(file, {0, 0});
    REQUIRE(reason(hold) == "success");
    const auto ours = attach_to_free_loop(file.descriptor.get(), path, {});
    REQUIRE(reason(ours) == "success");
    CHECK(reason(hold->recheck()) == "success");
    const auto theirs = attached(path, {.offset = 1_MiB, .length = 1_MiB, .block_size = 0});
    CHECK_THAT(reason(hold->recheck()),
               ContainsSubstring("card.img is in use: ") && ContainsSubstring(theirs.node().substr(5)));
}

TEST_CASE("active swap is refused under any name of its file") {
    NEEDS_ROOT();
    Folder folder;
    const std::string path = folder.swap_file("swap"), link = folder.path("card.img");
    fs::create_hard_link(path, link);
    if (!folder.swap_on(path)) MEDIARIG_SKIP("this kernel does not swap to a file here");
    // The kernel itself refuses writes. A medium with this name must also be refused.
    const auto medium = describe_image(link);
    REQUIRE(reason(medium) == "success");
    CHECK(medium->refusals == std::vector<Refusal>{{RefusalKind::swap, link + " is in use as swap"}});
}

TEST_CASE("a file that is mounted directly is refused with the mount named") {
    NEEDS_ROOT();
    Folder folder;
    const std::string path = folder.path("system.img");
    std::ofstream(folder.directory("content") + "/page") << std::string(2'000'000, 'x');
    if (run("mkfs.erofs " + path + " " + folder.directory("content")) != 0)
        MEDIARIG_SKIP("mkfs.erofs is not installed");
    fs::create_hard_link(path, folder.path("card.img"));
    const std::string point = folder.mounted(path, "point", "erofs");
    if (point.empty()) MEDIARIG_SKIP("this kernel does not mount erofs from a file");
    CHECK_THAT(taken(folder.path("card.img")), ContainsSubstring("card.img is mounted on " + point));
    const auto medium = describe_image(folder.path("card.img"));
    REQUIRE(reason(medium) == "success");
    CHECK(medium->refusals ==
          std::vector<Refusal>{{RefusalKind::mounted, folder.path("card.img") + " is mounted on " + point}});
}

TEST_CASE("without a lease, only the owner of a file may claim it") {
    NEEDS_ROOT();
    const Folder folder;
    const std::string path = folder.file("card.img");
    // The kernel grants no lease to a user who neither owns the file nor has the capability, as on a file system
    // without leases.
    const auto ends_well = [&](uid_t caller, Use use) {
        const Holder unprivileged([&] {
            auto file = opened(path);
            if (::setuid(65534) != 0) return false;
            return ImageLock::take(file, {caller, caller}, use).has_value();
        });
        return unprivileged.holds();
    };
    CHECK(ends_well(0, Use::may_be_unknown));
    CHECK(ends_well(0, Use::must_be_known));
    CHECK_FALSE(ends_well(1000, Use::may_be_unknown));
}

TEST_CASE("a mapping of a file below a loop device is found in a process with tens of thousands of mappings") {
    NEEDS_ROOT();
    const Folder folder;
    const std::string path = folder.file("card.img"), other = folder.file("other.bin", 200_MiB);
    const auto loop = attached(path);
    const auto below_loop = [&] {
        auto file = opened(path);
        return reason(ImageLock::take_below_loop(file));
    };
    if (const std::string alone = below_loop(); alone != "success") MEDIARIG_SKIP("processes cannot be seen: " + alone);
    const Holder holder([&] {
        constexpr std::size_t page = 4096, pages = 45'000;
        const Descriptor many(::open(other.c_str(), O_RDWR)), card(::open(path.c_str(), O_RDWR));
        // Every other page is read-only: each is a line of /proc/PID/maps, 4.5 MB in total.
        char* const map =
            static_cast<char*>(::mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_SHARED, many.get(), 0));
        if (map == MAP_FAILED) return false;
        for (std::size_t i = 0; i < pages; i += 2)
            if (::mprotect(map + i * page, page, PROT_READ) != 0) return false;
        return ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, card.get(), 0) != MAP_FAILED;
    });
    REQUIRE(holder.holds());
    CHECK_THAT(below_loop(), ContainsSubstring("in use: it is open in " + holder.name()));
}

TEST_CASE("a file on FUSE gets a lease although its storage has users, and only its owner may claim it") {
    NEEDS_ROOT();
    if (run("nbdfuse --version && nbdkit --version") != 0) MEDIARIG_SKIP("nbdfuse or nbdkit is not installed");
    Folder folder;
    const std::string path = folder.file("card.img"), views = folder.directory("views"), view = views + "/view.img";
    folder.unmount_in_the_end(views);
    const Program server("exec nbdfuse " + view + " [ nbdkit file " + path + " ]",
                         [&](pid_t) { return fs::exists(view); });
    REQUIRE(server.is_ready());
    const auto loop = attached(path);
    CHECK_THAT(taken(path), ContainsSubstring("is attached to /dev/loop") || ContainsSubstring("is in use"));
    CHECK_THAT(taken(view, 1000), ContainsSubstring("without reliable leases") &&
                                      ContainsSubstring("it belongs to user 0: only that user may"));
    CHECK(taken(view, 0) == "success");
    auto below_loop = opened(view);
    const auto hold = ImageLock::take_below_loop(below_loop);
    CHECK_THAT(reason(hold), ContainsSubstring("stores its bytes elsewhere"));
}

TEST_CASE("a process that opens the file during the lease succeeds, and no process is killed by a signal") {
    const Folder folder;
    const std::string path = folder.file("card.img");
    auto file = opened(path);
    const auto hold = ImageLock::take(file, {::geteuid(), ::getegid()});
    REQUIRE(reason(hold) == "success");
    int refused = 0, granted = 0;
    const Holder opener([&] {
        const pid_t holder = ::getpid();
        if (::fork() != 0) return true;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != holder) ::_exit(0); // ended already
        while (true) {
            const Descriptor other(::open(path.c_str(), O_RDONLY));
            ::usleep(20);
        }
    });
    for (int i = 0; i < 300; ++i) hold->recheck() ? ++granted : ++refused;
    CHECK(granted + refused == 300);
    CHECK(granted > 0);
}

TEST_CASE(
    "if two files exchange their names after the description of one, its name leads to a file with another identity") {
    const Folder folder;
    const std::string path = folder.file("card.img"), other = folder.file("letters.img");
    const auto described = describe_image(path);
    REQUIRE(reason(described) == "success");
    CHECK(described->file == identity_of(path));
    REQUIRE(exchange(path, other));
    auto file = opened(path);
    CHECK(describe_image(file, {})->file != described->file);
    // An open descriptor keeps its identity although the file has a new name.
    auto kept = opened(path);
    REQUIRE(exchange(path, other));
    kept.path = fs::read_symlink("/proc/self/fd/" + std::to_string(kept.descriptor.get()));
    CHECK(describe_image(kept, {})->node == other);
    CHECK(describe_image(kept, {})->file == identity_of(other));
}

} // namespace mediarig::media::holders
