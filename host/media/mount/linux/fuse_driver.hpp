// SPDX-License-Identifier: GPL-3.0-or-later
/// The process of a FUSE driver.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "host/base/descriptor.hpp"

namespace mediarig::media {

/// Time for a driver to release a volume if an unmount must be fast; then the driver is killed.
inline constexpr std::chrono::milliseconds driver_patience{700};

/// The process that serves a mounted volume; empty if a kernel driver does.
class FuseDriver {
public:
    FuseDriver() = default;
    /// `life`: read end of a pipe whose write end only the driver has.
    explicit FuseDriver(Descriptor life);
    FuseDriver(FuseDriver&&) = default;
    FuseDriver& operator=(FuseDriver&&) = default;
    FuseDriver(const FuseDriver&) = delete;
    FuseDriver& operator=(const FuseDriver&) = delete;
    ~FuseDriver();

    explicit operator bool() const { return static_cast<bool>(life_); }
    [[nodiscard]] ino_t pipe() const { return pipe_; }
    /// Stores a pidfd of the process, to wait for the process and get its exit status. Call this function after the
    /// driver has become a child of this process by forking into the background, and before the driver can have ended.
    void find();
    /// Waits at most `within`. True if the driver has ended, or if there is no driver.
    [[nodiscard]] bool ended(std::chrono::milliseconds within = {}) const;
    void kill() const;
    /// "signal 9" or "exit status 1" for an abnormal end; otherwise empty, also if unknown.
    [[nodiscard]] std::string death();

private:
    Descriptor life_, process_;
    ino_t pipe_{};
    std::string death_;
};

} // namespace mediarig::media
