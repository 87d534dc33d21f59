// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/cards/card.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/shell_word.hpp"
#include "host/base/text.hpp"
#include "host/media/identity/confirmation.hpp"
#include "host/plan/steps.hpp"
#include "host/report/cards/format_contents.hpp"
#include "host/report/figures/findings.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/metric_text.hpp"
#include "host/report/text/place_map.hpp"

namespace mediarig::report {
namespace {

using measure::FindingKind, measure::Grade;

/// Users compare the end of a serial number with the label, and type it as confirmation.
std::string short_serial(const std::string& serial) {
    constexpr std::size_t shown = 6;
    return serial.size() <= shown ? serial : "…" + serial.substr(serial.size() - shown);
}

std::string title_of(const store::DeviceRecord& device) {
    const media::Medium& medium = device.identity;
    std::string text;
    const auto add = [&](std::string_view separator, const std::string& part) {
        if (part.empty()) return;
        if (!text.empty()) text += separator;
        text += part;
    };
    add("", model_text(medium));
    if (medium.size != 0_B) add(", ", medium_size_text(medium));
    if (!medium.serial.empty()) add(", ", "serial " + short_serial(medium.serial));
    if (!device.slot.empty()) add(", ", "slot " + device.slot);
    if (!device.label.empty()) add(", ", fmt::format("“{}”", device.label));
    return text.empty() ? device.name : device.name + ": " + text;
}

/// The properties of one device, collected once.
struct DeviceProperties {
    const store::CampaignView& campaign;
    const store::DeviceView& device;
    Capacity capacity;
    FindingGroups groups;

