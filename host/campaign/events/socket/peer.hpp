// SPDX-License-Identifier: GPL-3.0-or-later
/// The process at the other end of a local socket, as reported by the kernel.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

namespace mediarig::events {

struct Peer {
    pid_t process{};
    bool is_same_user{};
};

/// Returns an empty Peer if the kernel does not report one.
[[nodiscard]] inline Peer peer_of(int socket) {
    ucred peer{};
    socklen_t length = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return {};
    return {.process = peer.pid, .is_same_user = peer.uid == ::geteuid()};
}

} // namespace mediarig::events
