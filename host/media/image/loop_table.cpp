// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/loop_table.hpp"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "host/media/linux/sysfs.hpp"

namespace mediarig::media {
namespace {

/// By the path that the kernel remembers: needs no privilege, but the path may mean another file in our namespace.
bool path_leads_to(const std::string& backing_file, const struct stat& file) {
    struct stat status {};
    return ::stat(backing_file.c_str(), &status) == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino;
}

/// By what the kernel holds: exact, needs the right to open the device.
bool device_holds(const std::string& name, const struct stat& file) {
    const int fd = ::open(("/dev/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    struct loop_info64 info {};
    const bool known = ::ioctl(fd, LOOP_GET_STATUS64, &info) == 0;
    ::close(fd);
    return known && info.lo_device == file.st_dev && info.lo_inode == file.st_ino;
}

} // namespace

Result<std::string> loop_standing_on(const struct stat& file) {
    const auto names = names_in("/sys/class/block");
    if (!names) return fail(names.error());
    if (!*names) return fail(Errc::io_failed, "/sys/class/block is not there: is sysfs mounted?");
    for (const std::string& name : **names) {
        if (!name.starts_with("loop")) continue;
        const auto backing = read_file_if_there("/sys/class/block/" + name + "/loop/backing_file");
        if (!backing || !*backing) continue;
        std::string path = **backing;
        if (path.ends_with('\n')) path.pop_back();
        if (path_leads_to(path, file) || device_holds(name, file)) return name;
    }
    return std::string();
}

} // namespace mediarig::media
