// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares the calls for single bytes of suite bonnie and of bonnie++. The kernel counts the calls, because a trace of
/// millions of calls would take minutes.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"
#include "tests/sample.hpp"
#include "tests/scratch.hpp"
#include "tests/workload/driven.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;

namespace {

/// Write and read calls so far, as counted by proc(5): lines "syscw: 17" and "syscr: 18".
std::pair<std::uint64_t, std::uint64_t> calls_told(const std::string& io) {
    const auto of = [&](const char* name) {
        const auto at = io.find(name);
        REQUIRE(at != std::string::npos);
        return std::strtoull(io.c_str() + at + std::strlen(name), nullptr, 10);
    };
    return {of("syscw: "), of("syscr: ")};
}

} // namespace

TEST_CASE("bonnie++ and suite bonnie transfer the same number of single bytes, one per call") {
    MEDIARIG_SAMPLED(4); // six million calls of each program
    if (!have("bonnie++")) MEDIARIG_SKIP("bonnie++ is not installed");
    Folder folder;
    std::filesystem::create_directories(folder.path("medium"));
    const Ran ran = run("bonnie++ -q -s 4 -r 2 -n 0 -d " + folder.path("medium") + (are_root() ? " -u root" : "") +
                        " > " + folder.path("output") + " 2>&1 && cat /proc/$$/io");
    REQUIRE(ran.status == 0);
    const auto [written, read] = calls_told(ran.output);

    suites::SuiteRequest request;
    request.name = "bonnie";
    request.span = 4_MiB;
    JobSpec job = suites::expand(request, 16_GiB).value();
    std::erase_if(job.as<FilesJob>()->steps, [](const FileStep& step) { return step.set != 0; });
    REQUIRE(job.as<FilesJob>()->steps.size() == 2);
    const auto own = [] { return calls_told(tests::text_of("/proc/self/io")); };
    JobControl control;
    Watcher watcher;
    const auto before = own();
    REQUIRE(reason(run_job(job, directory(folder.path("medium")), {}, control, watcher)) == "success");
    const auto after = own();
    // The calls also include some thousand chunks and seeks of bonnie++, and start-up reads of both programs.
    constexpr std::uint64_t bytes = (3_MiB).count;
    CHECK((written >= bytes && written < bytes + 10'000));
    CHECK((read >= bytes && read < bytes + 50'000));
    CHECK((after.first - before.first >= bytes && after.first - before.first < bytes + 1000));
    CHECK((after.second - before.second >= bytes && after.second - before.second < bytes + 1000));
}
