// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/run/label_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

#include "host/base/text.hpp"

namespace mediarig::campaign {
namespace {

/// Makers reserve up to a tenth for defects and for 1024-based rounding; no maker delivers a tenth more than the label
/// says.
constexpr double least_part = 0.9, most_part = 1.1;

bool is_separator(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.';
}

/// The number at the beginning of a word and the text after it in upper case, from "1.5TB" or the "64" of "64 GB".
struct Word {
    std::optional<double> number;
    std::string text; ///< the whole word in upper case, "V30"
    std::string unit; ///< text after the number
};

Word word_of(std::string_view raw) {
    Word word;
    std::ranges::transform(raw, std::back_inserter(word.text),
                           [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
    const std::size_t digits = std::min(word.text.find_first_not_of("0123456789."), word.text.size());
    double number = 0;
    const char* const end = word.text.data() + digits;
    if (digits > 0 && std::from_chars(word.text.data(), end, number).ptr == end) word.number = number;
    word.unit = word.text.substr(digits);
    return word;
}

std::vector<Word> text_of(std::string_view label) {
    std::vector<Word> words;
    for (std::size_t from = 0; from < label.size();) {
        std::size_t end = from;
        while (end < label.size() && !is_separator(label[end])) ++end;
        if (end > from) words.push_back(word_of(label.substr(from, end - from)));
        from = end + 1;
    }
    return words;
}

std::optional<Bytes> amount(double number, std::string_view unit) {
    const double factor = unit == "MB" ? 1e6 : unit == "GB" ? 1e9 : unit == "TB" ? 1e12 : 0;
    if (factor == 0 || number <= 0 || number > 1e6) return std::nullopt;
    return Bytes{static_cast<std::uint64_t>(number * factor)};
}

/// Returns the number after the letter, e.g. 30 for "V30" and 'V'; nothing if `known` does not contain the number.
template <std::size_t size>
void take_class(const std::string& word, std::string_view prefix, const std::array<std::uint8_t, size>& known,
                std::optional<std::uint8_t>& out) {
    if (!word.starts_with(prefix)) return;
    for (const std::uint8_t each : known)
        if (word.substr(prefix.size()) == std::to_string(each)) out = each;
}

constexpr std::array<std::uint8_t, 4> speed_classes{2, 4, 6, 10};
constexpr std::array<std::uint8_t, 2> uhs_grades{1, 3}, app_classes{1, 2};
constexpr std::array<std::uint8_t, 5> video_classes{6, 10, 30, 60, 90};

void add(measure::Findings& findings, std::string detail) {
    findings.push_back({.kind = measure::FindingKind::identity_changed,
                        .severity = measure::Severity::warning,
                        .detail = std::move(detail)});
}

void compare_class(measure::Findings& findings, const char* what, std::optional<std::uint8_t> printed,
                   std::optional<std::uint8_t> registered) {
    if (!printed || !registered || *registered >= *printed) return;
    add(findings, fmt::format("the label promises {} {}, but the card's status has {}: label and card do not belong "
                              "together",
                              what, *printed, *registered == 0 ? "none" : fmt::format("{}", *registered)));
}

} // namespace

LabelClaims label_claims(std::string_view label) {
    LabelClaims claims;
    const std::vector<Word> words = text_of(label);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Word& word = words[i];
        const bool alone = word.number && word.unit.empty();
        const std::string& unit = alone && i + 1 < words.size() ? words[i + 1].text : word.unit;
        // In "170 MB/s" the number is a speed.
        const bool speed = (alone ? i + 2 : i + 1) < words.size() && words[alone ? i + 2 : i + 1].text == "S";
        if (word.number && !speed && !claims.capacity) claims.capacity = amount(*word.number, unit);
        take_class(word.text, "V", video_classes, claims.video_class);
        take_class(word.text, "A", app_classes, claims.app_class);
        take_class(word.text, "U", uhs_grades, claims.uhs_grade);
        take_class(word.text, "C", speed_classes, claims.speed_class);
        if (word.text == "CLASS" && i + 1 < words.size())
            take_class(words[i + 1].text, "", speed_classes, claims.speed_class);
    }
    return claims;
}

measure::Findings findings_about_label(const store::DeviceRecord& medium) {
    measure::Findings findings;
    const LabelClaims claims = label_claims(medium.label);
    const Bytes size = medium.identity.size;
    if (claims.capacity && size.count > 0) {
        const double part = static_cast<double>(size.count) / static_cast<double>(claims.capacity->count);
        if (const SizeTexts sizes = size_texts(*claims.capacity, size); part < least_part || part > most_part)
            add(findings,
                fmt::format(
                    "the label promises {}, but the medium has {}: it is a different medium, or has a wrong label",
                    sizes.first, sizes.second));
    }
    if (!medium.identity.sd) return findings;
    const media::SdIdentity& sd = *medium.identity.sd;
    compare_class(findings, "speed class", claims.speed_class, sd.speed_class);
    compare_class(findings, "UHS grade", claims.uhs_grade, sd.uhs_grade);
    compare_class(findings, "video speed class", claims.video_class, sd.video_class);
    compare_class(findings, "application class", claims.app_class, sd.app_class);
    return findings;
}

} // namespace mediarig::campaign