    [[nodiscard]] bool lost() const {
        return std::ranges::find(groups, FindingKind::medium_lost, &FindingGroup::kind) != groups.end();
    }
    [[nodiscard]] std::optional<Grade> grade() const {
        return device.verdict ? std::optional(device.verdict->grade) : std::nullopt;
    }
};

DeviceProperties known_of(const store::CampaignView& campaign, std::size_t index) {
    const store::DeviceView& device = campaign.devices[index];
    return {
        .campaign = campaign, .device = device, .capacity = capacity_of(device), .groups = findings_by_kind(device)};
}

/// Few passes give a wide interval; the text then gives their number as the reason.
std::string doubt_text(const measure::LimitResult& result) {
    if (result.grade != Grade::marginal) return {};
    constexpr std::size_t enough = 4;
    if (result.values.size() < 2 || result.values.size() >= enough) return ": too close to decide";
    return fmt::format(": too close to decide from {}", passes_text(result.values.size()));
}

std::string sentence(std::string text) {
    text = capitalised(text);
    if (!text.empty() && text.back() != '.') text += '.';
    return text;
}

/// Returns the first limit of this grade.
std::optional<std::string> limit_of(const measure::Verdict& verdict, Grade grade) {
    const auto found = std::ranges::find(verdict.limits, grade, &measure::LimitResult::grade);
    if (found == verdict.limits.end()) return std::nullopt;
    return limit_text(*found) + doubt_text(*found);
}

std::string fault_text(const measure::Verdict& verdict) {
    if (!verdict.cause) return verdict.reasons.empty() ? "" : verdict.reasons.front();
    const measure::Finding& cause = *verdict.cause;
    if (cause.kind == FindingKind::data_damaged) return damage_text(cause.count, cause.length, cause.offset);
    return cause.count > 1 ? fmt::format("{} ({} times)", cause.detail, cause.count) : cause.detail;
}

std::string inconclusive_text(const measure::Verdict& verdict) {
    if (verdict.cause && verdict.cause->kind == FindingKind::medium_lost)
        return "the medium was pulled, lost contact or stopped answering";
    if (verdict.untested) return "not tested: " + plan::untested_text(*verdict.untested);
    if (!verdict.cause)
        if (const auto limit = limit_of(verdict, Grade::inconclusive)) return *limit;
    return fault_text(verdict);
}

std::string not_judged(store::CampaignState state) {
    switch (state) {
        case store::CampaignState::running:
            return "Not judged yet: the campaign is running.";
        case store::CampaignState::finished:
            return "Not judged.";
        case store::CampaignState::interrupted:
        case store::CampaignState::failed:
            break;
    }
    return "Not judged: the campaign did not finish.";
}

/// Lists the limits that are not met and counts the others.
std::vector<std::string> limit_lines(const DeviceProperties& known) {
    if (!known.device.verdict) return {};
    std::vector<std::string> lines;
    std::size_t met = 0;
    for (const measure::LimitResult& result : known.device.verdict->limits)
        if (result.grade == Grade::pass)
            ++met;
        else
            lines.push_back(sentence(limit_text(result) + doubt_text(result)));
    if (lines.empty()) return {};
    constexpr std::size_t most = 4;
    lines = first_lines(std::move(lines), most, "more not met");
    if (met > 0) lines.push_back(fmt::format("{} more {} met.", met, met == 1 ? "is" : "are"));
    return lines;
}

std::vector<std::string> format_lines(const store::DeviceView& device) {
    std::vector<std::string> lines;
    for (const FormatContents& content : contents_by_format(device)) {
        if (!content.seen) continue;
        if (const std::string none = no_format_text(content); !none.empty()) {
            lines.push_back("As it came: " + none);
            continue;
        }
        // A deviation that the plan requested is not a fault of the card.
        const std::string made = content.title + (content.deviations.empty() ? "" : " (made for the test)");
        std::string line = (content.format.empty() ? "As it came" : made) + ": ";
        if (content.deviations.empty()) {
            line += content.standard == "sd" ? "matches the SD layout" : "sound";
        } else {
            const media::Deviation& worst = content.deviations.front();
            line += fmt::format("{}{} {}, {}: {}, expected {}", counted(content.deviations),
                                content.deviations.size() > 1 ? ", worst:" : ":", worst.subject,
                                parameter_text(worst.name), worst.found, worst.expected);
        }
        lines.push_back(std::move(line));
    }
    constexpr std::size_t most = 4;
    return first_lines(std::move(lines), most, "more below");
}

/// Excludes the finding that the row "Genuine?" already contains.
FindingGroups warnings_of(const DeviceProperties& known) {
    FindingGroups groups = known.groups;
    if (known.capacity.what == Genuineness::fake)
        std::erase_if(groups, [](const FindingGroup& group) { return group.kind() == FindingKind::capacity_missing; });
    return groups;
}

/// Only the last detachment matters, because the results contain the effect of earlier detachments.
std::vector<std::string> detached_lines(const store::DeviceView& device) {
    if (device.detachments.empty()) return {};
    return {sentence(text_of(device.detachments.back()))};
}

std::uint32_t repeats_of(const store::DeviceView& device) {
    std::uint32_t most = 0;
    for (const store::PassView& pass : device.passes) most = std::max(most, pass.pass.repeat);
    return most;
}

/// A record may come from an untrusted source: only commands in the form that `run` writes are repeated.
std::string resume_command(const store::Origin& origin) {
    const auto words = shell_words(origin.resume_with);
    if (!words || words->size() < 4 || words->size() % 2 != 0) return {};
    const std::vector<std::string>& word = *words;
    if (word[0] != "mediarig" || word[1] != "run" || word[2].starts_with('-') || word[3] != "--resume") return {};
    for (std::size_t i = 4; i < word.size(); i += 2)
        if (word[i] != "--store" && word[i] != "--rig" && word[i] != "--lanes") return {};
    return origin.resume_with;
}

/// Returns the recommended next step, or an empty text.
std::string next_of(const DeviceProperties& known) {
    const bool provable =
        known.device.device.identity.transport != media::Transport::directory && !is_of_lab(known.campaign.campaign);
    const auto prove = [&](std::string_view why) {
        return provable ? fmt::format("{}: {} (erases it)", why, verify_command(known.device.device.identity)) : "";
    };
    const store::CampaignRecord& campaign = known.campaign.campaign;
    // A running or closed campaign cannot be resumed.
    const bool open =
        campaign.state != store::CampaignState::running && campaign.state != store::CampaignState::finished;
    const auto go_on = [&](const std::string& first) {
        const std::string command = resume_command(campaign.origin);
        if (open && !command.empty()) return first + "resume with: " + command;
        // A closed campaign cannot be resumed. Name the command that prints its plan, because the record may come from
        // another user.
        if (campaign.state != store::CampaignState::finished || command.empty()) return first + "test it again.";
        return fmt::format("{}test it again; its plan: mediarig campaigns plan {}", first, shell_word(campaign.id));
    };
    const std::string fix = known.device.untested.empty() ? "" : "Correct the causes under “Not tested”, then ";
    if (!known.grade()) return open ? capitalised(go_on(fix)) : "";
    std::string for_the_seller =
        fmt::format("Do not use it. For the seller: mediarig report {} --certificate{}", shell_word(campaign.id),
                    known.campaign.devices.size() > 1 && is_printable(known.device.device.name)
                        ? " --device " + shell_word(known.device.device.name)
                        : "");
    switch (*known.grade()) {
        case Grade::fake:
            return for_the_seller;
        case Grade::fail:
            // A raw test overwrote all data, so there is nothing to copy.
            if (known.capacity.what == Genuineness::damaged && is_raw(known.capacity.format)) return for_the_seller;
            return known.capacity.what == Genuineness::damaged ||
                           limit_of(*known.device.verdict, Grade::fail) == std::nullopt
                       ? "Copy what you need from it, then stop using it."
                       : "The medium misses a limit; more passes (“repeats” in a plan) show whether it always does.";
        case Grade::marginal:
            return fmt::format("More passes are needed: set “repeats” to {} or more in a plan.",
                               std::max(4U, 2 * repeats_of(known.device)));
        case Grade::formatted:
        case Grade::measured:
            return prove("To prove its capacity");
        case Grade::sampled:
        case Grade::probed:
            return prove("To prove its capacity, write and read back all of it");
        case Grade::inconclusive:
            if (known.lost()) return go_on("Check contact and power, then ");
            if (!fix.empty()) return go_on(fix);
            return prove("Write and read back all of it");
        case Grade::pass:
            break;
    }
    return known.capacity.what == Genuineness::proven ? "" : prove("To prove its capacity");
}

/// Writing and reading back a large medium takes hours. If such a test was interrupted or covered only a part,
/// recommend the faster test.
std::string quicker_of(const DeviceProperties& known) {
    const bool interrupted = !known.grade() && known.capacity.what != Genuineness::proven &&
                             known.campaign.campaign.state != store::CampaignState::running &&
                             std::ranges::any_of(known.device.passes, [](const store::PassView& pass) {
                                 return pass.pass.job.as<workload::VerifyJob>() != nullptr && is_raw(pass.pass.format);
                             });
    // A fake also stores a part of the data correctly.
    const bool in_part = known.grade() && known.capacity.what == Genuineness::partly && is_raw(known.capacity.format);
    const bool good = known.grade() == Grade::pass || (known.grade() && measure::is_not_proven(*known.grade()));
    const bool only_measured = good && known.capacity.what == Genuineness::untested &&
                               known.device.device.identity.transport != media::Transport::directory;
    if (!(interrupted || in_part || only_measured) || is_of_lab(known.campaign.campaign)) return {};
    return fmt::format("To detect a fake in half a minute: {} --probe (erases it)",
                       verify_command(known.device.device.identity));
}

/// Returns the command that creates the SD layout, for a card that came in another layout.
std::string sd_layout_of(const DeviceProperties& known) {
    const std::vector<FormatContents> contents = contents_by_format(known.device);
    const bool deviates = !contents.empty() && contents.front().format.empty() && contents.front().standard == "sd" &&
                          !contents.front().deviations.empty() &&
                          contents.front().deviations.front().severity != media::DeviationSeverity::note;
    const bool good = known.grade() == Grade::pass || (known.grade() && measure::is_not_proven(*known.grade()));
    if (!deviates || !good || is_of_lab(known.campaign.campaign)) return {};
    return fmt::format("To give it the SD layout: {} (erases it)",
                       erasing_command("format", known.device.device.identity, " --profile sd"));
}

/// Returns the command that formats a medium whose last test overwrote its file system.
std::string format_of(const DeviceProperties& known) {
    const media::Medium& medium = known.device.device.identity;
    const bool overwritten = !known.device.passes.empty() && is_raw(known.device.passes.back().pass.format);
    const bool usable = known.grade() && (*known.grade() == Grade::pass || *known.grade() == Grade::marginal ||
                                          measure::is_not_proven(*known.grade()));
    if (!overwritten || !usable || is_of_lab(known.campaign.campaign)) return {};
    const bool is_sd = medium.sd || medium.transport == media::Transport::mmc;
    return "It has no file system now; to make one: " +
           erasing_command("format", medium, is_sd ? " --profile sd" : " --fs exfat");
}

} // namespace

ReportCard card_of(const store::CampaignView& campaign, std::size_t device) {
    const DeviceProperties known = known_of(campaign, device);
    ReportCard card{.grade = known.grade(),
                    .title = title_of(known.device.device),
                    .verdict = verdict_text(known.device, known.campaign.campaign.state),
                    .warnings = warnings_of(known)};
    const auto add = [&](const char* title, std::vector<std::string> lines) {
        std::erase(lines, "");
        if (!lines.empty()) card.rows.push_back({title, std::move(lines)});
    };
    // A directory claims no capacity.
    if (known.device.device.identity.transport != media::Transport::directory)
        add("Genuine?", genuine_lines(campaign, device, known.capacity));
    if (!is_of_lab(known.campaign.campaign)) add("Used?", used_lines(known.device));
    if (known.capacity.outcome) add(map_title, map_lines(*known.capacity.outcome));
    add("How fast?", speed_lines(campaign, device));
    // Limits and format are irrelevant for a fake.
    if (known.capacity.what != Genuineness::fake) {
        std::vector<std::string> limits = limit_lines(known);
        std::erase(limits, card.verdict);
        add("Limits", std::move(limits));
        add("Format", format_lines(known.device));
    }
    card.rows.push_back({warnings_title, {}});
    write_warnings_row(card);
    add("Detached", detached_lines(known.device));
    constexpr std::size_t most_untested = 3;
    std::vector<std::string> untested;
    std::ranges::transform(known.device.untested, std::back_inserter(untested), plan::untested_text);
    add("Not tested", first_lines(std::move(untested), most_untested, "more"));
    const std::string layout = sd_layout_of(known);
    add("Next", {next_of(known), quicker_of(known), layout.empty() ? format_of(known) : layout});
    return card;
}

void write_warnings_row(ReportCard& card) {
    const auto row = std::ranges::find(card.rows, warnings_title, &CardRow::title);
    if (row == card.rows.end()) return;
    std::vector<std::string> lines;
    for (const FindingGroup& group : card.warnings) lines.push_back(text_of(group));
    constexpr std::size_t most = 5;
    const char* const rest = lines.size() == most + 1 ? "more kind of findings" : "more kinds of findings";
    row->lines = first_lines(std::move(lines), most, rest);
    if (row->lines.empty()) card.rows.erase(row);
}

bool is_of_lab(const store::CampaignRecord& campaign) {
    return campaign.origin.agent == "lab";
}

std::vector<std::string> first_lines(std::vector<std::string> lines, std::size_t most, const std::string& more) {
    if (lines.size() <= most) return lines;
    const std::size_t rest = lines.size() - most;
    lines.resize(most);
    lines.push_back(fmt::format("{} {}", rest, more));
    return lines;
}

std::string erasing_command(const std::string& command, const media::Medium& medium, const std::string& more) {
    // The user typed this path. Names that a device reports are not copied into a command.
    const auto as_typed = [&](const std::string& word, const char* otherwise) {
        const bool named_by_user = medium.transport == media::Transport::image && !word.empty() && is_printable(word);
        return is_plain_word(word) || named_by_user ? shell_word(word) : std::string(otherwise);
    };
    return fmt::format("mediarig {} {}{} --confirm {}", command, as_typed(medium.node, "DEVICE"), more,
                       as_typed(media::confirmation_of(medium), "SERIAL"));
}

std::string verify_command(const media::Medium& medium) {
    return erasing_command("verify", medium, "");
}

std::string verdict_text(const std::optional<measure::Verdict>& verdict, store::CampaignState state) {
    if (!verdict) return not_judged(state);
    switch (verdict->grade) {
        case Grade::fake:
            return "It holds less than it claims.";
        case Grade::fail:
            return sentence(verdict->cause ? fault_text(*verdict)
                                           : limit_of(*verdict, Grade::fail).value_or(fault_text(*verdict)));
        case Grade::inconclusive:
            return sentence(inconclusive_text(*verdict));
        case Grade::marginal:
            return sentence(limit_of(*verdict, Grade::marginal).value_or(""));
        case Grade::formatted:
        case Grade::measured:
        case Grade::sampled:
        case Grade::probed:
        case Grade::pass:
            break;
    }
    if (verdict->limits.empty()) return sentence(verdict->reasons.empty() ? "" : verdict->reasons.front());
    return verdict->limits.size() == 1 ? "The limit is met; no faults found."
                                       : fmt::format("All {} limits are met; no faults found.", verdict->limits.size());
}

std::string verdict_text(const store::DeviceView& device, store::CampaignState state) {
    // The places of the evidence, as in the other rows: the findings of several tests would count them more than once.
    if (device.verdict && device.verdict->grade == Grade::fail && device.verdict->cause &&
        device.verdict->cause->kind == FindingKind::data_damaged)
        if (const Capacity capacity = capacity_of(device);
            capacity.what == Genuineness::damaged && !capacity.outcome->damaged.empty())
            return sentence(damage_text(*capacity.outcome));
    if (!device.verdict && is_placeholder(device.device) && !device.untested.empty())
        return sentence("not tested: " + plan::untested_text(device.untested.front()));
    return verdict_text(device.verdict, state);
}

} // namespace mediarig::report
