// SPDX-License-Identifier: GPL-3.0-or-later
/// Deviation of a medium from a requirement, with reason and source of the requirement.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace mediarig::media {

enum class DeviationSeverity : std::uint8_t {
    note,    ///< information only
    warning, ///< slower, less compatible, or different from the defaults of that formatter
    error    ///< damaged or contradictory
};
[[nodiscard]] std::string_view name_of(DeviationSeverity severity);

/// Certainty of the rule that a deviation is based on.
enum class Certainty : std::uint8_t {
    specification, ///< defined by a public specification
    published,     ///< consistent in public source code, a manual page or published dumps
    measured,      ///< observed with the named tool and version
    custom,        ///< defined by the manufacturer's profile
    unofficial     ///< from an incomplete list of observations
};
[[nodiscard]] std::string_view name_of(Certainty certainty);

struct Deviation {
    DeviationSeverity severity{};
    std::string subject; ///< "partition table", "volume 1", …
    std::string name;    ///< of a parameter, "start", "scheme", …; `--hex` finds its bytes by subject and name
    std::string found, expected;
    std::string reason; ///< one sentence: the consequence
    std::string source; ///< of the rule
    Certainty certainty{};
    bool operator==(const Deviation&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const Deviation& deviation);

} // namespace mediarig::media
