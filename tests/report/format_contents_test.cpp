// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/cards/format_contents.hpp"

#include <algorithm>

#include "host/report/output/terminal.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/fakes/sample_media.hpp"

using namespace mediarig;
using namespace mediarig::report;

namespace {

const Bytes card{63'864'569'856};

std::vector<std::string> titles(const std::vector<FormatContents>& contents) {
    std::vector<std::string> result;
    for (const FormatContents& each : contents) result.push_back(each.title);
    return result;
}

/// A device with its factory format and one new exFAT.
store::DeviceView one_format() {
    store::DeviceView view;
    view.device.name = "card";
    view.device.identity.size = card;
    view.device.found = fakes::card_as_sold(card);
    view.made.push_back({.step = "m0.r1.exfat.format",
                         .device = "",
                         .format = "exfat",
                         .repeat = 1,
                         .formatted = {.fs = media::FileSystem::exfat, .usable = 60_GiB},
                         .seen = fakes::bare_exfat(card)});
    return view;
}

} // namespace

TEST_CASE("contents begin with the original format, followed by each format once for any number of passes") {
    const auto view = fakes::sample_campaign();
    for (const store::DeviceView& device : view.devices) {
        CHECK(device.passes.size() == 9);
        CHECK(titles(contents_by_format(device)) == std::vector<std::string>{"as it came", "exFAT", "APFS"});
    }
    // A pass on the bare medium without a format has no contents.
    store::DeviceView raw;
    raw.passes.resize(1);
    CHECK(contents_by_format(raw).empty());
}

TEST_CASE("an unformatted medium has no usable bytes and no format faults") {
    store::CampaignView view;
    view.devices.resize(1);
    view.devices[0].device.identity.size = card;
    view.devices[0].device.found = media::InspectReport{.size = card, .scheme = "none", .blank = true};
    const auto contents = contents_by_format(view.devices[0]);
    REQUIRE(contents.size() == 1);
    CHECK(no_format_text(contents[0]) == "none (blank)");
    CHECK_FALSE(usable_table(view));
    // The state of the medium after a raw test.
    view.devices[0].device.found->blank = false;
    CHECK(no_format_text(contents_by_format(view.devices[0])[0]) == "none (unknown data)");
    CHECK_FALSE(usable_table(view));
    // Unread ranges may have any contents.
    view.devices[0].device.found->unread = {{.at = 0_B, .length = 512_B, .why = "I/O error"}};
    CHECK(no_format_text(contents_by_format(view.devices[0])[0]).empty());
    view.devices[0] = one_format();
    CHECK(no_format_text(contents_by_format(view.devices[0])[0]).empty());
    CHECK(usable_table(view));
}

TEST_CASE("the report contains a format without a pass") {
    store::DeviceView device = one_format();
    REQUIRE(device.passes.empty());
    auto contents = contents_by_format(device);
    REQUIRE(titles(contents) == std::vector<std::string>{"as it came", "exFAT"});
    CHECK(contents[1].seen);
    CHECK(contents[1].usable == Bytes{63'860'899'840});
    device.made.push_back({.step = "m0.r1.apfs.format",
                           .device = "",
                           .format = "apfs",
                           .repeat = 1,
                           .formatted = {.fs = media::FileSystem::apfs, .usable = 58_GiB},
                           .seen = std::nullopt});
    contents = contents_by_format(device);
    REQUIRE(titles(contents) == std::vector<std::string>{"as it came", "exFAT", "APFS"});
    CHECK_FALSE(contents[2].seen);
    CHECK(contents[2].usable == 58_GiB);
}

TEST_CASE("a campaign without format records lists the formats of its passes") {
    store::DeviceView device = one_format();
    const media::FormatReport formatted = device.made[0].formatted;
    device.made.clear();
    device.passes.resize(3);
    device.passes[0].pass.format = "raw";
    for (const std::size_t i : {1u, 2u}) {
        device.passes[i].pass.format = "exfat";
        device.passes[i].pass.repeat = 1;
        device.passes[i].pass.formatted = formatted;
    }
    const auto contents = contents_by_format(device);
    REQUIRE(titles(contents) == std::vector<std::string>{"as it came", "exFAT"});
    CHECK_FALSE(contents[1].seen);
    CHECK(contents[1].usable == 60_GiB);
}

TEST_CASE("a format with two different layouts is listed twice") {
    store::DeviceView device = one_format();
    device.made.push_back(device.made[0]);
    device.made[1].repeat = 2;
    // Serial numbers differ for each format.
    for (auto& [name, value] : device.made[1].seen->volumes[0].parameters)
        if (name == "serial_number") value = "FFFF-0000";
    CHECK(titles(contents_by_format(device)) == std::vector<std::string>{"as it came", "exFAT"});

    for (auto& [name, value] : device.made[1].seen->volumes[0].parameters)
        if (name == "cluster_heap_offset") value = "4194304";
    CHECK(titles(contents_by_format(device)) == std::vector<std::string>{"as it came", "exFAT", "exFAT, pass 2"});

    device.made[1].seen = fakes::bare_exfat(card);
    device.made[1].seen->volumes[0].usable -= 1_MiB;
    CHECK(titles(contents_by_format(device)) == std::vector<std::string>{"as it came", "exFAT", "exFAT, pass 2"});
}

TEST_CASE("HFS+ with a journal is distinguished from HFS+ despite the common prefix") {
    store::DeviceView device = one_format();
    device.made.push_back(device.made[0]);
    device.made[0].format = "hfs+j";
    device.made[1].format = "hfs+";
    CHECK(contents_by_format(device).size() == 3);
}

TEST_CASE("a card in SD layout is compared with the SD layout before and after formatting") {
    store::DeviceView device = one_format();
    CHECK(is_sd(device.device));
    auto contents = contents_by_format(device);
    CHECK(contents[0].standard == "sd");
    CHECK(contents[0].deviations.empty());
    CHECK(contents[1].standard == "sd");
    CHECK(counted(contents[1].deviations) == "4 warnings");

    device.device.found = fakes::card_off_the_unit(card);
    CHECK_FALSE(is_sd(device.device));
    contents = contents_by_format(device);
    CHECK(contents[0].standard == "sound");
    CHECK(counted(contents[0].deviations) == "1 note");
    CHECK(counted(contents[1].deviations) == "none");

    device.device.identity.transport = media::Transport::mmc;
    CHECK(is_sd(device.device));
    CHECK(contents_by_format(device)[0].standard == "sd");
    device.device.identity.transport = media::Transport::usb;
    device.device.identity.sd = media::SdIdentity{};
    CHECK(is_sd(device.device));
    // Boot code alone does not prove a partition table.
    device.device.identity.sd.reset();
    device.device.found->volumes[0].fingerprint = {"SD layout (SD formatter, camera or Android)",
                                                   media::FormatterConfidence::possible,
                                                   {"the boot code is filled with F4"}};
    CHECK_FALSE(is_sd(device.device));
}

TEST_CASE("the layout of a card with a known allocation unit is compared with that unit") {
    store::DeviceView device = one_format();
    device.device.identity.sd = media::SdIdentity{.allocation_unit = 4_MiB};
    const auto with = [&](Bytes unit) {
        device.device.identity.sd->allocation_unit = unit;
        return contents_by_format(device)[0].deviations;
    };
    CHECK(with(4_MiB).empty());
    // The unit is not a power of two: an offset aligned to 16 MiB is not aligned to this unit.
    const auto off = with(12_MiB);
    REQUIRE_FALSE(off.empty());
    // A note, not a warning: the SD partition layout derives its unit from the capacity.
    CHECK(off.front().severity == media::DeviationSeverity::note);
    CHECK(std::ranges::any_of(off, [](const auto& each) { return each.name == "cluster_heap_offset"; }));
}

TEST_CASE("usable bytes by format are those of the volumes, or else those reported by the formatter") {
    store::CampaignView view;
    view.devices = {one_format()};
    auto table = usable_table(view);
    REQUIRE(table);
    const auto row = [&](std::size_t i) {
        std::vector<std::string> cells{table->rows.at(i).label};
        for (const TableCell& cell : table->rows[i].cells) cells.push_back(cell.value);
        return cells;
    };
    CHECK(row(0) == std::vector<std::string>{"card: as it came", "63864569856", "63830491136", "99.95 %", "mbr",
                                             "16777216 (16 MiB)", "131072", "none"});
    CHECK(row(1) == std::vector<std::string>{"card: exFAT", "63864569856", "63860899840", "99.99 %", "none", "bare",
                                             "131072", "4 warnings"});

    view.devices[0].made[0].seen.reset();
    table = usable_table(view);
    CHECK(row(1) == std::vector<std::string>{"card: exFAT", "63864569856", "64424509440", "100.88 %", "–", "–", "–",
                                             "not inspected"});

    // A preceding EFI system partition, as made by a Mac.
    media::InspectReport& found = *view.devices[0].device.found;
    found.volumes.insert(
        found.volumes.begin(),
        media::InspectedVolume{
            .start = 20_KiB,
            .length = 200_MiB,
            .file_system = "fat32",
            .label = "EFI",
            .parameters = {{"partition_type", "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"}, {"cluster_size", "512"}},
            .usable = 190_MiB});
    CHECK(contents_by_format(view.devices[0])[0].usable == Bytes{63'830'491'136});
    table = usable_table(view);
    CHECK(row(0)[5] == "16777216 (16 MiB)");
    CHECK(row(0)[6] == "131072");
    view.devices[0].device.found->volumes.resize(1);
    CHECK(starts_at(*view.devices[0].device.found) == "–");
    view.devices[0].device.found->volumes.clear();
    CHECK(contents_by_format(view.devices[0])[0].usable == 0_B);
    table = usable_table(view);
    CHECK(row(0)[2] == "–");
    CHECK(row(0)[5] == "–");
    CHECK_FALSE(usable_table({}));
}

TEST_CASE("a terminal shows a table of usable bytes unless no medium was inspected") {
    const std::string text = render_tables(fakes::sample_campaign(), {.width = 120});
    CHECK_THAT(text, ContainsSubstring("Usable bytes by format ["));
    CHECK_THAT(text, ContainsSubstring("fast: as it came     63864569856  63830491136  99.95 % │    mbr  16777216 (16 "
                                       "MiB)  131072        none\n"));
    CHECK_THAT(render_tables({}, {.width = 120}), !ContainsSubstring("Usable"));
}

TEST_CASE("deviations are counted by severity, most severe first") {
    using media::DeviationSeverity;
    const auto of = [](std::initializer_list<DeviationSeverity> all) {
        std::vector<media::Deviation> deviations;
        for (const DeviationSeverity severity : all) deviations.push_back({.severity = severity});
        return counted(deviations);
    };
    CHECK(of({}) == "none");
    CHECK(of({DeviationSeverity::note}) == "1 note");
    CHECK(of({DeviationSeverity::note, DeviationSeverity::error, DeviationSeverity::warning,
              DeviationSeverity::warning}) == "1 error, 2 warnings, 1 note");
}
