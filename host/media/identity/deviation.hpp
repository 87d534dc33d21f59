// SPDX-License-Identifier: GPL-3.0-or-later
/// Where a medium differs from what it should be, why that matters, and who says so.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace mediarig::media {

enum class Severity : std::uint8_t {
    note,    ///< worth knowing
    warning, ///< slower, less compatible, or not what this maker's formatter does
    error    ///< damaged, or contradicts itself
};
[[nodiscard]] std::string_view name_of(Severity severity);

/// How well the rule behind it is known.
enum class Certainty : std::uint8_t {
    specification, ///< a public specification says so
    published,     ///< public source code, a manual page or published dumps agree on it
    measured,      ///< seen with the named tool and version
    custom,        ///< the maker's own profile says so
    unofficial     ///< a list of what people have seen, which is not complete
};
[[nodiscard]] std::string_view name_of(Certainty certainty);

struct Deviation {
    Severity severity{};
    std::string subject; ///< "partition table", "volume 1", …
    std::string name;    ///< of a parameter, "start", "scheme", …; with the subject: where `--hex` finds its bytes
    std::string found, expected;
    std::string reason; ///< one sentence: what it costs
    std::string source; ///< of the rule
    Certainty certainty{};
    bool operator==(const Deviation&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const Deviation& deviation);

} // namespace mediarig::media
