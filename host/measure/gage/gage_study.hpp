// SPDX-License-Identifier: GPL-3.0-or-later
/// Gage repeatability and reproducibility: how much of the spread of measured values comes from the parts, and how much
/// from the station. Parts are media, what reproduces is the slot (AIAG's "appraiser"), trials are passes.
/// Source: AIAG, Measurement Systems Analysis, 4th edition, chapter III section B and appendix A (ANOVA method, crossed
/// study).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::measure {

/// One value for each part, slot and trial.
struct GageData {
    std::size_t parts{}, slots{}, trials{};
    std::vector<double> values; ///< (part * slots + slot) * trials + trial
    [[nodiscard]] double at(std::size_t part, std::size_t slot, std::size_t trial) const {
        return values[(part * slots + slot) * trials + trial];
    }
};

/// A line of the table of variance.
struct VarianceLine {
    double sum_of_squares{};
    std::size_t degrees{};
    [[nodiscard]] double mean_square() const { return sum_of_squares / static_cast<double>(degrees); }
};

struct GageTable {
    VarianceLine slots, parts, interaction, repeatability;
    double f_slots{}, f_parts{}, f_interaction{}; ///< against repeatability
    double p_interaction{};                       ///< of the F test
    [[nodiscard]] double total() const {
        return slots.sum_of_squares + parts.sum_of_squares + interaction.sum_of_squares + repeatability.sum_of_squares;
    }
};

enum class GageVerdict : std::uint8_t { good, conditional, unacceptable };
[[nodiscard]] std::string_view name_of(GageVerdict verdict); ///< "good", …

/// Variances; a component that comes out below zero is 0, as AIAG has it.
struct GageStudy {
    GageTable table;
    /// The interaction does not stand out (p > 0.05) and is counted as repeatability.
    bool pooled{};
    double repeatability{}, slots{}, interaction{}, parts{};

    [[nodiscard]] double gage() const { return repeatability + slots + interaction; }
    [[nodiscard]] double total() const { return gage() + parts; }
    /// Of standard deviations, in percent: "%GRR". Needs total() > 0.
    [[nodiscard]] double percent_of(double variance) const;
    /// Number of distinct categories, not truncated; infinite where the gage adds nothing.
    [[nodiscard]] double categories() const;
    /// %GRR below 10 is good, up to 30 conditional; fewer than 5 categories are never good.
    [[nodiscard]] GageVerdict verdict() const;
};

/// Fails with bad_request: fewer than 2 parts, slots or trials, values missing or not finite, or all alike.
[[nodiscard]] Result<GageStudy> study_gage(const GageData& data);

} // namespace mediarig::measure
