// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/media/mount/linux/drivers.hpp"
#include "host/media/mount/linux/kernel_driver.hpp"
#include "host/media/mount/linux/run_folder.hpp"
#include "tests/media/format/format_loop.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

/// The driver's name, its options, and the number of its warnings.
std::string told(const KernelMount& mount) {
    const auto warnings = std::count_if(mount.limits.begin(), mount.limits.end(), [](const measure::Finding& limit) {
        return limit.severity == measure::Severity::warning;
    });
    return mount.name + " [" + mount.options + "] " + std::to_string(warnings);
}

} // namespace

TEST_CASE("each driver gets the options that it needs to write, and its name describes its behaviour") {
    CHECK(told(kernel_mount("exfat", false, "")) == "exfat [iocharset=utf8,errors=remount-ro] 0");
    CHECK(told(kernel_mount("hfsplus", true, "")) == "hfsplus (journal not used) [force] 1");
    CHECK(told(kernel_mount("hfsplus", false, "")) == "hfsplus [] 0");
    CHECK(told(kernel_mount("apfs", false, "0.3.22?")) == "apfs (linux-apfs-rw 0.3.22, experimental) [readwrite] 2");
    CHECK(told(kernel_mount("apfs", false, "")) == "apfs (experimental) [readwrite] 2");
    CHECK(told(kernel_mount("vfat", false, "")) == "vfat [utf8,errors=remount-ro] 0");
    for (const char* type : {"exfat", "hfsplus", "apfs", "vfat"}) {
        const KernelMount mount = kernel_mount(type, true, "1.0");
        CHECK_FALSE(mount.when_read_only.empty());
        for (const measure::Finding& limit : mount.limits) CHECK(limit.kind == measure::FindingKind::driver_limit);
    }
    CHECK_THAT(kernel_mount("hfsplus", true, "").when_read_only,
               ContainsSubstring("no option overrides that") && ContainsSubstring("fsck.hfsplus"));
}

TEST_CASE("a driver that is not in the kernel's list is absent") {
    ToolFolder folder;
    std::ofstream(folder.path() + "/filesystems") << "nodev\tproc\n\thfsplus\n\tapfs\n";
    const MounterSetting guest{.search_path = "/nowhere", .kernel_file_systems = folder.path() + "/filesystems"};
    CHECK(kernel_has("hfsplus", guest));
    CHECK(kernel_has("apfs", guest));
    CHECK_FALSE(kernel_has("hfs", guest));
    CHECK_FALSE(kernel_has("exfat", guest));
    CHECK_FALSE(kernel_has("exfat", {.search_path = "/nowhere", .kernel_file_systems = "/nowhere"}));
}

TEST_CASE("the version of a module is the reported version, or absent") {
    ToolFolder folder;
    std::filesystem::create_directories(folder.path() + "/apfs");
    std::ofstream(folder.path() + "/apfs/version") << "0.3.22?\n";
    const MounterSetting setting{.module_directory = folder.path()};
    CHECK(module_version("apfs", setting) == "0.3.22?");
    CHECK(module_version("hfsplus", setting).empty());
}

TEST_CASE("the journal of HFS+ is read from the volume") {
    const TemporaryFile file(64_KiB);
    const int fd = ::open(file.path().c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0);
    CHECK_FALSE(has_hfs_plus_journal(fd, 0_B));
    std::string header(512, '\0');
    header.replace(0, 8, std::string("H+\0\4\x80\0\x21\0", 8));
    header.replace(0x28, 8, std::string("\0\0\x10\0\0\0\0\x10", 8));
    REQUIRE(::pwrite(fd, header.data(), header.size(), 1024) == 512);
    CHECK(has_hfs_plus_journal(fd, 0_B));
    header[6] = '\x01';
    REQUIRE(::pwrite(fd, header.data(), header.size(), 1024) == 512);
    CHECK_FALSE(has_hfs_plus_journal(fd, 0_B));
    ::close(fd);
    CHECK_FALSE(has_hfs_plus_journal(-1, 0_B));
}

TEST_CASE("a guest that has no folder for mount points gets such a folder") {
    ToolFolder folder;
    const std::string run = folder.path() + "/run";
    {
        const auto made = make_run_folder(run);
        REQUIRE(reason(made) == "success");
        CHECK(std::filesystem::is_directory(made->mount_point()));
    }
    CHECK(std::filesystem::is_empty(run));
}
