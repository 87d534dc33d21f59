// SPDX-License-Identifier: GPL-3.0-or-later
/// Queries of cards that answer CMD56 correctly, not at all, or with other data.
#include "host/media/identity/health/card_health.hpp"

#include <fmt/format.h>

#include <deque>
#include <map>

#include "host/media/identity/health/linux/mmc_commands.hpp"
#include "tests/catch.hpp"
#include "tests/media/identity/health_pages.hpp"

#include <fcntl.h>

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

using Log = std::vector<std::string>;

/// A card with prepared answers. The last answer to an argument is repeated. Other arguments time out.
class FakeCardCommands final : public CardCommands {
public:
    std::map<std::uint32_t, std::deque<Result<HealthPage>>> answers;
    std::deque<Result<HealthPage>> registers;
    Result<void> write_result{};
    Result<HealthPage> sector_0{boot_sector_of_ld()};
    Log log;

    Result<HealthPage> general_read(std::uint32_t argument) override {
        log.push_back(fmt::format("read {:08x}", argument));
        const auto found = answers.find(argument);
        if (found == answers.end()) return fail(Errc::timed_out, "Connection timed out");
        return next(found->second);
    }
    Result<void> general_write(std::uint32_t argument) override {
        log.push_back(fmt::format("write {:08x}", argument));
        return write_result;
    }
    Result<HealthPage> ext_csd() override {
        log.emplace_back("ext_csd");
        return next(registers);
    }
    Result<HealthPage> first_sector() override { return sector_0; }

private:
    static Result<HealthPage> next(std::deque<Result<HealthPage>>& left) {
        auto answer = left.front();
        if (left.size() > 1) left.pop_front();
        return answer;
    }
};

HealthPage filled(unsigned value) {
    HealthPage page;
    page.fill(static_cast<std::byte>(value));
    return page;
}

Medium card_of_maker(std::uint8_t id) {
    Medium medium;
    medium.node = "/dev/mmcblk0";
    medium.transport = Transport::mmc;
    medium.sd = SdIdentity{};
    medium.sd->manufacturer_id = id;
    return medium;
}
constexpr std::uint8_t sandisk = 0x03, kingston = 0x41, phison = 0x27, transcend_id = 0x74;

Medium emmc() {
    Medium medium = card_of_maker(0);
    medium.sd.reset();
    return medium;
}

CardHealth rejected(const std::string& detail) {
    CardHealth health;
    health.state = HealthState::rejected;
    health.detail = detail;
    return health;
}

} // namespace

TEST_CASE("a page is read twice before its values count") {
    FakeCardCommands card;
    card.answers[1] = {western_digital()};
    const CardHealth health = read_card_health(card, card_of_maker(sandisk));
    CHECK(health.state == HealthState::reported);
    CHECK(health.layout == "SanDisk");
    CHECK(health.command == "CMD56 0x00000001");
    CHECK(health.power_ups == 17u);
    CHECK(card.log == Log{"read 00000001", "read 00000001"});
}

TEST_CASE("the layout is chosen by the signature, not by the argument") {
    FakeCardCommands card;
    card.answers[0x110005F1] = {transcend()};
    const CardHealth health = read_card_health(card, card_of_maker(transcend_id));
    CHECK(health.layout == "Transcend");
    CHECK(health.command == "CMD56 0x110005f1");
}

TEST_CASE("constant, drifting and sector-0 pages are rejected with the reason") {
    // sdmon issue 42: FF; Transcend High Endurance in its readme: zeros.
    for (const unsigned value : {0x00u, 0xFFu}) {
        FakeCardCommands card;
        card.answers[1] = {filled(value)};
        CHECK(read_card_health(card, card_of_maker(sandisk)) ==
              rejected(fmt::format("CMD56 0x00000001: all bytes are {:02x}", value)));
    }
    // sdmon issue 14: an Apacer card returned other bytes at each read.
    FakeCardCommands drifting;
    drifting.answers[1] = {page_of({{0, "00 04"}, {8, "1b"}}), page_of({{0, "a4 81"}, {8, "c7"}})};
    CHECK(read_card_health(drifting, card_of_maker(sandisk)) == rejected("CMD56 0x00000001: two reads differ"));
    // A drift within a page of a known layout is also a drift.
    HealthPage later = western_digital();
    later[26] = std::byte{0x12};
    drifting.answers[1] = {western_digital(), later};
    CHECK(read_card_health(drifting, card_of_maker(sandisk)) == rejected("CMD56 0x00000001: two reads differ"));
    // sdmon issue 18: the card returns its first sector.
    FakeCardCommands sector;
    sector.answers[1] = {boot_sector_of_ld()};
    CHECK(read_card_health(sector, card_of_maker(sandisk)) ==
          rejected("CMD56 0x00000001: the card returned its sector 0"));
}

TEST_CASE("a page is rejected if sector 0 is not readable for the comparison") {
    FakeCardCommands card;
    card.answers[1] = {western_digital()};
    card.sector_0 = fail(Errc::io_failed, "Input/output error");
    CHECK(read_card_health(card, card_of_maker(sandisk)) ==
          rejected("CMD56 0x00000001: sector 0 is not readable, so the page cannot be compared with it: "
                   "Input/output error"));
}

