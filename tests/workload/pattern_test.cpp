// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/payload/pattern.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "host/workload/payload/aes_round.hpp"
#include "host/workload/payload/payload.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;

namespace {

using Bytes512 = std::array<std::byte, Pattern::sector_size>;

Bytes512 sector_of(const Pattern& pattern, std::uint64_t offset) {
    Bytes512 sector;
    pattern.fill(sector, offset);
    return sector;
}

void flip(Bytes512& sector, std::size_t bit) {
    sector[bit / 8] ^= std::byte(1u << (bit % 8));
}

} // namespace

TEST_CASE("an AES round agrees with FIPS 197") {
    // FIPS 197, appendix B: state after round 0, round key 1, state at the start of round 2.
    const aes::CipherBlock start{0x19, 0x3d, 0xe3, 0xbe, 0xa0, 0xf4, 0xe2, 0x2b,
                                 0x9a, 0xc6, 0x8d, 0x2a, 0xe9, 0xf8, 0x48, 0x08};
    const aes::CipherBlock key{0xa0, 0xfa, 0xfe, 0x17, 0x88, 0x54, 0x2c, 0xb1,
                               0x23, 0xa3, 0x39, 0x39, 0x2a, 0x6c, 0x76, 0x05};
    const aes::CipherBlock end{0xa4, 0x9c, 0x7f, 0xf2, 0x68, 0x9f, 0x35, 0x2b,
                               0x6b, 0x5b, 0xea, 0x43, 0x02, 0x6a, 0x50, 0x49};
    CHECK(aes::encrypt_round(start, key) == end);
    CHECK(aes::decrypt_round(end, key) == start);
}

TEST_CASE("AES instructions and portable code give the same bytes") {
    if (Pattern::fastest() == Pattern::Code::portable) MEDIARIG_SKIP("this processor has no AES instructions");
    const Pattern fast(77, 3, Pattern::Code::aes_instructions);
    const Pattern portable(77, 3, Pattern::Code::portable);
    std::vector<std::byte> a(64 * 512), b(64 * 512);
    for (const std::uint64_t offset :
         {std::uint64_t{0}, std::uint64_t{512}, std::uint64_t{1} << 40, ~std::uint64_t{0} - 511 - a.size()}) {
        const std::uint64_t aligned = offset / 512 * 512;
        fast.fill(a, aligned);
        portable.fill(b, aligned);
        CHECK(a == b);
        CHECK(fast.matches(b, aligned));
        CHECK(portable.matches(a, aligned));
    }
}

TEST_CASE("AES instructions and portable code read the same place, generation and tag from a cell") {
    if (Pattern::fastest() == Pattern::Code::portable) MEDIARIG_SKIP("this processor has no AES instructions");
    const Pattern fast(77, 3, Pattern::Code::aes_instructions);
    const Pattern portable(77, 3, Pattern::Code::portable);
    for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{4096}, std::uint64_t{7} << 40}) {
        const Pattern::Block cell = portable.make_cell(offset);
        for (const Pattern* pattern : {&fast, &portable}) {
            const auto place = pattern->read_cell(std::as_bytes(std::span(cell)));
            REQUIRE(place);
            CHECK(place->offset == offset);
            CHECK(place->generation == 3);
        }
    }
    // Sectors of each kind: a difference of one bit in the decoded cell would change their classification.
    Bytes512 sector;
    for (int kind = 0; kind < 4; ++kind) {
        sector.fill(std::byte(kind * 85));
        if (kind == 1) sector = sector_of(portable, 51'200);
        if (kind == 2) sector = sector_of(Pattern(77, 2), 1024);
        const auto one = fast.diagnose(sector, 1024), other = portable.diagnose(sector, 1024);
        CHECK(one.kind == other.kind);
        CHECK(one.belongs_at == other.belongs_at);
    }
}

TEST_CASE("the number of different bits is exact for lengths that are no multiple of a word") {
    for (const std::size_t length : {1u, 7u, 8u, 20u, 512u}) {
        std::vector<std::byte> a(length, std::byte{0x0F}), b(length, std::byte{0x0F});
        CHECK(different_bits(a, b) == 0);
        b.front() ^= std::byte{0x81};
        b.back() ^= std::byte{0x10};
        CHECK(different_bits(a, b) == 3);
    }
}

