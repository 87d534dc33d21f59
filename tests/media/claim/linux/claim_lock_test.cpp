// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/claim_lock.hpp"

#include <stdlib.h>

#include <filesystem>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::media;

TEST_CASE("two claims of one device conflict through any nodes, claims of different devices do not") {
    std::string folder = (std::filesystem::temp_directory_path() / "mediarig-claims-XXXXXX").string();
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    {
        const DeviceNumber device{7, 3};
        auto first = lock_claim(device, 10, folder);
        REQUIRE(reason(first) == "success");
        REQUIRE(*first);
        const auto second = lock_claim(device, 10, folder);
        REQUIRE_FALSE(second);
        CHECK(second.error().code == Errc::refused);
        CHECK(lock_claim({7, 4}, 10, folder));
        // The number was reassigned to another disk.
        CHECK(lock_claim(device, 11, folder));
        first->close();
        CHECK(lock_claim(device, 10, folder));
    }
    std::filesystem::remove_all(folder);
}
