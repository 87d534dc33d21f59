// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/resident/lab_paths.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "host/base/owned_folder.hpp"
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

Result<void> check_length(const fs::path& folder) {
    if (folder.native().size() + socket_name_length <= longest_socket_path) return {};
    return fail(Errc::bad_request, fmt::format("the path {} is too long for sockets, whose paths have at most {} "
                                               "bytes: set MEDIARIG_LAB_DIR to a shorter one",
                                               folder.string(), longest_socket_path));
}

/// "lock", "control", and the sockets of cards: "slot3.nbd", "slot3.ctl".
bool is_own(std::string_view name) {
    if (name == "lock" || name == "control") return true;
    if (!name.starts_with("slot") || !(name.ends_with(".nbd") || name.ends_with(".ctl"))) return false;
    const std::string_view number = name.substr(4, name.size() - 8);
    return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Makes the user's folder if the last part of its path is missing. Returns true if this call made it.
Result<bool> make_above(const LabPaths& place) {
    if (place.above.empty()) return false;
    if (::mkdir(place.above.c_str(), S_IRWXU) == 0) return true;
    if (errno == EEXIST) return false;
    const Errc code = errno == EACCES || errno == EROFS ? Errc::no_permission : Errc::io_failed;
    return fail(code, fmt::format("cannot make {}: {}", place.above.string(), std::strerror(errno)));
}

} // namespace

LabPaths default_lab_place() {
    using process::environment;
    if (const fs::path named = environment("MEDIARIG_LAB_DIR"); !named.empty()) {
        std::error_code none;
        const fs::path above = fs::absolute(named, none);
        return {.folder = above / "mediarig-lab", .above = above};
    }
    if (const fs::path runtime = environment("XDG_RUNTIME_DIR");
        runtime.is_absolute() && ::access(runtime.c_str(), W_OK | X_OK) == 0)
        return {.folder = runtime / "mediarig-resident"};
    return {.folder = fmt::format("/tmp/mediarig-resident-{}", ::geteuid())};
}

std::optional<pid_t> lab_process(const LabPaths& place) {
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

Result<LabLock> LabLock::begin(const LabPaths& place) {
    if (auto short_enough = check_length(place.folder); !short_enough) return fail(short_enough.error());
    const auto made_above = make_above(place);
    if (!made_above) return fail(made_above.error());
    auto folder =
        OwnedFolder::make(place.folder, {.is_own = is_own, .next_step = "set MEDIARIG_LAB_DIR to another folder"});
    if (!folder) return fail(folder.error());
    const int lock = ::openat(folder->descriptor(), "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0)
        return fail(Errc::io_failed, fmt::format("cannot make {}: {}", place.lock().string(), std::strerror(errno)));
    struct flock range = whole_file();
    if (::fcntl(lock, F_OFD_SETLK, &range) != 0) {
        const int cause = errno;
        ::close(lock);
        if (cause != EAGAIN && cause != EACCES)
            return fail(Errc::io_failed,
                        fmt::format("cannot lock {}: {}", place.lock().string(), std::strerror(cause)));
        return fail(Errc::bad_request,
                    fmt::format("a lab is already running as process {}: use it, or stop it with 'mediarig lab stop'",
                                lab_process(place).value_or(0)));
    }
    LabLock place_lock(place, lock, *made_above);
    struct stat status {};
    // The owner may have ended and removed the file between open() and the lock.
    if (::fstat(lock, &status) == 0 && status.st_nlink == 0)
        return fail(Errc::rig_fault, "another lab has just ended in this folder: start the lab again");
    if (auto emptied = empty_owned_folder(folder->descriptor(), place.folder,
                                          [](std::string_view name) { return name != "lock" && is_own(name); });
        !emptied)
        return fail(emptied.error());
    const std::string process = std::to_string(::getpid());
    if (::ftruncate(lock, 0) != 0 || ::pwrite(lock, process.data(), process.size(), 0) < 0)
        return fail(Errc::io_failed, fmt::format("cannot write {}: {}", place.lock().string(), std::strerror(errno)));
    return place_lock;
}

LabLock::LabLock(LabLock&& other) noexcept
    : place_(std::move(other.place_)), lock_(std::exchange(other.lock_, -1)), made_above_(other.made_above_) {}

LabLock::~LabLock() {
    if (lock_ < 0) return;
    (void)remove_owned_tree(place_.folder, is_own);
    ::close(lock_);
    // Fails if the folder contains anything.
    if (made_above_) ::rmdir(place_.above.c_str());
}

} // namespace mediarig::lab
