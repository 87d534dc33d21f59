// SPDX-License-Identifier: GPL-3.0-or-later
#include <bit>

#include "host/lab/card/card_model.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/memory_storage.hpp"

using namespace mediarig;
using namespace mediarig::lab;
using namespace std::chrono_literals;
using Status = Outcome::Status;

namespace {

using Data = std::vector<std::byte>;

/// Sectors stamped with their number and the generation of their write.
Data stamped(std::uint64_t first, std::uint64_t count, std::uint64_t generation = 1) {
    Data data(count * 512);
    for (std::uint64_t i = 0; i < count; ++i)
        for (std::size_t at = 0; at < 512; at += 16) {
            const std::array<std::uint64_t, 2> words{first + i, generation};
            std::memcpy(data.data() + i * 512 + at, words.data(), 16);
        }
    return data;
}

Data zeros(std::uint64_t count) {
    return Data(count * 512);
}

/// A model on a storage of exactly the model's real size. Offsets and sizes are in sectors.
struct Card {
    explicit Card(CardConfig described)
        : config([&] {
              if (described.real == 0_B) described.real = described.claimed;
              return described;
          }()),
          storage(config.real),
          model(config, storage) {}

    Status write(std::uint64_t first, const Data& data, Durability durability = Durability::cached) {
        const auto outcome = model.write(first * 512, data, durability, 0ns);
        REQUIRE(reason(outcome) == "success");
        return outcome->status;
    }
    Data read(std::uint64_t first, std::uint64_t count) {
        Data data(count * 512, std::byte{0xEE});
        const auto outcome = model.read(first * 512, data, 0ns);
        REQUIRE(reason(outcome) == "success");
        REQUIRE(outcome->status == Status::good);
        return data;
    }
    Outcome try_read(std::uint64_t first, std::uint64_t count) {
        Data data(count * 512);
        return *model.read(first * 512, data, 0ns);
    }

    CardConfig config;
    MemoryStorage storage;
    CardModel model;
};

CardConfig cached(LossUnit unit = LossUnit::block, Bytes size = 1_MiB) {
    return {.claimed = 16_MiB, .volatile_cache = VolatileCache{.size = size, .loss_unit = unit}};
}

std::size_t different_bits(const Data& a, const Data& b) {
    std::size_t bits = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        bits += static_cast<std::size_t>(std::popcount(std::to_integer<unsigned>(a[i] ^ b[i])));
    return bits;
}

} // namespace

TEST_CASE("card model: a genuine medium returns written data, and zeros elsewhere") {
    Card card({.claimed = 1_MiB});
    CHECK(card.write(0, stamped(0, 1)) == Status::good);
    CHECK(card.write(2047, stamped(2047, 1)) == Status::good);
    CHECK(card.read(0, 1) == stamped(0, 1));
    CHECK(card.read(1, 2046) == zeros(2046));
    CHECK(card.read(2047, 1) == stamped(2047, 1));
}

TEST_CASE("card model: requests must be whole sectors inside the claimed size") {
    Card card({.claimed = 1_MiB});
    CHECK(card.write(2048, stamped(0, 1)) == Status::out_of_range);
    CHECK(card.write(2047, stamped(0, 2)) == Status::out_of_range);
    CHECK(card.model.write(100, stamped(0, 1), Durability::cached, 0ns)->status == Status::out_of_range);
    CHECK(card.model.zero(0, {100}, 0ns)->status == Status::out_of_range);
    CHECK(card.model.trim(~std::uint64_t{511}, 1_KiB, 0ns)->status == Status::out_of_range);
    CHECK(card.storage.sectors_held() == 0);
}

TEST_CASE("card model: each kind of fake handles data beyond its real size as documented") {
    // The medium has 8 sectors and claims 64. One request writes across the end of the real sectors, and another
    // request reads the data back.
    struct Row {
        OverflowBehaviour beyond;
        std::uint64_t holds_at_0; ///< the sector whose stamp is in sector 0
    };
    for (const Row& row :
         {Row{OverflowBehaviour::wrap, 24}, Row{OverflowBehaviour::drop, 0}, Row{OverflowBehaviour::garbage, 0}}) {
        CAPTURE(static_cast<int>(row.beyond));
        Card card({.claimed = sector_size * 64, .real = sector_size * 8, .beyond = row.beyond});
        CHECK(card.write(0, stamped(0, 25)) == Status::good);
        CHECK(card.read(0, 1) == stamped(row.holds_at_0, 1));
        CHECK(card.read(7, 1) == stamped(row.beyond == OverflowBehaviour::wrap ? 23 : 7, 1));
        CHECK(card.storage.sectors_held() == 8);
        if (row.beyond == OverflowBehaviour::wrap) {
            CHECK(card.read(8, 1) == stamped(24, 1));
            CHECK(card.read(40, 1) == stamped(24, 1));
            CHECK(card.read(63, 1) == stamped(23, 1));
        } else if (row.beyond == OverflowBehaviour::drop) {
            CHECK(card.read(8, 56) == zeros(56));
        } else {
            const Data noise = card.read(8, 56);
            CHECK(noise == card.read(8, 56));
            CHECK(different_bits(noise, zeros(56)) == Approx(56 * 512 * 4).epsilon(0.05));
            CHECK(different_bits(card.read(8, 1), card.read(9, 1)) == Approx(512 * 4).epsilon(0.1));
            Card other({.claimed = sector_size * 64, .real = sector_size * 8, .beyond = row.beyond, .start_value = 2});
            CHECK(other.read(8, 1) != card.read(8, 1));
        }
    }
}

