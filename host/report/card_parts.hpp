// SPDX-License-Identifier: GPL-3.0-or-later
/// What the rows of a card say; card.cpp puts them together. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/report/card.hpp"
#include "host/report/figures.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

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
    std::string format;                             ///< of that pass: "raw", …
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
