// SPDX-License-Identifier: GPL-3.0-or-later
/// Image files as media: attached to a loop device for as long as the object lives.
#pragma once

#include <string>

#include "host/media/medium.hpp"
#include "host/result.hpp"

namespace mediarig::media {

class LoopDevice {
public:
    LoopDevice(LoopDevice&&) noexcept;
    LoopDevice& operator=(LoopDevice&&) noexcept;
    LoopDevice(const LoopDevice&) = delete;
    LoopDevice& operator=(const LoopDevice&) = delete;
    ~LoopDevice(); ///< detaches

    [[nodiscard]] const std::string& node() const { return node_; }
    [[nodiscard]] const std::string& image() const { return image_; }
    [[nodiscard]] bool direct_io() const { return direct_io_; }
    /// Idempotent; fails with io_failed while somebody holds the device.
    [[nodiscard]] Result<void> detach();

private:
    friend Result<LoopDevice> attach_loop(const std::string&);
    LoopDevice(std::string node, std::string image, int fd, bool direct_io);
    std::string node_, image_;
    int fd_{-1};
    bool direct_io_{};
};

/// With direct I/O on the backing file where its file system allows, and autoclear, so that even a killed process
/// leaves nothing attached. Refuses an image that is attached already. Fails with bad_request, no_permission, refused,
/// io_failed.
[[nodiscard]] Result<LoopDevice> attach_loop(const std::string& image);

} // namespace mediarig::media
