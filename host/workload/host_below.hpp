// SPDX-License-Identifier: GPL-3.0-or-later
/// What of this host lies below the device that is tested: a loop device stands on a file, whose file system caches
/// what it is given, and may be full. Neither may pass for the medium.
#pragma once

#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/measure/finding.hpp"
#include "host/result.hpp"

namespace mediarig::workload {

struct Target;

class HostBelow {
public:
    [[nodiscard]] static HostBelow of(const Target& target);

    /// Whether a cache of this host may answer for the medium.
    [[nodiscard]] bool caches() const { return cache_ != Cache::none; }
    /// Empties that cache; what the device itself still has to write must be written back before. True when it is
    /// certain that nothing is left in it, or there is none.
    [[nodiscard]] bool drop() const;

    /// What a failed write or flush of `length` bytes tells nothing about the medium for: the file is sparse and its
    /// file system has no room. Nothing where that is not so or not known.
    [[nodiscard]] std::optional<Error> full(Bytes length) const;

    /// About the speeds that were measured through that cache; only where there is one.
    [[nodiscard]] measure::Finding about_speed() const;
    /// Why what was read back is no proof, where drop() was false.
    [[nodiscard]] measure::Finding doubt() const;

private:
    enum class Cache : std::uint8_t { none, of_file, unknown };
    Cache cache_{Cache::none};
    int file_{-1}; ///< not owned; -1 where none is known
    std::string path_;
};

} // namespace mediarig::workload
