// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/linux/directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "host/base/descriptor.hpp"
#include "host/media/identity/medium.hpp"
#include "host/workload/io/linux/linux_system.hpp"

namespace mediarig::agent {
namespace {

bool is_on_system_volume(dev_t device) {
    struct stat root {};
    return ::stat("/", &root) == 0 && root.st_dev == device;
}

} // namespace

Result<media::Medium> describe_directory(const process::FoundFile& directory) {
    struct statvfs space {};
    if (::fstatvfs(directory.descriptor.get(), &space) != 0)
        return fail(Errc::io_failed, media::typeable(directory.path) + " cannot be examined: " + std::strerror(errno));
    // f_type values of /proc, /sys and other virtual file systems of the kernel.
    if (space.f_blocks == 0)
        return fail(Errc::bad_request,
                    media::typeable(directory.path) +
                        " is on a file system that cannot store files: name a directory of the medium");
    media::Medium medium;
    medium.node = directory.path;
    medium.transport = media::Transport::directory;
    medium.size = Bytes{space.f_bavail} * space.f_frsize;
    if (is_on_system_volume(directory.status.st_dev))
        medium.refusals.push_back(
            {media::RefusalKind::system_disk, media::typeable(directory.path) + " is on the root file system (/)"});
    return medium;
}

Result<media::IdleReport> wait_volume_idle(const workload::JobTarget& target, const std::atomic<bool>* cancel) {
    // Sync first; otherwise the driver writes back seconds later, during the measurement.
    if (const Descriptor folder(::open(target.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); folder)
        (void)::syncfs(folder.get());
    const auto device = workload::linux_system().backing_device(target);
    const auto counters = [&]() -> std::optional<media::TransferTotals> {
        const auto totals = device->totals();
        if (!totals) return std::nullopt;
        return media::TransferTotals{.read = totals->read, .written = totals->written};
    };
    return media::wait_idle(counters, [](std::chrono::nanoseconds time) { std::this_thread::sleep_for(time); },
                            {.cancel = cancel});
}

} // namespace mediarig::agent
