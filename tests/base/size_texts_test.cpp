// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/text.hpp"

#include "tests/catch.hpp"

using namespace mediarig;

TEST_CASE("two sizes are printed in short form, or in bytes if the short forms are equal") {
    CHECK(shortage("suite steady", 1_MiB, 512_KiB) == "suite steady needs 1.05 MB, with 524 kB available");
    CHECK(shortage("suite steady", 1_MiB, 1_MiB - 1_B) ==
          "suite steady needs 1048576 bytes, with 1048575 bytes available");
    CHECK(too_small(1_MiB, "exFAT", 3_MiB) ==
          "a medium of 1.05 MB is too small for exFAT, which takes at least 3.15 MB");
    const SizeTexts same = size_texts(8_GiB, 8_GiB);
    CHECK(same.first == "8.59 GB");
    CHECK(same.second == "8.59 GB");
}

TEST_CASE("a figure near a limit has enough digits to show whether it is above or below the limit") {
    CHECK(text_beside(10, 12.34, 1) == "12.3");
    CHECK(text_beside(10, 10, 1) == "10.0");
    CHECK(text_beside(10, 9.97, 1) == "9.97");
    CHECK(text_beside(10, 10.004, 1) == "10.004");
    CHECK(text_beside(1500, 1499.6, 0) == "1499.6");
    CHECK(text_beside(-2, -2.04, 1) == "-2.04");
}
