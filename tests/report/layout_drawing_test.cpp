// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/charts/layout_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/fakes/sample_media.hpp"

using namespace mediarig;
using namespace mediarig::report;
using media::Region;

namespace {

const Bytes drawn_card{63'864'569'856};

std::vector<Region> many(std::size_t count) {
    std::vector<Region> regions;
    for (std::size_t i = 0; i < count; ++i)
        regions.push_back({.start = 1_MiB * i, .length = 1_MiB, .what = fmt::format("fat16: data {}", i)});
    return regions;
}

std::size_t times_in(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

} // namespace

TEST_CASE("regions fill the lower bar in order, and each region is wide enough for its letter") {
    for (const auto& regions : {media::layout_of(fakes::card_as_sold(drawn_card)),
                                media::layout_of(fakes::bare_apfs(drawn_card)), many(1), many(24), many(200)}) {
        const std::vector<DrawnRegion> bar = drawn(regions);
        REQUIRE_FALSE(bar.empty());
        CHECK(bar.size() == std::min<std::size_t>(regions.size(), 24));
        double at = 0, true_at = 0;
        for (const DrawnRegion& each : bar) {
            CHECK(each.at == Approx(at).margin(1e-6));
            CHECK(each.true_at == Approx(true_at).margin(1e-6));
            CHECK(each.width >= 3.4);
            CHECK(each.letter.size() >= 1);
            at += each.width;
            true_at += each.true_width;
        }
        CHECK(at == Approx(100));
        CHECK(true_at == Approx(100));
    }
}

TEST_CASE("the upper bar is to scale, and the lower bar is logarithmic") {
    const std::vector<DrawnRegion> bar = drawn({{.start = 0_B, .length = 512_B, .what = "partition table"},
                                                {.start = 512_B, .length = 1_MiB - 512_B, .what = "free"},
                                                {.start = 1_MiB, .length = 3_MiB, .what = "exfat: FAT"},
                                                {.start = 4_MiB, .length = 12_MiB, .what = "exfat: cluster heap"}});
    REQUIRE(bar.size() == 4);
    CHECK(bar[2].true_at == Approx(6.25));
    CHECK(bar[2].true_width == Approx(18.75));
    CHECK(bar[3].true_width == Approx(75));
    CHECK(bar[0].width < bar[1].width);
    // Each doubling of the length above one sector adds the same width: from 3 MiB to 12 MiB are two doublings.
    const double doubling = (bar[3].width - bar[2].width) / 2;
    CHECK(doubling > 0);
    const std::vector<DrawnRegion> doubled = drawn({{.start = 0_B, .length = 1_MiB, .what = "exfat: FAT"},
                                                    {.start = 1_MiB, .length = 2_MiB, .what = "exfat: FAT"},
                                                    {.start = 3_MiB, .length = 4_MiB, .what = "exfat: FAT"}});
    CHECK(doubled[1].width - doubled[0].width == Approx(doubled[2].width - doubled[1].width));
    CHECK(bar[0].letter == "a");
    CHECK(bar[1].letter == "·");
    CHECK(bar[3].letter == "d");
}

TEST_CASE("the drawing of many partitions combines the last partitions into one region with their number") {
    const std::vector<DrawnRegion> bar = drawn(many(200));
    REQUIRE(bar.size() == 24);
    CHECK(bar.back().region.what == "177 more regions");
    CHECK(bar.back().region.start == 23_MiB);
    CHECK(bar.back().region.length == 177_MiB);
    CHECK(drawn(many(24)).back().region.what == "fat16: data 23");
}

TEST_CASE("the text of the drawing lists letter, region, length and offset") {
    const std::string svg = layout_svg(drawn(media::layout_of(fakes::card_as_sold(drawn_card))));
    CHECK_THAT(svg,
               ContainsSubstring("role=\"img\" aria-label=\"Layout of the medium. a: partition table, 512 B from "
                                 "byte 0; ·: free, 16.8 MB from byte 512; c: exfat: boot regions, 8.39 MB from "
                                 "byte 16777216; d: exfat: FAT, 8.39 MB from byte 25165824; e: exfat: cluster heap, "
                                 "63.8 GB from byte 33554432.\""));
    CHECK(times_in(svg, "<title>") == 5);
    CHECK(times_in(svg, "<text") == 5);
    CHECK(times_in(svg, "class=\"files edge\"") == 1);
    CHECK(times_in(svg, "<line") == 4);
    // No explicit colours: the page's style sheet has them for light, dark and paper.
    CHECK(times_in(svg, "#") == 0);
}

TEST_CASE("region names are escaped, and an empty layout has no drawing") {
    const std::string svg =
        layout_svg(drawn({{.start = 0_B, .length = 1_MiB, .what = "\"><script>alert(1)</script>: FAT"}}));
    CHECK(times_in(svg, "<script") == 0);
    CHECK_THAT(svg, ContainsSubstring("&quot;&gt;&lt;script&gt;"));
    CHECK(layout_svg(drawn({})).empty());
    CHECK(drawn({{.start = 0_B, .length = 0_B, .what = "free"}}).empty());
}

TEST_CASE("regions are coloured by purpose") {
    CHECK(region_kind("free") == "free");
    CHECK(region_kind("partition table") == "table");
    CHECK(region_kind("backup partition table") == "table");
    CHECK(region_kind("hfs+j: journal") == "journal");
    CHECK(region_kind("exfat: FAT") == "metadata");
    CHECK(region_kind("fat32: reserved sectors") == "metadata");
    CHECK(region_kind("exfat: cluster heap") == "files");
    CHECK(region_kind("hfs+: files") == "files");
    CHECK(region_kind("apfs") == "files");
    CHECK(region_kind("unknown") == "files");
}

TEST_CASE("offsets and alignments are printed in usual units") {
    CHECK(place_text(0_B) == "0");
    CHECK(place_text(512_B) == "512");
    CHECK(place_text(20_KiB) == "20480 (20 KiB)");
    CHECK(place_text(16_MiB) == "16777216 (16 MiB)");
    CHECK(place_text(2_GiB) == "2147483648 (2 GiB)");
    CHECK(place_text(Bytes{409640 * 512}) == "209735680 (204820 KiB)");
    CHECK(alignment_text(0_B) == "–");
    CHECK(alignment_text(4_KiB) == "4 KiB");
}
