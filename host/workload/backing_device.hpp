// SPDX-License-Identifier: GPL-3.0-or-later
/// The block device underneath a test file: its counters, its own cache, and whether it is still there.
#pragma once

#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/workload/host_below.hpp"
#include "host/workload/job.hpp"

namespace mediarig::workload {

class BackingDevice {
public:
    /// Never fails: what cannot be found out is answered with nothing.
    /// `sysfs` is where to look for block devices by number; another folder in tests.
    [[nodiscard]] static BackingDevice of(const Target& target, std::string sysfs = "/sys/dev/block");

    struct Totals {
        Bytes read;
        Bytes written;
    };
    /// What the block layer has moved so far. Nothing where the device keeps no counters.
    [[nodiscard]] std::optional<Totals> totals() const;

    struct Sectors {
        Bytes logical;  ///< direct transfers must be whole ones
        Bytes physical; ///< smaller writes make the device read, change and write
    };
    [[nodiscard]] std::optional<Sectors> sectors() const;

    /// True when it was there and is not any more, or says that it has no size (a reader without its card).
    [[nodiscard]] bool gone() const;

    /// Writes the device's own page cache, and that of the partition in use, back and empties it: what a file-system
    /// driver in user space has read and written lies there. False where the device is unknown or refuses. May take as
    /// long as the device needs.
    [[nodiscard]] bool flush_and_drop() const;
    /// Only writes it back.
    [[nodiscard]] bool flush() const;

    [[nodiscard]] bool known() const { return fd_ >= 0; }
    [[nodiscard]] const std::string& node() const { return node_; } ///< for messages: "/dev/sdb"
    [[nodiscard]] const HostBelow& below() const { return below_; }

private:
    HostBelow below_;
    std::string node_;
    int fd_{-1}, partition_fd_{-1}; ///< not owned; -1 where there is none
    std::string sysfs_entry_;       ///< empty where there is none
};

} // namespace mediarig::workload
