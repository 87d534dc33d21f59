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

/// An open folder: socket paths stay within the kernel's limit for any length of the store's path.
class SocketFolder {
public:
    /// Makes the folder if it is missing. Fails with refused (another user owns it, or others can enter it) or
    /// io_failed.
    [[nodiscard]] static Result<SocketFolder> make(const std::filesystem::path& store);
    /// Fails with bad_request if the folder is missing; otherwise as make().
    [[nodiscard]] static Result<SocketFolder> open(const std::filesystem::path& store);

    /// Valid while this object lives. `campaign` is a complete id; a path instead of an id is not found.
    [[nodiscard]] Result<std::string> path_of(const std::string& campaign) const;
    /// Like connect_to_campaign().
    [[nodiscard]] Result<Descriptor> connect(const std::string& campaign) const;
    /// Ids of the campaigns that have a socket, the newest first; may include a killed campaign.
    [[nodiscard]] std::vector<std::string> campaigns() const;
    /// Removes the sockets of killed campaigns.
    void remove_all_but(const std::function<bool(const std::string& campaign)>& is_running) const;
    /// Removes the socket, and the folder if it was the last one.
    void remove(const std::string& campaign) const;

private:
    SocketFolder(std::filesystem::path path, Descriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}
    [[nodiscard]] static Result<SocketFolder> check(std::filesystem::path path);

    std::filesystem::path path_;
    Descriptor folder_;
};

/// A connection to a campaign that runs, blocking, for a Feed. Fails with bad_request: it does not run, or cannot be
/// watched; with refused: another user's process
/// listens there.
[[nodiscard]] Result<Descriptor> connect_to_campaign(const std::filesystem::path& store, const std::string& campaign);

} // namespace mediarig::events
