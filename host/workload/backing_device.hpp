// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the block device underneath a test file: its counters, its own cache, and whether it is still there.
#pragma once

#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/workload/host_below.hpp"

namespace mediarig::workload {

class BackingDevice {
public:
    virtual ~BackingDevice() = default;

    struct Totals {
        Bytes read;
        Bytes written;
    };
    /// What the block layer has moved so far. Nothing where the device keeps no counters.
    [[nodiscard]] virtual std::optional<Totals> totals() const = 0;

    struct Sectors {
        Bytes logical;  ///< direct transfers must be whole ones
        Bytes physical; ///< smaller writes make the device read, change and write
    };
    [[nodiscard]] virtual std::optional<Sectors> sectors() const = 0;

    /// True when it was there and is not any more, or says that it has no size (a reader without its card).
    [[nodiscard]] virtual bool gone() const = 0;

    /// Writes the device's own page cache, and that of the partition in use, back and empties it: what a file-system
    /// driver in user space has read and written lies there. False where the device is unknown or refuses. May take as
    /// long as the device needs.
    [[nodiscard]] virtual bool flush_and_drop() const = 0;
    /// Only writes it back; errno of the first that failed, 0 if none did.
    [[nodiscard]] virtual int flush() const = 0;

    [[nodiscard]] virtual bool known() const = 0;
    [[nodiscard]] virtual const std::string& node() const = 0; ///< for messages: "/dev/sdb"
    [[nodiscard]] virtual const HostBelow& below() const = 0;
};

} // namespace mediarig::workload
