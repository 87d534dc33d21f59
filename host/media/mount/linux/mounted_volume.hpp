// SPDX-License-Identifier: GPL-3.0-or-later
/// A volume mounted in this process's namespace, and its unmounting.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/media/format/partition/linux/medium_view.hpp"
#include "host/media/mount/linux/fuse_driver.hpp"
#include "host/media/mount/linux/run_folder.hpp"
#include "host/media/mount/mount.hpp"

namespace mediarig::media {

class MountedVolume : public VolumeMount {
public:
    /// The driver's device. This object owns the descriptor.
    struct Device {
        Descriptor descriptor;
        std::string node;
        std::optional<MediumView> view; ///< set if the volume is in a partition
    };
    /// `medium` has been released for the mount and is held again after unmounting; it must outlive this object. When
    /// `expedite_close` becomes true (null: never), a volume that does not unmount is detached by force.
    MountedVolume(ErasableMedium& medium, RunFolder folder, Device device, FuseDriver driver, MountReport report,
                  const std::atomic<bool>* expedite_close = nullptr)
        : medium_(medium),
          folder_(std::move(folder)),
          device_(std::move(device)),
          driver_(std::move(driver)),
          report_(std::move(report)),
          hurry_(expedite_close) {}
    MountedVolume(const MountedVolume&) = delete;
    MountedVolume& operator=(const MountedVolume&) = delete;
    ~MountedVolume() override; ///< if unmount() fails: detaches by force and logs the error

    [[nodiscard]] const MountReport& report() const override { return report_; }
    [[nodiscard]] std::string node() const override { return device_.node; }
    [[nodiscard]] int descriptor() const override { return device_.descriptor.get(); }
    /// Fails with io_failed (in use: names the processes, stays mounted; or write-back failed, unmounted), timed_out
    /// (the driver does not release the device), host_fault (the driver had ended, or ended during unmounting: written
    /// data may be lost). May be called again after a failure.
    [[nodiscard]] Result<void> unmount() override { return tear_down(); }
    [[nodiscard]] bool is_attached() const override { return attached_; }
    [[nodiscard]] bool is_released() const override { return released_; }
    [[nodiscard]] std::optional<Error> backing_fault() override; ///< returns host_fault if the driver ended
    void end_driver() override {
        forced_ = true;
        driver_.kill();
    }

private:
    [[nodiscard]] Result<void> tear_down();
    [[nodiscard]] Result<void> wait_for_release();
    /// Returns true if the driver has released the device and the claim holds the medium again. Fails if the claim can
    /// never hold the medium again although the device is free.
    [[nodiscard]] Result<bool> is_reacquired();
    ErasableMedium& medium_;
    RunFolder folder_;
    Device device_;
    FuseDriver driver_;
    MountReport report_;
    const std::atomic<bool>* hurry_{};
    void note_death_of_driver();
    std::optional<Error> trouble_;
    bool attached_{true};
    bool released_{false};
    std::atomic<bool> forced_{false}; ///< true if this process killed the driver, so its exit status is irrelevant
};

} // namespace mediarig::media
