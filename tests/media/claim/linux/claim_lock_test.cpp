// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/claim_lock.hpp"

#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::media;

TEST_CASE("claims of one device conflict whatever nodes they use, claims of different devices do not conflict") {
    const tests::Scratch scratch;
    const DeviceNumber device{7, 3};
    auto first = lock_claim(device, 10, scratch.path());
    REQUIRE(reason(first) == "success");
    REQUIRE(*first);
    const auto second = lock_claim(device, 10, scratch.path());
    REQUIRE_FALSE(second);
    CHECK(second.error().code == Errc::refused);
    CHECK(lock_claim({7, 4}, 10, scratch.path()));
    // The number now belongs to another disk.
    CHECK(lock_claim(device, 11, scratch.path()));
    first->close();
    CHECK(lock_claim(device, 10, scratch.path()));
}
