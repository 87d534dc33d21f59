// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/catch.hpp"
#include "tests/lab/image/small_distribution.hpp"

using namespace mediarig;
using namespace mediarig::lab;
using tests::SmallDistribution;
using tests::Told;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

Result<GuestImage> build(const ImageOptions& options) {
    return build_guest_image(options, [](std::string_view) {});
}

bool wait_until(const auto& condition) {
    const auto give_up = std::chrono::steady_clock::now() + 60s;
    while (!condition() && std::chrono::steady_clock::now() < give_up) std::this_thread::sleep_for(10ms);
    return condition();
}

} // namespace

TEST_CASE("a build with an empty cache and no network fails with the reason in one line") {
    const SmallDistribution distribution;
    distribution.go_offline();
    distribution.withdraw("linux-image-amd64");
    const auto image = build(distribution.options());
    REQUIRE_FALSE(image);
    CHECK(image.error().code == Errc::no_driver);
    CHECK(
        reason(image) ==
        "the package lists of Debian cannot be fetched (apt-get failed with exit status 100: E: Failed to fetch "
        "http://mirror.example/debian: no route to host): the guest image needs the network until its packages are in "
        "the cache");
    CHECK(distribution.images().empty());
}

TEST_CASE("a kernel or package that the mirror does not offer is named in the error") {
    const SmallDistribution distribution;
    SECTION("no kernel") {
        distribution.withdraw("linux-image-amd64");
        CHECK(reason(build(distribution.options())) ==
              "the mirror offers no kernel package linux-image-amd64 of Debian "
              "bookworm: name another mirror");
    }
    SECTION("no busybox") {
        distribution.withdraw("busybox-static");
        CHECK_THAT(reason(build(distribution.options())),
                   ContainsSubstring("Debian bookworm offers no package busybox-static"));
    }
}

TEST_CASE("each missing tool is reported with its package") {
    const SmallDistribution distribution;
    const std::pair<const char*, const char*> tools[] = {{"apt-get", "apt"},   {"apt-cache", "apt"},
                                                         {"dpkg-deb", "dpkg"}, {"depmod", "kmod"},
                                                         {"modprobe", "kmod"}, {"sha256sum", "coreutils"}};
    for (const auto& [program, package] : tools) {
        CAPTURE(program);
        auto options = distribution.options();
        options.search_path = distribution.tools_without({program, "gcc-12"});
        const auto image = build(options);
        REQUIRE_FALSE(image);
        CHECK(image.error().code == Errc::no_driver);
        CHECK(reason(image) == "the lab's guest image needs " + std::string(program) +
                                   ", which this machine lacks: install the package " + package);
        CHECK(distribution.images().empty());
        CHECK(distribution.left_work().empty());
    }
}

TEST_CASE("without Debian's archive keys nothing is downloaded") {
    const SmallDistribution distribution;
    auto options = distribution.options();
    options.keyrings = distribution.cache() / "none";
    CHECK(reason(build(options)) ==
          "the keys of Debian's archive are missing: install the package debian-archive-keyring");
}

TEST_CASE("too little space is reported before the download") {
    const SmallDistribution distribution;
    auto options = distribution.options();
    options.free_space_needed = {std::uint64_t{1} << 60};
    const auto image = build(options);
    REQUIRE_FALSE(image);
    CHECK(image.error().code == Errc::io_failed);
    CHECK_THAT(reason(image), ContainsSubstring("building the guest image needs 1152921504606 MB in " +
                                                distribution.cache().string()));
    CHECK(distribution.calls_of_apt() == 0);
}

TEST_CASE("a broken package is removed and downloaded again by the next build") {
    const SmallDistribution distribution;
    const auto image = build(distribution.options());
    REQUIRE(reason(image) == "success");
    fs::remove_all(distribution.cache() / "parts");
    fs::remove_all(distribution.cache() / "images");
    const auto file = distribution.cache() / "packages/exfatprogs_1.2_amd64.deb";
    fs::resize_file(file, 100);

    const auto broken = build(distribution.options());
    REQUIRE_FALSE(broken);
    CHECK(broken.error().code == Errc::io_failed);
    CHECK_THAT(reason(broken), ContainsSubstring("the package exfatprogs 1.2 is broken and was removed from the cache: "
                                                 "build again to fetch it again (dpkg-deb failed with exit status"));
    CHECK_FALSE(fs::exists(file));
    CHECK(distribution.images().empty());
    CHECK(reason(build(distribution.options())) == "success");
}

TEST_CASE("an agent that the guest cannot run is refused") {
    const SmallDistribution distribution;
    auto options = distribution.options();
    const std::string what = "the guest's agent " + options.agent.string() + " ";
    const std::string hint = ": build mediarig-agent-static, or install the package mediarig-lab";
    SECTION("missing") {
        fs::remove(options.agent);
        CHECK(reason(build(options)) == what + "cannot be read" + hint);
    }
    SECTION("not static") {
        fs::copy_file("/bin/true", options.agent, fs::copy_options::overwrite_existing);
        CHECK(reason(build(options)) == what + "is not static" + hint);
    }
    SECTION("not a program") {
        std::ofstream(options.agent) << "text";
        CHECK(reason(build(options)) == what + "is not a program for the guest (ELF: magic number)" + hint);
    }
    CHECK(find_guest_image(options).error().code == Errc::no_driver);
}

TEST_CASE("a killed build leaves no image and the next one removes its files") {
    const SmallDistribution distribution;
    distribution.hold_at_modprobe();
    const pid_t child = ::fork();
    if (child == 0) {
        const auto image = build(distribution.options());
        ::_exit(image ? 0 : 1);
    }
    CHECK(wait_until([&] { return distribution.reached_modprobe(); }));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    CHECK(distribution.images().empty());
    CHECK(distribution.left_work().size() == 1);
    CHECK_THAT(reason(find_guest_image(distribution.options())), ContainsSubstring("there is no guest image"));

    distribution.release();
    CHECK(reason(build(distribution.options())) == "success");
    CHECK(distribution.left_work().empty());
}

TEST_CASE("a stopped build leaves no partial image") {
    const SmallDistribution distribution;
    distribution.hold_at_modprobe();
    std::atomic<bool> stop{false};
    auto options = distribution.options();
    options.cancel = &stop;
    std::thread user([&] {
        wait_until([&] { return distribution.reached_modprobe(); });
        stop = true;
    });
    const auto image = build(options);
    user.join();
    distribution.release();
    REQUIRE_FALSE(image);
    CHECK(image.error().code == Errc::cancelled);
    CHECK(distribution.images().empty());
    CHECK(distribution.left_work().empty());
}

TEST_CASE("a build reports that it waited too long for another build") {
    const SmallDistribution distribution;
    fs::create_directories(distribution.cache());
    const auto file = distribution.cache() / "lock";
    const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(::flock(lock, LOCK_EX) == 0);
    auto options = distribution.options();
    options.lock_wait = 1ms;
    Told told;
    const auto image = build_guest_image(options, told.progress());
    ::close(lock);
    REQUIRE_FALSE(image);
    CHECK(image.error().code == Errc::timed_out);
    CHECK_THAT(reason(image), ContainsSubstring("another build holds " + file.string() + " and has not ended"));
    CHECK(told.lines == std::vector<std::string>{"another build of the guest image is running; waiting for it"});
}
