// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/local_socket.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace mediarig {

Peer peer_of(int socket) {
    ucred peer{};
    socklen_t length = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return {};
    return {.process = peer.pid, .user = peer.uid, .is_trusted = peer.uid == ::geteuid() || peer.uid == 0};
}

Result<std::optional<Descriptor>> open_socket_folder(const std::filesystem::path& folder, std::string_view next_step) {
    Descriptor opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!opened && errno == ENOENT) return std::optional<Descriptor>();
    if (!opened && errno != ENOTDIR && errno != ELOOP)
        return fail(Errc::io_failed, fmt::format("cannot open {}: {}", folder.string(), std::strerror(errno)));
    struct stat status {};
    constexpr mode_t for_others = S_IRWXG | S_IRWXO;
    if (opened && ::fstat(opened.get(), &status) == 0 && status.st_uid == ::geteuid() &&
        (status.st_mode & for_others) == 0)
        return std::optional(std::move(opened));
    return fail(Errc::refused, fmt::format("{} is not a folder of mediarig that only this user can enter{}{}",
                                           folder.string(), next_step.empty() ? "" : ": ", next_step));
}

Result<std::string> socket_path(int folder, std::string_view name) {
    std::string path = fmt::format("/proc/self/fd/{}/{}", folder, name);
    if (!name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos &&
        path.size() < sizeof(sockaddr_un::sun_path))
        return path;
    return fail(Errc::bad_request, "the name of a socket must be one short file name");
}

Result<std::optional<Descriptor>> connect_in(int folder, const std::string& name, const std::filesystem::path& shown) {
    const auto path = socket_path(folder, name);
    if (!path) return fail(path.error());
    const std::string whole = (shown / name).string();
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return fail(Errc::io_failed, fmt::format("cannot make a socket: {}", std::strerror(errno)));
    struct stat status {};
    if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISSOCK(status.st_mode))
        return fail(Errc::refused, fmt::format("{} is not a socket: remove it", whole));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(*path, address.sun_path);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the type that connect(2) takes
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        if (errno == ENOENT || errno == ECONNREFUSED) return std::optional<Descriptor>();
        return fail(Errc::io_failed,
                    fmt::format("cannot connect to {}: {}", whole,
                                errno == EAGAIN ? "too many clients are waiting" : std::strerror(errno)));
    }
    if (const Peer peer = peer_of(socket.get()); !peer.is_trusted)
        return fail(
            Errc::refused,
            fmt::format("a process of another user (number {}) listens at {}: no request was sent", peer.user, whole));
    return std::optional(std::move(socket));
}

void remove_socket(int folder, const std::string& name) {
    struct stat status {};
    if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(status.st_mode))
        ::unlinkat(folder, name.c_str(), 0);
}

void remove_socket(const std::filesystem::path& path) {
    remove_socket(AT_FDCWD, path.string());
}

} // namespace mediarig
