// SPDX-License-Identifier: GPL-3.0-or-later
/// The answer about each device in a few lines: what terminal and page show first, in the same words. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/report/cards/card_findings.hpp"
#include "host/report/figures/figures.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// One subject of a card, such as "How fast?".
struct CardRow {
    std::string title;
    std::vector<std::string> lines; ///< at least one
};

/// Plain text, not yet made safe: it holds what people and media say.
struct Card {
    std::optional<measure::Grade> grade; ///< unset: not judged
    std::string title;                   ///< "fast: Sample Swift 64, 63.9 GB, serial …0117, slot 1, “blue”"
    std::string verdict;                 ///< why this grade, one sentence
    /// Those that have something to say, in this order: Genuine?, How fast?, Limits, Format, Distrust, Not tested,
    /// Next.
    std::vector<CardRow> rows;
    std::vector<FindingGroup> distrust; ///< what the row of that name says
};

/// Of one device, which is whole; the others may be as an outline has them.
[[nodiscard]] Card card_of(const store::CampaignView& campaign, std::size_t device);

/// Card::verdict of a device. `state`: of its campaign.
[[nodiscard]] std::string verdict_text(const std::optional<measure::Verdict>& verdict, store::CampaignState state);
/// The same; of a medium that could not be identified and is not judged, why it could not. Wants what was not tested.
[[nodiscard]] std::string verdict_text(const store::DeviceView& device, store::CampaignState state);

/// Whether the campaign's media are those of the virtual lab, whose identities are the emulator's.
[[nodiscard]] bool is_of_lab(const store::CampaignRecord& campaign);

/// What the rows of a card say; card.cpp puts them together. Pure.

/// What is known of a medium's real capacity.
enum class Genuineness : std::uint8_t {
    untested,
    proven, ///< all that it claims was written, and read back equal
    likely, ///< a probe of few writes found no sign of a fake
    partly, ///< what was looked at is good; the rest was not looked at
    unclear,
    damaged,
    fake,
};
struct Capacity {
    Genuineness what{};
    std::optional<workload::VerifyOutcome> outcome; ///< what it rests on; nothing where it was not tested
    std::string format;                             ///< format of that pass: "raw", …
};
/// The gravest of what the passes of `device` say; among good ones the one that proves most.
[[nodiscard]] Capacity capacity_of(const store::DeviceView& device);

/// "Claims 64.4 GB, holds 8.05 GB (12.5 %)"; without a full stop.
[[nodiscard]] std::string capacity_text(const workload::VerifyOutcome& outcome);
/// "12 places, 3.1 MB, do not keep what is written; the first at 4.18 GB"; without a full stop.
[[nodiscard]] std::string damage_text(std::uint64_t places, Bytes damaged, const std::optional<Bytes>& first);

/// With a capital where it begins with a small letter of ASCII.
[[nodiscard]] std::string capitalised(std::string_view words);

/// "mediarig COMMAND DEVICE MORE --confirm SERIAL"; `more` is empty or begins with a blank.
[[nodiscard]] std::string erasing_command(const std::string& command, const media::Medium& medium,
                                          const std::string& more);
/// The command that writes and reads back all of it, with its confirmation where that is a plain word.
[[nodiscard]] std::string verify_command(const media::Medium& medium);

/// The row "Genuine?".
[[nodiscard]] std::vector<std::string> genuine_lines(const store::CampaignView& campaign, std::size_t device,
                                                     const Capacity& capacity);
/// The row "How fast?": a line for each suite and format, and the best and the worst second of its longest writing.
[[nodiscard]] std::vector<std::string> speed_lines(const store::CampaignView& campaign, std::size_t device);

inline constexpr const char* distrust_title = "Distrust";
/// Writes the row of that title anew from Card::distrust.
void say_distrust(Card& card);

/// The first `most` lines, then how many there are besides and the words `more`.
[[nodiscard]] std::vector<std::string> first_lines(std::vector<std::string> lines, std::size_t most,
                                                   const std::string& more);

} // namespace mediarig::report
