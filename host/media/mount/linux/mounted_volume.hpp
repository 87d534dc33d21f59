// SPDX-License-Identifier: GPL-3.0-or-later
/// A volume that is mounted in this process's namespace, and the way back.
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

class MountedVolume : public Mounted {
public:
    /// What the driver works on. The descriptor is our own.
    struct Device {
        Descriptor descriptor;
        std::string node;
        std::optional<MediumView> view; ///< where the volume lies in a partition
    };
    /// `medium` has let go of what is mounted, takes it back in the end, and outlives this object. As soon as `hurry`
    /// is true (null: never) it is unmounted by force where it does not let go by itself.
    MountedVolume(ErasableMedium& medium, RunFolder folder, Device device, FuseDriver driver, MountReport report,
                  const std::atomic<bool>* hurry = nullptr)
        : medium_(medium),
          folder_(std::move(folder)),
          device_(std::move(device)),
          driver_(std::move(driver)),
          report_(std::move(report)),
          hurry_(hurry) {}
    MountedVolume(const MountedVolume&) = delete;
    MountedVolume& operator=(const MountedVolume&) = delete;
    ~MountedVolume() override; ///< where unmount() fails: detaches by force and says so in the log

    [[nodiscard]] const MountReport& report() const override { return report_; }
    [[nodiscard]] std::string node() const override { return device_.node; }
    [[nodiscard]] int descriptor() const override { return device_.descriptor.get(); }
    /// Fails with io_failed (in use: names the processes, and stays mounted; or write-back failed, and is unmounted),
    /// timed_out (the driver does not let go of the device), host_fault (its driver had ended or died of it: what was
    /// written may be lost). May be called again after a failure.
    [[nodiscard]] Result<void> unmount() override { return take_down(); }
    [[nodiscard]] bool is_attached() const override { return attached_; }
    [[nodiscard]] bool is_released() const override { return released_; }
    [[nodiscard]] std::optional<Error> trouble() override; ///< host_fault
    void end_driver() override {
        forced_ = true;
        driver_.kill();
    }

private:
    [[nodiscard]] Result<void> take_down();
    [[nodiscard]] Result<void> wait_for_release();
    /// Whether the driver has let go, and the claim holds the medium again. Fails where it never will, though nobody
    /// has the device any more.
    [[nodiscard]] Result<bool> taken_back();
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
    std::atomic<bool> forced_{false}; ///< we ended the driver: how it ended says nothing
};

} // namespace mediarig::media
