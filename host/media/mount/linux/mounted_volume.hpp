// SPDX-License-Identifier: GPL-3.0-or-later
/// A volume that is mounted in this process's namespace, and the way back.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "host/media/linux/descriptor.hpp"
#include "host/media/mount/linux/run_folder.hpp"
#include "host/media/mount/mount.hpp"
#include "host/media/partition/partition_view.hpp"

namespace mediarig::media {

class MountedVolume : public Mounted {
public:
    /// What the driver works on. The descriptor is our own.
    struct Device {
        Descriptor descriptor;
        std::string node;
        std::optional<PartitionView> view; ///< where the volume lies in a partition
    };
    /// `life` hangs up when a FUSE driver ended, -1 for the kernel's.
    MountedVolume(RunFolder folder, Device device, Descriptor life, MountReport report)
        : folder_(std::move(folder)), device_(std::move(device)), life_(std::move(life)), report_(std::move(report)) {}
    MountedVolume(const MountedVolume&) = delete;
    MountedVolume& operator=(const MountedVolume&) = delete;
    ~MountedVolume() override; ///< where unmount() fails: detaches by force and says so in the log

    [[nodiscard]] const MountReport& report() const override { return report_; }
    [[nodiscard]] std::string node() const override { return device_.node; }
    /// Fails with io_failed (in use: names the processes, and stays mounted; or write-back failed, and is unmounted),
    /// timed_out (the driver does not let go of the device). May be called again after a failure.
    [[nodiscard]] Result<void> unmount() override { return take_down(); }

private:
    [[nodiscard]] Result<void> take_down();
    [[nodiscard]] Result<void> wait_for_release();
    RunFolder folder_;
    Device device_;
    Descriptor life_;
    MountReport report_;
    bool attached_{true};
    bool released_{false};
};

} // namespace mediarig::media
