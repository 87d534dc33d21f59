// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: what of this host lies below the device that is tested: a loop device stands on a file, whose file system
/// caches what it is given, and may be full. Neither may pass for the medium.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "common/units.hpp"
#include "host/measure/finding.hpp"
#include "host/result.hpp"

namespace mediarig::workload {

class HostBelow {
public:
    /// What may answer for the medium: nothing; the host's cache of a file; something that nobody knows.
    enum class Cache : std::uint8_t { none, of_file, unknown };

    virtual ~HostBelow() = default;

    /// Whether a cache of this host may answer for the medium.
    [[nodiscard]] bool caches() const { return cache_ != Cache::none; }
    /// Empties that cache; what the device itself still has to write must be written back before. True when it is
    /// certain that nothing is left in it, or there is none.
    [[nodiscard]] virtual bool drop() const = 0;

    /// What a failed write or flush of `length` bytes tells nothing about the medium for: the file is sparse and its
    /// file system has no room. Nothing where that is not so or not known.
    [[nodiscard]] virtual std::optional<Error> full(Bytes length) const = 0;

    /// About the speeds that were measured through that cache; only where there is one.
    [[nodiscard]] measure::Finding about_speed() const;
    /// Why what was read back is no proof, where drop() was false.
    [[nodiscard]] measure::Finding doubt() const;

protected:
    /// `path`: of the file below, for messages.
    HostBelow(Cache cache, std::string path) : cache_(cache), path_(std::move(path)) {}
    [[nodiscard]] Cache cache() const { return cache_; }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    Cache cache_;
    std::string path_;
};

} // namespace mediarig::workload