TEST_CASE("card model: a fake with a cache looks genuine until the cache is full") {
    // An immediate read-back reads the cache, not the cells.
    Card card({.claimed = 16_MiB, .real = 64_KiB, .volatile_cache = VolatileCache{.size = 64_KiB}});
    card.write(0, stamped(0, 8));
    card.write(1280, stamped(1280, 8)); // at ten times the real size
    CHECK(card.read(0, 8) == stamped(0, 8));
    CHECK(card.read(1280, 8) == stamped(1280, 8));
    for (std::uint64_t i = 0; i < 16; ++i) card.write(2048 + 8 * i, stamped(2048 + 8 * i, 8));
    CHECK(card.read(0, 8) != stamped(0, 8));
}

TEST_CASE("card model: exactly the bad sectors fail, and the sectors before them are transferred") {
    Card card({.claimed = 1_MiB,
               .bad_sectors = {{.sectors = {{100}, 2}},
                               {.sectors = {{200}, 1}, .fail_writes = false},
                               {.sectors = {{300}, 1}, .fail_reads = false}}});
    for (std::uint64_t sector = 0; sector < 2048; ++sector) {
        const bool unreadable = sector == 100 || sector == 101 || sector == 200;
        const bool unwritable = sector == 100 || sector == 101 || sector == 300;
        CAPTURE(sector);
        CHECK((card.write(sector, stamped(sector, 1)) == Status::bad_sector) == unwritable);
        CHECK((card.try_read(sector, 1).status == Status::bad_sector) == unreadable);
    }
    CHECK(card.try_read(90, 20).at == Lba{100});
    CHECK(card.try_read(101, 200).at == Lba{101});
    CHECK(card.try_read(102, 200).at == Lba{200});
    CHECK(card.model.write(295 * 512, stamped(295, 10, 2), Durability::cached, 0ns)->at == Lba{300});
    CHECK(card.read(295, 10) == [] {
        Data expected = stamped(295, 5, 2);
        const Data before = zeros(1), after = stamped(301, 4);
        expected.insert(expected.end(), before.begin(), before.end());
        expected.insert(expected.end(), after.begin(), after.end());
        return expected;
    }());
    CHECK(card.model.zero(99 * 512, sector_size * 3, 0ns)->at == Lba{100});
    CHECK(card.model.trim(99 * 512, sector_size * 3, 0ns)->status == Status::good);

    card.model.remove_bad_sectors({{101}, 200});
    CHECK(card.model.stats().bad_sectors == 1);
    CHECK(card.try_read(101, 200).status == Status::good);
    CHECK(card.try_read(100, 1).status == Status::bad_sector);
    card.model.add_bad_sectors({.sectors = {{2047}, 1}, .fail_reads = false});
    CHECK(card.model.stats().bad_sectors == 2);
    CHECK(card.write(2047, stamped(0, 1)) == Status::bad_sector);
}

TEST_CASE("card model: weak cells flip the same bits at each read without an error") {
    Card card({.claimed = 1_MiB, .corrupt_regions = {{.sectors = {{10}, 2}, .bits_per_sector = 3}}});
    card.write(8, stamped(8, 8));
    const Data once = card.read(8, 8);
    CHECK(card.read(8, 8) == once);
    CHECK(card.read(10, 1) == Data(once.begin() + 1024, once.begin() + 1536));
    CHECK(card.read(9, 1) == stamped(9, 1));
    CHECK(card.read(12, 1) == stamped(12, 1));
    CHECK(different_bits(card.read(10, 1), stamped(10, 1)) == 3);
    CHECK(different_bits(card.read(11, 1), stamped(11, 1)) == 3);
    card.write(10, stamped(10, 1, 2)); // this write repairs no weak cell
    CHECK(different_bits(card.read(10, 1), stamped(10, 1, 2)) == 3);

    Card scattered({.claimed = 16_MiB, .corrupt_one_sector_in = 1024});
    const std::size_t flipped = different_bits(scattered.read(0, 32768), zeros(32768));
    CHECK(flipped > 10);
    CHECK(flipped < 70);
}

