// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "host/base/process/run_process.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/lab/image/small_distribution.hpp"

using namespace mediarig;
using namespace mediarig::lab;
using tests::SmallDistribution;
using tests::Told;
namespace fs = std::filesystem;

namespace {

std::string listing_of(const fs::path& archive) {
    const auto listed =
        process::run_process({.program = "sh", .arguments = {"-c", "cpio -t <\"$0\"", archive.string()}});
    return listed ? listed->out : listed.error().detail;
}

bool lists(const std::string& listing, const std::string& name) {
    return ("\n" + listing).find("\n" + name + "\n") != std::string::npos;
}

} // namespace

TEST_CASE("the cache is in the user's cache folder, and the agent is next to the program") {
    const char* kept = ::getenv("XDG_CACHE_HOME");
    const std::string before = kept == nullptr ? "" : kept;
    ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
    CHECK(default_image_options().cache == "/somewhere/mediarig/lab");
    ::setenv("XDG_CACHE_HOME", "relative", 1);
    const char* home = ::getenv("HOME");
    if (home != nullptr) CHECK(default_image_options().cache == fs::path(home) / ".cache/mediarig/lab");
    if (kept == nullptr)
        ::unsetenv("XDG_CACHE_HOME");
    else
        ::setenv("XDG_CACHE_HOME", before.c_str(), 1);
    CHECK(default_image_options().agent == fs::read_symlink("/proc/self/exe").parent_path() / "mediarig-agent-static");
}

TEST_CASE("a first build makes a complete image and a second one uses no network") {
    const SmallDistribution distribution;
    Told told;
    const auto image = build_guest_image(distribution.options(), told.progress());
    REQUIRE(reason(image) == "success");

    CHECK(image->apfs);
    CHECK(image->key.starts_with("6.1.0-99-amd64_apfs-0.3.22-1_"));
    CHECK(image->folder == distribution.cache() / "images" / image->key);
    CHECK(fs::file_size(image->kernel) == std::string("\x7F"
                                                      "ELF and so on")
                                              .size());
    const std::string listing = listing_of(image->initrd);
    for (const char* name :
         {"init", "dev/console", "dev/null", "bin/busybox", "usr/sbin/mediarig-agent", "usr/sbin/mkfs.exfat",
          "sbin/apfsck", "lib64/ld-linux-x86-64.so.2", "lib/x86_64-linux-gnu/libc.so.6", "lib/modules/order",
          "lib/modules/apfs.ko", "lib/modules/usb-storage.ko", "usr/lib/locale/C.utf8/LC_CTYPE"}) {
        CAPTURE(name, listing);
        CHECK(lists(listing, name));
    }
    CHECK_FALSE(lists(listing, "etc/lab-check-apfs"));
    CHECK(distribution.left_work().empty());

    const Manifest& manifest = image->manifest;
    CHECK(manifest.agent.version == "9.8.7");
    CHECK(manifest.compiler == "gcc-12 (stand-in) 12.0");
    CHECK(manifest.selection.packages.size() == 23);
    CHECK(manifest.modules.front().name == "virtio_pci");
    CHECK(manifest.initrd_size.count == fs::file_size(image->initrd));
    CHECK(parse_manifest(to_json(manifest).dump()) == manifest);

    const auto before = distribution.calls_of_apt();
    distribution.go_offline();
    Told again;
    const auto second = build_guest_image(distribution.options(), again.progress());
    REQUIRE(reason(second) == "success");
    CHECK(second->key == image->key);
    CHECK(again.lines.empty());
    CHECK(distribution.calls_of_apt() == before);
    const auto found = find_guest_image(distribution.options());
    REQUIRE(reason(found) == "success");
    CHECK(found->manifest == manifest);
}

TEST_CASE("a new agent makes a new image from the cache without network") {
    const SmallDistribution distribution;
    Told told;
    const auto first = build_guest_image(distribution.options(), told.progress());
    REQUIRE(reason(first) == "success");
    distribution.go_offline();
    std::ofstream(distribution.agent(), std::ios::app) << "another build";
    CHECK_THAT(reason(find_guest_image(distribution.options())),
               ContainsSubstring("build it with 'mediarig lab build'"));

    Told again;
    const auto second = build_guest_image(distribution.options(), again.progress());
    REQUIRE(reason(second) == "success");
    CHECK(second->key != first->key);
    CHECK(again.lines == std::vector<std::string>{"writing the guest image"});
    CHECK(distribution.images().size() == 2);
}

