// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/replace_file.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

#include <sys/stat.h>
#include <unistd.h>

using namespace mediarig;
using namespace mediarig::tests;
namespace fs = std::filesystem;

TEST_CASE("replace_own_file() replaces files and links, never the target of a link") {
    const Scratch scratch;
    const fs::path file = scratch / "size";
    REQUIRE(replace_own_file(file, "1 2\n"));
    REQUIRE(replace_own_file(file, "3 4\n"));
    CHECK(text_of(file) == "3 4\n");
    write(scratch / "thesis", "years of work");
    fs::create_symlink(scratch / "thesis", scratch / "link");
    REQUIRE(replace_own_file(scratch / "link", "5 6\n"));
    CHECK(text_of(scratch / "thesis") == "years of work");
    CHECK(text_of(scratch / "link") == "5 6\n");
    CHECK(std::distance(fs::directory_iterator(scratch.path()), {}) == 3);
}

TEST_CASE(
    "replace_own_file() refuses other kinds of files and does not overwrite an existing file with the name of an "
    "unfinished file") {
    const Scratch scratch;
    fs::create_directory(scratch / "folder");
    CHECK(replace_own_file(scratch / "folder", "x").error().code == Errc::refused);
    REQUIRE(::mkfifo((scratch / "pipe").c_str(), 0600) == 0);
    CHECK(replace_own_file(scratch / "pipe", "x").error().code == Errc::refused);
    CHECK(replace_own_file(scratch / "none" / "file", "x").error().code == Errc::io_failed);
    const fs::path taken = (scratch / "file").string() + "." + std::to_string(::getpid()) + "-0.part";
    write(scratch / "thesis", "years of work");
    fs::create_symlink(scratch / "thesis", taken);
    REQUIRE(replace_own_file(scratch / "file", "x"));
    CHECK(text_of(scratch / "thesis") == "years of work");
    CHECK(fs::is_symlink(taken));
}
