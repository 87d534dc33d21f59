// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/kernel_driver.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "host/base/descriptor.hpp"
#include "host/media/inspect/hfsplus.hpp"
#include "host/media/mount/linux/drivers.hpp"

namespace mediarig::media {
namespace {

bool listed(const std::string& type, const MounterSetting& setting) {
    std::ostringstream systems; // an iterator of the buffer would throw at a read error
    systems << std::ifstream(setting.kernel_file_systems).rdbuf();
    return lists_file_system(systems.str(), type);
}

auto failure(const std::string& what, int error) {
    return fail(error == EPERM ? Errc::no_permission : Errc::io_failed,
                fmt::format("{}: {}{}", what, std::strerror(error), error == EPERM ? "; run the agent as root" : ""));
}

} // namespace

bool kernel_has(const std::string& type, const MounterSetting& setting) {
    if (listed(type, setting)) return true;
    // fsopen makes the kernel load the module; this process may not load modules itself.
    const Descriptor context(::fsopen(type.c_str(), FSOPEN_CLOEXEC));
    return context && listed(type, setting);
}

Result<void> mount_with_kernel(const std::string& type, int device, const std::string& mount_point,
                               const std::string& options) {
    const std::string source = fmt::format("/proc/self/fd/{}", device);
    if (::mount(source.c_str(), mount_point.c_str(), type.c_str(), MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME,
                options.empty() ? nullptr : options.c_str()) == 0)
        return {};
    return failure(fmt::format("the kernel's {} driver could not mount the medium", type), errno);
}

bool has_hfs_plus_journal(int device, Bytes start) {
    std::array<std::byte, hfs_plus_header_length.count> raw{};
    const auto got =
        ::pread(device, raw.data(), raw.size(), static_cast<off_t>((start + hfs_plus_header_offset).count));
    if (got != static_cast<ssize_t>(raw.size())) return false;
    const auto header = parse_hfs_plus(raw);
    return header && header->journaled();
}

std::string module_version(const std::string& type, const MounterSetting& setting) {
    std::ifstream file(setting.module_directory + "/" + type + "/version");
    std::string line;
    std::getline(file, line);
    return line;
}

std::string kernel_version() {
    utsname name{};
    ::uname(&name);
    return fmt::format("{} {}", name.sysname, name.release);
}

} // namespace mediarig::media
