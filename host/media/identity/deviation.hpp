// SPDX-License-Identifier: GPL-3.0-or-later
/// Deviation of a medium from a requirement, with reason and source of the requirement.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/base/enum_names.hpp"

namespace mediarig::media {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(DeviationSeverity, std::uint8_t,
                              note,    ///< information only
                              warning, ///< slower, less compatible, or different from the defaults of that formatter
                              error    ///< damaged or contradictory
)

/// Certainty of the rule that a deviation is based on.
BOOST_DEFINE_FIXED_ENUM_CLASS(Certainty, std::uint8_t,
                              specification, ///< defined by a public specification
                              published,     ///< consistent in public source code, a manual page or published dumps
                              measured,      ///< observed with the named tool and version
                              custom,        ///< defined by the manufacturer's profile
                              unofficial     ///< from an incomplete list of observations
)

struct Deviation {
    DeviationSeverity severity{};
    std::string subject; ///< "partition table", "volume 1", …
    std::string name;    ///< name of a parameter, "start", "scheme", …; `--hex` finds its bytes by subject and name
    std::string found, expected;
    std::string reason; ///< one sentence that states the consequence
    std::string source; ///< source of the rule
    Certainty certainty{};
    bool operator==(const Deviation&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const Deviation& deviation);

} // namespace mediarig::media
