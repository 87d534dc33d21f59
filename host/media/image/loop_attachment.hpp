// SPDX-License-Identifier: GPL-3.0-or-later
/// A loop device that stands on an open file or device, and goes with the object.
#pragma once

#include <string>

#include "common/units.hpp"
#include "host/descriptor.hpp"
#include "host/media/node.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// Which part of what is below the loop device shows.
struct LoopWindow {
    Bytes offset;
    Bytes length;               ///< 0: to the end
    std::uint32_t block_size{}; ///< of the loop device; 0: as the kernel chooses
};

/// Attached with autoclear: a killed process leaves nothing attached.
class LoopAttachment {
public:
    LoopAttachment(LoopAttachment&&) noexcept = default;
    LoopAttachment& operator=(LoopAttachment&&) noexcept;
    LoopAttachment(const LoopAttachment&) = delete;
    LoopAttachment& operator=(const LoopAttachment&) = delete;
    ~LoopAttachment(); ///< detaches; whoever still has it open keeps it until they close it

    [[nodiscard]] const std::string& node() const { return node_; }
    /// For reading and writing; -1 once detached.
    [[nodiscard]] int descriptor() const { return fd_.get(); }
    /// What it was made to show; compare with LOOP_GET_STATUS64 before writing, for others can change it.
    [[nodiscard]] const LoopWindowFacts& shows() const { return shows_; }
    /// Whether the kernel really does direct I/O below: where it cannot, it drops the request in silence.
    [[nodiscard]] bool direct_io() const { return direct_io_; }
    /// Waits until it is detached. Idempotent; fails with io_failed while somebody holds the device.
    [[nodiscard]] Result<void> detach();

private:
    friend Result<LoopAttachment> attach_to_free_loop(int, const std::string&, const LoopWindow&, const std::string&);
    LoopAttachment(std::string node, Descriptor fd, const LoopWindowFacts& shows, bool direct_io);
    std::string node_;
    Descriptor fd_;
    std::string window_; ///< as sysfs tells it; empty once detached
    LoopWindowFacts shows_;
    bool direct_io_{};
};

/// With direct I/O on what is below where that can. `file` is open for reading and writing and is not kept: the loop
/// device holds it by itself. `name` is what error texts and losetup call it.
/// Fails with no_permission, io_failed (no loop device is free, or the kernel has none).
[[nodiscard]] Result<LoopAttachment> attach_to_free_loop(int file, const std::string& name, const LoopWindow& window,
                                                         const std::string& loop_control = "/dev/loop-control");

} // namespace mediarig::media
