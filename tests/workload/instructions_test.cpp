// SPDX-License-Identifier: GPL-3.0-or-later
/// valgrind counts the instructions that the program needs for a transfer. Among the figures of speed, only this one
/// does not depend on the machine's load. The runs record histogram, series and raw log.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "host/workload/jobs/verify_passes.hpp"
#include "tests/catch.hpp"
#include "tests/workload/driven.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;

namespace {

std::string log_in(const Folder& folder) {
    return folder.path("valgrind.txt");
}
std::string counting(const Folder& folder) {
    return "valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=" + log_in(folder);
}
/// Returns the number in the log of valgrind, or 0 without one.
std::uint64_t counted(const Folder& folder) {
    std::ifstream in(log_in(folder));
    const std::string label = "Collected : ";
    for (std::string line; std::getline(in, line);)
        if (const auto at = line.find(label); at != std::string::npos)
            return std::strtoull(line.c_str() + at + label.size(), nullptr, 10);
    return 0;
}

/// Returns the instructions of a whole run, or 0 if valgrind failed.
std::uint64_t instructions(const JobSpec& job, const Folder& folder) {
    const Driven driven = drive(counting(folder), job, folder, "directory", folder.path(), "--terse");
    return driven.status != 0 || driven.report["cells"].size() != 1 ? 0 : counted(folder);
}

/// Returns the instructions of this program for the classification of damaged sectors, or 0 if valgrind failed.
std::uint64_t instructions_of_classification(std::uint64_t sectors, const std::string& kind, const Folder& folder) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const Ran ran = run("MEDIARIG_DAMAGED_SECTORS=" + std::to_string(sectors) + " MEDIARIG_DAMAGE=" + kind + " " +
                        counting(folder) + " " + program + " '[.classification]'");
    return ran.status == 0 ? counted(folder) : 0;
}

/// Cost of one more transfer: the difference of two runs, which excludes start and end.
double per_transfer(JobSpec job, const Folder& folder) {
    constexpr std::uint64_t few = 4'000, many = 24'000;
    job.keep_raw_log = true;
    job.as<SweepJob>()->cells[0].volume = 4_KiB * few;
    const std::uint64_t less = instructions(job, folder);
    job.as<SweepJob>()->cells[0].volume = 4_KiB * many;
    const std::uint64_t more = instructions(job, folder);
    REQUIRE(less > 0);
    REQUIRE(more > less);
    return static_cast<double>(more - less) / (many - few);
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

} // namespace

// Run by the test below under valgrind; `MEDIARIG_DAMAGE`: zeros, noise or misplaced.
TEST_CASE("sectors of a damaged medium are classified", "[.classification]") {
    const char* count = std::getenv("MEDIARIG_DAMAGED_SECTORS");
    const char* kind = std::getenv("MEDIARIG_DAMAGE");
    if (count == nullptr || kind == nullptr) MEDIARIG_SKIP("runs as a part of another test");
    const Pattern pattern(5, 2), other(6, 2);
    std::vector<std::byte> chunk(Pattern::sector_size * 64);
    if (std::string(kind) == "noise") other.fill(chunk, 0);
    if (std::string(kind) == "misplaced") pattern.fill(chunk, (1_GiB).count);
    const PayloadSource payload({.kind = PayloadKind::incompressible, .seed = 5, .given = {}}, 2);
    DamageMap damage;
    const std::uint64_t sectors = std::strtoull(count, nullptr, 10);
    for (std::uint64_t at = 0; at < sectors; at += 64)
        CHECK(check_chunk({.bytes = chunk, .offset = at * Pattern::sector_size, .unreadable = {}}, payload, damage) ==
              0_B);
    CHECK(damage.total() == Bytes{sectors * Pattern::sector_size});
}

TEST_CASE("the classification of a damaged sector needs at most 10,000 instructions with AES instructions") {
    if (sanitized || !have("valgrind")) MEDIARIG_SKIP("needs valgrind and a build without sanitizers");
    Folder folder;
    for (const std::string kind : {"zeros", "noise", "misplaced"}) {
        constexpr std::uint64_t few = 64, many = 64 * 65;
        const std::uint64_t less = instructions_of_classification(few, kind, folder);
        const std::uint64_t more = instructions_of_classification(many, kind, folder);
        REQUIRE(less > 0);
        REQUIRE(more > less);
        const double count = static_cast<double>(more - less) / (many - few);
        std::cout << "classification of " << kind << ": " << count << " instructions\n";
        CHECK(count <= (Pattern::fastest() == Pattern::Code::portable ? 80'000 : 10'000)); // 5,600 and 55,000 by GCC 12
    }
}

TEST_CASE("psync needs at most 120 instructions per transfer") {
    if (sanitized || !have("valgrind")) MEDIARIG_SKIP("needs valgrind and a build without sanitizers");
    Folder folder;
    for (const Access access : {Access::random_read, Access::sequential_read}) {
        const double count = per_transfer(sweep_of({cell_of(access, 4_KiB, 4_MiB)}, 4_MiB), folder);
        std::cout << "psync: " << count << " instructions\n";
        CHECK(count <= 120);
    }
    JobSpec writing = sweep_of({cell_of(Access::random_write, 4_KiB, 4_MiB)}, 4_MiB);
    writing.payload.kind = PayloadKind::zeros; // payload generation is no part of the loop
    const double count = per_transfer(writing, folder);
    std::cout << "psync, writing: " << count << " instructions\n";
    CHECK(count <= 120);
}

TEST_CASE("io_uring needs at most 210 instructions per transfer at queue depth 32") {
    if (sanitized || !have("valgrind")) MEDIARIG_SKIP("needs valgrind and a build without sanitizers");
    Folder folder;
    JobSpec job = sweep_of({cell_of(Access::random_read, 4_KiB, 4_MiB)}, 4_MiB);
    job.engine = Engine::uring;
    job.cache = CachePolicy::cached; // served at once, so that each round of the loop handles the whole queue
    job.as<SweepJob>()->cells[0].queue_depth = 32;
    const double count = per_transfer(job, folder);
    std::cout << "io_uring: " << count << " instructions\n";
    CHECK(count <= 210); // 190 by GCC 12, 201 by GCC 14
}
