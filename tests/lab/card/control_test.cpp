// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/control.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/memory_storage.hpp"

using namespace mediarig;
using namespace mediarig::lab;
using namespace std::chrono_literals;

namespace {

struct SteeredCard {
    CardConfig config{.claimed = 1_MiB, .real = 1_MiB, .volatile_cache = VolatileCache{.size = 64_KiB}};
    MemoryStorage storage{config.real};
    CardModel model{config, storage};

    std::string tell(std::string_view line) { return execute_line(model, line); }
    void write(std::uint64_t sector) {
        REQUIRE(model.write(sector * 512, std::vector<std::byte>(512, std::byte{1}), Durability::cached, 0ns));
    }
};

} // namespace

TEST_CASE("card control: every command has its documented effect") {
    SteeredCard card;
    const std::string ok = R"({"ok":true})";
    CHECK(card.tell(R"({"command":"add_bad_sectors","first_sector":3,"sector_count":4,"fails":"write"})") == ok);
    CHECK(card.model.stats().bad_sectors == 4);
    CHECK(card.tell(R"({"command":"remove_bad_sectors","first_sector":3,"sector_count":3})") == ok);
    CHECK(card.model.stats().bad_sectors == 1);
    CHECK(card.tell(R"({"command":"corrupt","first_sector":9,"bits_per_sector":2})") == ok);
    CHECK(card.storage.sectors_held() == 1);
    CHECK(card.tell(R"({"command":"throttle","write_bytes_per_second":1000})") == ok);
    card.write(20);
    CHECK(card.model.stats().of(BlockRequest::write).took == 512ms);
    CHECK(card.tell(R"({"command":"throttle"})") == ok);
    card.write(20);
    CHECK(card.model.stats().of(BlockRequest::write).took == 512ms);
    CHECK(card.tell(R"({"command":"power_cut","lose":"all"})") == R"({"ok":true,"sectors_kept":0,"sectors_lost":1})");
    CHECK_FALSE(card.model.stats().powered);
    CHECK(card.tell(R"({"command":"power_on"})") == ok);
    CHECK(card.model.stats().powered);
    const auto answer = parse_answer(card.tell(R"({"command":"stats"})"));
    REQUIRE(answer);
    CHECK(answer->stats.power_cuts == 1);
    CHECK(answer->stats.bad_sectors == 1);
    CHECK(answer->stats.of(BlockRequest::write) == card.model.stats().of(BlockRequest::write));
}

TEST_CASE("card control: an impossible command is refused and has no effect") {
    SteeredCard card;
    struct Row {
        const char *line, *error;
    };
    const Row rows[] = {
        {"", "/: line 1, column 1: is empty"},
        {"{}", "/command: is missing; name the command"},
        {R"({"command":"power_cutt"})", "/command: unknown command \"power_cutt\"; did you mean \"power_cut\"?"},
        {R"({"command":"power_cut","lose":"some"})",
         "/lose: unknown loss \"some\"; expected one of \"all\", \"subset\""},
        {R"({"command":"power_on","now":true})", "/now: unknown member; expected one of \"command\""},
        {R"({"command":"add_bad_sectors"})", "/first_sector: is missing; give the first sector"},
        {R"({"command":"add_bad_sectors","first_sector":2048})",
         "the range ends at sector 2049, but the medium has 2048 sectors"},
        {R"({"command":"remove_bad_sectors","first_sector":2000,"sector_count":49})",
         "the range ends at sector 2049, but the medium has 2048 sectors"},
        {R"({"command":"corrupt","first_sector":2048})",
         "the range ends at sector 2049, but the medium has 2048 sectors"},
        {R"({"command":"throttle","read_bytes_per_second":0})",
         "/read_bytes_per_second: must be a whole number from 1 to 1000000000000, is 0"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        const auto answer = parse_answer(card.tell(row.line));
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == Errc::bad_request);
        CHECK(answer.error().detail == row.error);
    }
    CHECK(card.model.stats().bad_sectors == 0);
    CHECK(card.model.stats().powered);
    card.storage.failure = "cannot read /tmp/x: Input/output error";
    CHECK(parse_answer(card.tell(R"({"command":"corrupt","first_sector":0})")).error() ==
          Error{Errc::io_failed, card.storage.failure});
}

TEST_CASE("card control: a command survives a round trip") {
    const CardCommand commands[] = {
        AddBadSectors{{.sectors = {{1}, 2}, .fail_reads = false}},
        AddBadSectors{{.sectors = {{1}, 2}, .fail_writes = false}},
        RemoveBadSectors{{{3}, 4}},
        Corrupt{{.sectors = {{5}, 6}, .bits_per_sector = 7}},
        SetThrottle{{.read = Rate{8}, .write = {}}},
        PowerCut{Loss::subset},
        PowerOn{},
        ReadStats{},
    };
    for (const CardCommand& command : commands) {
        const std::string line = command_line(command);
        CAPTURE(line);
        const auto again = parse_command(line);
        REQUIRE(again);
        CHECK(again->index() == command.index());
        CHECK(command_line(*again) == line);
    }
}

TEST_CASE("card control: an invalid answer is refused") {
    for (const char* line : {"", "{}", "[]", R"({"ok":1})", R"({"ok":false})", R"({"ok":true,"powered":true})"}) {
        CAPTURE(line);
        CHECK(parse_answer(line).error().code == Errc::bad_format);
    }
}
