// SPDX-License-Identifier: GPL-3.0-or-later
/// Mounts volumes in partitions of a loop device with the FUSE driver.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/base/process/mount_namespace.hpp"
#include "host/media/format/partition/linux/medium_view.hpp"
#include "tests/media/format/partition/partitioned_loop.hpp"
#include "tests/media/mount/mounting_exfat.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

#define NEEDS_EXFAT_IN_PARTITION()                                                       \
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");                                  \
    if (!is_installed("sfdisk")) MEDIARIG_SKIP("fdisk is not installed");                \
    if (!is_installed("mkfs.exfat")) MEDIARIG_SKIP("exfatprogs is not installed");       \
    if (!is_installed("mount.exfat-fuse")) MEDIARIG_SKIP("exfat-fuse is not installed"); \
    if (::access("/dev/fuse", R_OK | W_OK) != 0) MEDIARIG_SKIP("this machine has no FUSE")

/// exFAT in the second partition of a GPT, with other contents before and after it.
class PartitionedCard {
public:
    explicit PartitionedCard(std::uint32_t sector = 512) : medium_(128_MiB, sector) {
        const std::uint64_t mib = Bytes{1_MiB}.count / sector;
        partition_by_sfdisk(medium_, fmt::format("label: gpt\n{},{},U\n{},{}\n{},{}\n", mib, 8 * mib, 16 * mib,
                                                 64 * mib, 96 * mib, 16 * mib));
        auto view = open_view(medium_.claim(), 16_MiB, 64_MiB);
        REQUIRE(reason(view) == "success");
        REQUIRE(run_checker("mkfs.exfat", {view->node()}).succeeded());
        REQUIRE(reason(view->detach()) == "success");
        medium_.write(Bytes{2_MiB}.count, "not ours");
        medium_.write(Bytes{100_MiB}.count, "not ours either");
    }
    [[nodiscard]] LoopMedium& medium() { return medium_; }
    [[nodiscard]] Result<std::unique_ptr<VolumeMount>> mount() {
        const auto found = find_volume(medium_.claim(), {.fs = FileSystem::exfat});
        if (!found) return fail(found.error());
        return make_linux_mounter(fuse_only())->mount(medium_.claim(), FileSystem::exfat, found->span);
    }
    /// All bytes outside the volume.
    [[nodiscard]] std::string around() {
        return medium_.read(0, Bytes{16_MiB}.count) + medium_.read(Bytes{80_MiB}.count, Bytes{48_MiB}.count);
    }

private:
    LoopMedium medium_;
};

} // namespace

TEST_CASE("a volume in a partition is mounted, and its offset and loop device are reported") {
    NEEDS_EXFAT_IN_PARTITION();
    PartitionedCard card(GENERATE(512u, 4096u));
    const std::string around = card.around();
    auto mounted = card.mount();
    REQUIRE(reason(mounted) == "success");
    const MountReport report = (*mounted)->report();
    CHECK(report.volume == VolumeSpan{.start = 16_MiB, .length = 64_MiB, .partition = 2});
    CHECK(report.total == 64_MiB);
    CHECK(report.driver == "exfat-fuse");
    CHECK((*mounted)->node() != card.medium().node());
    if (report.through_loop) {
        REQUIRE(report.limits.size() == 4);
        CHECK(report.limits[3].kind == measure::FindingKind::driver_limit);
        CHECK_THAT(report.limits[3].detail,
                   ContainsSubstring("partition 2 (67108864 bytes at byte 16777216) is reached through a loop device"));
    }
    std::ofstream(report.mount_point + "/kept") << "what was written";

    CHECK(reason((*mounted)->unmount()) == "success");
    // Everything is released at once: the medium is unused and may be erased again.
    CHECK(card.medium().is_free());
    CHECK(reason(card.medium().claim().recheck(card.medium().discovery())) == "success");
    CHECK(card.around() == around);
    const auto again = card.mount();
    REQUIRE(reason(again) == "success");
    CHECK(tests::text_of((*again)->report().mount_point + "/kept") == "what was written");
}

TEST_CASE("a busy volume in a partition stays mounted and is unmounted later") {
    NEEDS_EXFAT_IN_PARTITION();
    PartitionedCard card;
    const auto mounted = card.mount();
    REQUIRE(reason(mounted) == "success");
    Descriptor held(::open(((*mounted)->report().mount_point + "/held").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(held);
    CHECK_THAT(reason((*mounted)->unmount()), ContainsSubstring("in use by process"));
    held.close();
    CHECK(reason((*mounted)->unmount()) == "success");
    CHECK(card.medium().is_free());
}

TEST_CASE("an agent killed with a mounted partition leaves neither mount nor loop device") {
    NEEDS_EXFAT_IN_PARTITION();
    PartitionedCard card;
    card.medium().release_for_fork();
    const pid_t agent = ::fork();
    REQUIRE(agent >= 0);
    if (agent == 0) {
        const bool apart = process::enter_private_mount_namespace().has_value();
        const auto mounted = card.mount();
        ::raise(apart && mounted ? SIGSTOP : SIGABRT);
        ::_exit(1);
    }
    int status = 0;
    REQUIRE(::waitpid(agent, &status, WUNTRACED) == agent);
    CHECK(WIFSTOPPED(status));
    REQUIRE(::kill(agent, SIGKILL) == 0);
    REQUIRE(::waitpid(agent, &status, 0) == agent);
    CHECK(soon([&] { return card.medium().is_free(); }));
    // The next mount finds the volume unchanged, and removes the folder.
    CHECK(soon([&] { return reason(card.medium().claim().recheck(card.medium().discovery())) == "success"; }));
}

TEST_CASE("a partition that the driver cannot mount is released") {
    NEEDS_EXFAT_IN_PARTITION();
    PartitionedCard card;
    card.medium().write(Bytes{16_MiB}.count, std::string(512, 'x'));
    const VolumeSpan where{.start = 16_MiB, .length = 64_MiB, .partition = 2};
    const auto mounted = make_linux_mounter(fuse_only())->mount(card.medium().claim(), FileSystem::exfat, where);
    REQUIRE_FALSE(mounted);
    CHECK_THAT(mounted.error().detail, ContainsSubstring("mount.exfat-fuse could not mount"));
    CHECK(card.medium().is_free());
    CHECK(reason(card.medium().claim().recheck(card.medium().discovery())) == "success");
}
