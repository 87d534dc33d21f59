// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares a sweep with fio on a file of the same size with the same pattern: bytes and operations must be equal.
/// Rates are only printed.
#include <iostream>

#include "host/workload/outcome.hpp"
#include "tests/catch.hpp"
#include "tests/workload/driven.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;

namespace {

constexpr Bytes volume = 16_MiB;

struct Counts {
    std::uint64_t bytes{}, operations{};
    double megabytes_per_second{};
};

Counts by_fio(const Folder& folder, Engine engine, Access access, Bytes block) {
    const std::string rw = std::string(random(access) ? "rand" : "") + (writes(access) ? "write" : "read");
    const Ran ran = run("fio --name=t --filename=" + folder.path("fio.bin") + " --size=16m --rw=" + rw +
                        " --bs=" + std::to_string(block.count) + " --direct=1 --end_fsync=1 --thread --ioengine=" +
                        (engine == Engine::psync ? "psync --iodepth=1" : "io_uring --iodepth=8") +
                        " --output-format=json 2>/dev/null");
    REQUIRE(ran.status == 0);
    const auto report = nlohmann::json::parse(ran.output, nullptr, false);
    const auto& side = report["jobs"][0][writes(access) ? "write" : "read"];
    return {side["io_bytes"], side["total_ios"], side["bw_bytes"].get<double>() / 1e6};
}

Counts by_us(const Folder& folder, Engine engine, Access access, Bytes block) {
    JobSpec job = sweep_of({cell_of(access, block, volume)}, volume);
    job.engine = engine;
    job.as<SweepJob>()->cells[0].queue_depth = engine == Engine::uring ? 8 : 1;
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    const CellResult& cell = outcome->cells.at(0);
    return {cell.moved.count, cell.operations, rate_of(cell.moved, cell.elapsed).megabytes_per_second()};
}

} // namespace

TEST_CASE("fio and a sweep transfer the same bytes in the same number of operations") {
    if (!have("fio")) MEDIARIG_SKIP("fio is missing");
    Folder folder;
    make_file(folder.path("fio.bin"), volume);
    std::cout << "engine access block: MB/s of fio, of ours (shown, not judged)\n";
    for (const Engine engine : {Engine::psync, Engine::uring})
        for (const Access access :
             {Access::sequential_write, Access::sequential_read, Access::random_write, Access::random_read})
            for (const Bytes block : {4_KiB, 64_KiB, 1_MiB}) {
                CAPTURE(name_of(engine), name_of(access), block.count);
                const Counts fio = by_fio(folder, engine, access, block);
                const Counts ours = by_us(folder, engine, access, block);
                CHECK(ours.bytes == fio.bytes);
                CHECK(ours.operations == fio.operations);
                std::cout << name_of(engine) << ' ' << name_of(access) << ' ' << block.count << ": "
                          << fio.megabytes_per_second << ' ' << ours.megabytes_per_second << '\n';
            }
}
