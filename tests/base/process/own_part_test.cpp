// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/own_part.hpp"

#include <fstream>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::process;
namespace fs = std::filesystem;

TEST_CASE("own_part() finds a file next to the program, or else in the folder of the installed package") {
    const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
    const fs::path beside = folder / "own-part-of-a-test";
    const fs::path installed = folder.parent_path() / "libexec/mediarig/own-part-of-a-test";
    fs::remove(beside);
    fs::remove(installed);

    CHECK(own_part("own-part-of-a-test") == beside);
    const auto none = find_lab_part("own-part-of-a-test", "tries this");
    REQUIRE_FALSE(none);
    CHECK(none.error() == Error{Errc::no_driver, "own-part-of-a-test, which tries this, is not at " + beside.string() +
                                                     ": build it, or install the package mediarig-lab"});

    fs::create_directories(installed.parent_path());
    std::ofstream(installed) << "installed";
    CHECK(own_part("own-part-of-a-test") == installed);
    CHECK(find_lab_part("own-part-of-a-test", "tries this") == installed);

    std::ofstream(beside) << "built";
    CHECK(own_part("own-part-of-a-test") == beside);
    fs::remove(beside);
    fs::remove_all(installed.parent_path().parent_path());
}
