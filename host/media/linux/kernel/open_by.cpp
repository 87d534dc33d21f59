// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/linux/kernel/open_by.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "host/media/linux/kernel/block_graph.hpp"
#include "host/media/linux/kernel/sysfs.hpp"

namespace mediarig::media {
namespace {

std::chrono::nanoseconds processor_time() {
    struct timespec now {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Whether the process at "/proc/812" is one.
using Matches = std::function<bool(const std::string& process)>;

/// A descriptor that only names a file or device (O_PATH) does not use it: proc(5), fdinfo, flags in octal.
bool names_only(const std::string& process, const std::string& descriptor) {
    const auto info = read_file_if_there(process + "/fdinfo/" + descriptor);
    const auto at = info && *info ? (*info)->find("flags:\t") : std::string::npos;
    return at != std::string::npos && (std::strtoul((*info)->c_str() + at + 7, nullptr, 8) & O_PATH) != 0;
}

/// Of a process whose first thread has ended, "/proc/812" shows nothing: the first living thread.
std::string living_part_of(const std::string& process) {
    const auto threads = names_in(process + "/task");
    if (!threads || !*threads || (*threads)->size() < 2) return process;
    for (const std::string& thread : **threads) {
        const std::string part = process + "/task/" + thread;
        const auto maps = read_file_if_there(part + "/maps");
        if (maps && *maps && !(*maps)->empty()) return part;
    }
    return process;
}

bool has_open(const std::string& process, const std::function<bool(const std::string& descriptor)>& same) {
    const std::string folder = process + "/fd/";
    const auto descriptors = names_in(folder);
    // Processes of others are closed to us, and processes end while we look.
    if (!descriptors || !*descriptors) return false;
    for (const std::string& name : **descriptors) {
        if (same(folder + name) && !names_only(process, name)) return true;
    }
    return false;
}

std::string which_processes(const Matches& matches, pid_t except, const LookingTime& time) {
    constexpr int most = 3;
    std::string who;
    int count = 0;
    const auto processes = names_in("/proc");
    if (!processes || !*processes) return who;
    for (const std::string& name : **processes) {
        if (time.is_over()) break;
        const bool number = name.find_first_not_of("0123456789") == std::string::npos;
        if (!number || name == std::to_string(except)) continue;
        const std::string process = "/proc/" + name;
        const bool ended = text_attribute(process + "/stat").find(") Z ") != std::string::npos;
        if (!matches(ended ? living_part_of(process) : process)) continue;
        if (++count > most) return who + ", and others";
        who +=
            fmt::format("{}process {} ({})", who.empty() ? "" : ", ", name, text_attribute("/proc/" + name + "/comm"));
    }
    return who;
}

bool is_file(const std::string& path, const std::vector<FileIdentity>& file) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 &&
           std::find(file.begin(), file.end(), FileIdentity{status.st_dev, status.st_ino}) != file.end();
}

/// "08:01 4711 " as in /proc/PID/maps: hexadecimal device, decimal inode (proc(5)).
std::string as_in_maps(FileIdentity file) {
    return fmt::format(" {:02x}:{:02x} {} ", major(file.device), minor(file.device), file.inode);
}

} // namespace

LookingTime::LookingTime(std::chrono::nanoseconds most) : until_(processor_time() + most) {}

bool LookingTime::is_over() const {
    return processor_time() > until_;
}

std::string open_by(DeviceNumber device, pid_t except) {
    const auto same = [&](const std::string& path) { return number_of_node(path) == device; };
    return which_processes([&](const std::string& process) { return has_open(process, same); }, except,
                           LookingTime(std::chrono::hours(1)));
}

std::string open_by(const std::vector<FileIdentity>& file, pid_t except, const LookingTime& time) {
    const auto same = [&](const std::string& path) { return is_file(path, file); };
    return which_processes([&](const std::string& process) { return has_open(process, same); }, except, time);
}

std::string mapped_by(const std::vector<FileIdentity>& file, const LookingTime& time) {
    const auto maps_it = [&](const std::string& process) {
        const auto maps = read_file_if_there(process + "/maps");
        return maps && *maps && std::any_of(file.begin(), file.end(), [&](FileIdentity identity) {
                   return (*maps)->find(as_in_maps(identity)) != std::string::npos;
               });
    };
    return which_processes(maps_it, -1, time);
}

} // namespace mediarig::media
