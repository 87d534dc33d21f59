// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "common/units.hpp"

namespace mediarig::media {

/// A signature of a former format that nobody wiped.
struct StaleSignature {
    std::string what; ///< "backup GPT header", "alternate HFS+ volume header", "exFAT boot sector", …
    Bytes at;
    bool in_volume{}; ///< within a volume that is in use: may as well be somebody's data
    bool operator==(const StaleSignature&) const = default;
};

} // namespace mediarig::media
