// SPDX-License-Identifier: GPL-3.0-or-later
/// Sees to it that a FUSE driver does not outlive an agent that was killed while the driver mounted: until the mount is
/// taken away from the driver, the two keep each other alive in a namespace that nobody else can reach.
#pragma once

#include <string>

#include "host/media/linux/descriptor.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// A small process in the caller's mount namespace. If the caller dies, it unmounts `mount_point` until the driver,
/// whose end hangs `driver_life` up, is gone, or a minute has passed.
class Undertaker {
public:
    /// To be called in the namespace in which the driver will mount. Fails with io_failed.
    [[nodiscard]] static Result<Undertaker> appoint(const std::string& mount_point, int driver_life);
    Undertaker(Undertaker&&) noexcept;
    Undertaker& operator=(Undertaker&&) = delete;
    Undertaker(const Undertaker&) = delete;
    Undertaker& operator=(const Undertaker&) = delete;
    /// Sends it home.
    ~Undertaker();

private:
    Undertaker(int process, Descriptor lifeline) : process_(process), lifeline_(std::move(lifeline)) {}
    int process_;
    Descriptor lifeline_; ///< a byte means "all is well", the end of it that the agent died
};

} // namespace mediarig::media