TEST_CASE("card model: damage by command flips stored bits once and the next write repairs it") {
    Card card(cached());
    card.write(4, stamped(4, 8)); // still in the cache at the time of the damage
    REQUIRE(card.model.corrupt({.sectors = {{6}, 1}, .bits_per_sector = 4}));
    CHECK(different_bits(card.read(6, 1), stamped(6, 1)) == 4);
    CHECK(card.read(5, 1) == stamped(5, 1));
    CHECK(card.read(7, 1) == stamped(7, 1));
    card.write(6, stamped(6, 1));
    CHECK(card.read(4, 8) == stamped(4, 8));
}

TEST_CASE("card model: a power cut loses exactly the unflushed data") {
    Card card(cached());
    card.write(0, stamped(0, 16));
    CHECK(card.storage.sectors_held() == 0);
    REQUIRE(card.model.flush(0ns));
    CHECK(card.storage.sectors_held() == 16);
    card.write(8, stamped(8, 16, 2));
    CHECK(card.model.write(64 * 512, stamped(64, 3, 2), Durability::through, 0ns)->status == Status::good);
    CHECK(card.read(8, 16) == stamped(8, 16, 2));
    CHECK(card.model.stats().cached == sector_size * 16);

    CHECK(*card.model.power_cut(Loss::all) == WriteCache::SectorCounts{.kept = 0, .lost = 16});
    CHECK_FALSE(card.model.stats().powered);
    CHECK(card.try_read(0, 1).status == Status::no_power);
    CHECK(card.write(0, stamped(0, 1)) == Status::no_power);
    CHECK(card.model.flush(0ns)->status == Status::no_power);
    CHECK(card.model.zero(0, 4_KiB, 0ns)->status == Status::no_power);
    CHECK(card.model.trim(0, 4_KiB, 0ns)->status == Status::no_power);
    CHECK(*card.model.power_cut(Loss::all) == WriteCache::SectorCounts{});
    CHECK(card.model.stats().power_cuts == 1);

    card.model.power_on();
    CHECK(card.read(0, 16) == stamped(0, 16));
    CHECK(card.read(16, 8) == zeros(8));
    CHECK(card.read(64, 3) == stamped(64, 3, 2));
}

TEST_CASE("card model: the seed and the number of the cut determine the surviving blocks") {
    const auto survivors = [](LossUnit unit, std::uint64_t start_value, int cuts) {
        CardConfig config = cached(unit);
        config.start_value = start_value;
        Card card(config);
        for (int cut = 0; cut < cuts; ++cut) {
            REQUIRE(card.model.trim(0, config.claimed, 0ns));
            for (std::uint64_t block = 0; block < 64; ++block) card.write(block * 8, stamped(block * 8, 8));
            const auto sectors = card.model.power_cut(Loss::subset);
            REQUIRE(sectors);
            CHECK(sectors->kept + sectors->lost == 512);
            card.model.power_on();
        }
        std::vector<bool> kept;
        for (std::uint64_t sector = 0; sector < 512; ++sector) {
            const Data data = card.read(sector, 1);
            kept.push_back(data != zeros(1));
            if (kept.back()) CHECK(data == stamped(sector, 1));
        }
        return kept;
    };
    const auto torn_blocks = [](const std::vector<bool>& kept) {
        int torn = 0;
        for (std::size_t block = 0; block < 64; ++block)
            torn +=
                std::adjacent_find(kept.begin() + static_cast<std::ptrdiff_t>(block * 8),
                                   kept.begin() + static_cast<std::ptrdiff_t>(block * 8 + 8),
                                   std::not_equal_to<>()) != kept.begin() + static_cast<std::ptrdiff_t>(block * 8 + 8);
        return torn;
    };
    const auto first = survivors(LossUnit::block, 1, 1);
    CHECK(first == survivors(LossUnit::block, 1, 1));
    CHECK(first != survivors(LossUnit::block, 2, 1));
    CHECK(first != survivors(LossUnit::block, 1, 2));
    const auto kept = std::count(first.begin(), first.end(), true);
    CHECK(kept > 512 / 4);
    CHECK(kept < 512 * 3 / 4);
    CHECK(torn_blocks(first) == 0);
    CHECK(torn_blocks(survivors(LossUnit::sector, 1, 1)) > 32);
}

