// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests "no difference" by the random orders of the blocks. Pure.
///
/// Each block has a random order, independent of all others. If two formats do not differ, their figures in a block
/// would be exchanged in another order, so the order alone decides the sign of its value. The p of a difference is the
/// share of all possible orders that give such a small nominal p. It is exact for a medium with any course of levels
/// that does not depend on the format, e.g. a cache that two passes fill and two drain. Source: Fisher, "The Design of
/// Experiments", 1935; Edgington and Onghena, "Randomization Tests", 2007.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mediarig::measure::comparison {

/// Logarithms of the figures of one block: `[number][format]`, with the same shape in each block. A number is a
/// headline or a cell. An empty figure is missing.
using BlockFigures = std::vector<std::vector<std::optional<double>>>;

/// Returns the share of the orders in which blocks with these values (logarithms of ratios of two formats) have a
/// nominal p that is at most the observed one. n values give at least 2^(1 - n). If the share is above `limit`, the
/// count ends early, and the result is above `limit` but not exact. Requires at least fewest_blocks values. The result
/// is reproducible.
[[nodiscard]] double sign_flip_p(std::span<const double> values, double quantum, double limit);

/// The comparisons that are judged together.
struct RandomisedFamily {
    std::size_t formats{2};
    bool against_first{}; ///< only pairs with format 0
    double quantum{};     ///< the known step of the figures, as a fraction of them
};
/// "Format `first` differs from format `second` in this number."
struct DifferenceClaim {
    std::size_t first{}, second{}, number{};
};

/// The p of a claim, adjusted for all pairs of formats and all numbers of the family, so that any false claim occurs
/// with at most this probability. All numbers share one exchange in each block, since the passes of a block share its
/// disturbances. `limit` as for sign_flip_p().
///
/// Numbers: step-down method (Westfall and Young, "Resampling-Based Multiple Testing", 1993). Formats: a claim about a
/// pair requires that "no difference" is rejected for each set of formats that contains the pair, by exchanges within
/// the set (closed testing: Marcus, Peritz and Gabriel, Biometrika 63, 1976). Several sets without differences may
/// exist at once, so the p of a set is multiplied by formats / size of the set, unless the set has all formats but one,
/// or all (Ryan, Psychol. Bull. 57, 1960; Einot and Gabriel, J. Amer. Statist. Assoc. 70, 1975). With `against_first`
/// only one such set exists.
[[nodiscard]] double randomised_p(std::span<const BlockFigures> blocks, const RandomisedFamily& family,
                                  const DifferenceClaim& claim, double limit);

/// Computes randomised_p() for several claims about the same blocks and counts each set of formats only once.
class RandomisedTests {
public:
    /// `blocks` must outlive the object.
    RandomisedTests(std::span<const BlockFigures> blocks, const RandomisedFamily& family);
    ~RandomisedTests();
    RandomisedTests(const RandomisedTests&) = delete;
    RandomisedTests& operator=(const RandomisedTests&) = delete;

    [[nodiscard]] double p_of(const DifferenceClaim& claim, double limit);

private:
    class SetTest;
    std::span<const BlockFigures> blocks_;
    RandomisedFamily family_;
    std::map<std::uint32_t, std::unique_ptr<SetTest>> tests_; ///< by the set of formats, one bit each
};

} // namespace mediarig::measure::comparison
