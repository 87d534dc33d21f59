// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/inspect_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "host/base/json/suggest.hpp"
#include "host/base/text.hpp"
#include "host/cli/text/text.hpp"
#include "host/media/conformance/layout.hpp"
#include "host/media/inspect/inspect.hpp"
#include "host/media/inspect/signature.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::cli {
namespace {

using media::FieldLocation;
using media::InspectedVolume;
using media::InspectReport;

std::string unit_text(Bytes bytes) {
    return bytes == 0_B ? "-" : binary_size_text(bytes);
}

/// Alignment of an offset, and whether it is a multiple of each usual flash unit.
std::string alignment_text(Bytes at) {
    std::string text = unit_text(media::alignment_of(at));
    for (const Bytes unit : {1_MiB, 4_MiB, 16_MiB, 32_MiB, 64_MiB})
        text += fmt::format("{} {} {}", unit == 1_MiB ? ":" : ",", unit / 1_MiB, at % unit == 0_B ? "yes" : "no");
    return text + " (multiple of this number of MiB)";
}

std::string parameter_rows(const std::vector<std::pair<std::string, std::string>>& parameters,
                           const media::Places& places, std::size_t columns) {
    if (parameters.empty()) return {};
    const auto rows = [&](bool with_fields) {
        std::vector<std::string> head{"PARAMETER", "VALUE", "UNIT", "AT BYTE"};
        if (with_fields) head.emplace_back("FIELD");
        TextTable table(head);
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const FieldLocation place = i < places.size() ? places[i] : FieldLocation{};
            const std::string at = place.length == 0_B ? "" : fmt::format("{}+{}", place.at.count, place.length.count);
            std::vector<std::string> row{parameters[i].first, parameters[i].second, place.unit, at};
            if (with_fields) row.push_back(place.field);
            table.add(std::move(row));
        }
        return table.text(with_fields ? std::numeric_limits<std::size_t>::max() : columns);
    };
    const std::string whole = rows(true);
    return widest_line(whole) <= columns ? whole : rows(false);
}

std::string volume_text(const InspectedVolume& volume, std::size_t number, std::size_t columns) {
    std::string text =
        '\n' + line_of(fmt::format("volume {}: {}{}, at byte {}, {} long", number,
                                   volume.file_system.empty() ? "no file system known" : volume.file_system,
                                   volume.label.empty() ? "" : ", label " + volume.label, volume.start.count,
                                   size_text(volume.length)));
    if (volume.start != 0_B) text += fmt::format("alignment: {}\n", alignment_text(volume.start));
    if (volume.usable != 0_B)
        text += fmt::format("free for files: {} B ({})\n", volume.usable.count, size_text(volume.usable));
    if (const auto& sample = volume.free_space)
        text +=
            fmt::format("free space: {} of {} sampled places contain data{}{}\n", sample->with_data, sample->sampled,
                        sample->with_data == 0 ? "" : fmt::format(", the first at byte {}", sample->first.count),
                        sample->unreadable == 0 ? "" : fmt::format("; {} are not readable", sample->unreadable));
    const media::Fingerprint& by = volume.fingerprint;
    if (by.sureness != media::FormatterConfidence::unknown)
        text += line_of("formatted by: " + media::text_of(by));
    else if (!volume.file_system.empty())
        text += "formatted by: unknown\n";
    if (!volume.problem.empty()) text += line_of("problem: " + volume.problem);
    return text + parameter_rows(volume.parameters, volume.places, columns);
}

} // namespace

std::string drawing_of(const InspectReport& report, std::size_t columns, std::size_t width) {
    const std::vector<media::Region> regions = media::layout_of(report);
    std::string bar, legend;
    // Number of cells used so far: each region gets at least one cell, however small it is.
    std::size_t used = 0;
    TextTable table({"", "FROM BYTE", "LENGTH", "ALIGNED TO", "WHAT"});
    for (std::size_t i = 0; i < regions.size(); ++i) {
        const media::Region& region = regions[i];
        const char letter = i < 26 ? static_cast<char>('a' + static_cast<int>(i)) : '+';
        const double share = static_cast<double>((region.start + region.length).count) /
                             static_cast<double>(std::max<std::uint64_t>(report.size.count, 1));
        const std::size_t left_for_others = regions.size() - i - 1;
        const auto wanted = static_cast<std::size_t>(share * static_cast<double>(columns));
        const std::size_t most = columns > left_for_others ? columns - left_for_others : used + 1;
        const std::size_t end = std::max(used + 1, std::min(wanted, most));
        bar.append(end - used, region.what == "free" ? '.' : letter);
        used = end;
        table.add({std::string(1, region.what == "free" ? '.' : letter), std::to_string(region.start.count),
                   size_text(region.length), unit_text(region.alignment), region.what});
    }
    return fmt::format("[{}]\n{}", bar, table.text(width));
}

std::string text_of(const InspectReport& report, std::size_t columns) {
    std::string text = line_of("partition table: " + report.scheme);
    if (!report.problem.empty()) text += line_of("problem: " + report.problem);
    text += parameter_rows(report.parameters, report.places, columns);
    for (const media::UnreadRange& unread : report.unread)
        text += line_of(fmt::format("not read: {} B at byte {}: {}", unread.length.count, unread.at.count, unread.why));
    if (report.volumes.empty() && report.problem.empty()) text += "no known structure was found\n";
    text += '\n' + drawing_of(report, 64, columns);
    for (std::size_t i = 0; i < report.volumes.size(); ++i) text += volume_text(report.volumes[i], i + 1, columns);
    for (const media::StaleSignature& stale : report.stale_signatures)
        text += '\n' + line_of(fmt::format("remains: {} at byte {}{}", stale.what, stale.at.count,
                                           stale.in_volume ? ", within a volume" : ""));
    return text;
}