TEST_CASE("every changed byte of a sector is detected") {
    for (const auto code : {Pattern::fastest(), Pattern::Code::portable}) {
        const Pattern pattern(5, 1, code);
        Bytes512 sector = sector_of(pattern, 1024);
        REQUIRE(pattern.matches(sector, 1024));
        for (std::size_t bit = 0; bit < 4096; bit += 7) {
            flip(sector, bit);
            CHECK_FALSE(pattern.matches(sector, 1024));
            flip(sector, bit);
        }
    }
}

TEST_CASE("a damaged sector is classified by its contents alone") {
    const Pattern pattern(9, 4);
    const std::uint64_t here = 40 * 512;

    SECTION("a sector with some flipped bits is flipped") {
        for (const int flips : {1, 2, 7}) {
            Bytes512 sector = sector_of(pattern, here);
            for (int i = 0; i < flips; ++i) flip(sector, static_cast<std::size_t>(i * 571 % 4096));
            CHECK(pattern.diagnose(sector, here).kind == DamageKind::flipped);
        }
    }
    SECTION("a sector of another position is misplaced, also with flipped bits") {
        for (const std::uint64_t there : {std::uint64_t{0}, std::uint64_t{41 * 512}, std::uint64_t{3} << 41}) {
            Bytes512 sector = sector_of(pattern, there);
            for (std::size_t i = 0; i < 7; ++i) flip(sector, i * 571 % 4096);
            const auto found = pattern.diagnose(sector, here);
            CHECK(found.kind == DamageKind::misplaced);
            CHECK(found.belongs_at == Bytes{there});
        }
    }
    SECTION("a sector of an older generation is stale") {
        const Bytes512 sector = sector_of(Pattern(9, 3), here);
        CHECK(pattern.diagnose(sector, here).kind == DamageKind::stale);
        CHECK_FALSE(pattern.diagnose(sector, here).belongs_at);
    }
    SECTION("a sector with foreign data is foreign") {
        CHECK(pattern.diagnose(sector_of(Pattern(10, 4), here), here).kind == DamageKind::foreign);
        Bytes512 erased;
        erased.fill(std::byte{0});
        CHECK(pattern.diagnose(erased, here).kind == DamageKind::foreign);
        erased.fill(std::byte{0xFF});
        CHECK(pattern.diagnose(erased, here).kind == DamageKind::foreign);
    }
    SECTION("a sector that lost half of its bytes is flipped") {
        Bytes512 sector = sector_of(pattern, here);
        std::fill(sector.begin() + 256, sector.end(), std::byte{0});
        CHECK(pattern.diagnose(sector, here).kind == DamageKind::flipped);
    }
}

TEST_CASE("the pattern is incompressible and all its sectors differ") {
    const Pattern pattern(1, 1);
    std::vector<std::byte> data(4u << 20);
    pattern.fill(data, 0);
    std::vector<Bytef> packed(compressBound(data.size()));
    uLongf size = packed.size();
    REQUIRE(compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(data.data()), data.size(), 9) == Z_OK);
    CHECK(size >= data.size());

    std::vector<std::span<const std::byte>> cells;
    for (std::size_t at = 0; at < data.size(); at += 16) cells.emplace_back(std::span(data).subspan(at, 16));
    const auto less = [](auto a, auto b) { return std::memcmp(a.data(), b.data(), 16) < 0; };
    std::sort(cells.begin(), cells.end(), less);
    CHECK(std::adjacent_find(cells.begin(), cells.end(),
                             [](auto a, auto b) { return std::memcmp(a.data(), b.data(), 16) == 0; }) == cells.end());
}

