// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/damage.hpp"

#include <map>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;
using measure::FindingKind;

namespace {

DamagedRange misplaced(Bytes offset, Bytes length, Bytes belongs_at) {
    return {offset, length, DamageKind::misplaced, belongs_at};
}

/// Contents of a medium of `real` bytes that claims `claimed` after everything was written in order: the last write to
/// each real offset wins, and every address is taken modulo the real capacity.
DamageMap wrapped(Bytes real, Bytes claimed, Bytes step) {
    DamageMap map;
    for (Bytes at; at < claimed; at += step) {
        const Bytes place = at % real;
        const Bytes last = place + real * ((claimed - place - step) / real);
        if (last != at) map.add(misplaced(at, step, last));
    }
    return map;
}

/// Contents of a medium after everything was written in order, where `memory` gives the real place of an address: the
/// last write to each place wins.
template <class Memory>
DamageMap with_memory(Bytes claimed, Bytes step, Memory memory) {
    std::map<Bytes, Bytes> last;
    for (Bytes at; at < claimed; at += step) last[memory(at)] = at;
    DamageMap map;
    for (Bytes at; at < claimed; at += step)
        if (last[memory(at)] != at) map.add(misplaced(at, step, last[memory(at)]));
    return map;
}

} // namespace

TEST_CASE("adjacent damaged sectors of one kind are merged into one range") {
    DamageMap map;
    map.add({0_B, 512_B, DamageKind::flipped, {}});
    map.add({512_B, 512_B, DamageKind::flipped, {}});
    map.add({1024_B, 512_B, DamageKind::foreign, {}});
    map.add({4096_B, 512_B, DamageKind::foreign, {}});
    CHECK(map.ranges() == std::vector<DamagedRange>{{0_B, 1024_B, DamageKind::flipped, {}},
                                                    {1024_B, 512_B, DamageKind::foreign, {}},
                                                    {4096_B, 512_B, DamageKind::foreign, {}}});
    CHECK(map.total() == 2048_B);
}

TEST_CASE("adjacent misplaced sectors are merged only if both their offsets and their origins are adjacent") {
    DamageMap map;
    map.add(misplaced(0_B, 512_B, 8192_B));
    map.add(misplaced(512_B, 512_B, 8704_B));
    map.add(misplaced(1024_B, 512_B, 0_B));
    REQUIRE(map.ranges().size() == 2);
    CHECK(map.ranges()[0].length == 1024_B);
}

