// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/open_by.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "host/base/descriptor.hpp"
#include "host/media/claim/linux/kernel/block_graph.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"

namespace mediarig::media {
namespace {

std::chrono::nanoseconds processor_time() {
    struct timespec now {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// True if the process at "/proc/812" matches.
using Matches = std::function<bool(const std::string& process)>;

/// A process may end during the search.
bool has_ended(int error) {
    return error == ENOENT || error == ESRCH;
}

/// Calls `next` with each line until it returns true; returns true if it did. A process may have tens of thousands of
/// mappings.
bool any_line_of(const std::string& path, ProcessSearch& search, const std::function<bool(std::string_view)>& next) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        if (!has_ended(errno)) search.could_not_look(path, errno);
        return false;
    }
    std::string text;
    std::array<char, 65536> chunk{};
    while (true) {
        const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && !has_ended(errno)) search.could_not_look(path, errno);
        if (got <= 0) return !text.empty() && next(text);
        text.append(chunk.data(), static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
            if (next(std::string_view(text).substr(begin, end - begin))) return true;
        text.erase(0, begin);
    }
}

/// Flags of open(2) from fdinfo (proc(5)), in octal. Empty if the descriptor has been closed.
std::optional<unsigned long> flags_of(const std::string& process, const std::string& descriptor) {
    const auto info = read_file_if_there(process + "/fdinfo/" + descriptor);
    const auto at = info && *info ? (*info)->find("flags:\t") : std::string::npos;
    if (at == std::string::npos) return std::nullopt;
    return std::strtoul((*info)->c_str() + at + 7, nullptr, 8);
}

/// An O_PATH descriptor only names a file or device and does not use it.
bool uses_it(const std::string& process, const std::string& descriptor) {
    const auto flags = flags_of(process, descriptor);
    return !flags || (*flags & O_PATH) == 0;
}

bool may_write(const std::string& process, const std::string& descriptor) {
    const auto flags = flags_of(process, descriptor);
    return flags && (*flags & O_PATH) == 0 && (*flags & O_ACCMODE) != O_RDONLY;
}

/// If the first thread of a process has ended, "/proc/812" shows nothing; returns the first living thread instead.
std::string living_part_of(const std::string& process, ProcessSearch& search) {
    const auto threads = names_in(process + "/task");
    if (!threads || !*threads || (*threads)->size() < 2) return process;
    for (const std::string& thread : **threads) {
        const std::string part = process + "/task/" + thread;
        if (any_line_of(part + "/maps", search, [](std::string_view) { return true; })) return part;
    }
    return process;
}

bool has_open(const std::string& process, ProcessSearch& search,
              const std::function<bool(const std::string& descriptor)>& same,
              bool (*counts)(const std::string& process, const std::string& descriptor) = uses_it) {
    const std::string folder = process + "/fd/";
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), &::closedir);
    if (!stream) {
        if (!has_ended(errno)) search.could_not_look(folder, errno);
        return false;
    }
    errno = 0;
    while (const dirent* entry = ::readdir(stream.get())) {
        const std::string name = entry->d_name;
        if (!name.starts_with('.') && same(folder + name) && counts(process, name)) return true;
        errno = 0;
    }
    if (errno != 0 && !has_ended(errno)) search.could_not_look(folder, errno);
    return false;
}

std::string which_processes(const Matches& matches, pid_t except, ProcessSearch& search) {
    constexpr int most = 3;
    std::string who;
    int count = 0;
    const auto processes = names_in("/proc");
    if (!processes || !*processes) {
        search.could_not_look("/proc", EIO);
        return who;
    }
    for (const std::string& name : **processes) {
        if (search.is_over()) break;
        const bool number = name.find_first_not_of("0123456789") == std::string::npos;
        if (!number || name == std::to_string(except)) continue;
        const std::string process = "/proc/" + name;
        const bool ended = text_attribute(process + "/stat").find(") Z ") != std::string::npos;
        if (!matches(ended ? living_part_of(process, search) : process)) continue;
        if (++count > most) return who + ", and others";
        who +=
            fmt::format("{}process {} ({})", who.empty() ? "" : ", ", name, text_attribute("/proc/" + name + "/comm"));
    }
    return who;
}

bool leads_below(const std::string& link, const std::string& path) {
    std::error_code unreadable;
    const std::string target = std::filesystem::read_symlink(link, unreadable).string();
    return target.starts_with(path) && (target.size() == path.size() || target[path.size()] == '/');
}

/// An O_PATH descriptor, too, keeps its volume busy.
bool whatever_it_is(const std::string& /*process*/, const std::string& /*descriptor*/) {
    return true;
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

ProcessSearch::ProcessSearch(std::chrono::nanoseconds most) : until_(processor_time() + most) {}

bool ProcessSearch::is_over() const {
    return processor_time() > until_;
}

std::string ProcessSearch::missed() const {
    return missed_.empty() && is_over() ? "there are too many processes to look at each" : missed_;
}

void ProcessSearch::could_not_look(const std::string& path, int error) {
    // Some machines hide process 1 even from root; treating that as a failure would prevent every claim. Process 1 uses
    // no images.
    if (path.starts_with("/proc/1/")) return;
    if (missed_.empty()) missed_ = fmt::format("{} cannot be read ({})", path, std::strerror(error));
}

std::string open_by(DeviceNumber device, pid_t except) {
    ProcessSearch search(std::chrono::hours(1));
    const auto same = [&](const std::string& path) { return number_of_node(path) == device; };
    return which_processes([&](const std::string& process) { return has_open(process, search, same); }, except, search);
}

std::string written_by(DeviceNumber device, pid_t except) {
    ProcessSearch search(std::chrono::hours(1));
    const auto same = [&](const std::string& path) { return number_of_node(path) == device; };
    return which_processes([&](const std::string& process) { return has_open(process, search, same, may_write); },
                           except, search);
}

std::string used_below(const std::string& path) {
    ProcessSearch search(std::chrono::hours(1));
    const auto below = [&](const std::string& link) { return leads_below(link, path); };
    const auto uses = [&](const std::string& process) {
        return below(process + "/cwd") || below(process + "/root") || has_open(process, search, below, whatever_it_is);
    };
    return which_processes(uses, -1, search);
}

std::string open_by(const std::vector<FileIdentity>& file, pid_t except, ProcessSearch& search) {
    const auto same = [&](const std::string& path) { return is_file(path, file); };
    return which_processes([&](const std::string& process) { return has_open(process, search, same); }, except, search);
}

std::string mapped_by(const std::vector<FileIdentity>& file, ProcessSearch& search) {
    std::vector<std::string> shown;
    for (const FileIdentity identity : file) shown.push_back(as_in_maps(identity));
    const auto maps_it = [&](const std::string& process) {
        return any_line_of(process + "/maps", search, [&](std::string_view line) {
            return std::any_of(shown.begin(), shown.end(),
                               [&](const std::string& one) { return line.find(one) != std::string_view::npos; });
        });
    };
    return which_processes(maps_it, -1, search);
}

} // namespace mediarig::media
