// SPDX-License-Identifier: GPL-3.0-or-later
/// Mounts a claimed medium: with the kernel driver, otherwise with FUSE, otherwise fails and states a remedy.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/measure/finding.hpp"
#include "host/media/claim/claim.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

struct MountReport {
    std::string mount_point;
    std::string driver; ///< "exfat", "exfat-fuse", "hfsplus (journal not used)", "apfs (linux-apfs-rw 0.3.22, …)", …
    std::string driver_version;
    std::string options;              ///< mount options as in /proc/self/mountinfo
    Bytes total, free;                ///< statvfs right after mounting
    std::optional<VolumeSpan> volume; ///< position on the medium; unset in records of older versions
    /// True if the driver uses a loop device, because the kernel has no node for the partition; `limits` describes the
    /// cost.
    bool through_loop{};
    measure::Findings limits; ///< limits of this driver (driver_limit)
    bool operator==(const MountReport&) const = default;
};

/// A mounted volume; the destructor unmounts it.
class VolumeMount {
public:
    virtual ~VolumeMount() = default;
    [[nodiscard]] virtual const MountReport& report() const = 0;
    /// Block device of the driver, with a separate cache; for a volume on the whole medium, the medium's node.
    [[nodiscard]] virtual std::string node() const = 0;
    /// Descriptor of that device, readable, open until unmount().
    [[nodiscard]] virtual int descriptor() const = 0;
    /// Writes back, unmounts, waits until the driver has released the device and the claim holds it again. Idempotent.
    /// The volume may be unmounted even after a failure.
    [[nodiscard]] virtual Result<void> unmount() = 0;
    [[nodiscard]] virtual bool is_attached() const = 0; ///< false after unmount() has detached the volume, even if
                                                        ///< unmount() failed
    [[nodiscard]] virtual bool is_released() const = 0; ///< true if the volume is detached and no process has the
                                                        ///< device open
    /// Fault of this machine since the mount (the driver ended). Results measured on the volume are then invalid.
    [[nodiscard]] virtual std::optional<Error> backing_fault() = 0;
    /// Kills a FUSE driver, so that blocked calls return with an error. Thread-safe.
    virtual void end_driver() = 0;
};

/// Port; the adapter for this machine is linux/.
class Mounter {
public:
    virtual ~Mounter() = default;
    /// `where`: as returned by find_volume(). If the driver needs the device itself, the claim releases the medium and
    /// holds it again after unmounting; `medium` must outlive the volume. Fails with no_driver, no_permission, refused
    /// (another process took the device), io_failed (also for a read-only mount, with a remedy), and like open_view();
    /// afterwards the claim holds the medium again, or is void.
    [[nodiscard]] virtual Result<std::unique_ptr<VolumeMount>> mount(ErasableMedium& medium, FileSystem fs,
                                                                     const VolumeSpan& where) = 0;
};

[[nodiscard]] nlohmann::json to_json(const MountReport& report);
[[nodiscard]] Result<MountReport> mount_report_from_json(const nlohmann::json& json);
// See host/media/format_options.hpp.
void read_form(const nlohmann::json& from, const codec::Path& at, MountReport& report, codec::DecodeError& fault);
void check_form(const MountReport& report, const codec::Path& at, codec::DecodeError& fault);

} // namespace mediarig::media
