// SPDX-License-Identifier: GPL-3.0-or-later
/// False alarms of the signs of use on images that contain only formats and never contained a file.
#include <algorithm>

#include "host/media/history/earlier_use.hpp"
#include "tests/catch.hpp"
#include "tests/media/inspect/reference_checkers.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

constexpr Bytes card_size = 64_MiB;

/// An image with an MBR whose only partition is an exFAT volume from `start` to the end.
void partition(const CheckedImage& card, Bytes start) {
    write_table(card.path(), std::to_string(start.count / 512) + ",,7\n");
    const CheckedImage volume(card.size() - start);
    (void)said_by("mkfs.exfat", {volume.path()});
    card.put(volume, start);
}

bool has_sign(const InspectReport& content, UseSource source) {
    const EarlierUse use = earlier_use_of(Medium{}, content);
    REQUIRE(std::ranges::find(use.examined, source) != use.examined.end());
    return std::ranges::find(use.signs, source, &UseSign::source) != use.signs.end();
}

} // namespace

TEST_CASE("the false alarms of the content are those on six images without files") {
    MEDIARIG_NEEDS("sfdisk", "mkfs.exfat", "mkfs.fat");
    std::vector<InspectReport> contents;
    for (const char* const width : {"-F12", "-F16", "-F32"}) {
        const CheckedImage card(width == std::string("-F12") ? 4_MiB : width == std::string("-F16") ? 32_MiB : 128_MiB);
        (void)said_by("mkfs.fat", {width, "-s", "2", card.path()});
        contents.push_back(card.look());
    }
    const CheckedImage exfat(card_size), sd_layout(card_size), moved(card_size);
    (void)said_by("mkfs.exfat", {exfat.path()});
    contents.push_back(exfat.look());
    partition(sd_layout, 4_MiB);
    contents.push_back(sd_layout.look());
    // The first owner made another table: the first format is outside the new volume.
    partition(moved, 4_MiB);
    partition(moved, 16_MiB);
    contents.push_back(moved.look());

    const auto alarms = [&](UseSource source) {
        FalseAlarms counted{.alarms = 0, .media = static_cast<std::uint32_t>(contents.size())};
        for (const InspectReport& content : contents) counted.alarms += has_sign(content, source) ? 1 : 0;
        return counted;
    };
    CHECK(alarms(UseSource::free_space) == alarms_of_free_space);
    CHECK(alarms(UseSource::earlier_format) == alarms_of_earlier_format);
    // No new image has signs from two sources.
    for (const InspectReport& content : contents) CHECK(earlier_use_of(Medium{}, content).verdict != UseVerdict::used);
}
