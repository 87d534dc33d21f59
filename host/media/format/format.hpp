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

/// What a file system is made or checked on: a whole medium, or one partition of it as a device of its own.
struct FormatTarget {
    int descriptor{-1}; ///< byte 0 of it is the volume's; -1 while nothing is made yet
    Bytes start;        ///< where that is on the medium
    Bytes length;
    std::uint32_t sector{512}; ///< the medium's logical one
    std::string node;          ///< for error texts
    /// The medium's own, where `descriptor` is of another device: a loop device reads what this machine still holds of
    /// the medium below it.
    int medium_descriptor{-1};
};

/// Port: one per family of formats. What leads up to it (the claim's check, the wiping, the table) is
/// format_medium()'s.
class Formatter {
public:
    virtual ~Formatter() = default;
    [[nodiscard]] virtual bool handles(FileSystem fs) const = 0;
    /// Which of the tools that make and check it are not installed: a line each, with what to install.
    [[nodiscard]] virtual std::vector<std::string> lacks() const { return {}; }
    /// Everything that can be known before anything is written; needs no descriptor. Fails with no_driver (tool
    /// missing; names the package), bad_request (impossible parameter, volume too small).
    [[nodiscard]] virtual Result<void> prepare(const FormatSpec& spec, const FormatTarget& target) = 0;
    /// Makes it and reads it back; `spec.partition` means nothing here. Needs a success of prepare(). Fails with
    /// no_driver, bad_request, io_failed, timed_out, cancelled.
    [[nodiscard]] virtual Result<FormatReport> make(const FormatTarget& target, const FormatSpec& spec) = 0;
    /// Read-only. A damaged file system is `clean == false`, not an error.
    [[nodiscard]] virtual Result<CheckReport> check(const FormatTarget& target, FileSystem fs) = 0;
};

} // namespace mediarig::media
