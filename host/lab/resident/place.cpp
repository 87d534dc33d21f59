// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/resident/place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "host/base/process/environment.hpp"
#include "host/lab/qmp/unix_socket.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;

/// "/slot255.nbd.sock" plus some margin: the longest name of a socket in the folder.
constexpr std::size_t socket_name_length = 24;

struct flock whole_file() {
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    return range;
}

Result<void> make_private_folder(const fs::path& folder) {
    if (folder.native().size() + socket_name_length > longest_socket_path)
        return fail(Errc::bad_request, fmt::format("the path {} is too long for sockets, whose paths end at {} "
                                                   "bytes: set MEDIARIG_LAB_DIR to a shorter one",
                                                   folder.string(), longest_socket_path));
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        const Errc code = errno == EACCES || errno == EROFS ? Errc::no_permission : Errc::io_failed;
        return fail(code, fmt::format("cannot make {}: {}", folder.string(), std::strerror(errno)));
    }
    struct stat status {};
    // In /tmp another user could have created the folder first, to intercept requests.
    if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() ||
        (status.st_mode & 077U) != 0)
        return fail(Errc::refused,
                    fmt::format("{} is not a folder of this user's own that nobody else can enter: remove "
                                "it, or set MEDIARIG_LAB_DIR to another one",
                                folder.string()));
    return {};
}

void empty_but_for_the_lock(const LabPlace& place) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(place.folder, none))
        if (entry.path() != place.lock()) fs::remove_all(entry.path(), none);
}

} // namespace

LabPlace default_lab_place() {
    using process::environment;
    if (const fs::path named = environment("MEDIARIG_LAB_DIR"); !named.empty()) {
        std::error_code none;
        return {fs::absolute(named, none)};
    }
    if (const fs::path runtime = environment("XDG_RUNTIME_DIR");
        runtime.is_absolute() && ::access(runtime.c_str(), W_OK | X_OK) == 0)
        return {runtime / "mediarig-resident"};
    return {fmt::format("/tmp/mediarig-resident-{}", ::geteuid())};
}

std::optional<pid_t> lab_process(const LabPlace& place) {
    const int lock = ::open(place.lock().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (lock < 0) return std::nullopt;
    // Query the lock without taking it: a lab that starts at this moment must not find it held.
    struct flock range = whole_file();
    const bool held = ::fcntl(lock, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
    std::array<char, 24> text{};
    const ssize_t length = ::read(lock, text.data(), text.size() - 1);
    ::close(lock);
    if (!held) return std::nullopt;
    return length > 0 ? static_cast<pid_t>(std::strtol(text.data(), nullptr, 10)) : 0;
}

Result<LabPlaceLock> LabPlaceLock::begin(const LabPlace& place) {
    if (auto made = make_private_folder(place.folder); !made) return fail(made.error());
    const int lock = ::open(place.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0)
        return fail(Errc::io_failed, fmt::format("cannot make {}: {}", place.lock().string(), std::strerror(errno)));
    struct flock range = whole_file();
    if (::fcntl(lock, F_OFD_SETLK, &range) != 0) {
        const int cause = errno;
        ::close(lock);
        if (cause != EAGAIN && cause != EACCES)
            return fail(Errc::io_failed,
                        fmt::format("cannot lock {}: {}", place.lock().string(), std::strerror(cause)));
        return fail(Errc::bad_request, fmt::format("a lab runs already, as process {}: use it, or stop it with "
                                                   "'mediarig lab stop'",
                                                   lab_process(place).value_or(0)));
    }
    LabPlaceLock place_lock(place, lock);
    struct stat status {};
    // The owner may have ended and removed the file between open() and the lock.
    if (::fstat(lock, &status) == 0 && status.st_nlink == 0)
        return fail(Errc::rig_fault, "another lab has just ended there: start this one again");
    empty_but_for_the_lock(place);
    const std::string process = std::to_string(::getpid());
    if (::ftruncate(lock, 0) != 0 || ::pwrite(lock, process.data(), process.size(), 0) < 0)
        return fail(Errc::io_failed, fmt::format("cannot write {}: {}", place.lock().string(), std::strerror(errno)));
    return place_lock;
}

LabPlaceLock::LabPlaceLock(LabPlaceLock&& other) noexcept
    : place_(std::move(other.place_)), lock_(std::exchange(other.lock_, -1)) {}

LabPlaceLock::~LabPlaceLock() {
    if (lock_ < 0) return;
    std::error_code none;
    fs::remove_all(place_.folder, none);
    ::close(lock_);
}

} // namespace mediarig::lab
