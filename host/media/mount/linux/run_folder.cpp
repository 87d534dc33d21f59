// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/run_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <utility>

namespace mediarig::media {
namespace {

constexpr std::string_view prefix = "mediarig-";

/// Process that made a folder of this name; 0 for other names.
pid_t owner_of(std::string_view name) {
    if (!name.starts_with(prefix)) return 0;
    name.remove_prefix(prefix.size());
    pid_t owner = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), owner);
    return failed == std::errc() && end != name.data() + name.size() && *end == '-' ? owner : 0;
}

Descriptor open_folder(const std::string& path) {
    return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

} // namespace

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), guard_(std::move(other.guard_)), lock_(std::move(other.lock_)) {
    other.guard_.reset();
}

RunFolder::~RunFolder() {
    if (path_.empty()) return;
    ::rmdir(mount_point().c_str());
    ::rmdir(path_.c_str());
}

Result<RunFolder> make_run_folder(const std::string& run_directory) {
    // A minimal guest may have no /run yet.
    ::mkdir(run_directory.c_str(), 0755);
    std::random_device random;
    RunFolder folder(fmt::format("{}/{}{}-{:08x}", run_directory, prefix, ::getpid(), random()));
    // Start the guard before making the folder, so that killing this process at any time leaves no folder.
    auto guard = UnmountGuard::start(folder.mount_point(), folder.path_);
    if (!guard) return fail(guard.error());
    folder.guard_.emplace(std::move(*guard));
    for (const std::string& each : {folder.path_, folder.mount_point()})
        if (::mkdir(each.c_str(), 0700) != 0)
            return fail(errno == EACCES || errno == EROFS ? Errc::no_permission : Errc::io_failed,
                        fmt::format("cannot make {}: {}", each, std::strerror(errno)));
    folder.lock_ = open_folder(folder.path_);
    if (!folder.lock_ || ::flock(folder.lock_.get(), LOCK_EX | LOCK_NB) != 0)
        return fail(Errc::io_failed, fmt::format("cannot lock {}: {}", folder.path_, std::strerror(errno)));
    return folder;
}

void remove_stale_folders(const std::string& run_directory) {
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(run_directory.c_str()), &::closedir);
    if (!listing) return;
    while (const dirent* entry = ::readdir(listing.get())) {
        const pid_t owner = owner_of(entry->d_name);
        if (owner <= 0 || ::kill(owner, 0) == 0 || errno != ESRCH) continue;
        const std::string folder = run_directory + "/" + entry->d_name;
        // The owner is alive, in another PID namespace.
        const Descriptor lock = open_folder(folder);
        if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
        // A killed process without a separate mount namespace also leaves its mount.
        ::umount2((folder + "/volume").c_str(), UMOUNT_NOFOLLOW);
        ::rmdir((folder + "/volume").c_str());
        ::rmdir(folder.c_str());
    }
}

} // namespace mediarig::media
