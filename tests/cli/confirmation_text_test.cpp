// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/confirmation_text.hpp"

#include <sstream>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::cli;

namespace {

media::Medium card() {
    media::Medium medium;
    medium.node = "/dev/sdb";
    medium.transport = media::Transport::mmc;
    medium.vendor = "SanDisk";
    medium.model = "SN64G";
    medium.serial = "0xd8466363";
    medium.size = Bytes{64'000'000'000};
    medium.partitions = {{"/dev/sdb1", 1, 4_MiB, Bytes{63'000'000'000}, "exfat", "HOLIDAY", {}}};
    return medium;
}

struct Dialog {
    Result<std::string> confirmation;
    std::string shown;
};

Dialog dialog(const media::Medium& medium, const std::string& typed, WriteEffect effect = WriteEffect::erases) {
    std::istringstream in(typed);
    std::ostringstream out;
    auto confirmation = confirmed_by(in, out, medium, {}, effect);
    return {.confirmation = std::move(confirmation), .shown = out.str()};
}

std::size_t prompts_in(const std::string& shown) {
    std::size_t count = 0;
    for (std::size_t at = shown.find("Type "); at != shown.npos; at = shown.find("Type ", at + 1)) ++count;
    return count;
}

} // namespace

TEST_CASE("the confirmation request describes the medium in words before the question") {
    CHECK(confirmation_request(card(), "blue", WriteEffect::erases) ==
          "This erases all data on “blue” SanDisk SN64G, 64.0 GB, mmc\n"
          "  path           /dev/sdb\n"
          "  contents       exFAT “HOLIDAY”, 63.0 GB\n"
          "  serial number  0xd8466363\n"
          "Type the last 4 characters of its serial number to erase it: ");
}

TEST_CASE("the confirmation request names the effect on the contents") {
    CHECK_THAT(confirmation_request(card(), {}, WriteEffect::keeps_contents),
               ContainsSubstring("This writes test data and then restores the contents of SanDisk SN64G") &&
                   ContainsSubstring(" to begin: "));
    CHECK_THAT(confirmation_request(card(), {}, WriteEffect::writes_back),
               ContainsSubstring("This writes the saved contents back to SanDisk SN64G"));
    CHECK_THAT(confirmation_request(card(), {}, WriteEffect::forgets), ContainsSubstring("without restoring them"));
}

TEST_CASE("a medium without a serial is confirmed by the last component of its path") {
    media::Medium image;
    image.node = "/srv/card.img";
    image.transport = media::Transport::image;
    image.size = 64_MiB;
    CHECK(confirmation_request(image, {}, WriteEffect::erases) ==
          "This erases all data on 67.1 MB, image\n"
          "  path           /srv/card.img\n"
          "  contents       no known file system\n"
          "Type the last component of its path to erase it: ");
    CHECK(dialog(image, "card.img\n").confirmation == "/srv/card.img");
    CHECK(!dialog(image, ".img\n.img\n").confirmation);
}

TEST_CASE("of two media with the same serial, the USB port is confirmed") {
    media::Medium medium = card();
    medium.usb = media::UsbIdentity{};
    medium.usb->port_path = "1-2.3";
    medium.refusals = {{media::RefusalKind::ambiguous, "another device has the same serial"}};
    CHECK_THAT(confirmation_request(medium, {}, WriteEffect::erases),
               ContainsSubstring("  USB port       usb port path 1-2.3\n") &&
                   ContainsSubstring("Type the last 4 characters of its USB port to erase it: "));
    CHECK(dialog(medium, "-2.3\n").confirmation == "usb port path 1-2.3");
}

TEST_CASE("control characters of a medium have no effect on the question") {
    media::Medium medium = card();
    medium.model = "\x1b[2J\nfake";
    medium.partitions.front().label = "\x1b]0;x";
    CHECK(dialog(medium, "6363\n").shown.find('\x1b') == std::string::npos);
}

TEST_CASE("a right answer gives the complete confirmation") {
    const Dialog first = dialog(card(), "6363\n");
    CHECK(first.confirmation == "0xd8466363");
    CHECK(prompts_in(first.shown) == 1);
    const Dialog second = dialog(card(), "1234\n6363\n");
    CHECK(second.confirmation == "0xd8466363");
    CHECK_THAT(second.shown, ContainsSubstring("one attempt is left"));
}

TEST_CASE("two wrong answers, or the end of the input, refuse the erasure") {
    for (const char* typed : {"1234\n9999\n6363\n", "", "1234\n", "363\nyes\n", "\n\n"}) {
        CAPTURE(typed);
        const Dialog refused = dialog(card(), typed);
        REQUIRE(!refused.confirmation);
        CHECK(refused.confirmation.error().code == Errc::refused);
        CHECK_THAT(refused.confirmation.error().detail,
                   ContainsSubstring("the answer was not the last 4 characters of its serial number, so /dev/sdb was "
                                     "not written: repeat the command, or add --confirm with the whole serial number"));
        CHECK(prompts_in(refused.shown) <= 2);
    }
}
