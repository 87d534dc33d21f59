// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/work_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "host/workload/errno_error.hpp"

namespace mediarig::workload {
namespace {

namespace fs = std::filesystem;

/// A descriptor that holds the folder's lock; negative where somebody else does or the folder cannot be opened.
int lock_folder(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        ::close(fd);
        return -1;
    }
    return fd;
}

/// The files directly in `path`, then the folder. Jobs make no deeper ones, so none are looked for.
std::error_code remove_folder(const std::string& path) {
    // FUSE hears of a closed file a moment later, and until then keeps it under another name when it is removed.
    for (int attempt = 0;; ++attempt) {
        std::error_code first;
        std::error_code error;
        for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
            if (::unlink(entry->path().c_str()) != 0 && !first) first.assign(errno, std::generic_category());
        if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return first;
        if (errno != ENOTEMPTY || first || attempt == 50) return {errno, std::generic_category()};
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void remove_ownerless(const std::string& directory) {
    std::error_code error;
    for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
        if (!entry->path().filename().string().starts_with(WorkFolder::prefix)) continue;
        const int lock = lock_folder(entry->path().string());
        if (lock < 0) continue;
        (void)remove_folder(entry->path().string()); // what stays only costs room, which is looked at later
        ::close(lock);
    }
}

} // namespace

Result<WorkFolder> WorkFolder::create(const std::string& directory) {
    remove_ownerless(directory);
    std::string path = directory + "/" + prefix + "XXXXXX";
    if (!::mkdtemp(path.data())) return fail(error_from(errno, "create a folder in " + directory));
    const int lock = lock_folder(path);
    return WorkFolder(std::move(path), lock);
}

WorkFolder::WorkFolder(WorkFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

Result<void> WorkFolder::remove() {
    if (path_.empty()) return {};
    if (const auto error = remove_folder(path_))
        return fail(error_from(error.value(), "remove the test files in " + path_));
    path_.clear();
    return {};
}

WorkFolder::~WorkFolder() {
    (void)remove(); // remove() was called before where somebody wants to know
    if (lock_ >= 0) ::close(lock_);
}

} // namespace mediarig::workload
