// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes the result for each device in a few lines. Terminal and page show these lines first, in the same words. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/report/figures/figures.hpp"
#include "host/report/figures/findings.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// One subject of a card, such as "How fast?".
struct CardRow {
    std::string title;
    std::vector<std::string> lines; ///< at least one
};

/// Plain text without escaping: it contains text from users and media.
struct ReportCard {
    std::optional<measure::Grade> grade; ///< unset: not judged
    std::string title;                   ///< "fast: Sample Swift 64, 63.9 GB, serial …0117, slot 1, “blue”"
    std::string verdict;                 ///< reason for the grade, one sentence
    /// Non-empty rows in this order: Genuine?, Used?, Map, How fast?, Limits, Format, Warnings, Not tested, Next.
    std::vector<CardRow> rows{};
    FindingGroups warnings; ///< content of the row "Warnings"
};

/// Returns the card of one device, which is completely loaded; the others may be from an outline.
[[nodiscard]] ReportCard card_of(const store::CampaignView& campaign, std::size_t device);

/// Returns ReportCard::verdict of a device. `state` is that of its campaign.
[[nodiscard]] std::string verdict_text(const std::optional<measure::Verdict>& verdict, store::CampaignState state);
/// Returns ReportCard::verdict of a device, or the reason why a medium without a verdict could not be identified.
/// Requires the untested parts.
[[nodiscard]] std::string verdict_text(const store::DeviceView& device, store::CampaignState state);

/// Returns true if the campaign's media are those of the virtual lab, whose identities the emulator defines.
[[nodiscard]] bool is_of_lab(const store::CampaignRecord& campaign);

/// Evidence for the real capacity of a medium.
enum class Genuineness : std::uint8_t {
    untested,
    proven, ///< the whole claimed capacity was written and read back equal
    likely, ///< a probe with few writes found no sign of a fake
    partly, ///< the tested part is good; the rest was not tested
    unclear,
    damaged,
    fake,
};
struct Capacity {
    Genuineness what{};
    std::optional<workload::VerifyOutcome> outcome; ///< the evidence; nothing if the capacity was not tested
    std::string format;                             ///< format of that pass: "raw", …
};
/// Returns the worst result of the passes of `device`; among good results, the strongest evidence.
[[nodiscard]] Capacity capacity_of(const store::DeviceView& device);

/// Returns "Claims 64.4 GB, holds 8.05 GB (12.5 %)", without a full stop.
[[nodiscard]] std::string capacity_text(const workload::VerifyOutcome& outcome);
/// Returns damage_text() of the damaged places of a verify or probe, which its record lists.
[[nodiscard]] std::string damage_text(const workload::VerifyOutcome& outcome);
/// Returns "12 places, 3.1 MB, do not keep written data; the first at 4.18 GB", without a full stop.
[[nodiscard]] std::string damage_text(std::uint64_t places, Bytes damaged, const std::optional<Bytes>& first);

/// Converts a small ASCII letter at the beginning to a capital.
[[nodiscard]] std::string capitalised(std::string_view words);

/// Returns "mediarig COMMAND DEVICE MORE --confirm SERIAL"; `more` is empty or begins with a space.
[[nodiscard]] std::string erasing_command(const std::string& command, const media::Medium& medium,
                                          const std::string& more);
/// Returns the command that writes and reads back the whole medium, with its confirmation if that is a plain word.
[[nodiscard]] std::string verify_command(const media::Medium& medium);

/// Returns the row "Genuine?".
[[nodiscard]] std::vector<std::string> genuine_lines(const store::CampaignView& campaign, std::size_t device,
                                                     const Capacity& capacity);
/// Returns the row "Used?": the verdict with its signs; empty without a sign.
[[nodiscard]] std::vector<std::string> used_lines(const store::DeviceView& device);
/// Returns the row "How fast?": a line for each suite and format, and the best and the worst second of its longest
/// write.
[[nodiscard]] std::vector<std::string> speed_lines(const store::CampaignView& campaign, std::size_t device);

inline constexpr const char *warnings_title = "Warnings", *map_title = "Map";
/// Renders the row "Warnings" again from ReportCard::warnings.
void write_warnings_row(ReportCard& card);

/// Returns the first `most` lines, followed by the number of the other lines and the words `more`.
[[nodiscard]] std::vector<std::string> first_lines(std::vector<std::string> lines, std::size_t most,
                                                   const std::string& more);

} // namespace mediarig::report
