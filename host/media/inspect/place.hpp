// SPDX-License-Identifier: GPL-3.0-or-later
/// Where on the medium the bytes of a named value stand, and in which unit the value is told.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/units.hpp"

namespace mediarig::media {

struct Place {
    std::string name;  ///< of the parameter
    std::string field; ///< as the format's specification calls it; empty for what is computed
    std::string unit; ///< of the parameter's value: "B", "sectors", "clusters", "blocks"; "" for texts and plain counts
    Bytes at;         ///< from the start of the medium
    Bytes length;     ///< 0: computed from several places, or counted
    std::string hex;  ///< the bytes as they stand there, the first 64 of them: "00f0a1"
    bool operator==(const Place&) const = default;
};
using Places = std::vector<Place>;

/// Named values of a volume, in the order in which people read them. Bytes unless the name says otherwise.
using Parameters = std::vector<std::pair<std::string, std::string>>;

} // namespace mediarig::media