TEST_CASE("the newest four images are kept") {
    const SmallDistribution distribution;
    Told told;
    std::string last;
    for (int i = 0; i < 6; ++i) {
        std::ofstream(distribution.agent(), std::ios::app) << i;
        const auto image = build_guest_image(distribution.options(), told.progress());
        REQUIRE(reason(image) == "success");
        last = image->key;
    }
    const auto images = distribution.images();
    CHECK(images.size() == 4);
    CHECK(std::count(images.begin(), images.end(), last) == 1);
}

TEST_CASE("a search for updates without network uses the cache and reports this") {
    const SmallDistribution distribution;
    Told told;
    const auto first = build_guest_image(distribution.options(), told.progress());
    REQUIRE(reason(first) == "success");
    distribution.go_offline();
    auto options = distribution.options();
    options.versions = Versions::newest;
    distribution.withdraw("linux-image-amd64");
    Told again;
    const auto second = build_guest_image(options, again.progress());
    REQUIRE(reason(second) == "success");
    CHECK(second->key == first->key);
    CHECK(again.says("using the packages in the cache"));
    CHECK(again.says("no route to host"));
}

TEST_CASE("an untested apfs module is checked by the guest at each boot") {
    const SmallDistribution distribution;
    distribution.withdraw("apfs-dkms");
    SECTION("a newer version") {
        const fs::path pool = distribution.cache().parent_path() / "pool";
        fs::copy_file(pool / "apfs-dkms_0.3.22-1_amd64.deb", pool / "apfs-dkms_0.4.0-1_amd64.deb");
        distribution.offer("apfs-dkms", "0.4.0-1", "sid");
        Told told;
        const auto image = build_guest_image(distribution.options(), told.progress());
        REQUIRE(reason(image) == "success");
        CHECK(image->manifest.apfs.self_check);
        CHECK(image->manifest.apfs.module_version == "0.4.0-1");
        CHECK(lists(listing_of(image->initrd), "etc/lab-check-apfs"));
    }
    SECTION("no version") {
        Told told;
        const auto image = build_guest_image(distribution.options(), told.progress());
        REQUIRE(reason(image) == "success");
        CHECK_FALSE(image->apfs);
        CHECK(told.says("the guest image is built without apfs: the packages for apfs could not be fetched"));
        CHECK_FALSE(lists(listing_of(image->initrd), "sbin/mkapfs"));
    }
}

TEST_CASE("without a compiler the guest has no apfs module, and gets the module once a compiler is installed") {
    const SmallDistribution distribution;
    auto options = distribution.options();
    options.search_path = distribution.tools_without({"gcc-12"});
    Told told;
    const auto without = build_guest_image(options, told.progress());
    REQUIRE(reason(without) == "success");
    CHECK_FALSE(without->apfs);
    CHECK_THAT(without->key, ContainsSubstring("_without-apfs_"));
    const std::string why =
        "building the apfs module needs gcc-12, which this machine lacks: install the package gcc-12 and "
        "build again";
    CHECK(without->manifest.apfs.absent_because == why);
    CHECK(told.lines.back() == "writing the guest image");
    CHECK(told.says(why));
    const auto found = find_guest_image(options);
    REQUIRE(reason(found) == "success");
    CHECK(found->key == without->key);

    distribution.go_offline();
    const auto with = build_guest_image(distribution.options(), told.progress());
    REQUIRE(reason(with) == "success");
    CHECK(with->apfs);
}

TEST_CASE("a truncated image is invalid and is built again") {
    const SmallDistribution distribution;
    Told told;
    const auto image = build_guest_image(distribution.options(), told.progress());
    REQUIRE(reason(image) == "success");
    fs::resize_file(image->initrd, 100);
    CHECK_THAT(reason(find_guest_image(distribution.options())), ContainsSubstring("there is no guest image"));
    const auto again = build_guest_image(distribution.options(), told.progress());
    REQUIRE(reason(again) == "success");
    CHECK(again->key == image->key);
    CHECK(fs::file_size(again->initrd) == again->manifest.initrd_size.count);
}

TEST_CASE("of two simultaneous builds only one builds the image, and both return it") {
    const SmallDistribution distribution;
    Told first, second;
    std::string other_key;
    std::thread other([&] {
        const auto image = build_guest_image(distribution.options(), second.progress());
        other_key = image ? image->key : image.error().detail;
    });
    const auto image = build_guest_image(distribution.options(), first.progress());
    other.join();
    REQUIRE(reason(image) == "success");
    CHECK(image->key == other_key);
    CHECK(first.says("writing the guest image") != second.says("writing the guest image"));
    CHECK(distribution.left_work().empty());
}
