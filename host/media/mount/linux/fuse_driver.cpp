// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/fuse_driver.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "host/base/process/mount_namespace.hpp"
#include "host/media/claim/linux/kernel/mount_table.hpp"
#include "host/media/mount/linux/linux_mounter.hpp"
#include "host/media/mount/linux/pipe_holders.hpp"
#include "host/media/mount/linux/unmount_guard.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds driver_look_again{20};
/// Limit for the end of a killed process, which has to wait until its current system call returns.
constexpr milliseconds killed_driver_ends{10'000};

/// Unmounts everything except "/": the driver has all it needs in memory, and a copy of a mount in this namespace would
/// outlive the original.
void let_go_of_other_mounts() {
    const auto table = mounts_of_this_thread();
    if (!table) return;
    for (auto entry = table->rbegin(); entry != table->rend(); ++entry)
        if (entry->mount_point != "/") ::umount2(entry->mount_point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
}

/// Ends a driver whose mount, if any, is visible only in the namespace of this thread.
void end_apart(FuseDriver& driver, const std::string& mount_point) {
    driver.find();
    // Unmounting blocks if the driver hangs.
    std::thread unmounting([&] {
        do ::umount2(mount_point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
        while (!driver.ended(driver_look_again));
    });
    if (!driver.ended(driver_patience)) driver.kill();
    unmounting.join();
    (void)driver.death();
}

/// Run this in a separate thread, because it enters a new mount namespace that ends with the thread. `drivers_end` is
/// the driver's end of the life pipe; it is closed as soon as the driver has inherited it.
Result<Descriptor> mount_apart(const Tool& program, const std::vector<std::string>& options, int device,
                               Descriptor& drivers_end, FuseDriver& driver, const std::string& mount_point,
                               const ToolSetting& setting, const LetGo& let_go) {
    if (auto entered = process::enter_private_mount_namespace(); !entered) return fail(entered.error());
    // Protects the mount until it has been moved out of this namespace.
    auto guard = UnmountGuard::start(mount_point);
    if (!guard) return fail(guard.error());
    guard->has_driver(driver.pipe());
    process::Command command{.program = program.program,
                             .arguments = options,
                             .inherit = {{.ours = device, .childs = driver_device_number},
                                         {.ours = drivers_end.get(), .childs = driver_life_number}},
                             .time_limit = 60s,
                             .search_path = setting.search_path,
                             .cancel = setting.cancel,
                             .sandbox = process::Sandbox{.capabilities = process::capability(CAP_SYS_ADMIN)}};
    command.arguments.insert(command.arguments.end(),
                             {fmt::format("/proc/self/fd/{}", driver_device_number), mount_point});
    struct stat below {
    }, mounted{};
    ::stat(mount_point.c_str(), &below);
    if (auto free = let_go(); !free) return fail(free.error());
    const auto started = process::run_process(command);
    drivers_end.close();
    if (!started || !started->succeeded()) {
        end_apart(driver, mount_point);
        if (!started) return fail(started.error());
        // A killed or crashed driver gives no information about the volume.
        return fail(started->signal ? Errc::host_fault : Errc::io_failed,
                    fmt::format("{} could not mount with {}", program.program, failure_of(*started)));
    }
    Descriptor tree(::open_tree(AT_FDCWD, mount_point.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
    const int failed = errno;
    const bool nothing = tree && ::fstat(tree.get(), &mounted) == 0 && mounted.st_dev == below.st_dev;
    if (!tree || nothing) end_apart(driver, mount_point);
    let_go_of_other_mounts(); // includes the driver's mount, which `tree` keeps
    if (!tree)
        return fail(Errc::io_failed,
                    fmt::format("cannot take over the mount of {}: {}", program.program, std::strerror(failed)));
    if (nothing) return fail(Errc::io_failed, fmt::format("{} reported success and mounted nothing", program.program));
    return tree;
}

} // namespace

FuseDriver::FuseDriver(Descriptor life) : life_(std::move(life)) {
    struct stat status {};
    if (::fstat(life_.get(), &status) == 0) pipe_ = status.st_ino;
}

FuseDriver::~FuseDriver() {
    if (process_ && ended()) (void)death();
}

void FuseDriver::find() {
    const Descriptor proc(open_proc());
    process_ = Descriptor(open_pipe_holder(proc.get(), pipe_, driver_life_number));
}

bool FuseDriver::ended(milliseconds within) const {
    if (!life_) return true;
    pollfd life{life_.get(), 0, 0};
    return ::poll(&life, 1, static_cast<int>(within.count())) == 1 && (life.revents & POLLHUP) != 0;
}

void FuseDriver::kill() const {
    const Descriptor proc(open_proc());
    if (life_) kill_pipe_holders(proc.get(), pipe_, driver_life_number);
}

std::string FuseDriver::death() {
    if (!process_) return death_;
    // The driver has closed its files but may not have exited yet.
    pollfd process{process_.get(), POLLIN, 0};
    (void)::poll(&process, 1, 1000);
    siginfo_t how{};
    if (::waitid(P_PIDFD, static_cast<id_t>(process_.get()), &how, WEXITED | WNOHANG) == 0 && how.si_pid != 0) {
        if (how.si_code != CLD_EXITED)
            death_ = fmt::format("signal {}", how.si_status);
        else if (how.si_status != 0)
            death_ = fmt::format("exit status {}", how.si_status);
    }
    process_.close();
    return death_;
}

Result<FuseVolume> start_fuse_driver(const Tool& program, const std::vector<std::string>& options, int device,
                                     const std::string& mount_point, const ToolSetting& setting, const LetGo& let_go) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    // Only the parent gets the exit status of a process, and the driver's parent exits when the driver forks into the
    // background.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    FuseDriver driver{Descriptor(ends[0])};
    Result<Descriptor> tree = fail(Errc::io_failed, "the driver was not started");
    // Only the driver inherits this end, so it is closed when the driver has exited, forked or not.
    Descriptor drivers_end(ends[1]);
    std::thread apart(
        [&] { tree = mount_apart(program, options, device, drivers_end, driver, mount_point, setting, let_go); });
    apart.join();
    drivers_end.close();
    if (!tree) return fail(tree.error());
    driver.find();
    return FuseVolume{.tree = std::move(*tree), .driver = std::move(driver)};
}

void end_fuse_driver(FuseVolume volume) {
    std::thread unmounting([&] { volume.tree.close(); });
    if (!volume.driver.ended(driver_patience)) volume.driver.kill();
    unmounting.join();
    (void)volume.driver.ended(killed_driver_ends);
}

} // namespace mediarig::media
