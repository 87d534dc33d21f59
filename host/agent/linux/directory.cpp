// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/linux/directory.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>

#include "host/media/text.hpp"

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
        return fail(Errc::io_failed, media::typeable(directory.path) + " cannot be looked at: " + std::strerror(errno));
    // /proc, /sys, and whatever else of the kernel's only looks like files.
    if (space.f_blocks == 0)
        return fail(Errc::bad_request, media::typeable(directory.path) +
                                           " lies on a file system that has no room for files: name a directory of "
                                           "the medium");
    media::Medium medium;
    medium.node = directory.path;
    medium.transport = media::Transport::directory;
    medium.size = Bytes{space.f_bavail} * space.f_frsize;
    if (is_on_system_volume(directory.status.st_dev))
        medium.refusals.push_back({media::RefusalKind::system_disk,
                                   media::typeable(directory.path) + " lies on the file system that carries /"});
    return medium;
}

} // namespace mediarig::agent
