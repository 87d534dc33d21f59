// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests locks on image files that an overlay also shows. The files are used through the overlay, below the overlay,
/// and below a loop device.
#include <sched.h>
#include <sys/file.h>
#include <sys/mman.h>

#include "host/media/claim/image/image_lock.hpp"
#include "tests/media/claim/image/holders.hpp"

namespace mediarig::media::holders {

namespace {

std::string taken_below_loop(const std::string& path) {
    auto file = opened(path);
    return reason(ImageLock::take_below_loop(file));
}

} // namespace

TEST_CASE("a file on an overlay and its upper file are two names of one file") {
    NEEDS_ROOT();
    for (const bool made_below : {false, true}) {
        CAPTURE(made_below);
        Folder folder;
        const std::string lower = folder.directory("lower"), upper = folder.directory("upper, 1"),
                          work = folder.directory("work");
        if (made_below) REQUIRE(run("truncate -s 2M " + lower + "/card.img") == 0);
        const std::string merged =
            folder.mounted("overlay", "merged", "overlay",
                           "lowerdir=" + lower + ",upperdir=" + folder.path("upper\\, 1") + ",workdir=" + work);
        if (merged.empty()) MEDIARIG_SKIP("this kernel does not mount an overlay here");
        const std::string path = merged + "/card.img", below = upper + "/card.img";
        REQUIRE(run("truncate -s 3M " + path) == 0);

        CHECK(taken(path) == "success");
        CHECK(taken(below) == "success");
        {
            const Holder holder([&] { return ::open(path.c_str(), O_RDONLY) >= 0; });
            CHECK_THAT(taken(below), ContainsSubstring("card.img is in use: "));
            CHECK_THAT(taken(path), ContainsSubstring("in " + holder.name()));
        }
        {
            const Holder holder([&] { return ::open(below.c_str(), O_RDONLY) >= 0; });
            CHECK_THAT(taken(path), ContainsSubstring("it is open in " + holder.name()));
        }
        {
            const auto loop = attached(below);
            CHECK_THAT(taken(path), ContainsSubstring("the file below its overlay is attached to /dev/loop"));
        }
        auto file = opened(path);
        const auto hold = ImageLock::take(file, {0, 0});
        REQUIRE(reason(hold) == "success");
        CHECK(reason(hold->recheck()) == "success");
        CHECK(identity_of("/proc/self/fd/" + std::to_string(file.descriptor.get())) == identity_of(path));
        CHECK(::pwrite(file.descriptor.get(), "x", 1, 0) == 1);
        const Descriptor other(::open(below.c_str(), O_RDWR | O_CLOEXEC));
        CHECK(::flock(other.get(), LOCK_EX | LOCK_NB) == -1);
    }
}

TEST_CASE("a file whose storage below an overlay is unknown requires --use-unknown, and only its owner may claim it") {
    NEEDS_ROOT();
    Folder folder;
    const std::string lower = folder.directory("lower"), upper = folder.directory("upper"),
                      work = folder.directory("work");
    const std::string merged =
        folder.mounted("overlay", "merged", "overlay", "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work);
    if (merged.empty()) MEDIARIG_SKIP("this kernel does not mount an overlay here");
    const std::string path = merged + "/card.img";
    REQUIRE(run("truncate -s 3M " + path) == 0);
    // This is the state in a container: the directories of its overlay are outside.
    REQUIRE_FALSE(folder.mounted("tmpfs", "upper", "tmpfs").empty());
    CHECK(taken(path, 0) ==
          path +
              " is on an overlay, and the file below it cannot be found: its upper directory holds another file under "
              "this name; if no other program uses it, add --use-unknown (\"use_unknown\": true in a plan)");
    CHECK(taken(path, 0, Use::may_be_unknown) == "success");
    for (const Use use : {Use::must_be_known, Use::may_be_unknown})
        CHECK_THAT(taken(path, 1000, use),
                   ContainsSubstring("is on an overlay, and the file below it cannot be found") &&
                       ContainsSubstring("it belongs to user 0: only that user may"));
}

TEST_CASE("a file on an overlay with relative directories requires --use-unknown, whether the file is in use or not") {
    NEEDS_ROOT();
    Folder folder;
    folder.directory("lower");
    folder.directory("work");
    folder.directory("merged");
    const std::string below = folder.directory("upper") + "/card.img", path = folder.path("merged/card.img");
    folder.unmount_in_the_end(folder.path("merged"));
    if (run("cd " + folder.path("") + " && mount -t overlay o -o lowerdir=lower,upperdir=upper,workdir=work merged") !=
        0)
        MEDIARIG_SKIP("this kernel does not mount an overlay here");
    REQUIRE(run("truncate -s 3M " + path) == 0);
    CHECK_THAT(taken(path), ContainsSubstring("its upper directory was named from another folder") &&
                                ContainsSubstring("--use-unknown"));
    const auto loop = attached(below);
    CHECK_THAT(taken_below_loop(below), ContainsSubstring("may be part of the overlay on " + folder.path("merged")) &&
                                            ContainsSubstring("detach the loop device and name the image file"));
}

TEST_CASE("below a loop device, a file in an upper directory is refused, wherever the overlay is mounted") {
    NEEDS_ROOT();
    for (const bool elsewhere : {false, true}) {
        for (const char* change : {"", "renamed", "hidden"}) {
            CAPTURE(elsewhere, change);
            Folder folder;
            const std::string lower = folder.directory("lower"), upper = folder.directory("upper"),
                              work = folder.directory("work"), merged = folder.directory("merged");
            REQUIRE(run("truncate -s 3M " + upper + "/card.img") == 0);
            const std::string options = "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work;
            const auto mounts = [&] { return ::mount("overlay", merged.c_str(), "overlay", 0, options.c_str()) == 0; };
            // A container mounts its overlay in this way.
            const Holder container([&] {
                return !elsewhere || (::unshare(CLONE_NEWNS) == 0 &&
                                      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 && mounts());
            });
            if (!elsewhere) folder.unmount_in_the_end(merged);
            if (!container.holds() || (!elsewhere && !mounts()))
                MEDIARIG_SKIP("this kernel does not mount an overlay here");
            std::string path = upper + "/card.img";
            if (change == std::string("renamed")) {
                fs::rename(upper, folder.path("moved"));
                path = folder.path("moved/card.img");
            }
            if (change == std::string("hidden")) REQUIRE_FALSE(folder.mounted("tmpfs", "merged", "tmpfs").empty());
            const auto loop = attached(path);
            CHECK_THAT(taken_below_loop(path), ContainsSubstring("card.img ") &&
                                                   ContainsSubstring("the overlay on " + merged) &&
                                                   ContainsSubstring("detach the loop device and name the image file"));
        }
    }
}

TEST_CASE("a file outside the directories of an overlay is refused only if a hard link to the file is inside them") {
    NEEDS_ROOT();
    Folder folder;
    const std::string lower = folder.directory("lower"), upper = folder.directory("upper"),
                      work = folder.directory("work"), path = folder.file("card.img");
    const std::string merged =
        folder.mounted("overlay", "merged", "overlay", "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work);
    if (merged.empty()) MEDIARIG_SKIP("this kernel does not mount an overlay here");
    const auto loop = attached(path);
    const std::string alone = taken_below_loop(path);
    if (alone.find("cannot be identified") != std::string::npos)
        MEDIARIG_SKIP("another overlay of this machine cannot be judged: " + alone);
    CHECK(alone == "success");
    // Making a file in the upper directory changes the attributes of its root.
    REQUIRE(run("touch " + merged + "/new") == 0);
    CHECK(taken_below_loop(path) == "success");
    fs::create_hard_link(path, upper + "/linked.img");
    CHECK_THAT(taken_below_loop(path), ContainsSubstring("directory of the overlay on " + merged));
}

TEST_CASE("a program that has the file open through an overlay is found even if no mount table contains the overlay") {
    NEEDS_ROOT();
    for (const bool mapped : {false, true}) {
        CAPTURE(mapped);
        Folder folder;
        const std::string lower = folder.directory("lower"), upper = folder.directory("upper"),
                          work = folder.directory("work"), path = upper + "/card.img";
        const std::string merged = folder.mounted("overlay", "merged", "overlay",
                                                  "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work);
        if (merged.empty()) MEDIARIG_SKIP("this kernel does not mount an overlay here");
        REQUIRE(run("truncate -s 3M " + path) == 0);
        const Holder holder([&] {
            const int file = ::open((merged + "/card.img").c_str(), O_RDWR);
            if (!mapped) return file >= 0;
            const bool done = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) != MAP_FAILED;
            ::close(file);
            return done;
        });
        REQUIRE(holder.holds());
        REQUIRE(::umount2(merged.c_str(), MNT_DETACH) == 0);
        const auto loop = attached(path);
        CHECK_THAT(taken_below_loop(path), ContainsSubstring("card.img is in use: it is open in " + holder.name()));
    }
}

} // namespace mediarig::media::holders