TEST_CASE("card model: a full cache evicts its oldest blocks, and a clean shutdown writes all blocks") {
    Card card(cached(LossUnit::block, 16_KiB));
    for (std::uint64_t block = 0; block < 6; ++block) card.write(block * 8, stamped(block * 8, 8));
    CHECK(card.storage.sectors_held() == 16);
    CHECK(card.model.stats().cached == 16_KiB);
    card.write(5 * 8, stamped(5 * 8, 8, 2)); // overwrites a cached block: evicts nothing
    CHECK(card.storage.sectors_held() == 16);
    CHECK(card.read(0, 40) == stamped(0, 40));
    REQUIRE(card.model.shut_down());
    CHECK(card.storage.sectors_held() == 48);
    CHECK(card.model.stats().cached == 0_B);
}

TEST_CASE("card model: zeroing and trimming apply to cached data") {
    Card card(cached());
    card.write(0, stamped(0, 32));
    REQUIRE(card.model.flush(0ns));
    card.write(0, stamped(0, 32, 2));
    CHECK(card.model.zero(3 * 512, sector_size * 2, 0ns)->status == Status::good);
    CHECK(card.model.trim(16 * 512, sector_size * 8, 0ns)->status == Status::good);
    for (const bool after_flush : {false, true}) {
        CAPTURE(after_flush);
        CHECK(card.read(0, 3) == stamped(0, 3, 2));
        CHECK(card.read(3, 2) == zeros(2));
        CHECK(card.read(5, 11) == stamped(5, 11, 2));
        CHECK(card.read(16, 8) == zeros(8));
        CHECK(card.read(24, 8) == stamped(24, 8, 2));
        REQUIRE(card.model.flush(0ns));
    }
}

TEST_CASE("card model: every request is counted by kind") {
    CardConfig config{.claimed = 1_MiB, .command_overhead = 1us, .bad_sectors = {{.sectors = {{5}, 1}}}};
    Card card(config);
    card.write(0, stamped(0, 2));
    card.write(5, stamped(5, 1));
    card.read(0, 1);
    card.try_read(4000, 1);
    REQUIRE(card.model.flush(0ns));
    REQUIRE(card.model.zero(0, 4_KiB - sector_size * 4, 0ns));
    const CardStats stats = card.model.stats();
    CHECK(stats.of(BlockRequest::write) == RequestCount{.requests = 2, .bytes = 1024, .refused = 1, .took = 2us});
    CHECK(stats.of(BlockRequest::read) == RequestCount{.requests = 2, .bytes = 512, .refused = 1, .took = 1us});
    CHECK(stats.of(BlockRequest::flush) == RequestCount{.requests = 1, .took = 1us});
    CHECK(stats.of(BlockRequest::zero) == RequestCount{.requests = 1, .bytes = 2048, .took = 1us});
    CHECK(stats.of(BlockRequest::trim) == RequestCount{});
}

TEST_CASE("card model: a failing backing store is a counted host error and loses no data") {
    Card card(cached());
    card.write(0, stamped(0, 8));
    card.storage.failure = "cannot write /tmp/x: No space left on device";
    CHECK(reason(card.model.flush(0ns)) == card.storage.failure);
    CHECK(card.model.flush(0ns).error().code == Errc::io_failed);
    Data data(512);
    CHECK(reason(card.model.read(0, data, 0ns)) == card.storage.failure);
    CHECK(reason(card.model.zero(0, 4_KiB, 0ns)) == card.storage.failure);
    CHECK(card.model.stats().storage_failures == 4);
    card.storage.failure.clear();
    card.write(0, stamped(0, 8));
    REQUIRE(card.model.flush(0ns));
    CHECK(card.read(0, 8) == stamped(0, 8));

    Card plain({.claimed = 1_MiB});
    plain.storage.failure = "full";
    CHECK(reason(plain.model.write(0, stamped(0, 1), Durability::cached, 0ns)) == "full");
    CHECK(reason(plain.model.trim(0, 4_KiB, 0ns)) == "full");
    CHECK(reason(plain.model.corrupt({.sectors = {{0}, 1}})) == "full");
}

TEST_CASE("card model: a sector set contains exactly the sectors added and not removed") {
    SectorSet set;
    std::vector<bool> expected(64);
    SplitMix draws(1);
    for (int step = 0; step < 2000; ++step) {
        const std::uint64_t first = draws.next() % 60;
        const std::uint64_t count = 1 + draws.next() % (64 - first);
        const bool adds = draws.next() % 2 == 0;
        adds ? set.add({{first}, count}) : set.remove({{first}, count});
        for (std::uint64_t i = first; i < first + count; ++i) expected[i] = adds;
        CHECK(set.count() == static_cast<std::uint64_t>(std::count(expected.begin(), expected.end(), true)));
        const std::uint64_t from = draws.next() % 64;
        const auto found = set.first_in({{from}, 64 - from});
        const auto here = std::find(expected.begin() + static_cast<std::ptrdiff_t>(from), expected.end(), true);
        REQUIRE(found.has_value() == (here != expected.end()));
        if (found) CHECK(found->index == static_cast<std::uint64_t>(here - expected.begin()));
    }
}
