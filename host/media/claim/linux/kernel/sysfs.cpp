// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/sysfs.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

struct CloseDescriptor {
    int fd;
    ~CloseDescriptor() { ::close(fd); }
};

Error unreadable(const std::string& path, int error) {
    return {Errc::io_failed, fmt::format("{} cannot be read: {}", path, std::strerror(error))};
}

/// ENOENT and ENOTDIR mean that the file is absent. A device that is being removed gives ENODEV or ENXIO, which is a
/// doubt.
bool means_absent(int error) {
    return error == ENOENT || error == ENOTDIR;
}

/// Target of a link; empty if there is no link.
std::string target_of(const std::string& link) {
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
    return length <= 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(length));
}

} // namespace

Result<std::optional<std::string>> read_file_if_there(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (means_absent(errno)) return std::optional<std::string>();
        return fail(unreadable(path, errno));
    }
    const CloseDescriptor closer{fd};
    constexpr std::size_t longest = 4u << 20;
    std::string content;
    std::array<char, 8192> chunk{};
    while (true) {
        const ssize_t got = ::read(fd, chunk.data(), chunk.size());
        if (got == 0) return std::optional(std::move(content));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(unreadable(path, errno));
        content.append(chunk.data(), static_cast<std::size_t>(got));
        if (content.size() > longest) return fail(Errc::io_failed, path + " is too long for a file of sysfs");
    }
}

std::string text_attribute(const std::string& path) {
    const auto content = read_file_if_there(path);
    return content && *content ? typeable(**content) : std::string();
}

Result<std::optional<std::uint64_t>> number_attribute(const std::string& path) {
    const auto content = read_file_if_there(path);
    if (!content) return fail(content.error());
    if (!*content) return std::optional<std::uint64_t>();
    const std::string_view text = trimmed(**content);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        return fail(Errc::io_failed, fmt::format("{} holds no number: '{}'", path, typeable(text)));
    return std::optional(number);
}

std::optional<DeviceNumber> device_number(std::string_view text) {
    text = trimmed(text);
    DeviceNumber number;
    const char* const end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, number.major);
    if (major.ec != std::errc() || major.ptr == end || *major.ptr != ':') return std::nullopt;
    const auto minor = std::from_chars(major.ptr + 1, end, number.minor);
    if (minor.ec != std::errc() || minor.ptr != end) return std::nullopt;
    return number;
}

Result<std::optional<std::vector<std::string>>> names_in(const std::string& directory) {
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), &::closedir);
    if (!stream) {
        if (errno == ENOENT) return std::optional<std::vector<std::string>>();
        return fail(unreadable(directory, errno));
    }
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(stream.get())) {
        if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    }
    if (errno != 0) return fail(unreadable(directory, errno));
    std::sort(names.begin(), names.end());
    return std::optional(std::move(names));
}

Result<std::vector<std::string>> block_names() {
    auto names = names_in(block_class);
    if (!names) return fail(std::move(names.error()));
    if (!*names) return fail(Errc::io_failed, block_class + " is missing: is sysfs mounted?");
    return std::move(**names);
}

std::string real_path(const std::string& path) {
    const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), &std::free);
    return resolved ? std::string(resolved.get()) : std::string();
}

std::string device_directory(const std::string& link) {
    const std::string target = target_of(link);
    // Old kernels have a directory instead of a link.
    if (target.empty()) return real_path(link);
    return (std::filesystem::path(parent_path(link)) / target).lexically_normal();
}

std::string link_name(const std::string& path) {
    return base_name(target_of(path));
}

bool exists(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0;
}

bool is_numbered(std::string_view name, std::string_view kind) {
    return name.starts_with(kind) && name.size() > kind.size() &&
           name.find_first_not_of("0123456789", kind.size()) == std::string::npos;
}

std::string base_name(const std::string& path) {
    return path.substr(path.find_last_of('/') + 1);
}

std::string parent_path(const std::string& path) {
    const auto slash = path.find_last_of('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

} // namespace mediarig::media
