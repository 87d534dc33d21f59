// SPDX-License-Identifier: GPL-3.0-or-later
/// What a medium did not give.
#pragma once

#include <string>

#include "common/units.hpp"

namespace mediarig::media {

struct Unread {
    Bytes at;        ///< the first byte that was not got
    Bytes length;    ///< what was asked for from there on; how much of it could be read by itself was not tried
    std::string why; ///< "cannot read at byte 4096: Input/output error"
    bool operator==(const Unread&) const = default;
};

} // namespace mediarig::media
