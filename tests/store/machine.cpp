// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/machine.hpp"

#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "host/base/process/mount_namespace.hpp"

namespace mediarig::store {

bool enter_private_mounts() {
    return process::enter_private_mount_namespace().has_value();
}

SmallDisk::SmallDisk(const std::filesystem::path& directory, const std::string& options) : directory_(directory) {
    std::filesystem::create_directories(directory);
    if (::mount("tmpfs", directory.c_str(), "tmpfs", 0, options.c_str()) != 0)
        throw std::system_error(errno, std::generic_category(), "tmpfs");
}

SmallDisk::~SmallDisk() {
    ::umount2(directory_.c_str(), MNT_DETACH);
}

void SmallDisk::remount(const std::string& options, unsigned long flags) {
    if (::mount("tmpfs", directory_.c_str(), "tmpfs", MS_REMOUNT | flags, options.c_str()) != 0)
        throw std::system_error(errno, std::generic_category(), "remount");
}

Unprivileged::Unprivileged() : was_root_(::geteuid() == 0) {
    constexpr uid_t nobody = 65534;
    if (was_root_ && ::seteuid(nobody) != 0) throw std::runtime_error("cannot become nobody");
}

Unprivileged::~Unprivileged() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
}

} // namespace mediarig::store