TEST_CASE("a page of an unknown layout does not end the query") {
    FakeCardCommands card;
    card.answers[1] = {page_of({{0, "4c 58"}})};
    card.answers[0x53420001] = {swissbit()};
    CHECK(read_card_health(card, card_of_maker(sandisk)).layout == "Swissbit");
    card.answers.erase(0x53420001);
    CHECK(read_card_health(card, card_of_maker(sandisk)) ==
          rejected("CMD56 0x00000001: the page has an unknown layout and begins with 4c58000000000000"));
}

TEST_CASE("only cards of Kingston and Phison receive the two-step request") {
    FakeCardCommands card;
    card.answers[1] = {filled(0xFF)};
    card.answers[0x21] = {kingston_sdcit2()};
    for (const std::uint8_t maker : {kingston, phison}) {
        card.log.clear();
        const CardHealth health = read_card_health(card, card_of_maker(maker));
        CHECK(health.layout == "Phison");
        CHECK(health.command == "CMD56 0x00000010, 0x00000021");
        CHECK(health.erase_total == 1707u);
        CHECK(std::ranges::count(card.log, "write 00000010") == 2);
    }
    card.log.clear();
    CHECK(read_card_health(card, card_of_maker(sandisk)).state == HealthState::rejected);
    CHECK(std::ranges::count(card.log, "write 00000010") == 0);

    card.write_result = fail(Errc::timed_out, "Connection timed out");
    card.answers.erase(1);
    CHECK(read_card_health(card, card_of_maker(kingston)).state == HealthState::unsupported);
}

TEST_CASE("a card without an answer is unsupported after all reading arguments") {
    FakeCardCommands card;
    const CardHealth health = read_card_health(card, card_of_maker(sandisk));
    CHECK(health.state == HealthState::unsupported);
    CHECK(health.detail == "the card does not answer CMD56: Connection timed out");
    CHECK(card.log == Log{"read 00000001", "read 110005f1", "read 110005f9", "read 110005fb", "read 53420001"});
}

TEST_CASE("a missing right, driver or card ends the query at the first command") {
    for (const Errc code : {Errc::no_permission, Errc::no_driver, Errc::no_medium}) {
        FakeCardCommands card;
        card.answers[1] = {fail(code, "the reason")};
        const CardHealth health = read_card_health(card, card_of_maker(kingston));
        CHECK(health.state == HealthState::failed);
        CHECK(health.detail == "the reason");
        CHECK(card.log == Log{"read 00000001"});
    }
    FakeCardCommands lost;
    lost.answers[1] = {western_digital(), fail(Errc::no_medium, "removed")};
    CHECK(read_card_health(lost, card_of_maker(sandisk)).state == HealthState::failed);
}

TEST_CASE("an eMMC reports its life time by CMD8") {
    FakeCardCommands device;
    device.registers = {ext_csd(2, 1, 1)};
    const CardHealth health = read_card_health(device, emmc());
    CHECK(health.state == HealthState::reported);
    CHECK(health.layout == "eMMC");
    CHECK(health.life_used == 10);
    CHECK(device.log == Log{"ext_csd", "ext_csd"});

    // Bytes without health values may change between two reads.
    HealthPage busy = ext_csd(2, 1, 1);
    busy[246] = std::byte{2};
    device.registers = {ext_csd(2, 1, 1), busy};
    CHECK(read_card_health(device, emmc()).state == HealthState::reported);
    device.registers = {ext_csd(2, 1, 1), ext_csd(3, 1, 1)};
    CHECK(read_card_health(device, emmc()) == rejected("CMD8: two reads differ"));
    device.registers = {HealthPage{}};
    CHECK(read_card_health(device, emmc()) ==
          rejected("EXT_CSD revision 0 has no health values: eMMC 5.0 is the first"));
    device.registers = {fail(Errc::io_failed, "Input/output error")};
    CHECK(read_card_health(device, emmc()).state == HealthState::unsupported);
    device.registers = {fail(Errc::no_permission, "the reason")};
    CHECK(read_card_health(device, emmc()).state == HealthState::failed);
}

TEST_CASE("commands through a node that is no card fail with the name of the command") {
    const auto commands = make_mmc_commands(Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
    const auto page = commands->general_read(1);
    REQUIRE_FALSE(page);
    CHECK(page.error().code == Errc::no_driver);
    CHECK_THAT(page.error().detail, ContainsSubstring("CMD56 0x00000001: "));
    REQUIRE_FALSE(commands->first_sector());
    CHECK(commands->first_sector().error().code == Errc::io_failed);
    CHECK(commands->ext_csd().error().code == Errc::no_driver);
    CHECK(commands->general_write(0x10).error().code == Errc::no_driver);
}

TEST_CASE("only nodes of the kernel's mmc driver are queried") {
    Medium medium = card_of_maker(sandisk);
    CHECK(may_have_card_health(medium));
    medium.node = "/dev/sdb";
    CHECK_FALSE(may_have_card_health(medium));
    medium.node = "/tmp/card.img";
    CHECK_FALSE(may_have_card_health(medium));
}
