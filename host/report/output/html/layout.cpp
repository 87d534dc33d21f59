// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "host/report/cards/format_contents.hpp"
#include "host/report/charts/layout_drawing.hpp"
#include "host/report/output/html/html_table.hpp"
#include "host/report/output/html/parts.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::report::html {
namespace {

using media::InspectedVolume;
using media::InspectReport;

/// Parameters that affect speed and compatibility; the other parameters are in a fold.
constexpr std::array<std::string_view, 25> that_matter{
    "partition_type",    "cluster_size",          "block_size",       "sector_size",       "fat_offset",
    "fat_length",        "cluster_heap_offset",   "data_offset",      "reserved_sectors",  "cluster_count",
    "number_of_fats",    "free_clusters",         "oem_parameters",   "boot_code",         "journaled",
    "journal_offset",    "journal_size",          "case_sensitive",   "catalog_file_size", "attributes_file_size",
    "catalog_node_size", "volume_case_sensitive", "volume_encrypted", "free_blocks",       "volume_dirty"};

/// Returns "131072 B (128 KiB)" or "486992 clusters".
std::string value_text(const InspectedVolume& volume, std::size_t index) {
    const std::string& value = volume.parameters[index].second;
    const std::string unit = index < volume.places.size() ? volume.places[index].unit : "";
    if (unit != "B" || value.empty() || value.size() > 19) return unit.empty() ? value : value + " " + unit;
    if (value.find_first_not_of("0123456789") != std::string::npos) return value;
    const std::string whole = place_text({std::stoull(value)});
    const std::size_t binary = whole.find(" (");
    return binary == std::string::npos ? value + " B" : value + " B" + whole.substr(binary);
}

bool matters(const std::string& name) {
    return std::ranges::find(that_matter, std::string_view(name)) != that_matter.end();
}

/// A heading begins with a capital letter; a title also occurs within a line.
std::string heading_of(const FormatContents& content) {
    return content.formatted || !content.format.empty() ? content.title : "As it came";
}

std::string volume_html(const InspectedVolume& volume, std::size_t number) {
    const std::string what = volume.file_system.empty() ? "no file system known" : format_title(volume.file_system);
    std::string text = fmt::format("<h4>Volume {}: {}{}</h4>", number, html_escaped(what),
                                   volume.label.empty() ? "" : fmt::format(" “{}”", html_escaped(volume.label)));
    FactList facts, rest;
    facts.add("at byte", place_text(volume.start));
    facts.add("length", fmt::format("{} bytes ({})", volume.length.count, size_text(volume.length)));
    if (volume.usable.count != 0)
        facts.add("free for files", fmt::format("{} bytes ({})", volume.usable.count, size_text(volume.usable)));
    const media::Fingerprint& by = volume.fingerprint;
    if (by.sureness != media::FormatterConfidence::unknown) facts.add("formatted by", media::text_of(by));
    facts.add("does not parse", volume.problem);
    for (std::size_t i = 0; i < volume.parameters.size(); ++i) {
        const std::string& name = volume.parameters[i].first;
        (matters(name) ? facts : rest).add(parameter_text(name), value_text(volume, i));
    }
    text += facts.html();
    if (const std::string others = rest.html(); !others.empty())
        text += "<details><summary>All other parameters</summary>" + others + "</details>";
    return text;
}

std::string regions_html(const std::vector<DrawnRegion>& regions) {
    ListTable table({{"", ColumnKind::head}, {"Region", ColumnKind::wide}, {"From byte"}, {"Length"}, {"Aligned to"}});
    for (const DrawnRegion& each : regions)
        table.add({fmt::format("<span class=\"swatch {}\">{}</span>", region_kind(each.region.what), each.letter),
                   html_escaped(each.region.what), std::to_string(each.region.start.count),
                   size_text(each.region.length), alignment_text(each.region.alignment)});
    return "<div class=\"regions\">" + table.html() + "</div>";
}

std::string deviations_html(const FormatContents& content) {
    const std::string against =
        content.standard == "sd" ? "the SD layout for its capacity or a sound layout" : "a sound layout";
    if (content.deviations.empty()) return fmt::format("<p>No deviation from {}.</p>", against);
    std::string items;
    for (const media::Deviation& deviation : content.deviations)
        items += fmt::format(
            "<li class=\"{0}\"><b>{0}</b> {1}, {2}: {3}, expected {4}: {5} <small class=\"muted\">({6}: "
            "{7})</small></li>",
            media::name_of(deviation.severity), html_escaped(deviation.subject),
            html_escaped(parameter_text(deviation.name)), html_escaped(deviation.found),
            html_escaped(deviation.expected), html_escaped(deviation.reason), media::name_of(deviation.certainty),
            html_escaped(deviation.source));
    return fmt::format("<p>Deviations from {}: {}.</p><ul class=\"deviations\">{}</ul>", against,
                       counted(content.deviations), items);
}

std::string made_by(const media::FormatReport& format) {
    return fmt::format(
        "<p class=\"muted\">Made by {}</p>",
        html_escaped(fmt::format("{} {} {}", format.tool, format.tool_version, fmt::join(format.arguments, " "))));
}

std::string holding_html(const FormatContents& content) {
    std::string text =
        fmt::format("<article class=\"holding\"><h4 class=\"which\">{}</h4>", html_escaped(heading_of(content)));
    if (content.formatted) text += made_by(*content.formatted);
    if (!content.seen) return text + "<p>It could not be inspected.</p></article>\n";
    const InspectReport& seen = *content.seen;
    text += fmt::format("<p class=\"muted\">Partition table: {}</p>", html_escaped(seen.scheme));
    if (!seen.problem.empty()) text += "<p>" + html_escaped(seen.problem) + "</p>";
    for (const media::UnreadRange& unread : seen.unread)
        text += fmt::format("<p>Not read: {} bytes at byte {}: {}</p>", unread.length.count, unread.at.count,
                            html_escaped(unread.why));
    const std::vector<DrawnRegion> regions = drawn(media::layout_of(seen));
    text += "<figure>" + layout_svg(regions) +
            "<figcaption><small>Upper bar: to scale. Lower bar: a region is as wide as the logarithm of its "
            "length.</small></figcaption></figure>" +
            regions_html(regions);
    text += deviations_html(content);
    for (std::size_t i = 0; i < seen.volumes.size(); ++i) text += volume_html(seen.volumes[i], i + 1);
    return text + "</article>\n";
}

} // namespace

std::string layout_of(const store::CampaignView& view) {
    const auto usable = usable_table(view);
    if (!usable) return {};
    std::string text = table_of(*usable);
    for (const store::DeviceView& device : view.devices) {
        const std::vector<FormatContents> holdings = contents_by_format(device);
        if (holdings.empty()) continue;
        text += fmt::format("<h3>{} <small>{}</small></h3>\n<div class=\"contents\">", html_escaped(device.device.name),
                            html_escaped(device.device.key));
        for (const FormatContents& each : holdings) text += holding_html(each);
        text += "</div>\n";
    }
    return text;
}

} // namespace mediarig::report::html
