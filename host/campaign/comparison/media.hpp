// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares media by their records, which may come from one campaign or several. Repeats are nested in cards and cards
/// in types; a claim about a type uses only the variation between cards. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/measure/comparison/ranking.hpp"
#include "host/store/record.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::comparison_campaign {

using mediarig::name_of;

/// A claim about a card needs this many repeats of the card; a claim about a type needs this many cards of the type.
inline constexpr std::size_t fewest_repeats = measure::comparison::fewest_for_claim, fewest_cards = 5;
/// Maximum number of media in one comparison.
inline constexpr std::size_t most_compared_media = 100;

/// A medium of a campaign. The campaign must outlive this object and every result about the medium.
struct MeasuredMedium {
    const store::CampaignView* campaign{};
    const store::DeviceView* device{};
    std::uint64_t number{}; ///< number of the campaign in its store, shown to users; 0: show the id
    bool named{};           ///< the user named this medium, not its campaign: it is compared even if it is a fake
};

/// Selects the pairs: every two media, or the same medium in several campaigns.
enum class MediaPairs : std::uint8_t { each_two, same_medium };
/// True if one of the media occurs in two campaigns.
[[nodiscard]] bool has_duplicate_medium(const std::vector<MeasuredMedium>& media);

BOOST_DEFINE_FIXED_ENUM_CLASS(MediaVerdict, std::uint8_t, faster, same, cannot_tell)

/// Compares two media or two types in one operation, by the geometric mean over the cells of the operation.
struct MediaPairResult {
    std::size_t first{}, second{}; ///< indexes into MediaComparison::media or types
    workload::Access access{};
    double value{};           ///< ln(rate of the first / rate of the second)
    double half_width{};      ///< half width of the 95 % interval (Welch), as a logarithm
    double same_half_width{}; ///< half width of the 90 % interval, which decides two one-sided tests of 5 %
    double adjusted{1};       ///< p, adjusted by Holm's method over all pairs of the list
    MediaVerdict verdict{MediaVerdict::cannot_tell};
};

struct ComparedMedium {
    std::string title;     ///< name of the medium in its plan; with the campaign if the name is not unique
    std::string name;      ///< name without the campaign
    std::string campaign;  ///< number or id of the campaign
    std::string key;       ///< key of the medium, the same in each campaign
    std::size_t type{};    ///< index into MediaComparison::types
    std::size_t repeats{}; ///< number of repeats that have every compared cell
    /// For each of MediaComparison::operations, MB/s of each repeat: the geometric mean over the compared cells.
    std::vector<std::vector<double>> rates;
};
/// A medium of the request that is not compared.
struct OmittedMedium {
    std::string title;
    std::string reason;
};
struct ComparedType {
    std::string title;   ///< the lot; otherwise vendor and model
    std::size_t cards{}; ///< number of distinct cards
    /// Standard deviations of ln(rate) of the first operation: between the cards of a type, and between the repeats of
    /// a card.
    double between_cards{}, within_a_card{};
};

struct MediaComparison {
    std::vector<ComparedMedium> media;
    std::vector<OmittedMedium> omitted;
    std::size_t cells{}; ///< number of compared cells, which all media have
    std::vector<workload::Access> operations;
    std::vector<measure::comparison::Ranking> rankings; ///< of `media`, for each operation; by `between_media`
    std::vector<ComparedType> types;
    std::vector<MediaPairResult> between_media; ///< claims about the measured cards
    std::vector<MediaPairResult> between_types; ///< claims about the types with at least fewest_cards cards
    std::vector<std::string> differs;           ///< one sentence per condition that differed between the media
};

/// `margin`: largest difference that counts as the same; 0.05 is 5 %. Compares the cells that all media have. Omits
/// fakes, media without a rate, and media that have fewer than half of the cells of the others. Fails with bad_request
/// if there are too many media, a repeated medium, or fewer than two media are left. `same_medium` judges only pairs of
/// the same medium in two campaigns, all together, and has no rankings; types are still compared. Sources: Welch, "The
/// generalization of 'Student's' problem when several different population variances are involved", Biometrika 34,
/// 1947; Holm, Scand. J. Statist. 6, 1979; Schuirmann 1987 for "the same".
[[nodiscard]] Result<MediaComparison> compare_media(const std::vector<MeasuredMedium>& media, double margin,
                                                    MediaPairs pairs = MediaPairs::each_two);

/// Returns one line per pair and operation: "sequential write, fast against slow: fast faster by 5.6 % [3.2, 8.1] …".
[[nodiscard]] std::vector<std::string> sentences_of(const MediaComparison& comparison, double margin);

/// media_titles(): the names in the plans; a name that is not unique is followed by its campaign. campaign_of(): the
/// number, such as "17", or the id if there is no number.
[[nodiscard]] std::string campaign_of(const MeasuredMedium& medium);
[[nodiscard]] std::vector<std::string> media_titles(const std::vector<MeasuredMedium>& media);
/// Returns the lot that the operator named; otherwise vendor and model.
[[nodiscard]] std::string type_of(const store::DeviceView& device);
/// Returns a sentence for each condition that differed between the media: "The kernel differs: 6.1 (a, b), 6.6 (c)."
[[nodiscard]] std::vector<std::string> conditions_that_differ(const std::vector<MeasuredMedium>& media,
                                                              const std::vector<std::string>& titles);

} // namespace mediarig::comparison_campaign
