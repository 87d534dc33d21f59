// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/elf_dependencies.hpp"

#include <unistd.h>

#include <algorithm>

#include "host/base/process/run_process.hpp"
#include "tests/catch.hpp"
#include "tests/lab/image/small_distribution.hpp"

using namespace mediarig;
using namespace mediarig::lab;
using tests::text_of;

TEST_CASE("the needed libraries equal those that readelf reports") {
    if (!process::find_program("readelf")) MEDIARIG_SKIP("no readelf on this machine");
    for (const std::string path : {"/bin/true", "/usr/bin/env", "/bin/bash", "/proc/self/exe"}) {
        const auto dependencies = elf_dependencies(text_of(path));
        CAPTURE(path);
        REQUIRE(reason(dependencies) == "success");
        std::string real(path);
        if (path == "/proc/self/exe") real = "/proc/" + std::to_string(::getpid()) + "/exe";
        const auto said = process::run_process({.program = "readelf", .arguments = {"-dlW", real}});
        REQUIRE(reason(said) == "success");
        CHECK(dependencies->loader == "/lib64/ld-linux-x86-64.so.2");
        CHECK_THAT(said->out, ContainsSubstring("interpreter: " + dependencies->loader));
        for (const std::string& library : dependencies->libraries)
            CHECK_THAT(said->out, ContainsSubstring("Shared library: [" + library + "]"));
        std::size_t count = 0;
        for (std::size_t at = 0; (at = said->out.find("(NEEDED)", at)) != std::string::npos; ++at) ++count;
        CHECK(dependencies->libraries.size() == count);
        CHECK(count > 0);
    }
}

TEST_CASE("a library needs libraries but no loader") {
    const auto dependencies = elf_dependencies(text_of("/lib/x86_64-linux-gnu/libm.so.6"));
    REQUIRE(reason(dependencies) == "success");
    CHECK(dependencies->loader.empty());
    CHECK(std::count(dependencies->libraries.begin(), dependencies->libraries.end(), "libc.so.6") == 1);
}

TEST_CASE("bytes that are not a program for the guest are refused, and the error names the invalid part") {
    const std::string program = text_of("/bin/true");
    CHECK(reason(elf_dependencies("")) == "ELF: magic number");
    CHECK(reason(elf_dependencies("#!/bin/sh\n" + std::string(100, ' '))) == "ELF: magic number");
    std::string other = program;
    other[18] = '\xB7'; // EM_AARCH64
    CHECK(reason(elf_dependencies(other)) == "ELF: not a 64-bit x86 program");
    CHECK(reason(elf_dependencies(program.substr(0, 64))) == "ELF: program headers");
}

TEST_CASE("a program that is truncated at any byte or has any changed header byte is parsed or refused") {
    const std::string program = text_of("/bin/true");
    for (std::size_t length = 0; length < program.size(); length += 37) {
        const auto cut = elf_dependencies(std::string_view(program).substr(0, length));
        if (!cut) CHECK(cut.error().code == Errc::bad_format);
    }
    for (std::size_t at = 0; at < 2000; ++at)
        for (const char value : {'\0', '\x7F', '\xFF'}) {
            std::string changed = program;
            changed[at] = value;
            const auto read = elf_dependencies(changed);
            if (!read) CHECK(read.error().code == Errc::bad_format);
        }
}
