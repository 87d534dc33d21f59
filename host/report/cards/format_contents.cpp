// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/cards/format_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "host/media/conformance/alignment.hpp"
#include "host/media/conformance/layout.hpp"
#include "host/media/conformance/rules.hpp"
#include "host/report/charts/layout_drawing.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::report {
namespace {

/// Free space of an EFI system partition is not for files.
bool is_for_files(const media::InspectedVolume& volume) {
    const auto type = media::parameter(volume, "partition_type");
    return type != "0xef" && type != "c12a7328-f81f-11d2-ba4b-00a0c93ec93b";
}

Bytes usable_of(const std::optional<media::InspectReport>& seen, const std::optional<media::FormatReport>& formatted) {
    Bytes usable;
    if (seen)
        for (const media::InspectedVolume& volume : seen->volumes)
            if (is_for_files(volume)) usable += volume.usable;
    if (usable == 0_B && formatted) usable = formatted->usable;
    return usable;
}

FormatContents content(const store::DeviceRecord& device, std::string title, std::optional<media::InspectReport> seen,
                       std::optional<media::FormatReport> formatted) {
    // A medium with the SD layout is checked against that layout, whatever its type, because that layout differs from
    // others intentionally.
    const bool has_sd_layout =
        seen && media::has_no_warning(media::deviations_from(media::ConformanceStandard::sd, *seen));
    const auto against =
        is_sd(device) || has_sd_layout ? media::ConformanceStandard::sd : media::ConformanceStandard::sound;
    FormatContents made{.title = std::move(title),
                        .seen = std::move(seen),
                        .formatted = std::move(formatted),
                        .standard = against == media::ConformanceStandard::sd ? "sd" : "sound"};
    made.capacity = made.seen ? made.seen->size : device.identity.size;
    made.usable = usable_of(made.seen, made.formatted);
    if (!made.seen) return made;
    made.deviations = media::deviations_from(against, *made.seen);
    // The allocation unit in the card's registers is more exact than any table.
    if (const auto& sd = device.identity.sd; sd && sd->allocation_unit) {
        std::ranges::move(media::deviations_against_unit(*made.seen, *sd->allocation_unit, against),
                          std::back_inserter(made.deviations));
        std::ranges::stable_sort(made.deviations, std::ranges::greater{}, &media::Deviation::severity);
    }
    return made;
}

/// Serial numbers and dates differ after each format, so compare only the positions.
bool same_shape(const FormatContents& a, const FormatContents& b) {
    if (a.seen.has_value() != b.seen.has_value() || a.usable != b.usable || a.deviations != b.deviations) return false;
    return !a.seen || (a.seen->scheme == b.seen->scheme && media::layout_of(*a.seen) == media::layout_of(*b.seen));
}

/// Returns the allocation unit of the first volume for files.
std::string allocation_unit_of(const media::InspectReport& seen) {
    for (const media::InspectedVolume& volume : seen.volumes) {
        if (!is_for_files(volume)) continue;
        for (const char* name : {"cluster_size", "block_size"})
            if (const auto size = media::parameter(volume, name)) return *size;
    }
    return "–";
}

/// Older campaigns have no records of formats; their formats are known only from their passes.
std::vector<store::FormatRecord> formats_of(const store::DeviceView& device) {
    std::vector<store::FormatRecord> formats = device.made;
    for (const store::PassView& view : device.passes) {
        const store::PassRecord& pass = view.pass;
        const bool known = std::ranges::any_of(formats, [&](const store::FormatRecord& made) {
            return made.format == pass.format && made.repeat == pass.repeat;
        });
        if (pass.formatted && !known)
            formats.push_back({.step = {},
                               .device = pass.device,
                               .format = pass.format,
                               .repeat = pass.repeat,
                               .formatted = *pass.formatted,
                               .seen = {}});
    }
    return formats;
}

std::string share_of(const FormatContents& content) {
    if (content.usable == 0_B || content.capacity == 0_B) return "–";
    return fmt::format("{:.2f} %",
                       100 * static_cast<double>(content.usable.count) / static_cast<double>(content.capacity.count));
}

} // namespace

