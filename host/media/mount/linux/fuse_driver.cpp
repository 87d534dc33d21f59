// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/fuse_driver.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "host/media/linux/mount_table.hpp"
#include "host/media/mount/linux/linux_mounter.hpp"
#include "host/media/mount/linux/undertaker.hpp"
#include "host/process/mount_namespace.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;

/// Everything but "/": the driver has what it needs in memory, and a copy of a mount here would outlive the original.
void let_go_of_other_mounts() {
    std::ifstream file("/proc/thread-self/mountinfo");
    const auto table = parse_mountinfo(std::string(std::istreambuf_iterator<char>(file), {}));
    if (!table) return;
    for (auto entry = table->rbegin(); entry != table->rend(); ++entry)
        if (entry->mount_point != "/") ::umount2(entry->mount_point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
}

/// Runs in a thread of its own, which leaves with the namespace that it makes.
Result<Descriptor> mount_apart(const Tool& driver, const std::vector<std::string>& options, int device,
                               const Descriptor& drivers_end, int driver_life, const std::string& mount_point,
                               const ToolSetting& setting) {
    if (auto entered = process::enter_private_mount_namespace(); !entered) return fail(entered.error());
    // Until the mount is ours.
    const auto undertaker = Undertaker::appoint(mount_point, driver_life);
    if (!undertaker) return fail(undertaker.error());
    process::Command command{.program = driver.program,
                             .arguments = options,
                             .inherit = {{.ours = device, .childs = 3}, {.ours = drivers_end.get(), .childs = 4}},
                             .time_limit = 60s,
                             .search_path = setting.search_path,
                             .cancel = setting.cancel};
    command.arguments.insert(command.arguments.end(), {held_device, mount_point});
    struct stat below {
    }, mounted{};
    ::stat(mount_point.c_str(), &below);
    const auto started = process::run_process(command);
    if (!started) return fail(started.error());
    if (!started->succeeded())
        return fail(Errc::io_failed, fmt::format("{} could not mount with {}", driver.program, failure_of(*started)));

    Descriptor tree(::open_tree(AT_FDCWD, mount_point.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
    const int failed = errno;
    let_go_of_other_mounts(); // this one among them: what is left of it is the tree, or nothing and the driver ends
    if (!tree)
        return fail(Errc::io_failed,
                    fmt::format("cannot take over the mount of {}: {}", driver.program, std::strerror(failed)));
    if (::fstat(tree.get(), &mounted) == 0 && mounted.st_dev == below.st_dev)
        return fail(Errc::io_failed, fmt::format("{} reported success and mounted nothing", driver.program));
    return tree;
}

} // namespace

Result<FuseVolume> start_fuse_driver(const Tool& driver, const std::vector<std::string>& options, int device,
                                     const std::string& mount_point, const ToolSetting& setting) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    Descriptor life(ends[0]);
    Result<Descriptor> tree = fail(Errc::io_failed, "the driver was not started");
    {
        // Inherited by the driver and by nobody else: it is closed when the driver is gone, forked or not.
        const Descriptor drivers_end(ends[1]);
        std::thread apart(
            [&] { tree = mount_apart(driver, options, device, drivers_end, life.get(), mount_point, setting); });
        apart.join();
    }
    if (!tree) {
        end_fuse_driver({.tree = Descriptor(), .life = std::move(life)});
        return fail(tree.error());
    }
    return FuseVolume{.tree = std::move(*tree), .life = std::move(life)};
}

void end_fuse_driver(FuseVolume volume) {
    volume.tree.close();
    pollfd life{volume.life.get(), 0, 0};
    ::poll(&life, 1, 10'000);
}

} // namespace mediarig::media
