// SPDX-License-Identifier: GPL-3.0-or-later
/// A set of sectors as disjoint ranges. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "host/lab/card/config.hpp"

namespace mediarig::lab {

class SectorSet {
public:
    void add(const SectorRange& sectors);
    void add_all(const SectorSet& other);
    void remove(const SectorRange& sectors);
    /// Returns the first sector of `sectors` that is in the set.
    [[nodiscard]] std::optional<Lba> first_in(const SectorRange& sectors) const;
    [[nodiscard]] std::uint64_t count() const;
    [[nodiscard]] bool empty() const { return ends_.empty(); }

private:
    std::map<std::uint64_t, std::uint64_t> ends_; ///< first sector → one past the last; disjoint, not adjacent
};

} // namespace mediarig::lab
