// SPDX-License-Identifier: GPL-3.0-or-later
/// Mounts a claimed medium: the kernel's driver first, then FUSE, else an error that names what would help.
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
    std::string options;              ///< as /proc/self/mountinfo shows them
    Bytes total, free;                ///< statvfs right after mounting
    std::optional<VolumeSpan> volume; ///< where on the medium; unset in what was recorded before this was told
    /// A loop device shows the volume to the driver, because the kernel has no node for its partition: what that costs
    /// is among the limits.
    bool through_loop{};
    measure::Findings limits; ///< what this driver cannot do (driver_limit)
    bool operator==(const MountReport&) const = default;
};

/// A mounted volume; unmounts when destroyed.
class Mounted {
public:
    virtual ~Mounted() = default;
    [[nodiscard]] virtual const MountReport& report() const = 0;
    /// The block device that the driver works on, with a cache of its own; the medium's where it takes the whole of it.
    [[nodiscard]] virtual std::string node() const = 0;
    /// That device, open for reading at least, until it is unmounted.
    [[nodiscard]] virtual int descriptor() const = 0;
    /// Writes back, unmounts, waits until the driver let go of the device and the claim holds it again. Idempotent;
    /// also where it fails the volume may be unmounted by then.
    [[nodiscard]] virtual Result<void> unmount() = 0;
    [[nodiscard]] virtual bool is_attached()
        const = 0; ///< false once unmount() has taken it down, whatever else failed
    [[nodiscard]] virtual bool is_released() const = 0; ///< and nothing has the device any more
    /// What of this machine failed under the volume since it was mounted (the driver ended): what was measured on it
    /// then says nothing about the medium.
    [[nodiscard]] virtual std::optional<Error> trouble() = 0;
    /// Kills a driver in user space, so that what waits for its answer returns with an error. Any thread may call it.
    virtual void end_driver() = 0;
};

/// Port; the adapter for this machine is linux/.
class Mounter {
public:
    virtual ~Mounter() = default;
    /// `where`: as find_volume() says. The claim lets go of the medium where the driver is to have the device itself,
    /// and takes it back with the unmounting; `medium` outlives the volume. Fails with no_driver, no_permission,
    /// refused (somebody else was faster), io_failed (also where the driver mounts read-only: says what helps), and as
    /// open_view() does; the claim holds the medium again then, or is void.
    [[nodiscard]] virtual Result<std::unique_ptr<Mounted>> mount(ErasableMedium& medium, FileSystem fs,
                                                                 const VolumeSpan& where) = 0;
};

[[nodiscard]] nlohmann::json to_json(const MountReport& report);
[[nodiscard]] Result<MountReport> mount_report_from_json(const nlohmann::json& json);
// As in host/media/format_options.hpp.
void read_form(const nlohmann::json& from, const codec::Path& at, MountReport& report, codec::Fault& fault);
void check_form(const MountReport& report, const codec::Path& at, codec::Fault& fault);

} // namespace mediarig::media
