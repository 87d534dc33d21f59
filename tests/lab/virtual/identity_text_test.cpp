// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/identity_text.hpp"

#include "host/media/claim/linux/emulated_identity.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::lab;

namespace {

media::Medium identified(SlotKind kind, const std::string& serial, Bytes size) {
    media::Medium medium;
    const auto adopted = media::adopt_identity(medium, identity_text(kind, serial, size));
    REQUIRE(adopted);
    return medium;
}

} // namespace

TEST_CASE("a card in an SD slot has registers with its size and a unique serial") {
    const media::Medium card = identified(SlotKind::sd, "LAB001", 32_GiB);
    CHECK(card.transport == media::Transport::mmc);
    CHECK(card.removable);
    CHECK(card.vendor == "ML");
    CHECK(card.model == "MRLAB");
    REQUIRE(card.sd);
    CHECK(card.sd->csd_capacity == 32_GiB);
    CHECK(card.sd->spec_version == "3.0x");
    CHECK(card.sd->year == 2026);
    CHECK(card.sd->month == 1);
    CHECK(card.serial.starts_with("0x"));
    CHECK(card.serial != identified(SlotKind::sd, "LAB002", 32_GiB).serial);
    CHECK(media::device_key(card) != media::device_key(identified(SlotKind::sd, "LAB002", 32_GiB)));
}

TEST_CASE("the registers of an SD card have valid checksums") {
    // Computed with the polynomial division of the specification by a separate program.
    const media::Medium card = identified(SlotKind::sd, "LAB001", 32_GiB);
    CHECK(card.sd->csd == "400e00325b590000ffff7f800a400003");
}

TEST_CASE("an SD card whose size does not fit into the register has no capacity there") {
    CHECK_FALSE(identified(SlotKind::sd, "LAB001", 1_MiB + 512_B).sd->csd_capacity);
}

TEST_CASE("a medium of another kind has its name as serial and no transport") {
    const media::Medium stick = identified(SlotKind::usb, "LAB001", 8_GiB);
    CHECK(stick.transport == media::Transport::unknown);
    CHECK(stick.serial == "LAB001");
    CHECK(stick.vendor == "mediarig");
    CHECK_FALSE(stick.sd);
}
