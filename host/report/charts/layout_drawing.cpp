// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/charts/layout_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/report/text/display_text.hpp"

namespace mediarig::report {
namespace {

constexpr std::size_t most_regions = 24;
/// In per cent of the bar: wide enough for a letter on a phone.
constexpr double narrowest = 3.4;

std::vector<media::Region> condensed(const std::vector<media::Region>& regions) {
    if (regions.size() <= most_regions) return regions;
    std::vector<media::Region> kept(regions.begin(), regions.begin() + most_regions - 1);
    media::Region rest = regions[most_regions - 1];
    const media::Region& last = regions.back();
    rest.length = last.start + last.length - rest.start;
    rest.what = fmt::format("{} more regions", regions.size() - most_regions + 1);
    kept.push_back(std::move(rest));
    return kept;
}

std::string letter_of(std::size_t index, const media::Region& region) {
    if (region.what == "free") return "·";
    return std::string(1, static_cast<char>('a' + static_cast<int>(index % 26)));
}

std::string said(const DrawnRegion& drawn) {
    return fmt::format("{}: {}, {} from byte {}", drawn.letter, drawn.region.what, size_text(drawn.region.length),
                       drawn.region.start.count);
}

} // namespace

std::string region_kind(const std::string& what) {
    const auto has = [&](const char* part) { return what.find(part) != std::string::npos; };
    if (what == "free") return "free";
    if (has("partition table")) return "table";
    const std::size_t colon = what.find(": ");
    if (colon == std::string::npos) return "files";
    const std::string part = what.substr(colon + 2);
    if (part == "journal") return "journal";
    return part == "cluster heap" || part == "data" || part == "files" ? "files" : "metadata";
}

std::string place_text(Bytes at) {
    if (at == 0_B || at % 1_KiB != 0_B) return std::to_string(at.count);
    return fmt::format("{} ({})", at.count, binary_size_text(at));
}

std::string alignment_text(Bytes alignment) {
    return alignment == 0_B ? "–" : binary_size_text(alignment);
}

std::vector<DrawnRegion> drawn(const std::vector<media::Region>& regions) {
    std::vector<DrawnRegion> result;
    double total = 0, whole = 0;
    for (const media::Region& region : condensed(regions)) {
        // Each doubling of the length above one sector adds the same width.
        const double weight = std::max(1.0, std::log2(static_cast<double>(region.length.count) / 512));
        result.push_back({.region = region, .letter = letter_of(result.size(), region), .width = weight});
        total += weight;
        whole += static_cast<double>(region.length.count);
    }
    if (result.empty() || whole <= 0) return {};
    // Each region gets the minimum width. The remaining width is divided in proportion to the weights.
    const double shared = 100 - narrowest * static_cast<double>(result.size());
    double at = 0;
    for (DrawnRegion& each : result) {
        each.width = narrowest + shared * each.width / total;
        each.at = at;
        at += each.width;
        each.true_at = 100 * static_cast<double>(each.region.start.count) / whole;
        each.true_width = 100 * static_cast<double>(each.region.length.count) / whole;
    }
    return result;
}

std::string layout_svg(const std::vector<DrawnRegion>& regions) {
    if (regions.empty()) return {};
    std::string bars, fan, letters, alternative;
    for (const DrawnRegion& each : regions) {
        const std::string kind = region_kind(each.region.what);
        const std::string words = html_escaped(said(each));
        bars += fmt::format("<rect class=\"{}\" x=\"{:.3f}%\" y=\"0\" width=\"{:.3f}%\" height=\"12\"/>", kind,
                            each.true_at, each.true_width);
        bars += fmt::format(
            "<rect class=\"{} edge\" x=\"{:.3f}%\" y=\"32\" width=\"{:.3f}%\" height=\"38\"><title>{}</title></rect>",
            kind, each.at, each.width, words);
        if (each.at > 0)
            fan += fmt::format("<line x1=\"{:.3f}%\" y1=\"12\" x2=\"{:.3f}%\" y2=\"32\"/>", each.true_at, each.at);
        letters += fmt::format("<text x=\"{:.3f}%\" y=\"56\">{}</text>", each.at + each.width / 2, each.letter);
        alternative += (alternative.empty() ? "" : "; ") + words;
    }
    return fmt::format(
        "<svg class=\"layout\" width=\"100%\" height=\"71\" role=\"img\" aria-label=\"Layout of the medium. {}.\">"
        "{}<rect class=\"frame\" x=\"0\" y=\"0\" width=\"100%\" height=\"12\"/>"
        "<g class=\"fan\" aria-hidden=\"true\">{}</g><g aria-hidden=\"true\">{}</g></svg>",
        alternative, bars, fan, letters);
}

} // namespace mediarig::report
