// SPDX-License-Identifier: GPL-3.0-or-later
// The firmware table that marks PCIe ports as external, read back by ACPI's disassembler and compiler. The tests of the
// real machine show that a kernel accepts it.
#include <filesystem>
#include <fstream>
#include <numeric>

#include "host/base/process/run_process.hpp"
#include "host/lab/machine/external_ports.hpp"
#include "tests/catch.hpp"
#include "tests/lab/machine/booted.hpp"

namespace mediarig::lab {
namespace {

std::string iasl(std::vector<std::string> words) {
    const auto done = process::run_process(
        {.program = "iasl", .arguments = std::move(words), .time_limit = std::chrono::seconds(60)});
    REQUIRE(reason(done) == "success");
    CHECK(done->exit_status == 0);
    return done->out + done->err;
}

} // namespace

TEST_CASE("external ports: exactly the root ports of NVMe slots are external") {
    const auto layout = lay_out({{SlotId{1}, SlotKind::nvme}, {SlotId{2}, SlotKind::sd}, {SlotId{3}, SlotKind::nvme}});
    REQUIRE(reason(layout) == "success");
    CHECK(external_ports(*layout) == std::vector<std::uint32_t>{0x18, 0x19});
    CHECK(external_ports(SlotLayout{}).empty());
}

TEST_CASE("external ports: the table is complete with correct length and checksum") {
    for (const std::size_t count : {1U, 2U, 4U}) {
        std::vector<std::uint32_t> ports(count);
        std::iota(ports.begin(), ports.end(), 0x18U);
        const std::string table = external_ports_table(ports);
        CHECK(table.substr(0, 4) == "SSDT");
        const auto byte = [&](std::size_t at) { return std::size_t{static_cast<unsigned char>(table[at])}; };
        CHECK(byte(4) + 256 * byte(5) == table.size());
        const auto sum = std::accumulate(table.begin(), table.end(), 0U, [](unsigned so_far, char c) {
            return so_far + static_cast<unsigned char>(c);
        });
        CHECK(sum % 256 == 0);
    }
}

TEST_CASE("external ports: iasl disassembles each port's property and compiles its own output") {
    if (!process::find_program("iasl")) MEDIARIG_SKIP("iasl of the package acpica-tools is not installed");
    const tests::Scratch scratch;
    const std::string table = scratch.path("ports.aml"), source = scratch.path("ports.dsl");
    std::ofstream(table, std::ios::binary) << external_ports_table({0x18, 0x19, 0x1A, 0x1B});
    CHECK_THAT(iasl({"-d", table}), !ContainsSubstring("Warning") && !ContainsSubstring("checksum"));
    const std::string read = tests::text_of(source);
    CAPTURE(read);
    const char* ports[] = {"SC0", "SC8", "SD0", "SD8"};
    std::size_t at = 0;
    for (std::size_t i = 0; i < std::size(ports); ++i) {
        CAPTURE(ports[i]);
        at = read.find(std::string("Scope (\\_SB.PCI0.") + ports[i] + ")", at);
        REQUIRE(at != std::string::npos);
        const std::string scope = read.substr(at, read.find("Scope (", at + 1) - at);
        CHECK_THAT(scope, ContainsSubstring("Name (_DSD") &&
                              ContainsSubstring("efcc06cc-73ac-4bc3-bff0-76143807c389") &&
                              ContainsSubstring("\"ExternalFacingPort\"") && ContainsSubstring("\"UID\""));
    }
    CHECK_THAT(iasl({source}), ContainsSubstring("0 Errors, 0 Warnings"));
}

} // namespace mediarig::lab
