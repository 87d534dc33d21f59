// SPDX-License-Identifier: GPL-3.0-or-later
/// Gage repeatability and reproducibility: the shares of the parts and of the station in the spread of measured values.
/// Parts are media, slots take the role of AIAG's "appraiser", trials are passes. Source: AIAG, Measurement Systems
/// Analysis, 4th edition, chapter III section B and appendix A (ANOVA method, crossed study).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"

namespace mediarig::measure {

using mediarig::name_of;

/// One value per part, slot and trial.
struct GageData {
    std::size_t parts{}, slots{}, trials{};
    std::vector<double> values; ///< (part * slots + slot) * trials + trial
    [[nodiscard]] double at(std::size_t part, std::size_t slot, std::size_t trial) const {
        return values[(part * slots + slot) * trials + trial];
    }
};

/// A line of the ANOVA table.
struct VarianceLine {
    double sum_of_squares{};
    std::size_t degrees{};
    [[nodiscard]] double mean_square() const { return sum_of_squares / static_cast<double>(degrees); }
};

struct GageTable {
    VarianceLine slots, parts, interaction, repeatability;
    double f_slots{}, f_parts{}, f_interaction{}; ///< relative to repeatability
    double p_interaction{};                       ///< p-value of the F test
    [[nodiscard]] double total() const {
        return slots.sum_of_squares + parts.sum_of_squares + interaction.sum_of_squares + repeatability.sum_of_squares;
    }
};

BOOST_DEFINE_FIXED_ENUM_CLASS(GageVerdict, std::uint8_t, good, conditional, unacceptable)

/// Variance components; a negative estimate is 0, as in AIAG.
struct GageStudy {
    GageTable table;
    /// True if the interaction is not significant (p > 0.05) and is counted as repeatability.
    bool pooled{};
    double repeatability{}, slots{}, interaction{}, parts{};

    [[nodiscard]] double gage() const { return repeatability + slots + interaction; }
    [[nodiscard]] double total() const { return gage() + parts; }
    /// Ratio of standard deviations, in percent: "%GRR". Requires total() > 0.
    [[nodiscard]] double percent_of(double variance) const;
    /// Number of distinct categories, not truncated; infinite if the gage adds no variance.
    [[nodiscard]] double categories() const;
    /// %GRR below 10 is good, up to 30 conditional; with fewer than 5 categories it is never good.
    [[nodiscard]] GageVerdict verdict() const;
};

/// Fails with bad_request: fewer than 2 parts, slots or trials, values missing or not finite, or all equal.
[[nodiscard]] Result<GageStudy> study_gage(const GageData& data);

} // namespace mediarig::measure
