// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/report/cards/card.hpp"
#include "host/report/figures/fake_indications.hpp"
#include "host/report/text/display_text.hpp"
#include "host/workload/jobs/capacity_finding.hpp"

namespace mediarig::report {
namespace {

using workload::CapacityVerdict, workload::VerifyOutcome;

Genuineness judged(const VerifyOutcome& outcome) {
    if (outcome.fake || outcome.true_capacity) return Genuineness::fake;
    if (outcome.verdict == CapacityVerdict::damaged || !outcome.damaged.empty()) return Genuineness::damaged;
    if (outcome.verdict == CapacityVerdict::inconclusive) return Genuineness::unclear;
    if (outcome.probe) return Genuineness::likely;
    return outcome.claimed == 0_B || workload::is_good_in_part(outcome) ? Genuineness::partly : Genuineness::proven;
}

/// Precedence of the results if passes differ.
int weight_of(Genuineness what) {
    switch (what) {
        case Genuineness::untested:
            return 0;
        case Genuineness::partly:
            return 1;
        case Genuineness::likely:
            return 2;
        case Genuineness::proven:
            return 3;
        case Genuineness::unclear:
            return 4;
        case Genuineness::damaged:
            return 5;
        case Genuineness::fake:
            break;
    }
    return 6;
}

std::string of_the_offered(const Capacity& capacity) {
    return is_raw(capacity.format) ? "" : fmt::format(" that {} offers", format_title(capacity.format));
}

std::string how_found(const VerifyOutcome& outcome) {
    if (outcome.probe)
        return fmt::format("Found by a quick probe, which read {} back.", size_text(outcome.probe->read));
    if (workload::is_of_part(outcome))
        return fmt::format("Found by writing {} and reading it back.", size_text(outcome.written));
    return "Found by writing all of it and reading it back.";
}

/// The reason why damage without a damaged place prevents a judgement.
std::string no_place_text(const VerifyOutcome& outcome) {
    if (outcome.restored && outcome.restored->lost > 0)
        return fmt::format("Not judged: {} sector{} did not accept the former content again.", outcome.restored->lost,
                           outcome.restored->lost == 1 ? "" : "s");
    return fmt::format("Not judged: it accepted {} of {}, of which {} came back intact, and then refused all writes.",
                       size_text(outcome.written), size_text(outcome.claimed), size_text(outcome.good));
}

std::vector<std::string> answer(const Capacity& capacity) {
    switch (capacity.what) {
        case Genuineness::untested:
            return {"Not tested: no test wrote and read back the claimed capacity."};
        case Genuineness::proven:
            return {fmt::format("Yes. It has the claimed capacity: all {}{} were written, read back{} and compared.",
                                size_text(capacity.outcome->claimed), of_the_offered(capacity),
                                capacity.outcome->power_cycled.empty() ? "" : " after a loss of power")};
        case Genuineness::likely:
            return {fmt::format("No sign of a fake: a quick probe found the claimed {}.",
                                size_text(capacity.outcome->claimed)),
                    capitalised(workload::misleading_cache_text(*capacity.outcome->probe)) +
                        "; only writing and reading back all of it proves the capacity."};
        case Genuineness::partly:
            return {fmt::format("Undecided. {} of {} checked, no fault so far.", size_text(capacity.outcome->good),
                                size_text(capacity.outcome->claimed))};
        case Genuineness::unclear:
            return {fmt::format("Undecided: the results for the claimed {} are contradictory.",
                                size_text(capacity.outcome->claimed))};
        case Genuineness::damaged:
            if (capacity.outcome->damaged.empty()) return {no_place_text(*capacity.outcome)};
            return {fmt::format("Not judged where it is damaged: {}.", damage_text(*capacity.outcome))};
        case Genuineness::fake:
            break;
    }
    std::vector<std::string> lines{fmt::format("No. {}.", capacity_text(*capacity.outcome))};
    if (capacity.outcome->fake) lines.push_back(capitalised(workload::text_of(*capacity.outcome->fake)) + ".");
    lines.push_back(how_found(*capacity.outcome));
    return lines;
}

} // namespace

Capacity capacity_of(const store::DeviceView& device) {
    Capacity worst;
    for (const store::PassView& pass : device.passes) {
        if (!pass.end || !pass.end->verify) continue;
        const Genuineness what = judged(*pass.end->verify);
        if (weight_of(what) >= weight_of(worst.what))
            worst = {.what = what, .outcome = pass.end->verify, .format = pass.pass.format};
    }
    return worst;
}

std::string capacity_text(const VerifyOutcome& outcome) {
    const Bytes holds = outcome.true_capacity.value_or(outcome.good);
    const double share = outcome.claimed == 0_B
                             ? 0
                             : 100 * static_cast<double>(holds.count) / static_cast<double>(outcome.claimed.count);
    return fmt::format("Claims {}, holds {} ({:.3g} %)", size_text(outcome.claimed), size_text(holds), share);
}

std::string capitalised(std::string_view words) {
    std::string text(words);
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

std::string damage_text(const VerifyOutcome& outcome) {
    const auto first = outcome.damaged.empty() ? std::nullopt : std::optional(outcome.damaged.front().offset);
    return damage_text(outcome.damaged.size(), outcome.damaged_bytes, first);
}

std::string damage_text(std::uint64_t places, Bytes damaged, const std::optional<Bytes>& first) {
    std::string text = fmt::format("{} place{}, {}, do{} not keep written data", places, places == 1 ? "" : "s",
                                   size_text(damaged), places == 1 ? "es" : "");
    if (first) text += fmt::format("; the first at {}", size_text(*first));
    return text;
}

/// Returns "USB generic text" for "usb_generic_text".
std::string sign_title(std::string_view name) {
    constexpr std::array<std::string_view, 5> abbreviations{"cid", "mid", "oid", "uas", "usb"};
    const auto in_capitals = [](char c) { return static_cast<char>(c - 'a' + 'A'); };
    std::string title;
    for (std::size_t begin = 0, end = 0; begin < name.size(); begin = end + 1) {
        end = std::min(name.find('_', begin), name.size());
        std::string word(name.substr(begin, end - begin));
        if (std::ranges::find(abbreviations, word) != abbreviations.end())
            std::ranges::transform(word, word.begin(), in_capitals);
        title += (title.empty() ? "" : " ") + word;
    }
    return title;
}

std::vector<std::string> genuine_lines(const store::CampaignView& campaign, std::size_t device,
                                       const Capacity& capacity) {
    std::vector<std::string> lines = answer(capacity);
    const auto signs = fake_indications(campaign, device);
    if (signs.empty()) return lines;
    std::string named;
    constexpr std::size_t most_named = 3;
    for (std::size_t i = 0; i < std::min(signs.size(), most_named); ++i)
        named += fmt::format("{}{} ({}): {}, {}", i == 0 ? "" : "; ", sign_title(signs[i].name), signs[i].found,
                             signs[i].reason, media::others_text(signs[i]));
    if (signs.size() > most_named) named += fmt::format("; and {} more", signs.size() - most_named);
    if (is_of_lab(campaign.campaign))
        lines.push_back(fmt::format("An {}.", media::emulated_is_not_judged));
    else if (capacity.what == Genuineness::proven)
        lines.push_back(fmt::format("The identity is unusual: {}. The full capacity is proven.", named));
    else if (capacity.what == Genuineness::fake)
        lines.push_back(fmt::format("Its identity is unusual, too: {}.", named));
    else if (!media::are_signs_of_a_fake(signs))
        lines.push_back(fmt::format("One unusual value, no sign of a fake on its own: {}.", named));
    else
        lines.push_back(fmt::format("Signs of a fake, but no proof: {}.", named));
    return lines;
}

} // namespace mediarig::report
