// SPDX-License-Identifier: GPL-3.0-or-later
/// valgrind counts the instructions that the program needs for a transfer. Among the figures of speed, only this one
/// does not depend on the machine's load. The runs record histogram, series and raw log.
#include <fstream>
#include <iostream>

#include "tests/catch.hpp"
#include "tests/workload/driven.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;

namespace {

/// Returns the instructions of a whole run, or 0 if valgrind failed.
std::uint64_t instructions(const JobSpec& job, const Folder& folder) {
    const std::string log = folder.path("valgrind.txt");
    const Driven driven = drive("valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=" + log, job,
                                folder, "directory", folder.path(), "--terse");
    if (driven.status != 0 || driven.report["cells"].size() != 1) return 0;
    std::ifstream in(log);
    const std::string label = "Collected : ";
    for (std::string line; std::getline(in, line);)
        if (const auto at = line.find(label); at != std::string::npos)
            return std::strtoull(line.c_str() + at + label.size(), nullptr, 10);
    return 0;
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
