// SPDX-License-Identifier: GPL-3.0-or-later
/// Makes a file system on a claimed medium, reads its parameters back from the medium, and checks it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

/// Device on which a file system is made or checked: a whole medium, or one of its partitions as a separate device.
struct FormatTarget {
    int descriptor{-1}; ///< byte 0 of this descriptor is byte 0 of the volume; -1 before the volume exists
    Bytes start;        ///< offset of the volume on the medium
    Bytes length;
    std::uint32_t sector{512}; ///< logical sector size of the medium
    std::string node;          ///< for error messages
    /// Descriptor of the medium if `descriptor` belongs to another device: a loop device reads data of the medium below
    /// it from this machine's cache.
    int medium_descriptor{-1};
};

/// Port: one formatter for each family of formats. format_medium() checks the claim, wipes the medium and writes the
/// partition table.
class Formatter {
public:
    virtual ~Formatter() = default;
    [[nodiscard]] virtual bool handles(FileSystem fs) const = 0;
    /// Missing tools for making and checking the file system: one line for each tool, with the package to install.
    [[nodiscard]] virtual std::vector<std::string> lacks() const { return {}; }
    /// Checks every condition that can be known before the first write; needs no descriptor. Fails with no_driver (tool
    /// missing; names the package), bad_request (impossible parameter, volume too small).
    [[nodiscard]] virtual Result<void> prepare(const FormatSpec& spec, const FormatTarget& target) = 0;
    /// Makes the file system and reads it back; ignores `spec.partition`. Requires a successful prepare(). Fails with
    /// no_driver, bad_request, io_failed, timed_out, cancelled.
    [[nodiscard]] virtual Result<FormatReport> make(const FormatTarget& target, const FormatSpec& spec) = 0;
    /// Checks the file system. Read-only. A damaged file system gives `clean == false`, not an error.
    [[nodiscard]] virtual Result<CheckReport> check(const FormatTarget& target, FileSystem fs) = 0;
};

} // namespace mediarig::media
