// SPDX-License-Identifier: GPL-3.0-or-later
/// Signs that a medium was used before. Each sign occurs on new media too, therefore a verdict needs signs from two
/// independent sources. A medium without signs is not proven to be new. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {

using mediarig::name_of;

/// Signs of one source may have one cause and count once.
BOOST_DEFINE_FIXED_ENUM_CLASS(UseSource, std::uint8_t,
                              counters,      ///< counts of the medium's own electronics: CMD56, EXT_CSD, SMART
                              free_space,    ///< data in clusters that the file system marks as free
                              earlier_format ///< signatures outside the volumes
)

/// Occurrence of a sign on new media. Source: tests/media/history/earlier_use_test.cpp (published health pages of cards
/// whose owners called them new) and tests/media/inspect/new_media_test.cpp (images that contain only formats).
struct FalseAlarms {
    std::uint32_t alarms{}, media{}; ///< media = 0: not measured
    bool operator==(const FalseAlarms&) const = default;
};
inline constexpr FalseAlarms alarms_of_counters{0, 6}, alarms_of_free_space{0, 6}, alarms_of_earlier_format{1, 6},
    not_measured{};

struct UseSign {
    std::string name; ///< stable: "erase_count"
    UseSource source{};
    std::string found;  ///< observed value with unit
    std::string reason; ///< one sentence: why new media rarely have the value
    FalseAlarms false_alarms;
    bool operator==(const UseSign&) const = default;
};

BOOST_DEFINE_FIXED_ENUM_CLASS(UseVerdict, std::uint8_t,
                              used,           ///< signs from at least two sources
                              not_sufficient, ///< signs from one source
                              no_sign,        ///< at least one source was examined
                              unknown         ///< no source could be examined
)

struct EarlierUse {
    UseVerdict verdict{UseVerdict::unknown};
    std::vector<UseSign> signs;
    std::vector<UseSource> examined;
    /// Logarithm of the ratio of the first pass of writing to the later ones; set if the first one is faster, as on
    /// flash that is completely erased: a new medium, or a used one after a discard.
    std::optional<double> first_write;
    bool operator==(const EarlierUse&) const = default;
};

/// `content`: the medium before the first write. `first_write`: see EarlierUse. The rules and their limits are in
/// docs/guide/inspecting.md.
[[nodiscard]] EarlierUse earlier_use_of(const Medium& medium, const std::optional<InspectReport>& content,
                                        std::optional<double> first_write = {});

/// "0 of 6 new media", "not measured"
[[nodiscard]] std::string text_of(const FalseAlarms& alarms);
/// "data in free space: 12 of 64 places: REASON (false alarms: 0 of 6 new media)"
[[nodiscard]] std::string text_of(const UseSign& sign);
/// "used: 2 independent kinds of signs", "signs of use: data in free space, not sufficient for a verdict", "no sign of
/// use in counters and free space, which does not prove that the medium is new", "not known: …".
[[nodiscard]] std::string verdict_text(const EarlierUse& use);

[[nodiscard]] nlohmann::json to_json(const EarlierUse& use);

} // namespace mediarig::media
