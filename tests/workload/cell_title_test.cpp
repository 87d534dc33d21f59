// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/titles.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;

namespace {

CellSpec cell(const char* id, const char* table, Access access, Bytes block) {
    return {.id = id, .table = table, .access = access, .block = block, .volume = {}, .time_limit = {}};
}

} // namespace

TEST_CASE("a cell's title contains table, access and block") {
    const std::pair<CellSpec, const char*> cells[] = {
        {cell("standard.random_write.4096", "standard", Access::random_write, 4_KiB), "random write 4 KB"},
        {cell("large.seq_read.2097152", "large", Access::sequential_read, 2_MiB), "sequential read 2 MB"},
        {cell(verify_write_id, "verify", Access::sequential_write, 1_MiB), "writing"},
        {cell(verify_read_id, "verify", Access::sequential_read, 1_MiB), "reading back"},
        {cell(probe_id, "verify", Access::sequential_write, 1_MiB), "probing"},
        {cell("articles.write", "articles", Access::random_write, 1_B), "writing articles"},
        {cell("comments.read", "comments", Access::random_read, 1_B), "reading comments"},
        {cell("rndrd.16384", "rndrd", Access::random_read, 16_KiB), "rndrd 16 KB"},
        {cell("seqrd.16384.read", "seqrd", Access::sequential_read, 16_KiB), "seqrd 16 KB, reads"},
        {cell("stibium.write.4096", "stibium", Access::sequential_write, 4_KiB), "stibium 4 KB, writes"},
        {cell("create_pieces", "create_pieces", Access::sequential_write, 4_KiB), "create pieces"},
    };
    for (const auto& [spec, title] : cells) CHECK(cell_title(spec) == title);
}

TEST_CASE("a cell id that does not match the values of its cell is printed unchanged") {
    CHECK(cell_title(cell("a.b.12x", "a", Access::random_read, 12_B)) == "a.b.12x");
    CHECK(cell_title(cell("standard.random_write.4096", "standard", Access::random_write, 8_KiB)) ==
          "standard.random write.4096");
    CHECK(cell_title({.id = "", .table = ""}).empty());
}

TEST_CASE("the progress of a job names its cell") {
    JobSpec job;
    job.kind = SweepJob{.cells = {cell("standard.random_write.4096", "standard", Access::random_write, 4_KiB)}};
    CHECK(phase_title(job, "standard.random_write.4096") == "random write 4 KB");
    for (const auto& [phase, title] :
         {std::pair{"layout", "preparing"}, std::pair{"sync", "flushing"}, std::pair{"cleanup", "cleaning up"},
          std::pair{"another_phase", "another phase"}})
        CHECK(phase_title(job, phase) == title);
    job.kind = MixJob{.cells = {{.cell = cell("rw65", "rw65", Access::random_write, 4_KiB)}}};
    CHECK(phase_title(job, "round 3, rw65") == "round 3, rw65");
    job.kind = VerifyJob{};
    CHECK(phase_title(job, verify_read_id) == "reading back");
    job.kind = BlogJob{};
    CHECK(phase_title(job, "blogs") == "blog users");
}
