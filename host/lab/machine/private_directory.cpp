// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/private_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "host/base/owned_folder.hpp"
#include "host/lab/qmp/unix_socket.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "mediarig-lab-";
/// "/mediarig-lab-XXXXXX" and the longest name of a socket in it.
constexpr std::size_t added_length = 1 + prefix.size() + 6 + 6;

std::string usual_parent() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime != nullptr && *runtime == '/' && std::strlen(runtime) + added_length <= longest_socket_path &&
        ::access(runtime, W_OK | X_OK) == 0)
        return runtime;
    return "/tmp";
}

/// Returns nothing if a live process holds the lock, or if there is no lock file.
Descriptor take_lock(const fs::path& directory, int flags) {
    Descriptor lock(::open((directory / "lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
    return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(lock) : Descriptor();
}

void remove_what_the_dead_left(const std::string& parent) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
        const std::string path = entry.path().string();
        struct stat status {};
        // Never follow a link or remove a folder of another user.
        if (entry.path().filename().string().rfind(prefix, 0) != 0 || ::lstat(path.c_str(), &status) != 0 ||
            !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
            continue;
        if (!is_marked(entry.path())) continue;
        if (const Descriptor lock = take_lock(path, 0)) (void)remove_owned_tree(path);
    }
}

} // namespace

Result<PrivateDirectory> PrivateDirectory::make(const std::string& wanted) {
    const std::string parent = wanted.empty() ? usual_parent() : wanted;
    if (parent.size() + added_length > longest_socket_path)
        return fail(Errc::bad_request,
                    fmt::format("the path {} is too long for sockets, whose paths have at most {} bytes: choose a "
                                "shorter one",
                                parent, longest_socket_path));
    remove_what_the_dead_left(parent);
    auto folder = TemporaryFolder::make(parent, prefix);
    if (!folder) return fail(std::move(folder.error()));
    Descriptor lock = take_lock(folder->path(), O_CREAT | O_EXCL);
    if (!lock)
        return fail(Errc::io_failed, fmt::format("cannot lock {}: {}", folder->path().string(), std::strerror(errno)));
    return PrivateDirectory(std::move(lock), std::move(*folder));
}

} // namespace mediarig::lab