TEST_CASE("damage beyond ten thousand ranges is counted but not listed") {
    DamageMap map;
    for (std::uint64_t i = 0; i < 12'000; ++i) map.add({Bytes{i * 1024}, 512_B, DamageKind::flipped, {}});
    CHECK(map.ranges().size() == 10'000);
    CHECK(map.total() == Bytes{12'000 * 512});
    const auto findings = map.findings(1_GiB);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == FindingKind::data_damaged);
    CHECK(findings[0].count == 12'000);
    CHECK(findings[0].offset == 0_B);
}

TEST_CASE("the real capacity of a medium with wrapping addresses is derived from its damage") {
    struct Row {
        Bytes real, claimed;
    };
    for (const Row& row : {Row{8_MiB, 16_MiB}, Row{8_MiB, 20_MiB}, Row{8_MiB, 64_MiB}, Row{60_MiB, 64_MiB},
                           Row{24_MiB, 64_MiB}, Row{5_MiB, 64_MiB}}) {
        CAPTURE(row.real.count, row.claimed.count);
        const DamageMap map = wrapped(row.real, row.claimed, 64_KiB);
        CHECK(map.true_capacity(row.claimed) == row.real);
        const auto findings = map.findings(row.claimed);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].kind == FindingKind::capacity_missing);
        CHECK_THAT(findings[0].detail, ContainsSubstring("only about " + std::to_string(row.real.count) + " exist"));
    }
}

TEST_CASE("a medium that folds its upper addresses into a window keeps the part below the window") {
    struct Row {
        Bytes real, window, claimed;
    };
    for (const Row& row : {Row{100_MiB, 16_MiB, 256_MiB}, Row{40_MiB, 1_MiB, 64_MiB}, Row{60_MiB, 30_MiB, 250_MiB},
                           Row{33_MiB, 5_MiB, 1_GiB}}) {
        CAPTURE(row.real.count, row.window.count);
        const Bytes begin = row.real - row.window;
        const DamageMap map = with_memory(row.claimed, 256_KiB, [&](Bytes at) {
            return at < row.real ? at : begin + (at - begin) % row.window;
        });
        CHECK(map.ranges().front().offset == begin);
        CHECK(map.true_capacity(row.claimed) == begin);
        CHECK(map.fake_kind(row.claimed) == FakeKind::wrap);
    }
    // Upper addresses that fold into the first 16 MiB: the memory above them is intact.
    const DamageMap low = with_memory(256_MiB, 256_KiB, [](Bytes at) { return at < 100_MiB ? at : at % 16_MiB; });
    CHECK(low.true_capacity(256_MiB) == 100_MiB);
}

TEST_CASE("ignored address bits give the capacity of the lowest of them, and exchanged bits give no damage") {
    struct Row {
        std::uint64_t ignored;
        Bytes real;
    };
    for (const Row& row : {Row{(64_MiB).count, 64_MiB}, Row{(128_MiB).count, 128_MiB}, Row{(1_MiB).count, 1_MiB},
                           Row{(32_MiB).count | (64_MiB).count, 32_MiB}, Row{(2_MiB).count | (128_MiB).count, 2_MiB}}) {
        CAPTURE(row.ignored);
        const DamageMap map =
            with_memory(256_MiB, 256_KiB, [&](Bytes at) { return Bytes{at.count & ~row.ignored}; });
        CHECK(map.true_capacity(256_MiB) == row.real);
        CHECK(map.fake_kind(256_MiB) == FakeKind::wrap);
    }
    const DamageMap exchanged = with_memory(256_MiB, 256_KiB, [](Bytes at) {
        const std::uint64_t one = at.count >> 24 & 1, other = at.count >> 26 & 1;
        return Bytes{(at.count & ~((std::uint64_t{1} << 24) | (std::uint64_t{1} << 26))) | one << 26 | other << 24};
    });
    CHECK(exchanged.total() == 0_B);
    // Two connected lines: both are set if one of them is set. 16 MiB and 64 MiB are then the same memory.
    const DamageMap connected = with_memory(256_MiB, 256_KiB, [](Bytes at) {
        const std::uint64_t both = (std::uint64_t{1} << 24) | (std::uint64_t{1} << 26);
        return Bytes{(at.count & both) != 0 ? at.count | both : at.count};
    });
    CHECK(connected.true_capacity(256_MiB) == 16_MiB);
}

TEST_CASE("if a medium drops all writes beyond its real capacity, the damage gives this capacity") {
    for (const DamageKind kind : {DamageKind::foreign, DamageKind::stale}) {
        DamageMap map;
        map.add({1_MiB, 512_B, kind, {}});
        for (Bytes at = 40_MiB; at < 64_MiB; at += 1_MiB) map.add({at, 1_MiB, kind, {}});
        CHECK(map.true_capacity(64_MiB) == 40_MiB);
    }
}

TEST_CASE("data beyond the real capacity that was read back equal does not hide the missing capacity") {
    struct Row {
        std::vector<std::pair<Bytes, Bytes>> lost; ///< begin and end
        std::optional<Bytes> capacity;
        std::vector<DamageMap::KeptPlace> kept{};
    };
    for (const Row& row : {
             Row{{{40_MiB, 64_MiB - 4_KiB}}, 40_MiB, {{64_MiB - 4_KiB, 4_KiB}}},
             Row{{{24_MiB, 48_MiB}}, 24_MiB, {{48_MiB, 16_MiB}}},
             Row{{{32_MiB, 40_MiB}, {41_MiB, 60_MiB}}, 32_MiB, {{40_MiB, 1_MiB}, {60_MiB, 4_MiB}}},
             Row{{{32_MiB, 40_MiB}, {42_MiB, 60_MiB}}, 42_MiB, {{60_MiB, 4_MiB}}}, // too much is good between them
             Row{{{2_MiB, 2_MiB + 512_B}, {40_MiB, 64_MiB}}, 40_MiB},
             Row{{{30_MiB, 31_MiB}}, std::nullopt}, // 33 MiB after it are good
             Row{{{63_MiB - 512_KiB, 64_MiB - 512_KiB}}, 63_MiB - 512_KiB, {{64_MiB - 512_KiB, 512_KiB}}},
         }) {
        DamageMap map;
        for (const auto& [begin, end] : row.lost) map.add({begin, end - begin, DamageKind::foreign, {}});
        CAPTURE(row.lost.front().first.count, row.lost.size());
        CHECK(map.true_capacity(64_MiB) == row.capacity);
        CHECK(map.kept_beyond(64_MiB) == row.kept);
        map.discard_end();
        CHECK_FALSE(map.true_capacity(64_MiB));
    }
}

TEST_CASE("a little damage is not reported as a fake") {
    DamageMap swapped;
    swapped.add(misplaced(0_B, 4_KiB, 4_KiB));
    swapped.add(misplaced(4_KiB, 4_KiB, 0_B));
    CHECK_FALSE(swapped.true_capacity(64_MiB));
    CHECK(swapped.findings(64_MiB).at(0).kind == FindingKind::data_damaged);

    DamageMap one_block_far_away;
    one_block_far_away.add(misplaced(0_B, 4_KiB, 32_MiB));
    CHECK_FALSE(one_block_far_away.true_capacity(64_MiB));

    DamageMap bad_end;
    bad_end.add({64_MiB - 4_KiB, 4_KiB, DamageKind::foreign, {}});
    CHECK_FALSE(bad_end.true_capacity(64_MiB));

    CHECK_FALSE(DamageMap{}.true_capacity(64_MiB));
    CHECK(DamageMap{}.findings(64_MiB).empty());
}

TEST_CASE("each behaviour of data beyond the real capacity has a name") {
    DamageMap noise;
    noise.add({32_MiB, 32_MiB, DamageKind::foreign, {}});
    CHECK(noise.fake_kind(64_MiB) == FakeKind::garbage);
    noise.count_blank(31_MiB);
    CHECK(noise.fake_kind(64_MiB) == FakeKind::drop);

    CHECK(wrapped(8_MiB, 16_MiB, 64_KiB).fake_kind(16_MiB) == FakeKind::wrap);
    CHECK_FALSE(DamageMap{}.fake_kind(64_MiB));
}

TEST_CASE("if all transfers from a position to the end fail, the medium is damaged and no capacity is missing") {
    for (const DamageKind kind : {DamageKind::unreadable, DamageKind::unwritten}) {
        DamageMap map;
        map.add({1_MiB, 4_KiB, DamageKind::flipped, {}});
        map.add({32_MiB, 32_MiB, kind, {}});
        CHECK_FALSE(map.true_capacity(64_MiB));
        CHECK_FALSE(map.fake_kind(64_MiB));
        const auto findings = map.findings(64_MiB);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].kind == FindingKind::data_damaged);
        CHECK(findings[0].offset == 1_MiB);
        CHECK(findings[0].length == 32_MiB + 4_KiB);
        CHECK(findings[0].end == 64_MiB);
    }
    // A few failed transfers within the lost end of a fake do not change its real capacity.
    DamageMap fake;
    fake.add({32_MiB, 8_MiB, DamageKind::foreign, {}});
    fake.add({40_MiB, 4_KiB, DamageKind::unreadable, {}});
    fake.add({40_MiB + 4_KiB, 24_MiB - 4_KiB, DamageKind::foreign, {}});
    CHECK(fake.true_capacity(64_MiB) == 32_MiB);
}

