// SPDX-License-Identifier: GPL-3.0-or-later
/// The search for a simulated rig.
#include "host/app/rig/rig_console.hpp"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "host/app/rig/simulated_rig.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
namespace fs = std::filesystem;

TEST_CASE("a simulated rig in a folder that others can write is refused") {
    const tests::Scratch folder;
    const char* const runtime = ::getenv("XDG_RUNTIME_DIR");
    const std::string before = runtime == nullptr ? "" : runtime;
    ::setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
    const fs::path line = app::simulated_line();
    fs::create_directories(line.parent_path());
    std::ofstream(line) << "no terminal";
    const app::RigConsole console{.how = "sim"};
    const auto allow = [&](fs::perms perms) { fs::permissions(line.parent_path(), perms); };
    allow(fs::perms::owner_all);
    CHECK(reason(app::rig_config_for(console)) == "success");
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
        allow(fs::perms::owner_all | others);
        const auto found = app::rig_config_for(console);
        REQUIRE(!found);
        CHECK(found.error().code == Errc::refused);
        CHECK_THAT(found.error().detail, ContainsSubstring("is not a folder that only this user can write"));
    }
    if (before.empty())
        ::unsetenv("XDG_RUNTIME_DIR");
    else
        ::setenv("XDG_RUNTIME_DIR", before.c_str(), 1);
}

TEST_CASE("the id of a simulated rig's board depends on its folder and is the same at every call") {
    const std::string one = app::simulated_serial("/store/lab/results.db/c1/rig");
    CHECK(one.size() == 16);
    CHECK(one.find_first_not_of("0123456789ABCDEF") == std::string::npos);
    CHECK(app::simulated_serial("/store/lab/results.db/c1/../c1/rig") == one);
    CHECK(app::simulated_serial("/store/lab/results.db/c2/rig") != one);
}
