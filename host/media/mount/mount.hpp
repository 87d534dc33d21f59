// SPDX-License-Identifier: GPL-3.0-or-later
/// Mounts a claimed medium: the kernel's driver first, then FUSE, else an error that names what would help.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/media/claim.hpp"
#include "host/media/format/format.hpp"
#include "host/result.hpp"

namespace mediarig::media {

struct MountReport {
    std::string mount_point;
    std::string driver; ///< "exfat", "exfat-fuse", "hfsplus (journal not used)", "apfs (linux-apfs-rw 0.3.22, …)", …
    std::string driver_version;
    std::string options;      ///< as /proc/self/mountinfo shows them
    Bytes total, free;        ///< statvfs right after mounting
    measure::Findings limits; ///< what this driver cannot do (driver_limit)
    bool operator==(const MountReport&) const = default;
};

/// A mounted medium; unmounts when destroyed.
class Mounted {
public:
    virtual ~Mounted() = default;
    [[nodiscard]] virtual const MountReport& report() const = 0;
    /// Writes back, unmounts, waits until the driver let go of the device. Idempotent.
    [[nodiscard]] virtual Result<void> unmount() = 0;
};

/// Port; the adapter for this machine is linux/.
class Mounter {
public:
    virtual ~Mounter() = default;
    /// Fails with no_driver, no_permission, io_failed (also where the driver mounts read-only: says what helps).
    [[nodiscard]] virtual Result<std::unique_ptr<Mounted>> mount(const ErasableMedium& medium, FileSystem fs) = 0;
};

[[nodiscard]] nlohmann::json to_json(const MountReport& report);
[[nodiscard]] Result<MountReport> mount_report_from_json(const nlohmann::json& json);

} // namespace mediarig::media
