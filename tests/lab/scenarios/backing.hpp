// SPDX-License-Identifier: GPL-3.0-or-later
/// The bytes of emulated media on the host: the proof of the guest's writes does not depend on the guest.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/units.hpp"

namespace mediarig::lab {

/// A checksum for each block of a file that is not all zeros. A hole equals zeros.
class Snapshot {
public:
    static constexpr std::uint64_t block = 4096;

    /// Throws if the file cannot be read.
    [[nodiscard]] static Snapshot of(const std::string& file);
    bool operator==(const Snapshot&) const = default;

    /// Changed blocks as "4096+8192, …": first byte and length, at most eight of them, then the number of others. Empty
    /// if nothing changed.
    [[nodiscard]] std::string changed_since(const Snapshot& before) const;
    /// True if all changes are within these bytes.
    [[nodiscard]] bool changed_only_in(const Snapshot& before, Bytes start, Bytes length) const;

private:
    [[nodiscard]] std::vector<std::uint64_t> differing(const Snapshot& other) const;
    std::map<std::uint64_t, std::uint64_t> blocks_;
};

/// Makes a sparse file of this size with random bytes in its first, middle and last 256 KiB: content without any
/// signature. Empty if `seed` is 0.
void make_backing(const std::string& file, Bytes size, std::uint64_t seed);

} // namespace mediarig::lab
