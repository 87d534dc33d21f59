// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/units.hpp"

#include <type_traits>

#include "host/base/enum_names.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace std::chrono_literals;

TEST_CASE("1 MB/s is 10^6 bytes per second, 1 MiB/s is 2^20") {
    const Rate rate = rate_of({1'000'000}, 1s);
    CHECK(rate.megabytes_per_second() == Approx(1.0));
    CHECK(rate_of(1_MiB, 1s).mebibytes_per_second() == Approx(1.0));
    CHECK(rate_of(1_MiB, 1s).megabytes_per_second() == Approx(1.048576));
}

TEST_CASE("1 KB of a block size is 2^10 bytes") {
    CHECK((4_KiB).count == 4096);
    CHECK((1024_KiB) == 1_MiB);
    CHECK(1024_MiB == 1_GiB);
}

TEST_CASE("a rate measured over less than a second is not rounded to whole seconds") {
    CHECK(rate_of(256_KiB, 1ms).megabytes_per_second() == Approx(262.144));
    CHECK(operations_per_second(32'768, 163100ms) == Approx(200.9).epsilon(0.001));
}

TEST_CASE("an amount does not convert to a plain number or to another kind of amount") {
    STATIC_REQUIRE_FALSE(std::is_convertible_v<int, Bytes>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<Bytes, std::uint64_t>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<Lba, Bytes>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<SlotId, Lba>);
}

TEST_CASE("alignment rounds to whole units, also for units that are not a power of two") {
    CHECK(align_down(10_MiB, 4_MiB) == 8_MiB);
    CHECK(align_up(10_MiB, 4_MiB) == 12_MiB);
    CHECK(align_up(8_MiB, 4_MiB) == 8_MiB);
    // 12 MiB and 24 MiB allocation units exist on SD cards.
    CHECK(align_down(30_MiB, 12_MiB) == 24_MiB);
    CHECK(align_up(25_MiB, 12_MiB) == 36_MiB);
}

TEST_CASE("a sector number is not a byte offset") {
    CHECK(byte_offset(Lba{2048}, 512_B) == 1_MiB);
    CHECK(sector_of(1_MiB, 4096_B) == Lba{256});
    CHECK(byte_offset(sector_of({1'000'000}, 512_B), 512_B) == Bytes{999'936});
}

TEST_CASE("every error code has a documented exit status") {
    for (const auto& [code, name] : enumerators<Errc>) {
        CAPTURE(name);
        const int expected = code == Errc::bad_request ? 2 : code == Errc::refused ? 4 : 3;
        CHECK(exit_status(code) == expected);
    }
}
