// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/events/socket/socket_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "host/base/local_socket.hpp"

namespace mediarig::events {
namespace {

namespace fs = std::filesystem;

fs::path folder_beside(const fs::path& store) {
    return store.string() + ".sockets";
}

} // namespace

Result<SocketFolder> SocketFolder::check(fs::path path) {
    auto folder = open_socket_folder(path, "");
    if (!folder) return fail(folder.error());
    if (!*folder) return fail(Errc::bad_request, fmt::format("{} does not exist", path.string()));
    return SocketFolder(std::move(path), std::move(**folder));
}

Result<SocketFolder> SocketFolder::make(const fs::path& store) {
    fs::path path = folder_beside(store);
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return fail(Errc::io_failed, fmt::format("cannot make {}: {}", path.string(), std::strerror(errno)));
    return check(std::move(path));
}

Result<SocketFolder> SocketFolder::open(const fs::path& store) {
    fs::path path = folder_beside(store);
    std::error_code unknown;
    if (!fs::exists(fs::symlink_status(path, unknown)))
        return fail(Errc::bad_request, fmt::format("no campaign of {} runs here", store.string()));
    return check(std::move(path));
}

Result<std::string> SocketFolder::path_of(const std::string& campaign) const {
    return socket_path(folder_.get(), campaign).map_error([](Error error) {
        error.detail = "the campaign's id is not a valid name of a socket, so the campaign cannot be watched";
        return error;
    });
}

Result<Descriptor> SocketFolder::connect(const std::string& campaign) const {
    if (const auto name = path_of(campaign); !name) return fail(name.error());
    auto socket = connect_in(folder_.get(), campaign, path_);
    if (!socket) return fail(socket.error());
    if (!*socket)
        return fail(Errc::bad_request, fmt::format("campaign {} does not run, or cannot be watched", campaign));
    // A Feed is read with blocking calls.
    const int flags = ::fcntl((*socket)->get(), F_GETFL);
    if (flags < 0 || ::fcntl((*socket)->get(), F_SETFL, flags & ~O_NONBLOCK) != 0)
        return fail(Errc::io_failed, fmt::format("cannot set up a socket: {}", std::strerror(errno)));
    return std::move(**socket);
}

std::vector<std::string> SocketFolder::campaigns() const {
    std::error_code none;
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_, none)) names.push_back(entry.path().filename().string());
    // Ids sort by time, so this sorts the newest first.
    std::sort(names.begin(), names.end(), std::greater());
    return names;
}

void SocketFolder::remove_all_but(const std::function<bool(const std::string&)>& is_running) const {
    for (const std::string& name : campaigns())
        if (!is_running(name)) remove_socket(folder_.get(), name);
}

void SocketFolder::remove(const std::string& campaign) const {
    remove_socket(folder_.get(), campaign);
    ::rmdir(path_.c_str()); // fails if another campaign's socket is in it
}

Result<Descriptor> connect_to_campaign(const fs::path& store, const std::string& campaign) {
    const auto folder = SocketFolder::open(store);
    if (!folder) return fail(folder.error());
    return folder->connect(campaign);
}

} // namespace mediarig::events
