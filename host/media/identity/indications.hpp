// SPDX-License-Identifier: GPL-3.0-or-later
/// Indications that a medium is a fake, and notes on its attachment. Neither indications nor their absence prove
/// anything: registers and descriptors can be rewritten. Only a test that writes and verifies the whole capacity is
/// conclusive. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/media/identity/deviation.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

struct Indication {
    std::string name;    ///< stable: "mid_unknown"
    std::string field;   ///< field with the value: "MID", "SSR", "descriptors"; indications of one field count once
    std::string found;   ///< observed value
    std::string reason;  ///< one sentence: the reason for suspicion
    std::string also_on; ///< genuine media on which the value was seen; empty: none are published
    std::string source;  ///< source of the rule
    Certainty certainty{};
    bool operator==(const Indication&) const = default;
};
[[nodiscard]] nlohmann::json to_json(const Indication& indication);

/// True if the indications concern at least two fields. One value alone is never called a sign of a fake, because other
/// media have it too.
[[nodiscard]] bool are_signs_of_a_fake(std::span<const Indication> indications);
/// Heading of a list of indications: "signs of a fake (…)", or "one unusual value (…)".
[[nodiscard]] std::string indications_heading(std::span<const Indication> indications);
/// "also on MEDIA", or "no genuine medium with this value is published".
[[nodiscard]] std::string others_text(const Indication& indication);
/// "mid_zero: 0x00: REASON; also on MEDIA (published; SOURCE)"
[[nodiscard]] std::string text_of(const Indication& indication);
/// Printed instead of indications for an emulated medium.
inline constexpr std::string_view emulated_is_not_judged =
    "emulated medium of the virtual lab: its identity comes from the emulator and is not judged";

struct CalendarMonth {
    std::uint16_t year{};
    std::uint8_t month{};
    auto operator<=>(const CalendarMonth&) const = default;
};

/// Indications of a fake. `now` is the current month; without it no date counts as a future date.
[[nodiscard]] std::vector<Indication> fake_indications(const Medium& medium, std::optional<CalendarMonth> now = {});

/// Indications about the attachment: a speed below the capability, a protocol with one command at a time although the
/// device supports more; and about the SMART result.
[[nodiscard]] std::vector<Indication> attachment_notes(const Medium& medium);

/// Indications from another, physically different medium: it has the same CID, or the same USB serial at another port
/// (the slots of one reader share its serial).
[[nodiscard]] std::vector<Indication> duplicate_indications(const Medium& medium, std::span<const Medium> others);

} // namespace mediarig::media

namespace mediarig::media::detail {

/// A rule of an indication. card_indications() and usb_indications() apply the rules. The members are those of
/// Indication.
struct IndicationRule {
    const char* name;
    const char* field;
    const char* reason;
    const char* also_on;
    const char* source;
    Certainty certainty{};
};

class IndicationList {
public:
    void add(const IndicationRule& rule, std::string found) {
        found_.push_back({.name = rule.name,
                          .field = rule.field,
                          .found = std::move(found),
                          .reason = rule.reason,
                          .also_on = rule.also_on,
                          .source = rule.source,
                          .certainty = rule.certainty});
    }
    [[nodiscard]] std::vector<Indication> done() { return std::move(found_); }

private:
    std::vector<Indication> found_;
};

void card_indications(const Medium& medium, std::optional<CalendarMonth> now, IndicationList& indications);
void usb_indications(const Medium& medium, IndicationList& indications);

} // namespace mediarig::media::detail
