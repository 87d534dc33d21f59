// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/identity_text.hpp"

#include "host/media/claim/linux/emulated_identity.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::lab;

namespace {

constexpr media::ModelFigures figures{.read_bytes_per_second = 90e6,
                                      .write_bytes_per_second = 60e6,
                                      .read_request_ns = 160'000,
                                      .write_request_ns = 260'000};

media::Medium identified(SlotKind kind, const std::string& serial, Bytes size) {
    media::Medium medium;
    const auto adopted = media::adopt_identity(medium, identity_text(kind, serial, size, figures));
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

TEST_CASE("the figures of the card model reach the medium in each kind of slot") {
    for (const SlotKind kind : {SlotKind::sd, SlotKind::usb})
        CHECK(identified(kind, "LAB001", 1_GiB).card_model == figures);
}

TEST_CASE("figures of the card model that are no object make the identity invalid") {
    media::Medium medium;
    const auto adopted = media::adopt_identity(medium, R"({"serial": "LAB001", "card_model": [60]})");
    REQUIRE_FALSE(adopted);
    CHECK(adopted.error().code == Errc::bad_format);
    CHECK_THAT(adopted.error().detail, ContainsSubstring("card_model"));
}

TEST_CASE("the figures of a card model are those of its largest requests") {
    const auto figures_of = [](const std::string& text) {
        const auto config = parse_card_config(text);
        REQUIRE(config);
        return model_figures(*config);
    };
    CHECK(figures_of(R"({"claimed_bytes": "1GiB", "command_overhead_ns": 60000,
                         "read": {"bytes_per_second": 90000000, "latency_ns": 100000, "random_latency_ns": 250000},
                         "write": {"bytes_per_second": 60000000, "latency_ns": 200000}})") == figures);
    CHECK(figures_of(R"({"claimed_bytes": "1GiB", "write": {"bytes_per_second": 1000000, "latency_ns": 7, "by_size": [
                         {"from_bytes": 4096, "latency_ns": 5}, {"from_bytes": 65536, "bytes_per_second": 2000000}]}})") ==
          media::ModelFigures{.write_bytes_per_second = 2e6, .write_request_ns = 7});
    const media::ModelFigures disk = figures_of(R"({"claimed_bytes": "1GiB", "read": {"latency_ns": 50000}, "disk": {
        "outer_bytes_per_second": 140000000, "inner_bytes_per_second": 65000000, "track_to_track_ns": 2000000,
        "full_stroke_ns": 22000000, "revolutions_per_minute": 5400}})");
    CHECK(disk.read_bytes_per_second == 140e6);
    CHECK(disk.read_request_ns == 50'000);
    CHECK(figures_of(R"({"claimed_bytes": "1GiB"})") == media::ModelFigures{});
}
