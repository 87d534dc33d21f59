// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/device_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "host/store/log_lines.hpp"

namespace mediarig::store {
namespace {

auto failed(const std::string& path, const char* doing, int error) {
    const char* next = error == ENOSPC || error == EDQUOT
                           ? "delete files on its disk; everything stored before is intact"
                           : "make it and its directory writable, or choose another store with --store";
    return fail(Errc::store_failed, fmt::format("cannot {} the device log {} ({}): {}", doing, path,
                                                std::generic_category().message(error), next));
}

/// Refuses other files: a user who can write to the store's folder must not be able to redirect writes of mediarig to
/// other files.
auto not_a_log(const std::string& path) {
    return fail(Errc::store_failed, fmt::format("{} is not a log of mediarig but a link, a device or a foreign file: "
                                                "nothing was written; move it elsewhere",
                                                path));
}

/// True for an empty file, or one that begins with a whole or torn line of log_lines.hpp.
bool begins_as_a_log(int file) {
    constexpr std::string_view begins = R"({"v":)";
    std::array<char, begins.size()> first{};
    const ssize_t got = ::pread(file, first.data(), first.size(), 0);
    return got >= 0 && begins.starts_with(std::string_view(first.data(), static_cast<std::size_t>(got)));
}

/// Held while one record is written; the kernel releases the lock if the process dies.
class FileLock {
public:
    explicit FileLock(int descriptor) : descriptor_(descriptor) {
        int result = 0;
        do result = ::flock(descriptor_, LOCK_EX);
        while (result != 0 && errno == EINTR);
        error_ = result == 0 ? 0 : errno;
    }
    ~FileLock() { ::flock(descriptor_, LOCK_UN); }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    [[nodiscard]] int error() const { return error_; }

private:
    int descriptor_;
    int error_{};
};

/// A new file name must be on the disk before any data in the file counts as stored.
int sync_directory(const std::filesystem::path& directory) {
    const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    const int error = ::fsync(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    return error;
}

} // namespace

Result<std::unique_ptr<DeviceLog>> DeviceLog::open(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor < 0) return errno == ELOOP ? not_a_log(path.string()) : failed(path.string(), "open", errno);
    std::unique_ptr<DeviceLog> log(new DeviceLog(descriptor, path.string()));
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return failed(path.string(), "examine", errno);
    if (!S_ISREG(status.st_mode) || status.st_nlink > 1 || !begins_as_a_log(descriptor))
        return not_a_log(path.string());
    const auto directory = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (const int error = sync_directory(directory); error != 0) return failed(path.string(), "keep", error);
    return log;
}

DeviceLog::~DeviceLog() {
    ::close(descriptor_);
}

Result<void> DeviceLog::append(std::span<const std::string> lines) {
    const FileLock lock(descriptor_);
    if (lock.error() != 0) return failed(path_, "lock", lock.error());
    return append_locked(lines);
}

Result<void> DeviceLog::append_locked(std::span<const std::string> lines) {
    struct stat status {
    }, named{};
    if (::fstat(descriptor_, &status) != 0) return failed(path_, "examine", errno);
    if (::lstat(path_.c_str(), &named) != 0 || named.st_dev != status.st_dev || named.st_ino != status.st_ino)
        return fail(Errc::store_failed, fmt::format("{} was removed, renamed or replaced while it was in use: its "
                                                    "records are lost, and recording has stopped",
                                                    path_));

    Result<void> result = close_torn_line(status.st_size);
    for (std::size_t i = 0; result && i < lines.size(); ++i) result = write_line(lines[i]);
    if (result && ::fdatasync(descriptor_) != 0) result = failed(path_, "keep", errno);
    // The truncation frees the partly used space on a full disk. If it fails too, the next append closes the line.
    if (!result && ::ftruncate(descriptor_, status.st_size) != 0)
        result.error().detail += "; its last line is incomplete";
    return result;
}

/// Called at each append, not only after opening, because another process may have died during a write since.
Result<void> DeviceLog::close_torn_line(std::int64_t size) {
    if (size == 0) return {};
    char last = 0;
    if (::pread(descriptor_, &last, 1, size - 1) != 1) return failed(path_, "read", errno);
    if (last == '\n') return {};
    return write_line('\n' + log_line::torn());
}

/// Use a single system call: even without the lock no line of another process can be written between the parts.
Result<void> DeviceLog::write_line(std::string line) {
    line += '\n';
    ssize_t written = 0;
    do written = ::write(descriptor_, line.data(), line.size());
    while (written < 0 && errno == EINTR);
    if (written < 0) return failed(path_, "write to", errno);
    // The kernel writes only a part if the disk is full or the maximum file size is reached.
    if (static_cast<std::size_t>(written) != line.size()) return failed(path_, "write to", ENOSPC);
    return {};
}

} // namespace mediarig::store
