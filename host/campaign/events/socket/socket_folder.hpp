// SPDX-License-Identifier: GPL-3.0-or-later
/// Sockets through which the campaigns of a store can be observed: "STORE.sockets/CAMPAIGN", in a folder that only its
/// owner can enter.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig::events {

/// An open folder of sockets: paths stay within the kernel's limit for any length of the store's path.
class SocketFolder {
public:
    /// Creates the folder if it is missing. Fails with refused (another user owns the folder, or others can enter it)
    /// or io_failed.
    [[nodiscard]] static Result<SocketFolder> make(const std::filesystem::path& store);
    /// Fails with bad_request if the folder is missing; otherwise fails like make().
    [[nodiscard]] static Result<SocketFolder> open(const std::filesystem::path& store);

    /// Path of the campaign's socket, valid while this object exists. `campaign` must be a complete id; a path is not
    /// accepted.
    [[nodiscard]] Result<std::string> path_of(const std::string& campaign) const;
    /// Like connect_to_campaign().
    [[nodiscard]] Result<Descriptor> connect(const std::string& campaign) const;
    /// Ids of the campaigns that have a socket, newest first; may include a killed campaign.
    [[nodiscard]] std::vector<std::string> campaigns() const;
    /// Removes the sockets of killed campaigns.
    void remove_all_but(const std::function<bool(const std::string& campaign)>& is_running) const;
    /// Removes the socket, and the folder if no other socket is in it.
    void remove(const std::string& campaign) const;

private:
    SocketFolder(std::filesystem::path path, Descriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}
    [[nodiscard]] static Result<SocketFolder> check(std::filesystem::path path);

    std::filesystem::path path_;
    Descriptor folder_;
};

/// Returns a blocking connection to a running campaign, for a Feed. Fails with bad_request if the campaign does not run
/// or cannot be watched, and with refused if a process of another user listens at the socket.
[[nodiscard]] Result<Descriptor> connect_to_campaign(const std::filesystem::path& store, const std::string& campaign);

} // namespace mediarig::events
