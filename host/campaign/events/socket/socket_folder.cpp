// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/events/socket/socket_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "host/campaign/events/socket/peer.hpp"

namespace mediarig::events {
namespace {

namespace fs = std::filesystem;

fs::path folder_beside(const fs::path& store) {
    return store.string() + ".sockets";
}

} // namespace

Result<SocketFolder> SocketFolder::check(fs::path path) {
    Descriptor folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const bool is_no_folder = !folder && (errno == ENOTDIR || errno == ELOOP);
    if (!folder && !is_no_folder)
        return fail(Errc::io_failed, fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)));
    struct stat status {};
    if (is_no_folder || ::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid() ||
        (status.st_mode & 077U) != 0)
        return fail(
            Errc::refused,
            fmt::format("{} is not a folder of this user's own that nobody else can enter: remove it", path.string()));
    return SocketFolder(std::move(path), std::move(folder));
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
    std::string path = fmt::format("/proc/self/fd/{}/{}", folder_.get(), campaign);
    if (campaign.empty() || campaign.front() == '.' || campaign.find('/') != std::string::npos ||
        path.size() >= sizeof(sockaddr_un::sun_path))
        return fail(Errc::bad_request, "a campaign's id is not a name of a socket: it cannot be watched");
    return path;
}

std::vector<std::string> SocketFolder::campaigns() const {
    std::error_code none;
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_, none)) names.push_back(entry.path().filename().string());
    // Ids sort by time.
    std::sort(names.begin(), names.end(), std::greater());
    return names;
}

void SocketFolder::remove_all_but(const std::function<bool(const std::string&)>& is_running) const {
    for (const std::string& name : campaigns())
        if (!is_running(name)) ::unlinkat(folder_.get(), name.c_str(), 0);
}

void SocketFolder::remove(const std::string& campaign) const {
    ::unlinkat(folder_.get(), campaign.c_str(), 0);
    ::rmdir(path_.c_str());
}

Result<Descriptor> connect_to_campaign(const fs::path& store, const std::string& campaign) {
    const auto folder = SocketFolder::open(store);
    if (!folder) return fail(folder.error());
    const auto path = folder->path_of(campaign);
    if (!path) return fail(path.error());
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) return fail(Errc::io_failed, fmt::format("cannot make a socket: {}", std::strerror(errno)));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(path->begin(), path->end(), address.sun_path);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): so the call wants it
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return fail(Errc::bad_request,
                    fmt::format("campaign {} does not run, or cannot be watched: {}", campaign, std::strerror(errno)));
    if (!peer_of(socket.get()).is_same_user)
        return fail(Errc::refused, fmt::format("another user's process listens for campaign {}", campaign));
    return socket;
}

} // namespace mediarig::events