TEST_CASE("a medium that keeps almost no data is damaged and has no real capacity") {
    DamageMap map;
    map.add({512_KiB, 64_MiB - 512_KiB, DamageKind::foreign, {}});
    CHECK_FALSE(map.true_capacity(64_MiB));
    CHECK(map.findings(64_MiB).at(0).kind == FindingKind::data_damaged);
}

TEST_CASE("the extent of damage is from its first to its last place, not the sum of its lengths") {
    struct Row {
        std::vector<Bytes> places;
        DamageKind kind;
    };
    for (const Row& row : {Row{{2_MiB, 60_MiB}, DamageKind::flipped}, Row{{0_B, 512_B, 63_MiB}, DamageKind::unreadable},
                           Row{{5_MiB}, DamageKind::stale}}) {
        DamageMap map;
        for (const Bytes place : row.places) map.add({place, 512_B, row.kind, {}});
        const auto findings = map.findings(64_MiB);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].offset == row.places.front());
        CHECK(measure::end_of(findings[0]) == row.places.back() + 512_B);
        CHECK(findings[0].length == Bytes{512} * row.places.size());
    }
}

TEST_CASE("damaged data gives a separate finding in addition to missing capacity") {
    DamageMap map = wrapped(8_MiB, 16_MiB, 64_KiB);
    map.add({16_MiB - 512_B, 512_B, DamageKind::flipped, {}});
    const auto findings = map.findings(16_MiB);
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].kind == FindingKind::data_damaged);
    CHECK(findings[0].offset == 16_MiB - 512_B);
    CHECK(findings[0].detail == "512 bytes came back with flipped bits, out of 16777216: do not use this medium");
    CHECK(findings[1].kind == FindingKind::capacity_missing);
}
