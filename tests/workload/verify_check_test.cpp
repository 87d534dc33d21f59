// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/verify_passes.hpp"

#include <vector>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;

namespace {

/// A chunk as read back from offset 1 MiB, which a test then damages.
struct ReadBack {
    ReadBack() : data(64 * 1024), payload({.kind = PayloadKind::incompressible, .seed = 8, .given = {}}, 2) {
        payload.fill(data, offset);
    }
    void overwrite(std::size_t at, std::size_t length, std::uint32_t generation, std::uint64_t from) {
        const PayloadSource other({.kind = PayloadKind::incompressible, .seed = 8, .given = {}}, generation);
        other.fill(std::span(data).subspan(at, length), from);
    }
    Bytes check() { return check_chunk({.bytes = data, .offset = offset, .unreadable = unreadable}, payload, damage); }

    static constexpr std::uint64_t offset = 1 << 20;
    std::vector<std::byte> data;
    std::vector<DamagedRange> unreadable;
    PayloadSource payload;
    DamageMap damage;
};

} // namespace

TEST_CASE("all bytes of an undamaged chunk count as good") {
    ReadBack chunk;
    CHECK(chunk.check() == 64_KiB);
    CHECK(chunk.damage.ranges().empty());
}

TEST_CASE("each damaged sector in a chunk is found with its kind of damage") {
    ReadBack chunk;
    chunk.data[5 * 512 + 17] ^= std::byte{0x10};
    chunk.overwrite(10 * 512, 1024, 2, 7 << 20);
    chunk.overwrite(20 * 512, 512, 1, ReadBack::offset + 20 * 512);
    std::fill_n(chunk.data.begin() + 30 * 512, 512, std::byte{0});
    chunk.unreadable = {{Bytes{ReadBack::offset + 40 * 512}, 4_KiB, DamageKind::unreadable, {}}};
    std::fill_n(chunk.data.begin() + 40 * 512, 4096, std::byte{0x55}); // former contents of the buffer

    CHECK(chunk.check() == 64_KiB - Bytes{5 * 512} - 4_KiB);
    const auto at = [](std::uint64_t sector) { return Bytes{ReadBack::offset + sector * 512}; };
    CHECK(chunk.damage.ranges() == std::vector<DamagedRange>{{at(5), 512_B, DamageKind::flipped, {}},
                                                             {at(10), 1024_B, DamageKind::misplaced, 7_MiB},
                                                             {at(20), 512_B, DamageKind::stale, {}},
                                                             {at(30), 512_B, DamageKind::foreign, {}},
                                                             {at(40), 4_KiB, DamageKind::unreadable, {}}});
}

TEST_CASE("no byte of an unreadable chunk counts as good") {
    ReadBack chunk;
    chunk.unreadable = {{Bytes{ReadBack::offset}, 64_KiB, DamageKind::unreadable, {}}};
    CHECK(chunk.check() == 0_B);
    CHECK(chunk.damage.total() == 64_KiB);
}
