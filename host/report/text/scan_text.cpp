// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/scan_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "host/base/text.hpp"
#include "host/base/text_layout.hpp"
#include "host/report/text/place_map.hpp"

namespace mediarig::report {
namespace {

using workload::CheckedPlace, workload::PlaceState, workload::ScanRegion, workload::ScanReport, workload::WeakPlace;

constexpr std::size_t curve_rows = 16;
constexpr std::size_t most_shown = 20;

double milliseconds(std::chrono::nanoseconds time) {
    return static_cast<double>(time.count()) / 1e6;
}

/// The regions and weak places in the form of a check, for the same map.
workload::VerifyOutcome as_places(const ScanReport& scan) {
    workload::VerifyOutcome outcome;
    outcome.claimed = scan.size;
    for (const ScanRegion& region : scan.regions)
        if (region.read > 0_B)
            outcome.places.push_back({.offset = region.offset, .length = region.length, .state = PlaceState::good});
    for (const WeakPlace& place : scan.places)
        outcome.places.push_back({.offset = place.offset, .length = place.length, .state = place.state});
    return outcome;
}

std::string spread_of(const WeakPlace& place) {
    const std::size_t reads = place.failed + place.took.size();
    std::string text = place.failed > 0 ? fmt::format("{} of {} reads failed", place.failed, reads) : "";
    if (place.took.empty()) return text.empty() ? "not read again" : text;
    const auto [least, most] = std::ranges::minmax(place.took);
    return fmt::format("{}{}{:.0f} to {:.0f} ms", text, text.empty() ? "" : ", ", milliseconds(least),
                       milliseconds(most));
}

std::string curve_text(const ScanReport& scan) {
    const std::size_t per_row = (scan.regions.size() + curve_rows - 1) / curve_rows;
    std::string text;
    for (std::size_t begin = 0; begin < scan.regions.size(); begin += per_row) {
        const std::size_t end = std::min(begin + per_row, scan.regions.size());
        Bytes read;
        std::chrono::nanoseconds elapsed{}, worst{};
        for (std::size_t i = begin; i < end; ++i) {
            read += scan.regions[i].read;
            elapsed += scan.regions[i].elapsed;
            worst = std::max(worst, scan.regions[i].worst);
        }
        const ScanRegion& last = scan.regions[end - 1];
        const std::string where = fmt::format("{:>9} to {:>9}  ", size_text(scan.regions[begin].offset),
                                              size_text(last.offset + last.length));
        text += elapsed.count() == 0 ? where + "not read\n"
                                     : fmt::format("{}{:8.1f} MB/s  longest read {:.0f} ms\n", where,
                                                   rate_of(read, elapsed).megabytes_per_second(), milliseconds(worst));
    }
    return text;
}

/// Quotes a field for CSV.
std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

/// "/DCIM/A.MOV, /DCIM/B.MOV and 3 more"; empty if no file is known.
std::string files_text(const WeakPlace& place) {
    std::string text;
    for (const std::string& path : place.files) text += (text.empty() ? "" : ", ") + printable(path);
    return place.more_files == 0 ? text : fmt::format("{} and {} more", text, place.more_files);
}

std::string state_text(const std::optional<PlaceState>& state) {
    return state ? std::string(title_of(*state)) : "not read";
}

std::string fault_text(workload::ScanFault fault) {
    switch (fault) {
        case workload::ScanFault::medium:
            return "the medium";
        case workload::ScanFault::this_reader:
            return "this reader or its contact";
        case workload::ScanFault::other_reader:
            return "the other reader or its contact";
        case workload::ScanFault::undecided:
            break;
    }
    return "undecided, read all of the medium in both readers";
}

} // namespace

std::string use_of(const std::vector<media::Region>& layout, Bytes offset) {
    for (const media::Region& region : layout)
        if (offset >= region.start && offset < region.start + region.length) return region.what;
    return {};
}

std::string scan_text(const ScanReport& scan, const std::vector<media::Region>& layout, unsigned width) {
    std::string text;
    for (const std::string& line : map_lines(as_places(scan))) text += line + '\n';
    text += '\n' + curve_text(scan) + '\n';
    const auto unreadable = std::ranges::count(scan.places, PlaceState::unreadable, &WeakPlace::state);
    text += paragraph(fmt::format("{} {} in {:.0f} s: {} unreadable and {} weak places.{}", size_text(scan.read),
                                  scan.whole ? "were read, all that the medium has,"
                                             : fmt::format("of {} were read", size_text(scan.size)),
                                  std::chrono::duration<double>(scan.elapsed).count(), unreadable,
                                  static_cast<std::ptrdiff_t>(scan.places.size()) - unreadable,
                                  scan.stopped.empty() ? "" : " Stopped early: " + scan.stopped + "."),
                      width);
    for (std::size_t i = 0; i < std::min(most_shown, scan.places.size()); ++i) {
        const WeakPlace& place = scan.places[i];
        const std::string use = use_of(layout, place.offset), files = files_text(place);
        text += fmt::format("  {} at byte {}, {}: {}{}{}\n", title_of(place.state), place.offset.count,
                            size_text(place.length), spread_of(place), use.empty() ? "" : "; " + printable(use),
                            files.empty() ? "" : "; " + files);
    }
    if (scan.places.size() > most_shown)
        text += fmt::format("  and {} more: see --csv\n", scan.places.size() - most_shown);
    for (const std::string& gap : scan.unnamed) text += paragraph(printable(gap) + ".", width);
    return text;
}

std::string scan_comparison_text(const std::vector<workload::ComparedPlace>& places, unsigned width) {
    using workload::ScanFault;
    if (places.empty()) return paragraph("Neither reader found a weak place.", width);
    const auto count = [&](ScanFault fault) {
        return std::ranges::count(places, fault, &workload::ComparedPlace::fault);
    };
    std::string text = "\n";
    std::string counts;
    for (const ScanFault fault :
         {ScanFault::medium, ScanFault::this_reader, ScanFault::other_reader, ScanFault::undecided})
        if (const auto number = count(fault); number > 0)
            counts +=
                fmt::format("{}{} of {}: {}", counts.empty() ? "" : "; ", number, places.size(), fault_text(fault));
    text += paragraph("Cause of the weak places: " + counts + ".", width);
    for (std::size_t i = 0; i < std::min(most_shown, places.size()); ++i) {
        const workload::ComparedPlace& place = places[i];
        text += fmt::format("  at byte {}, {}: {} here, {} there: {}\n", place.offset.count, size_text(place.length),
                            state_text(place.here), state_text(place.there), fault_text(place.fault));
    }
    if (places.size() > most_shown) text += fmt::format("  and {} more: see --json\n", places.size() - most_shown);
    return text;
}

std::string scan_csv(const ScanReport& scan, const std::vector<media::Region>& layout) {
    std::string text = std::string(scan_csv_begins) + "state,bytes_per_second,longest_ns,failed,use,files\n";
    for (const ScanRegion& region : scan.regions)
        text += fmt::format("region,{},{},{},{},{},,{},\n", region.offset.count, region.length.count,
                            region.read > 0_B ? "read" : "not_read",
                            region.elapsed.count() == 0
                                ? 0
                                : static_cast<std::uint64_t>(rate_of(region.read, region.elapsed).bytes_per_second),
                            region.worst.count(), csv_field(use_of(layout, region.offset)));
    for (const WeakPlace& place : scan.places)
        text +=
            fmt::format("place,{},{},{},,{},{},{},{}\n", place.offset.count, place.length.count,
                        workload::name_of(place.state), place.took.empty() ? 0 : std::ranges::max(place.took).count(),
                        place.failed, csv_field(use_of(layout, place.offset)), csv_field(files_text(place)));
    return text;
}

std::string badblocks_list(const ScanReport& scan) {
    constexpr std::uint64_t block = 1024; // default of badblocks(8)
    std::string text;
    for (const WeakPlace& place : scan.places)
        if (place.state == PlaceState::unreadable)
            for (std::uint64_t at = place.offset.count / block; at * block < (place.offset + place.length).count; ++at)
                text += std::to_string(at) + '\n';
    return text;
}

} // namespace mediarig::report
