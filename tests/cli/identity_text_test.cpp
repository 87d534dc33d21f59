// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/identity_text.hpp"

#include <algorithm>

#include "host/base/text_layout.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::cli;

namespace {

constexpr media::CalendarMonth then{2024, 5};

media::Medium sd_card() {
    media::Medium medium;
    medium.node = "/dev/mmcblk0";
    medium.transport = media::Transport::mmc;
    medium.sd = media::SdIdentity{};
    medium.sd->cid = "000001\x1b";
    medium.sd->allocation_unit = 12_MiB;
    return medium;
}

media::InspectReport content() {
    media::InspectReport report{.size = 1_GiB, .scheme = "mbr", .volumes = {}};
    report.volumes.push_back({.start = 4_MiB,
                              .length = 512_MiB,
                              .file_system = "exfat",
                              .label = {},
                              .parameters = {{"cluster_heap_offset", "8388608"}},
                              .problem = {},
                              .places = {},
                              .usable = {},
                              .fingerprint = {}});
    return report;
}

} // namespace

TEST_CASE("identity: the text contains the table, notes and signs in order, and the remark that signs are not proof") {
    media::Medium stick;
    stick.transport = media::Transport::usb;
    stick.usb = media::UsbIdentity{};
    stick.usb->product = "USB Disk";
    stick.usb->speed_mbit = 480;
    stick.usb->capable_mbit = 5000;
    stick.vendor = "\x1b]0;pwned";
    const std::string text = identity_text(stick, {}, then);
    CHECK_THAT(text, ContainsSubstring("SECTION"));
    CHECK_THAT(text, ContainsSubstring("\uFFFD]0;pwned"));
    CHECK_THAT(text, ContainsSubstring("\nnotes\nusb_slower: 480 Mbit/s of 5000 Mbit/s: "));
    CHECK_THAT(text, ContainsSubstring(
                         "\none unusual value (no sign of a fake on its own, other media have it too: only a test "
                         "that writes and verifies the whole capacity decides)\nusb_generic_text: USB Disk: ") &&
                         ContainsSubstring("; also seen on card readers ("));
    stick.usb->vendor_id = "ffff";
    stick.usb->product_id = "5678";
    CHECK_THAT(identity_text(stick, {}, then),
               ContainsSubstring("\nsigns of a fake (indications, not proof: only a test that writes and verifies "
                                 "the whole capacity decides)\nusb_generic_text: USB Disk: "));
    nlohmann::json object;
    add_identity(object, stick, {}, then);
    CHECK(object["notes"][0]["name"] == "usb_slower");
    CHECK(object["indications"][0]["certainty"] == "published");
    CHECK(object["identity_rows"][0]["section"] == "medium");
}

TEST_CASE("identity: a second device with the same identity is listed as a sign of a fake") {
    media::Medium one;
    one.transport = media::Transport::mmc;
    one.node = "/dev/mmcblk0";
    one.sd = media::SdIdentity{};
    one.sd->cid = "275048534431364730ad2fa4d5010500";
    media::Medium twin = one;
    twin.node = "/dev/mmcblk1";
    const std::vector<media::Medium> others{twin};
    CHECK_THAT(identity_text(one, others, then), ContainsSubstring("\nsame_cid: /dev/mmcblk1 has it too: "));
    nlohmann::json object;
    add_identity(object, one, others, then);
    CHECK(object["indications"].back()["name"] == "same_cid");
}

TEST_CASE("identity: an emulated medium shows the identity of the emulator and no signs of a fake") {
    media::Medium stick;
    stick.transport = media::Transport::usb;
    stick.usb = media::UsbIdentity{};
    stick.usb->product = "USB Disk";
    const std::string text = identity_text(stick, {}, then, {.emulated = true});
    CHECK_THAT(text, ContainsSubstring("its identity comes from the emulator and is not judged") &&
                         !ContainsSubstring("signs of a fake"));
    // The value in this row is longer than the terminal is wide.
    CHECK_THAT(text, ContainsSubstring("registers"));
    std::string narrow = identity_text(stick, {}, then, {.columns = 80, .emulated = true});
    narrow.resize(narrow.find("an emulated medium"));
    CHECK(widest_line(narrow) <= 80);
    CHECK(std::ranges::count(narrow, '\n') <= std::ranges::count(text, '\n') + 3);
}

TEST_CASE("identity: headings appear only if there are notes or signs") {
    const std::string text = identity_text({}, {}, then);
    CHECK(text.find("notes") == std::string::npos);
    CHECK(text.find("signs") == std::string::npos);
}

TEST_CASE("alignment: the table shows each offset for each unit, and for the card's own unit if known") {
    const std::string text = alignment_text(content(), sd_card());
    CHECK_THAT(text, ContainsSubstring("cluster_heap_offset  12582912"));
    CHECK_THAT(text, ContainsSubstring("AU 12 MiB"));
    CHECK_THAT(alignment_text(content(), {}), ContainsSubstring("the allocation unit of the card is not known"));
    media::Medium silent = sd_card();
    silent.sd->allocation_unit.reset();
    CHECK_THAT(alignment_text(content(), silent), ContainsSubstring("the card's registers contain no allocation unit"));
    CHECK(alignment_text({}, sd_card()).empty());
    nlohmann::json object;
    add_alignment(object, content(), sd_card());
    CHECK(object["alignment"][0] == nlohmann::json{{"subject", "volume 1"},
                                                   {"name", "start"},
                                                   {"at", 4194304},
                                                   {"whole", {1048576, 4194304}},
                                                   {"allocation_unit", 12582912},
                                                   {"on_allocation_unit", false}});
    CHECK(object["alignment"][1]["on_allocation_unit"] == true);
}
