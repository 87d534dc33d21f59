// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the campaigns of a store can be watched: "STORE.sockets/CAMPAIGN", a folder that nobody else can enter.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig::events {

/// An open folder: names in it are short for the kernel, however long the store's path is.
class SocketFolder {
public:
    /// Makes it where it is missing. Fails with refused (it is somebody else's, or open to others) or io_failed.
    [[nodiscard]] static Result<SocketFolder> make(const std::filesystem::path& store);
    /// Fails with bad_request where there is none, and as make().
    [[nodiscard]] static Result<SocketFolder> open(const std::filesystem::path& store);

    /// As long as this object lives. `campaign` is a whole id; a path in its place names nothing.
    [[nodiscard]] Result<std::string> path_of(const std::string& campaign) const;
    /// As connect_to_campaign().
    [[nodiscard]] Result<Descriptor> connect(const std::string& campaign) const;
    /// Those that have a socket, the newest first. One that was killed may still have.
    [[nodiscard]] std::vector<std::string> campaigns() const;
    /// Those of campaigns that were killed.
    void remove_all_but(const std::function<bool(const std::string& campaign)>& is_running) const;
    /// The socket, and the folder where it was the last one.
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
