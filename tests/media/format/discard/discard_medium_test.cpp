// SPDX-License-Identifier: GPL-3.0-or-later
// These tests use real loop devices, which need root. They are skipped without root.
#include "host/media/format/discard/linux/discard_medium.hpp"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/media/format/linux/medium_format.hpp"
#include "tests/media/format/format_loop.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

/// Allocated size of the file below a device.
Bytes allocated(const std::string& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    constexpr std::uint64_t block = 512; // unit of st_blocks on any file system
    return Bytes{static_cast<std::uint64_t>(status.st_blocks) * block};
}

Bytes discard_limit(const std::string& node) {
    const std::string name = std::filesystem::path(node).filename();
    std::ifstream file("/sys/block/" + name + "/queue/discard_max_bytes");
    std::uint64_t limit{};
    file >> limit;
    return {limit};
}

/// A file on a file system without holes, so its loop device has no discard. Unmounted by the destructor.
class FileWithoutHoles {
public:
    explicit FileWithoutHoles(Bytes size) {
        REQUIRE(::mkdtemp(folder_.data()) != nullptr);
        mounted_ = ::mount("none", folder_.c_str(), "ramfs", 0, nullptr) == 0;
        if (!mounted_) return;
        std::ofstream(path()).close();
        std::filesystem::resize_file(path(), size.count);
    }
    FileWithoutHoles(const FileWithoutHoles&) = delete;
    FileWithoutHoles& operator=(const FileWithoutHoles&) = delete;
    ~FileWithoutHoles() {
        if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
        ::rmdir(folder_.c_str());
    }
    [[nodiscard]] bool exists() const { return mounted_; }
    [[nodiscard]] std::string path() const { return folder_ + "/card.img"; }

private:
    std::string folder_{"/var/tmp/mediarig-ramfs-XXXXXX"};
    bool mounted_{};
};

} // namespace

TEST_CASE("discard: a discard covers a whole claimed device, and its marks read as zeros") {
    NEEDS_LOOPS();
    LoopMedium medium(64_MiB);
    if (discard_limit(medium.node()) == 0_B) MEDIARIG_SKIP("the file system below has no holes");
    medium.write(0, std::string(1 << 20, 'x'));
    medium.write(40 << 20, std::string(8 << 20, 'y'));
    const auto report = discard_medium(medium.claim(), medium.discovery(), nullptr);
    REQUIRE(reason(report) == "success");
    CHECK(report->taken);
    CHECK(report->length == 64_MiB);
    CHECK(report->elapsed.count() > 0);
    CHECK(effect_of(*report) == DiscardEffect::zeros);
    CHECK(report->zeros == mark_count);
    CHECK(medium.read(0, 16) == std::string(16, '\0'));
    CHECK(medium.read(44 << 20, 16) == std::string(16, '\0'));
    // The blocks not only read as zeros, but are deallocated.
    CHECK(allocated(medium.image()) < 1_MiB);
}

TEST_CASE("discard: a device that does not support discard is unchanged") {
    NEEDS_LOOPS();
    const FileWithoutHoles file(16_MiB);
    if (!file.exists()) MEDIARIG_SKIP("ramfs cannot be mounted");
    const auto discovery = make_linux_discovery();
    const auto loop = attach_loop(file.path());
    REQUIRE(reason(loop) == "success");
    if (discard_limit(loop->node()) != 0_B) MEDIARIG_SKIP("this kernel's ramfs has holes");
    auto claimed = claim_erasable(*discovery, loop->node(), file.path());
    REQUIRE(reason(claimed) == "success");
    const auto report = discard_medium(*claimed, *discovery, nullptr);
    REQUIRE(reason(report) == "success");
    CHECK(*report == DiscardReport{});
    // No mark was written.
    std::ifstream content(file.path(), std::ios::binary);
    CHECK(std::all_of(std::istreambuf_iterator<char>(content), {}, [](char byte) { return byte == '\0'; }));
}

TEST_CASE("discard: a stopped discard is reported as cancelled and the device stays claimed") {
    NEEDS_LOOPS();
    LoopMedium medium(16_MiB);
    const std::atomic<bool> stop{true};
    const auto report = discard_medium(medium.claim(), medium.discovery(), &stop);
    if (report && !report->taken) MEDIARIG_SKIP("the file system below has no holes");
    REQUIRE_FALSE(report);
    CHECK(report.error().code == Errc::cancelled);
    CHECK(reason(medium.claim().recheck(medium.discovery())) == "success");
}

TEST_CASE("discard: a discarded medium can be formatted") {
    NEEDS_LOOPS();
    if (!is_installed("mkfs.exfat")) MEDIARIG_SKIP("mkfs.exfat is not installed");
    LoopMedium medium(64_MiB);
    const Formatters formatters = make_formatters({});
    for (int round = 0; round < 2; ++round) {
        const auto discarded = discard_medium(medium.claim(), medium.discovery(), nullptr);
        REQUIRE(reason(discarded) == "success");
        const auto made =
            format_medium(medium.claim(), medium.discovery(), formatters, {.fs = FileSystem::exfat, .label = "CARD"});
        CHECK(reason(made) == "success");
    }
}