bool is_sd(const store::DeviceRecord& device) {
    if (device.identity.sd || device.identity.transport == media::Transport::mmc) return true;
    return device.found && std::ranges::any_of(device.found->volumes, [](const media::InspectedVolume& volume) {
               return volume.fingerprint.formatter.starts_with("SD layout") &&
                      volume.fingerprint.sureness >= media::FormatterConfidence::likely;
           });
}

std::vector<FormatContents> contents_by_format(const store::DeviceView& device) {
    std::vector<FormatContents> contents;
    if (device.device.found) contents.push_back(content(device.device, "as it came", device.device.found, {}));
    for (const store::FormatRecord& format : formats_of(device)) {
        FormatContents made = content(device.device, format_title(format.format), format.seen, format.formatted);
        made.format = format.format;
        const auto of_that_name = [&](const FormatContents& other) { return other.format == made.format; };
        const auto known = [&](const FormatContents& other) { return of_that_name(other) && same_shape(other, made); };
        if (std::ranges::any_of(contents, known)) continue;
        if (std::ranges::any_of(contents, of_that_name)) made.title += fmt::format(", pass {}", format.repeat);
        contents.push_back(std::move(made));
    }
    return contents;
}

std::string no_format_text(const FormatContents& content) {
    if (!content.seen || !content.format.empty()) return {};
    const media::InspectReport& seen = *content.seen;
    if (seen.blank) return "none (blank)";
    return seen.scheme == "none" && seen.volumes.empty() && seen.unread.empty() ? "none (unknown data)" : "";
}

std::string parameter_text(std::string name) {
    std::ranges::replace(name, '_', ' ');
    return name.starts_with("fat ") ? "FAT" + name.substr(3) : name;
}

std::string counted(const std::vector<media::Deviation>& deviations) {
    std::string text;
    for (const auto severity :
         {media::DeviationSeverity::error, media::DeviationSeverity::warning, media::DeviationSeverity::note}) {
        const auto count = std::ranges::count(deviations, severity, &media::Deviation::severity);
        if (count == 0) continue;
        text +=
            fmt::format("{}{} {}{}", text.empty() ? "" : ", ", count, media::name_of(severity), count == 1 ? "" : "s");
    }
    return text.empty() ? "none" : text;
}

std::string starts_at(const media::InspectReport& seen) {
    const auto volume = std::ranges::find_if(seen.volumes, is_for_files);
    if (volume == seen.volumes.end()) return "–";
    return seen.scheme == "none" ? "bare" : place_text(volume->start);
}

std::optional<Table> usable_table(const store::CampaignView& campaign) {
    Table table{.title = "Usable bytes by format",
                .label_title = "Device, format",
                .notes = {"Usable: free for files right after the format, according to the bitmap or counter of the "
                          "volume. Deviations: from a sound layout, and on SD cards from the SD layout."},
                .blocks = {{.title = "Bytes", .device = 0, .columns = {"Medium", "Usable", "Share"}},
                           {.title = "Layout", .device = 0, .columns = {"Table", "Starts at", "Unit", "Deviations"}}}};
    for (const store::DeviceView& device : campaign.devices)
        for (const FormatContents& each : contents_by_format(device)) {
            if (!no_format_text(each).empty()) continue;
            const auto cell = [](std::string text) { return TableCell{.value = std::move(text), .spread = {}}; };
            const auto seen = [&](const auto& of) { return cell(each.seen ? of(*each.seen) : "–"); };
            table.rows.push_back(
                {.label = fmt::format("{}: {}", device.device.name, each.title),
                 .kind = RowKind::body,
                 .cells = {cell(std::to_string(each.capacity.count)),
                           cell(each.usable == 0_B ? "–" : std::to_string(each.usable.count)), cell(share_of(each)),
                           seen([](const media::InspectReport& report) { return report.scheme; }), seen(starts_at),
                           seen(allocation_unit_of), cell(each.seen ? counted(each.deviations) : "not inspected")}});
        }
    if (table.rows.empty()) return std::nullopt;
    return table;
}

} // namespace mediarig::report
