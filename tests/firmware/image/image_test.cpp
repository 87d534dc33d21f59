// SPDX-License-Identifier: GPL-3.0-or-later
/// Static checks of the image. The checks are separate scripts, and each is shown to find a seeded fault.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/firmware/image/run_check.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::test;

namespace {

constexpr std::string_view image = MEDIARIG_RIG_IMAGE;
constexpr const char* no_compiler = "arm-none-eabi-g++ (package gcc-arm-none-eabi) is not installed";

std::string folder() {
    return std::filesystem::path(image).parent_path().string();
}
std::string elf() {
    return folder() + "/mediarig-rig.elf";
}

/// Configures and builds the board's tree in another folder.
void build(const std::string& sources, const std::string& into, const std::string& revision) {
    const std::string board = sources + "/firmware/board/pico";
    const auto configured =
        run("cmake", {"-S", board, "-B", into, "-G", "Ninja", "--toolchain", board + "/toolchain.cmake",
                      std::string("-DMEDIARIG_VERSION=") + MEDIARIG_VERSION, "-DMEDIARIG_BUILD=" + revision,
                      std::string("-DMEDIARIG_UF2_WRITER=") + UF2_WRITER});
    INFO(configured.err);
    REQUIRE(configured.succeeded());
    const auto built = run("cmake", {"--build", into, "--target", "image"});
    INFO(built.out);
    REQUIRE(built.succeeded());
}

} // namespace

TEST_CASE("image: the boot ROM accepts and starts the image") {
    if (image.empty()) MEDIARIG_SKIP(no_compiler);
    const auto checked = run_check("uf2_lint.py", {std::string(image)});
    INFO(checked.out);
    CHECK(checked.succeeded());
}

TEST_CASE("image: the UF2 lint finds seeded faults") {
    if (image.empty()) MEDIARIG_SKIP(no_compiler);
    struct Row {
        const char* complaint;
        std::size_t offset;
        char byte;
    };
    const Row rows[] = {
        {"block 0: first magic", 0, 'X'},
        {"block 1: second magic", 512 + 5, 'X'},
        {"block 1: flags", 512 + 9, 0},
        {"block 2: address", 1024 + 13, 0x77},
        {"block 0: size of data", 17, 0},
        {"block 1: number", 512 + 20, 9},
        {"block 1: count", 512 + 24, 1},
        {"block 0: family", 28, 0x57},
        {"block 1: there are bytes after the data", 512 + 32 + 256, 1},
        {"block 2: last magic", 1024 + 508, 0},
        {"the second boot stage has check", 32 + 10, 0x55},
        {"the second boot stage has check", 32 + 252, 0x55},
        {"the vector table begins with stack", 512 + 32 + 1, 0x55},
        {"the vector table starts", 512 + 32 + 4, 0x00},
    };
    const std::string good = contents(std::string(image));
    const tests::Scratch place;
    for (const Row& row : rows) {
        CAPTURE(row.complaint, row.offset);
        std::string bad = good;
        REQUIRE(bad.at(row.offset) != row.byte);
        bad[row.offset] = row.byte;
        place.write("bad.uf2", bad);
        const auto checked = run_check("uf2_lint.py", {place.path("bad.uf2")});
        CHECK(checked.exit_status == 1);
        CHECK_THAT(checked.out, ContainsSubstring(row.complaint));
    }
    place.write("bad.uf2", good.substr(0, good.size() - 1));
    CHECK_THAT(run_check("uf2_lint.py", {place.path("bad.uf2")}).out,
               ContainsSubstring("which is not a number of blocks"));
    place.write("bad.uf2", "");
    CHECK(run_check("uf2_lint.py", {place.path("bad.uf2")}).exit_status == 1);
}

TEST_CASE("image: flash, RAM and deepest stack stay within their budgets") {
    if (image.empty()) MEDIARIG_SKIP(no_compiler);
    const auto checked = run_check("budgets.py", {elf(), folder()});
    std::cout << checked.out;
    INFO(checked.out << checked.err);
    CHECK(checked.succeeded());
}

TEST_CASE("image: all code runs from RAM without a call into flash") {
    if (image.empty()) MEDIARIG_SKIP(no_compiler);
    const auto checked = run_check("ram_code.py", {elf()});
    INFO(checked.out << checked.err);
    CHECK(checked.succeeded());
}

TEST_CASE("image: the code checks find seeded faults") {
    if (image.empty()) MEDIARIG_SKIP(no_compiler);
    struct Row {
        const char *defect, *script, *complaint;
    };
    const Row rows[] = {
        {"NONE", "ram_code.py", "what runs from RAM stays there"},
        {"CALLS_FLASH", "ram_code.py", "step_interrupt goes through"},
        {"DIVIDES", "ram_code.py", "step_interrupt needs the compiler's helper"},
        {"READS_FLASH", "ram_code.py", "step_interrupt holds 0x1000"},
        {"CALLS_POINTER", "ram_code.py", "step_interrupt calls through a register"},
        {"IN_FLASH", "ram_code.py", "safety_interrupt is not in RAM"},
        {"NO_VECTOR", "ram_code.py", "safety_interrupt is not in the vector table"},
        {"NONE", "budgets.py", "stack: "},
        {"RECURSES", "budgets.py", "recursion: "},
        {"DEEP_FRAME", "budgets.py", "stack is over its budget"},
        {"UNBOUNDED", "budgets.py", "its stack has no bound"},
        {"CALLS_POINTER", "budgets.py", "step_interrupt calls through a register: the called function is unknown"},
        {"FULL_RAM", "budgets.py", "RAM is over its budget"},
        {"FULL_FLASH", "budgets.py", "flash is over its budget"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.defect, row.script);
        const tests::Scratch place;
        const auto built =
            run("arm-none-eabi-g++",
                {"-mcpu=cortex-m0plus", "-mthumb", "-Os", "-std=c++20", "-ffreestanding", "-fno-exceptions",
                 "-fno-rtti", "-fstack-usage", "-fcallgraph-info=su", "--specs=nano.specs", "-nostartfiles",
                 "-Wl,--no-warn-rwx-segments", "-T", source("firmware/board/pico/rp2040.ld"), "-D", row.defect,
                 source("tests/firmware/image/defects.cpp"), "-o", place.path("defect.elf")});
        INFO(built.err);
        REQUIRE(built.succeeded());
        const bool code = std::string_view(row.script) == "ram_code.py";
        const auto checked = code ? run_check(row.script, {place.path("defect.elf")})
                                  : run_check(row.script, {place.path("defect.elf"), place.path("")});
        CHECK(checked.succeeded() == (std::string_view(row.defect) == "NONE"));
        CHECK_THAT(checked.out + checked.err, ContainsSubstring(row.complaint));
    }
}

TEST_CASE("image: a build is reproducible in any folder except for the revision") {
    if (image.empty()) MEDIARIG_SKIP(no_compiler);
    const tests::Scratch place;
    for (const char* part : {"common", "firmware/core", "firmware/board/pico", "hw"}) {
        std::filesystem::create_directories(place.path("a place/" + std::string(part)));
        std::filesystem::copy(source(part), place.path("a place/" + std::string(part)),
                              std::filesystem::copy_options::recursive);
    }
    build(place.path("a place"), place.path("built"), MEDIARIG_BUILD);
    CHECK(contents(place.path("built/mediarig-rig.uf2")) == contents(std::string(image)));

    build(place.path("a place"), place.path("built"), "0123456789ab");
    const std::string other = contents(place.path("built/mediarig-rig.uf2"));
    CHECK(other != contents(std::string(image)));
    CHECK(other.find("0123456789ab") != std::string::npos);
}
