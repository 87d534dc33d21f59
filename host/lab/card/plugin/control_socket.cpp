// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/plugin/control_socket.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "host/base/local_socket.hpp"

namespace mediarig::lab {
namespace {

constexpr std::size_t longest_line = 65536; ///< bytes; a peer that sends more without a line break is disconnected
constexpr std::size_t most_peers = 16;

struct Client {
    int fd;
    std::string unfinished{};
};

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

bool somebody_answers(const sockaddr_un& address) {
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool answers =
        probe >= 0 && ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    if (probe >= 0) ::close(probe);
    return answers;
}

bool send_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

/// Returns false when the connection to the peer must be closed.
bool attend(Client& peer, const ControlSocket::Handler& handler) {
    std::array<char, 4096> buffer{};
    const ssize_t got = ::recv(peer.fd, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    peer.unfinished.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end = peer.unfinished.find('\n'); end != std::string::npos; end = peer.unfinished.find('\n')) {
        const std::string line = peer.unfinished.substr(0, end);
        peer.unfinished.erase(0, end + 1);
        if (!send_all(peer.fd, handler(line) + '\n')) return false;
    }
    return peer.unfinished.size() <= longest_line;
}

} // namespace

Result<std::unique_ptr<ControlSocket>> ControlSocket::listen(const std::string& path, Handler handler) {
    if (path.size() >= sizeof(sockaddr_un::sun_path))
        return fail(Errc::bad_request,
                    fmt::format("the path of the control socket is {} bytes long; {} are allowed: {}", path.size(),
                                sizeof(sockaddr_un::sun_path) - 1, path));
    const sockaddr_un address = address_of(path);
    if (somebody_answers(address))
        return fail(Errc::refused, fmt::format("another process answers on the control socket {}", path));
    remove_socket(path);
    const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int stop = ::eventfd(0, EFD_CLOEXEC);
    if (listener < 0 || stop < 0 ||
        ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener, static_cast<int>(most_peers)) != 0) {
        const int cause = errno;
        if (listener >= 0) ::close(listener);
        if (stop >= 0) ::close(stop);
        return fail(cause == EACCES ? Errc::no_permission : Errc::io_failed,
                    fmt::format("cannot listen on the control socket {}: {}", path, std::strerror(cause)));
    }
    return std::unique_ptr<ControlSocket>(new ControlSocket(path, listener, stop, std::move(handler)));
}

ControlSocket::ControlSocket(std::string path, int listener, int stop, Handler handler)
    : path_(std::move(path)), listener_(listener), stop_(stop), handler_(std::move(handler)) {}

ControlSocket::~ControlSocket() {
    if (thread_.joinable()) {
        const std::uint64_t once = 1;
        // A write of 1 to an eventfd with value 0 does not block.
        [[maybe_unused]] const ssize_t written = ::write(stop_, &once, sizeof once);
        thread_.join();
    }
    ::close(listener_);
    ::close(stop_);
    remove_socket(path_);
}

Result<void> ControlSocket::start() {
    // Block all signals in this thread: other threads of the process handle them.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    Result<void> started;
    try {
        thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error& cause) {
        started = fail(Errc::io_failed, fmt::format("cannot start the thread of the control socket: {}", cause.what()));
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
}

void ControlSocket::serve() {
    std::vector<Client> peers;
    for (bool stopped = false; !stopped;) {
        std::vector<pollfd> waiting{{stop_, POLLIN, 0}};
        for (const Client& peer : peers) waiting.push_back({peer.fd, POLLIN, 0});
        if (peers.size() < most_peers) waiting.push_back({listener_, POLLIN, 0});
        if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
        stopped = waiting.front().revents != 0;
        for (std::size_t i = peers.size(); i > 0 && !stopped; --i) {
            if (waiting[i].revents == 0 || attend(peers[i - 1], handler_)) continue;
            ::close(peers[i - 1].fd);
            peers.erase(peers.begin() + static_cast<std::ptrdiff_t>(i - 1));
        }
        if (waiting.back().fd != listener_ || waiting.back().revents == 0) continue;
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) continue;
        if (!peer_of(fd).is_trusted) {
            ::close(fd);
            continue;
        }
        // A peer that does not read must not delay the other peers for long.
        const timeval patience{.tv_sec = 1, .tv_usec = 0};
        ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        peers.push_back({fd});
    }
    for (const Client& peer : peers) ::close(peer.fd);
}

} // namespace mediarig::lab
