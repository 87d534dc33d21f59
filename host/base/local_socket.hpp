// SPDX-License-Identifier: GPL-3.0-or-later
/// Unix sockets between processes of one user: the folder, the connection and the peer are checked before a byte is
/// sent. A folder in /tmp, or one that a variable names, may be another user's.
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
    bool is_trusted{}; ///< of this process's user, or root
};

/// As the kernel reports it (SO_PEERCRED). Not trusted where it reports nothing.
[[nodiscard]] Peer peer_of(int socket);

/// Opens a folder of sockets with O_PATH. Fails with refused (a link, no folder, another user's, or others may enter;
/// `next_step` ends the sentence "remove it, or …") and io_failed; {} where there is none.
[[nodiscard]] Result<std::optional<Descriptor>> open_socket_folder(const std::filesystem::path& folder,
                                                                   std::string_view next_step);

/// The path of a socket in an open folder, as long as the descriptor is open: short, however long the folder's path is.
/// Fails with bad_request: `name` is no name of one file, or too long.
[[nodiscard]] Result<std::string> socket_path(int folder, std::string_view name);

/// Connects to the socket `name` in an open folder; {} where no process listens. Does not wait. Fails with refused
/// (another user's process listens, or the name is no socket's), bad_request (see socket_path) and io_failed.
[[nodiscard]] Result<std::optional<Descriptor>> connect_in(int folder, const std::string& name,
                                                           const std::filesystem::path& shown);

/// Removes `name` if it is a socket.
void remove_socket(int folder, const std::string& name);
void remove_socket(const std::filesystem::path& path);

} // namespace mediarig
