// SPDX-License-Identifier: GPL-3.0-or-later
/// What some tests need of the machine: small file systems of their own, and not being root.
#pragma once

#include <filesystem>
#include <string>

namespace mediarig::store {

/// Moves this process into a mount name space of its own, so that whatever it mounts is gone with it, however it ends.
/// False without the privilege.
[[nodiscard]] bool enter_private_mounts();

/// A tmpfs on `directory`, unmounted when destroyed. Needs enter_private_mounts.
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

/// Root may write anything: while this lives the process is "nobody" if it was root.
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
