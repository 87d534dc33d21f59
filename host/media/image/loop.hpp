// SPDX-License-Identifier: GPL-3.0-or-later
/// Image files as media: attached to a loop device for as long as the object lives.
#pragma once

#include <string>

#include "host/media/image/loop_attachment.hpp"
#include "host/media/medium.hpp"
#include "host/result.hpp"

namespace mediarig::media {

class LoopDevice {
public:
    [[nodiscard]] const std::string& node() const { return attachment_.node(); }
    [[nodiscard]] const std::string& image() const { return image_; }
    [[nodiscard]] bool direct_io() const { return attachment_.direct_io(); }
    /// Idempotent; fails with io_failed while somebody holds the device.
    [[nodiscard]] Result<void> detach() { return attachment_.detach(); }

private:
    friend Result<LoopDevice> attach_loop(const std::string&);
    LoopDevice(LoopAttachment attachment, std::string image)
        : attachment_(std::move(attachment)), image_(std::move(image)) {}
    LoopAttachment attachment_;
    std::string image_;
};

/// With direct I/O on the backing file where its file system allows, and autoclear, so that even a killed process
/// leaves nothing attached. Refuses an image that is attached already. Fails with bad_request, no_permission, refused,
/// io_failed.
[[nodiscard]] Result<LoopDevice> attach_loop(const std::string& image);

} // namespace mediarig::media
