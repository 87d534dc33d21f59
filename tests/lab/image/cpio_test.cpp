// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/cpio.hpp"

#include <filesystem>
#include <fstream>

#include "host/base/process/run_process.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::lab;
namespace fs = std::filesystem;

namespace {

process::Finished shell(const std::string& script, const fs::path& argument) {
    const auto done = process::run_process({.program = "sh", .arguments = {"-c", script, argument.string()}});
    REQUIRE(reason(done) == "success");
    return *done;
}

std::string entry_fault(std::vector<CpioEntry> entries) {
    return reason(newc_archive(entries));
}

} // namespace

TEST_CASE("cpio reads names, kinds, permissions, nodes, links and contents of the archive") {
    if (!process::find_program("cpio")) MEDIARIG_SKIP("no cpio on this machine");
    const auto archive = newc_archive({
        {.name = "dev", .mode = cpio_folder | 0755},
        {.name = "dev/null", .mode = cpio_char | 0666, .device_major = 1, .device_minor = 3},
        {.name = "etc", .mode = cpio_folder | 0755},
        {.name = "etc/empty", .mode = cpio_file | 0644},
        {.name = "etc/three", .mode = cpio_file | 0600, .data = "abc"},
        {.name = "etc/link", .mode = 0120777, .data = "three"},
        {.name = "init", .mode = cpio_file | 0755, .data = std::string("#!\0\n", 4)},
    });
    REQUIRE(reason(archive) == "success");
    CHECK(archive->size() % 4 == 0);
    const tests::Scratch folder;
    const fs::path file = folder / "archive";
    std::ofstream(file, std::ios::binary) << *archive;

    const auto names = shell("cpio -t --quiet <\"$0\"", file);
    CHECK(names.out == "dev\ndev/null\netc\netc/empty\netc/three\netc/link\ninit\n");
    CHECK(names.err.empty());
    const auto details = shell("cpio -tvn --quiet <\"$0\"", file).out;
    CHECK_THAT(details, ContainsSubstring("drwxr-xr-x   2 0        0"));
    CHECK_THAT(details, ContainsSubstring("crw-rw-rw-   1 0        0          1,   3"));
    CHECK_THAT(details, ContainsSubstring("etc/link -> three"));
    CHECK_THAT(details, ContainsSubstring("-rw-------   1 0        0               3"));
    shell("cd \"$(dirname \"$0\")\" && cpio -id --quiet 'etc/*' init <archive", file);
    CHECK(tests::text_of(folder / "etc/three") == "abc");
    CHECK(tests::text_of(folder / "init") == std::string("#!\0\n", 4));
    CHECK(fs::file_size(folder / "etc/empty") == 0);
}

TEST_CASE("equal entries give equal archives") {
    const std::vector<CpioEntry> entries{{.name = "a", .mode = cpio_file | 0644, .data = "x"}};
    CHECK(newc_archive(entries) == newc_archive(entries));
}

TEST_CASE("an entry that an archive cannot contain is refused by name") {
    const CpioEntry folder{.name = "a", .mode = cpio_folder | 0755};
    const auto file = [](const char* name) { return CpioEntry{.name = name, .mode = cpio_file | 0644}; };
    CHECK(entry_fault({file("")}) == "the archive's entry '' is empty");
    CHECK(entry_fault({file("/etc")}) == "the archive's entry '/etc' is absolute");
    CHECK(entry_fault({folder, file("a/../b")}) == "the archive's entry 'a/../b' leads upwards");
    CHECK(entry_fault({folder, folder}) == "the archive's entry 'a' comes twice");
    CHECK(entry_fault({file("b/c")}) == "the archive's entry 'b/c' has no folder before it");
    CHECK(entry_fault({file("b"), file("b/c")}) == "the archive's entry 'b/c' has no folder before it");
    CHECK(entry_fault({file("TRAILER!!!")}) == "the archive's entry 'TRAILER!!!' ends an archive");
    CHECK_THAT(entry_fault({{.name = std::string("a\0b", 3), .mode = cpio_file}}),
               ContainsSubstring("holds a NUL byte"));
}