TEST_CASE("the pattern has the same bytes in all versions of the program") {
    Bytes512 sector = sector_of(Pattern(1, 1), 4096);
    std::uint32_t sum = 2166136261; // FNV-1a
    for (const std::byte byte : sector) sum = (sum ^ std::to_integer<std::uint32_t>(byte)) * 16777619;
    CHECK(sum == 0x7A52'78D5u);
}

TEST_CASE("a given payload is repeated and contains the offset in each sector") {
    const PayloadSource source({.kind = PayloadKind::given, .seed = 3, .given = {'a', 'b', 'c'}}, 2);
    std::vector<std::byte> data(2048);
    source.fill(data, 512 * 100);
    CHECK(source.matches(data, 512 * 100));
    CHECK_FALSE(source.matches(data, 512 * 101));
    for (std::size_t i = 16; i < 512; ++i) {
        CAPTURE(i);
        REQUIRE(std::to_integer<char>(data[i]) == "abc"[(512 * 100 + i) % 3]);
    }
    const auto second = std::span(data).subspan(512).first<512>();
    CHECK(source.diagnose(second, 512 * 7).belongs_at == Bytes{512 * 101});

    auto damaged = data;
    damaged[600] ^= std::byte{1};
    CHECK(source.diagnose(std::span(damaged).subspan(512).first<512>(), 512 * 101).kind == DamageKind::flipped);
    const PayloadSource older({.kind = PayloadKind::given, .seed = 3, .given = {'a', 'b', 'c'}}, 1);
    older.fill(data, 512 * 100);
    CHECK(source.diagnose(std::span(data).first<512>(), 512 * 100).kind == DamageKind::stale);
    std::fill(data.begin(), data.end(), std::byte{0});
    CHECK(source.diagnose(std::span(data).first<512>(), 512 * 100).kind == DamageKind::foreign);
}

TEST_CASE("a payload of zeros uses one buffer for every transfer") {
    const PayloadSource source({.kind = PayloadKind::zeros, .seed = 1, .given = {}}, 1);
    std::vector<std::byte> data(1000, std::byte{1});
    source.fill(data, 0);
    CHECK(std::count(data.begin(), data.end(), std::byte{0}) == 1000);
    CHECK_FALSE(source.varies());
}

TEST_CASE("a block that is not a multiple of a sector ends with the first part of a sector") {
    const PayloadSource source({.kind = PayloadKind::incompressible, .seed = 1, .given = {}}, 1);
    std::vector<std::byte> whole(1024), part(700);
    source.fill(whole, 512);
    source.fill(part, 512);
    CHECK(std::equal(part.begin(), part.end(), whole.begin()));
}

TEST_CASE("ones, compressible and repeated payloads have the named contents at each offset") {
    const auto filled = [](PayloadKind kind, std::uint64_t offset, std::size_t size) {
        std::vector<std::byte> bytes(size);
        const PayloadSource source({.kind = kind, .seed = 3, .given = {}}, 1);
        source.fill(bytes, offset);
        CHECK(source.matches(bytes, offset));
        bytes.back() ^= std::byte{1};
        CHECK_FALSE(source.matches(bytes, offset));
        bytes.back() ^= std::byte{1};
        return bytes;
    };
    const auto compressed = [](const std::vector<std::byte>& bytes) {
        uLongf length = compressBound(bytes.size());
        std::vector<Bytef> out(length);
        REQUIRE(compress2(out.data(), &length, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9) == Z_OK);
        return static_cast<double>(length) / static_cast<double>(bytes.size());
    };
    const auto all_ones = filled(PayloadKind::ones, 0, 4096);
    CHECK(std::ranges::all_of(all_ones, [](std::byte byte) { return byte == std::byte{0xFF}; }));

    const auto half = filled(PayloadKind::compressible, 1 << 20, 64 * 1024);
    CHECK(compressed(half) > 0.45);
    CHECK(compressed(half) < 0.6);

    const auto repeated = filled(PayloadKind::repeated, 0, 64 * 1024);
    for (std::size_t at = 4096; at < repeated.size(); at += 4096)
        CHECK(
            std::equal(repeated.begin(), repeated.begin() + 4096, repeated.begin() + static_cast<std::ptrdiff_t>(at)));
    CHECK(compressed({repeated.begin(), repeated.begin() + 4096}) > 0.95);
    // The same content at any place, also in smaller transfers.
    CHECK(filled(PayloadKind::repeated, 4096 + 512, 512) ==
          std::vector<std::byte>(repeated.begin() + 512, repeated.begin() + 1024));
}
