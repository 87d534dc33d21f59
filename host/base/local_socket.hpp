// SPDX-License-Identifier: GPL-3.0-or-later
/// Unix sockets between processes of one user. The folder, the connection and the peer are checked before a byte is
/// sent, because a folder in /tmp, or a folder named by an environment variable, may belong to another user.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig {

struct Peer {
    pid_t process{};
    uid_t user{};
    bool is_trusted{}; ///< the peer runs as this process's user or as root
};

/// Identity of the peer as reported by the kernel (SO_PEERCRED). Not trusted if the kernel reports no identity.
[[nodiscard]] Peer peer_of(int socket);

/// Opens a folder of sockets with O_PATH. Returns {} if the folder does not exist. Fails with refused (a link, not a
/// folder, owned by another user, or accessible to others; `next_step` ends the sentence "remove it, or …") and
/// io_failed.
[[nodiscard]] Result<std::optional<Descriptor>> open_socket_folder(const std::filesystem::path& folder,
                                                                   std::string_view next_step);

/// Path of a socket in an open folder, valid while the descriptor is open; short for any length of the folder's path.
/// Fails with bad_request if `name` is not a plain file name or is too long.
[[nodiscard]] Result<std::string> socket_path(int folder, std::string_view name);

/// Connects to the socket `name` in an open folder. Returns {} if no process listens. Does not wait. Fails with refused
/// (a process of another user listens, or `name` is not a socket), bad_request (see socket_path) and io_failed.
[[nodiscard]] Result<std::optional<Descriptor>> connect_in(int folder, const std::string& name,
                                                           const std::filesystem::path& shown);

/// Removes the file `name` if it is a socket.
void remove_socket(int folder, const std::string& name);
void remove_socket(const std::filesystem::path& path);

} // namespace mediarig