namespace {

std::string_view scheme_title(std::string_view scheme) {
    return scheme == "gpt" ? "GPT" : scheme == "apm" ? "Apple partition map" : "MBR";
}

/// Returns "a GPT partition (Microsoft reserved)". Includes the name of the type only if the contents are unknown.
std::string partition_text(std::string_view scheme, const InspectedVolume& volume) {
    std::string text = scheme == "gpt"   ? "a GPT partition"
                       : scheme == "apm" ? "a partition of an Apple partition map"
                                         : "an MBR partition";
    if (!volume.file_system.empty()) return text;
    auto name = media::parameter(volume, "partition_type_name");
    if (!name && scheme == "apm") name = media::parameter(volume, "partition_type");
    if (name) text += fmt::format(" ({})", *name);
    return text;
}

/// For a medium without volumes.
std::string empty_text(const InspectReport& report) {
    if (report.scheme != "none")
        return fmt::format("{} without {}partition{}", scheme_title(report.scheme),
                           report.problem.empty() ? "a " : "a readable ",
                           report.problem.empty() ? "" : ", damaged: " + report.problem);
    if (report.problem.starts_with("boot sector at ")) return "its contents are not known here: " + report.problem;
    if (!report.blank) return "its contents are not known here, and it is not blank";
    return report.size <= media::inspected_if_unknown * 2 ? "it is blank"
                                                          : "it contains nothing known, and both ends are blank";
}

} // namespace

std::string summary_of(const InspectReport& report, const std::vector<media::Deviation>& deviations) {
    std::vector<std::string> volumes;
    for (const InspectedVolume& volume : report.volumes) {
        std::string text =
            volume.file_system.empty() ? "no known file system" : report::format_title(volume.file_system);
        if (!volume.label.empty()) text += fmt::format(" “{}”", volume.label);
        if (volume.usable != 0_B) text += fmt::format(", {} free for files", size_text(volume.usable));
        if (report.scheme != "none") text += ", in " + partition_text(report.scheme, volume);
        if (volume.fingerprint.sureness != media::FormatterConfidence::unknown)
            text += (volume.fingerprint.sureness == media::FormatterConfidence::possible ? ", possibly formatted by "
                                                                                         : ", formatted by ") +
                    volume.fingerprint.formatter;
        if (!volume.problem.empty())
            text += (media::is_barrier_text(volume.problem) ? ", " : ", damaged: ") + volume.problem;
        volumes.push_back(std::move(text));
    }
    if (volumes.empty())
        volumes.push_back(empty_text(report));
    else if (report.scheme != "none" && !report.problem.empty())
        volumes.push_back("partition table damaged: " + report.problem);
    // The line already has the problems, and a medium without a file system.
    for (const media::Deviation& deviation : deviations)
        if (deviation.severity > media::DeviationSeverity::note && deviation.name != "problem" &&
            deviation.name != "content")
            volumes.push_back(fmt::format("{}: {} is {}", deviation.subject, deviation.name, deviation.found));
    return line_of(fmt::format("In short: {}", fmt::join(volumes, "; ")));
}

std::string text_of(const std::vector<media::Deviation>& deviations, std::string_view expected) {
    std::string text =
        line_of(fmt::format("Against {}: {}", expected,
                            deviations.empty() ? "no deviation" : counted(deviations.size(), "deviation") + ":"));
    for (const media::Deviation& deviation : deviations)
        text += line_of(fmt::format("{}: {}: {} is {}, expected {}: {} ({}; {})", media::name_of(deviation.severity),
                                    deviation.subject, deviation.name, deviation.found, deviation.expected,
                                    deviation.reason, media::name_of(deviation.certainty), deviation.source));
    return text;
}

std::string text_of(const media::EarlierUse& use) {
    std::string text = line_of("used or new: " + media::verdict_text(use));
    for (const media::UseSign& sign : use.signs) text += line_of("  " + media::text_of(sign));
    return text;
}

Result<std::string> hex_of(const InspectReport& report, const std::string& name) {
    std::string text;
    std::set<std::string_view> known;
    bool without_place = false;
    const auto show = [&](const media::Places& places, const std::string& subject) {
        for (const FieldLocation& place : places) {
            without_place = without_place || (place.name == name && place.hex.empty());
            if (place.hex.empty()) continue;
            known.insert(place.name);
            if (place.name != name) continue;
            const std::size_t shown = place.hex.size() / 2;
            const std::string count = shown < place.length.count
                                          ? fmt::format("the first {} of {}", shown, place.length.count)
                                          : std::to_string(place.length.count);
            text += line_of(fmt::format("{}, {}: {} bytes at byte {}", subject, place.field, count, place.at.count));
            for (std::size_t at = 0; at < place.hex.size(); at += 32) {
                std::string row;
                for (std::size_t i = at; i < std::min(at + 32, place.hex.size()); i += 2)
                    row += ' ' + place.hex.substr(i, 2);
                text += fmt::format("{:08x} {}\n", place.at.count + at / 2, row);
            }
        }
    };
    show(report.places, "partition table");
    for (std::size_t i = 0; i < report.volumes.size(); ++i)
        show(report.volumes[i].places, fmt::format("volume {}", i + 1));
    if (!text.empty()) return text;
    if (without_place)
        return fail(Errc::bad_request,
                    fmt::format("'{}' is computed or counted: the medium contains no bytes of it", name));
    if (known.empty())
        return fail(Errc::bad_request,
                    fmt::format("there is no parameter '{}' here: this medium has no known structure", name));
    const std::vector<std::string_view> names(known.begin(), known.end());
    return fail(Errc::bad_request,
                fmt::format("there is no parameter '{}' here{}", name, strict_json::hint(name, names)));
}

} // namespace mediarig::cli
