// SPDX-License-Identifier: GPL-3.0-or-later
/// Requirements of some tests: small private file systems, and running without root rights.
#pragma once

#include <filesystem>
#include <string>

namespace mediarig::store {

/// Moves this process into a private mount namespace, so that its mounts always end with the process. Returns false
/// without the privilege.
[[nodiscard]] bool enter_private_mounts();

/// A tmpfs mounted on `directory`; the destructor unmounts it. Needs enter_private_mounts().
class SmallDisk {
public:
    SmallDisk(const std::filesystem::path& directory, const std::string& options);
    ~SmallDisk();
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    void remount(const std::string& options, unsigned long flags = 0);

private:
    std::filesystem::path directory_;
};

/// Root may write anywhere: while this object exists, the process is "nobody" if it was root.
class Unprivileged {
public:
    Unprivileged();
    ~Unprivileged();
    Unprivileged(const Unprivileged&) = delete;
    Unprivileged& operator=(const Unprivileged&) = delete;

private:
    bool was_root_;
};

} // namespace mediarig::store
