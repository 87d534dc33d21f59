// SPDX-License-Identifier: GPL-3.0-or-later
/// What is thought of who formatted a volume, and how sure that is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/result.hpp"

namespace mediarig::media {

enum class Sureness : std::uint8_t {
    unknown,  ///< nothing tells
    possible, ///< fits, as others would
    likely,   ///< a habit of this formatter that no other is known to have
    stated    ///< the volume says so itself
};
[[nodiscard]] std::string_view name_of(Sureness sureness);
[[nodiscard]] Result<Sureness> sureness_from(std::string_view name);

struct Fingerprint {
    std::string formatter; ///< "mkapfs", "exfatprogs before 1.2.8", "SD layout (SD formatter, camera, Android)", …
    Sureness sureness{};
    std::vector<std::string> signs; ///< what was seen, a few words each
    bool operator==(const Fingerprint&) const = default;
};

} // namespace mediarig::media
