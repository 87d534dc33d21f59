// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/html/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/base/shell_word.hpp"
#include "host/base/time_text.hpp"
#include "host/plan/steps.hpp"
#include "host/report/cards/card.hpp"
#include "host/report/figures/findings.hpp"
#include "host/report/output/html/html_table.hpp"
#include "host/report/output/html/parts.hpp"
#include "host/report/output/results_json.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/metric_text.hpp"
#include "host/workload/jobs/capacity_finding.hpp"

namespace mediarig::report {
namespace {

using workload::VerifyOutcome;

/// Length limits that make everything fit on one sheet, however long the texts of a medium are.
constexpr std::size_t longest_value = 230, longest_command = 260, longest_key = 64, most_speeds = 3, most_limits = 2,
                      most_findings = 2;

/// Returns the first `most` code points of the printable text, cut at the end of a word if one is near.
std::string cut(std::string_view text, std::size_t most) {
    std::string whole = printable(text);
    std::string_view rest = whole;
    for (std::size_t i = 0; i < most && !rest.empty(); ++i) rest.remove_prefix(first_code_point(rest).length);
    if (rest.empty()) return whole;
    const std::string begun = whole.substr(0, whole.size() - rest.size());
    constexpr std::size_t longest_word = 30;
    const std::size_t end = begun.rfind(' ');
    return (end != begun.npos && begun.size() - end <= longest_word ? begun.substr(0, end + 1) : begun) + "…";
}

struct SheetFacts {
    html::FactList facts{};

