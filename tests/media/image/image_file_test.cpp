// SPDX-License-Identifier: GPL-3.0-or-later
/// What an image file is to its caller, and what this machine does to it while it is in use.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/media/image/image_file.hpp"
#include "host/media/image/loop.hpp"
#include "tests/media/format/format_loop.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;
namespace fs = std::filesystem;

TEST_CASE("whether an image may be written is a question of the caller's rights, not of the agent's") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root to work for another user");
    const TemporaryFile image(16_MiB);
    const process::Caller nobody{.user = 65534, .group = 65534, .groups = {}, .name = "nobody"};
    const auto read_only_for = [&](const process::Caller& caller) {
        const auto file = process::find_as(caller, image.path());
        REQUIRE(reason(file) == "success");
        const auto medium = describe_image(*file, caller);
        REQUIRE(reason(medium) == "success");
        return medium->read_only;
    };
    fs::permissions(image.path(), fs::perms(0644));
    CHECK_FALSE(read_only_for({}));
    CHECK(read_only_for(nobody));
    fs::permissions(image.path(), fs::perms(0666));
    CHECK_FALSE(read_only_for(nobody));
}

TEST_CASE("an image that somebody shortens while it is in use is told, and is no fault of the medium") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    const TemporaryFile image(16_MiB);
    const auto loop = attach_loop(image.path());
    REQUIRE(reason(loop) == "success");
    CHECK_FALSE(loop->trouble());
    fs::resize_file(image.path(), Bytes{32_MiB}.count);
    CHECK_FALSE(loop->trouble()); // what it shows is still there
    fs::resize_file(image.path(), Bytes{8_MiB}.count);
    REQUIRE(loop->trouble());
    CHECK(loop->trouble()->detail == "somebody shortened " + image.path() +
                                         " to 8388608 bytes while it was tested: what was done on it does not count; "
                                         "make it anew, and try again");
}

TEST_CASE("an image that somebody opens while it is in use is told, and is no fault of the medium") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    const TemporaryFile image(16_MiB);
    const auto loop = attach_loop(image.path());
    REQUIRE(reason(loop) == "success");
    Descriptor other(::open(image.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (!loop->trouble()) MEDIARIG_SKIP("/var/tmp lies where leases tell nothing");
    CHECK_THAT(loop->trouble()->detail, ContainsSubstring("what was done on it does not count; try again"));
    other.close();
    CHECK_FALSE(loop->trouble());
}

TEST_CASE("a full disk below a sparse image is told, and one below an image that has all its blocks is not") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    const ToolFolder folder;
    if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=24m") != 0) MEDIARIG_SKIP("no tmpfs can be mounted");
    const auto fill = [](const std::string& path, Bytes bytes) {
        std::ofstream(path, std::ios::binary) << std::string(bytes.count, 'x');
    };
    const std::string sparse = folder.path() + "/sparse.img", stored = folder.path() + "/stored.img";
    std::ofstream(sparse).close();
    fs::resize_file(sparse, Bytes{64_MiB}.count);
    fill(stored, 2_MiB);
    {
        const auto on_sparse = attach_loop(sparse);
        REQUIRE(reason(on_sparse) == "success");
        const auto on_stored = attach_loop(stored);
        REQUIRE(reason(on_stored) == "success");
        CHECK_FALSE(on_sparse->trouble());
        fill(folder.path() + "/filler", 20_MiB);
        REQUIRE(on_sparse->trouble());
        CHECK_THAT(on_sparse->trouble()->detail, ContainsSubstring("the disk that holds " + sparse + " is full"));
        CHECK_FALSE(on_stored->trouble());
    }
    CHECK(::umount2(folder.path().c_str(), MNT_DETACH) == 0);
}
