// SPDX-License-Identifier: GPL-3.0-or-later
/// Messages from another program, one JSON object per line: mediarig compares the measurements of that program
/// (docs/guide/comparison.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/base/result.hpp"
#include "host/measure/comparison/rule.hpp"

namespace mediarig::measure::comparison {

/// {"start": 7, "formats": ["A", "B"], "margin": 0.05, "alpha": 0.05, "max_blocks": 20, "seed": 123, "quantum": 0}
struct Start {
    std::uint64_t trial{}; ///< identification for the sender's records
    std::vector<std::string> formats;
    Terms terms{};
    std::uint64_t seed{1};
    bool operator==(const Start&) const = default;
};

struct MeasuredPass {
    std::string format;
    std::optional<double> rate{}; ///< finite and above 0; empty: not measured, or failed
    bool failed{};
    bool operator==(const MeasuredPass&) const = default;
};
/// {"block": 1, "passes": [{"format": "A", "rate": 61.2}, {"format": "B", "rate": null, "failed": true}]}
struct MeasuredBlock {
    std::uint64_t block{}; ///< from 1
    std::vector<MeasuredPass> passes;
    bool operator==(const MeasuredBlock&) const = default;
};

/// {"end": true}
struct End {
    bool operator==(const End&) const = default;
};

using Message = std::variant<Start, MeasuredBlock, End>;

/// Strict: an unknown member, a wrong type or a value out of range fails with bad_request and names the position.
[[nodiscard]] Result<Message> read_message(std::string_view line);

} // namespace mediarig::measure::comparison
