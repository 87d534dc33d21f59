// SPDX-License-Identifier: GPL-3.0-or-later
/// Media against media, from their records: measured in one campaign or in several, side by side or at different times.
/// Repeats lie within a card, cards within a type, and a claim about a type rests on cards alone. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/measure/comparison/estimate.hpp"
#include "host/store/record.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::trial {

/// So many repeats of each card, and so many cards of each type, must there be before a claim about them.
inline constexpr std::size_t fewest_repeats = 4, fewest_cards = 5;
/// How many media are compared at once.
inline constexpr std::size_t most_compared_media = 100;

/// A medium of a campaign; both are outlived by their campaign.
struct MeasuredMedium {
    const store::CampaignView* campaign{};
    const store::DeviceView* device{};
    std::uint64_t number{}; ///< of the campaign in its store, by which people name it; 0: its id is shown
};

/// Which media are held against each other: each two, or a medium of several campaigns with itself.
enum class MediaPairs : std::uint8_t { each_two, same_medium };
/// Whether one of them stands in two campaigns.
[[nodiscard]] bool stands_twice(const std::vector<MeasuredMedium>& media);

enum class MediaVerdict : std::uint8_t { faster, same, cannot_tell };
[[nodiscard]] std::string_view name_of(MediaVerdict verdict); ///< "faster", "same", "cannot_tell"

/// Two media, or two types, by one operation: the geometric mean over its cells.
struct MediaStanding {
    std::size_t first{}, second{}; ///< indexes into MediaComparison::media or types
    workload::Access access{};
    double value{};           ///< ln(rate of the first / rate of the second)
    double half_width{};      ///< of the 95 % interval (Welch), as a logarithm
    double same_half_width{}; ///< of the 90 % interval, which two one-sided tests of 5 % decide by
    double adjusted{1};       ///< p by Holm's rule over all standings of the list
    MediaVerdict verdict{MediaVerdict::cannot_tell};
};

struct ComparedMedium {
    std::string title;     ///< the name in its plan; where several have it, with the campaign
    std::string name;      ///< without the campaign
    std::string campaign;  ///< its number, or its id
    std::string key;       ///< of the medium, the same in each campaign
    std::size_t type{};    ///< index into MediaComparison::types
    std::size_t repeats{}; ///< that have every cell
};
struct ComparedType {
    std::string title;   ///< the lot; else vendor and model
    std::size_t cards{}; ///< different ones
    /// Standard deviations of ln(rate) of the first operation: of cards about their type, of repeats about their card.
    double between_cards{}, within_a_card{};
};

struct MediaComparison {
    std::vector<ComparedMedium> media;
    std::vector<ComparedType> types;
    std::vector<MediaStanding> between_media; ///< about these cards
    std::vector<MediaStanding> between_types; ///< about the types: of those that have fewest_cards
    std::vector<std::string> differs;         ///< every condition that was not the same for all, a sentence each
};

/// `margin`: what is the same within so much, 0.05 for 5 %. Fails with bad_request: fewer than two media, too many, one
/// that was named twice or that gave no number, or media that did not go through the same cells. With `same_medium`
/// only those pairs are judged, together, of which both are one medium; types are compared all the same.
/// Source: Welch, "The generalization of 'Student's' problem when several different population variances are involved",
/// Biometrika 34, 1947; Holm, Scand. J. Statist. 6, 1979; Schuirmann 1987 for "the same".
[[nodiscard]] Result<MediaComparison> compare_media(const std::vector<MeasuredMedium>& media, double margin,
                                                    MediaPairs pairs = MediaPairs::each_two);

/// "sequential write, fast against slow: fast faster by 5.6 % [3.2, 8.1] …", a line for each standing.
[[nodiscard]] std::vector<std::string> sentences_of(const MediaComparison& comparison, double margin);

/// Under which conditions media were measured that are compared. Inner part of host/campaign/comparison. Pure.

/// The names of their plans; where several are called alike, with the campaign's id behind.
/// "17", its number; its id where nobody gave one.
[[nodiscard]] std::string campaign_of(const MeasuredMedium& medium);
[[nodiscard]] std::vector<std::string> media_titles(const std::vector<MeasuredMedium>& media);
/// The lot that the operator named; else vendor and model.
[[nodiscard]] std::string type_of(const store::DeviceView& device);
/// A sentence for each condition that was not the same for all: "The kernel differs: 6.1 (a, b), 6.6 (c)."
[[nodiscard]] std::vector<std::string> conditions_that_differ(const std::vector<MeasuredMedium>& media,
                                                              const std::vector<std::string>& titles);

} // namespace mediarig::trial