    void add(std::string_view name, const std::string& value) { facts.add(name, cut(value, longest_value)); }
    /// Adds several lines under one name.
    void add(std::string_view name, const std::vector<std::string>& lines) {
        for (const std::string& line : lines) add(&line == lines.data() ? name : "", line);
    }
    [[nodiscard]] std::string section(std::string_view title, std::string_view picture = "") const {
        const std::string text = facts.html();
        return text.empty() ? "" : fmt::format("<section><h2>{}</h2>{}{}</section>", title, picture, text);
    }
};

std::string exact(Bytes amount) {
    const std::string text = size_text(amount);
    return text.ends_with(" B") ? text : fmt::format("{} ({} bytes)", text, amount.count);
}

/// Formats a size like Windows: powers of 1024 with the unit names of powers of 1000, in three digits.
std::string size_in_windows(Bytes amount) {
    constexpr std::array units{"KB", "MB", "GB", "TB", "PB"};
    double value = static_cast<double>(amount.count) / 1024;
    std::size_t unit = 0;
    for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1024;
    return fmt::format("{:.{}f} {}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2, units[unit]);
}

std::string claim_text(Bytes claimed) {
    return fmt::format("{}; Windows shows it as {}", exact(claimed), size_in_windows(claimed));
}

std::string kind_text(const workload::DamagedRange& range) {
    using workload::DamageKind;
    switch (range.kind) {
        case DamageKind::unreadable:
            return "it could not be read";
        case DamageKind::unwritten:
            return "the write failed";
        case DamageKind::flipped:
            return "data written there, with changed bits";
        case DamageKind::misplaced:
            return range.belongs_at ? fmt::format("data written at byte {}", range.belongs_at->count)
                                    : "data written elsewhere";
        case DamageKind::stale:
            return "old data: the write was dropped";
        case DamageKind::foreign:
            break;
    }
    return "data that the test never wrote";
}

/// Returns the claimed capacity as a bar, with the real part filled.
std::string bar_of(const VerifyOutcome& outcome, Bytes holds) {
    const double share =
        outcome.claimed == 0_B
            ? 0
            : std::min(1.0, static_cast<double>(holds.count) / static_cast<double>(outcome.claimed.count));
    return fmt::format(
        "<svg class=\"map\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{:.3g} % of "
        "the claimed capacity exists\"><rect class=\"bad\" width=\"1000\" height=\"24\"/><rect class=\"good\" "
        "width=\"{:.1f}\" height=\"24\"/></svg>",
        share * 100, share * 1000);
}

std::string capacity_section(const store::DeviceView& device, const Capacity& capacity, const ReportCard& card) {
    // A directory claims no capacity: its size is the free space of its file system.
    if (device.device.identity.transport == media::Transport::directory) return "";
    SheetFacts facts;
    std::string bar;
    facts.add("Claims", is_placeholder(device.device) ? "not known: the medium could not be identified"
                                                      : claim_text(device.device.identity.size));
    if (capacity.outcome) {
        const VerifyOutcome& outcome = *capacity.outcome;
        const Bytes holds = outcome.true_capacity.value_or(outcome.good);
        if (capacity.what == Genuineness::fake || capacity.what == Genuineness::proven) {
            facts.add("Holds", exact(holds));
            bar = bar_of(outcome, holds);
        }
    }
    const auto genuine = std::ranges::find(card.rows, std::string("Genuine?"), &CardRow::title);
    if (genuine != card.rows.end()) facts.add("Genuine?", genuine->lines);
    return facts.section("Claimed and found", bar);
}

std::string evidence_section(const store::DeviceView& device, const Capacity& capacity, const ReportCard& card) {
    SheetFacts facts;
    if (capacity.outcome && !capacity.outcome->probe) {
        const VerifyOutcome& outcome = *capacity.outcome;
        facts.add("Written", exact(outcome.written));
        facts.add("Read back intact", exact(outcome.good));
        if (outcome.damaged_bytes != 0_B) facts.add("Damaged", exact(outcome.damaged_bytes));
    }
    if (capacity.outcome && capacity.outcome->probe)
        facts.add("Probed",
                  fmt::format("{} of writing and reading back, {} read; {}",
                              rounds_text(capacity.outcome->probe->rounds), exact(capacity.outcome->probe->read),
                              capacity.what == Genuineness::fake
                                  ? "no cache can cause this result"
                                  : workload::misleading_cache_text(*capacity.outcome->probe)));
    if (capacity.outcome && !capacity.outcome->damaged.empty()) {
        const workload::DamagedRange& first = capacity.outcome->damaged.front();
        facts.add("First bad byte",
                  fmt::format("{}; expected: data written there; found: {}", first.offset.count, kind_text(first)));
    }
    if (const auto speed = std::ranges::find(card.rows, std::string("How fast?"), &CardRow::title);
        speed != card.rows.end())
        facts.add("Speed", first_lines(speed->lines, most_speeds, "more in the record"));
    std::vector<std::string> limits, findings;
    if (device.verdict) {
        for (const measure::LimitResult& result : device.verdict->limits)
            if (result.grade != measure::Grade::pass)
                limits.push_back(fmt::format("{}: {}", measure::name_of(result.grade), limit_text(result)));
        if (limits.empty() && !device.verdict->limits.empty())
            limits.push_back(fmt::format("{}, all met", device.verdict->limits.size()));
    }
    facts.add("Limits", first_lines(std::move(limits), most_limits, "more in the record"));
    for (const FindingGroup& group : card.warnings)
        if (group.worst.severity != measure::Severity::note) findings.push_back(text_of(group));
    facts.add("Findings", first_lines(std::move(findings), most_findings, "more in the record"));
    std::vector<std::string> untested;
    std::ranges::transform(device.untested, std::back_inserter(untested), plan::untested_text);
    facts.add("Not tested", first_lines(std::move(untested), 1, "more in the record"));
    return facts.section("Evidence");
}

std::string device_section(const store::DeviceRecord& device) {
    const media::Medium& medium = device.identity;
    SheetFacts facts;
    facts.add("Identifies itself as", identity_text(medium));
    facts.add("Serial", medium.serial);
    if (medium.sd) facts.add("CID", medium.sd->cid);
    if (medium.usb)
        facts.add("USB", fmt::format("{}:{} {} {}", medium.usb->vendor_id, medium.usb->product_id,
                                     medium.usb->manufacturer, medium.usb->product));
    facts.add("Label", device.label);
    facts.add("Lot", device.lot);
    facts.add("Slot", device.slot);
    return facts.section("Device");
}

std::string test_section(const store::CampaignRecord& campaign, const store::DeviceView& device) {
    SheetFacts facts;
    facts.add("Campaign", fmt::format("{} ({})", campaign.name, campaign.id));
    facts.add("Tested", campaign.ended ? fmt::format("{} to {}", local_time_text(campaign.started),
                                                     local_time_text(*campaign.ended))
                                       : local_time_text(campaign.started));
    std::vector<std::string> suites;
    for (const store::PassView& pass : device.passes) {
        std::string suite = fmt::format("{} (version {}{})", suite_title(pass.pass.job.suite),
                                        pass.pass.job.suite_version, pass.pass.job.quick ? ", quick" : "");
        if (std::ranges::find(suites, suite) == suites.end()) suites.push_back(std::move(suite));
    }
    std::string ran;
    for (const std::string& suite : suites) ran += (ran.empty() ? "" : ", ") + suite;
    facts.add("Suites", ran);
    facts.add("With", fmt::format("mediarig {}, {}, {}", campaign.origin.mediarig_version, campaign.origin.kernel,
                                  campaign.origin.cpu));
    return facts.section("Test");
}

std::string command_html(std::string_view command) {
    return fmt::format("<code>{}</code>", html_escaped(cut(command, longest_command)));
}

/// Returns the command with which a reader can check the medium; `DEVICE` replaces the device name on the reader's
/// machine.
std::string again_html(const store::CampaignRecord& campaign, const media::Medium& medium) {
    if (is_of_lab(campaign))
        return "<p>This was an emulated medium of the virtual lab: it cannot be tested elsewhere.</p>";
    if (medium.transport == media::Transport::directory) return "";
    if (medium.transport == media::Transport::image)
        return fmt::format("<p>The image can be tested again; the test erases it: {}</p>",
                           command_html("mediarig verify IMAGE --confirm IMAGE"));
    const std::string serial =
        is_plain_word(medium.serial) && medium.serial.size() <= longest_key ? medium.serial : "SERIAL";
    return fmt::format(
        "<p>The medium can be tested again; the test erases it. <code>mediarig devices</code> shows its name, in place "
        "of DEVICE, and its confirmation: {}</p>",
        command_html("mediarig verify DEVICE --confirm " + serial));
}

std::string check_section(const store::CampaignView& campaign, const store::DeviceView& device) {
    const std::string& known = device.device.key;
    const std::string key = is_printable(known) && known.size() <= longest_key ? shell_word(known) : "KEY";
    const std::string record =
        fmt::format("mediarig results {} --device {} --json",
                    is_plain_word(campaign.campaign.id) ? campaign.campaign.id : "CAMPAIGN", key);
    return fmt::format(
        "<section class=\"check\"><h2>How to check this</h2>{}<p>{} prints the record of this medium. Its SHA-256, as "
        "<code>sha256sum</code> computes it:</p><p><code class=\"sum\">{}</code></p></section>",
        again_html(campaign.campaign, device.device.identity), command_html(record),
        sha256_of(device_record(campaign.campaign, device)));
}

/// A buyer understands PASS as "genuine": if limits decided, the sheet adds what is not proven.
void add_unproven(ReportCard& card, const Capacity& capacity) {
    if (card.grade == measure::Grade::pass && capacity.what != Genuineness::proven)
        card.verdict += " Its capacity is not proven.";
}

std::string certificate(const store::CampaignView& campaign, std::size_t index) {
    const store::DeviceView& device = campaign.devices[index];
    const Capacity capacity = capacity_of(device);
    ReportCard card = card_of(campaign, index);
    add_unproven(card, capacity);
    return fmt::format(
        "<article class=\"certificate\"><header><p class=\"kicker\">mediarig certificate</p><h1>{}</h1><p "
        "class=\"verdict\">{} {}</p></header>{}{}{}{}{}</article>\n",
        html_escaped(cut(card.title, longest_value)), html::badge(card.grade),
        html_escaped(cut(card.verdict, longest_value)), capacity_section(device, capacity, card),
        evidence_section(device, capacity, card), device_section(device.device),
        test_section(campaign.campaign, device), check_section(campaign, device));
}

} // namespace

Result<std::string> render_certificates(store::CampaignView&& outline, const std::vector<std::size_t>& devices,
                                        const LoadDevice& load) {
    std::string pages;
    for (const std::size_t device : devices) {
        if (auto loaded = load(outline.devices[device]); !loaded) return fail(loaded.error());
        pages += certificate(outline, device);
        forget(outline.devices[device]);
    }
    const std::string name = outline.campaign.name.empty() ? outline.campaign.id : outline.campaign.name;
    return html::document(html_escaped(name) + " – mediarig certificate", pages);
}

} // namespace mediarig::report
