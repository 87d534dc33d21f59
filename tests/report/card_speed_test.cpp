// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/cards/card.hpp"
#include "host/report/figures/figures.hpp"
#include "host/report/tables/tables.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"

using namespace mediarig;
using namespace mediarig::report;

TEST_CASE("how fast: seconds served by host memory are excluded from best and worst second") {
    store::CampaignView view;
    view.devices.resize(1);
    store::PassView& pass = view.devices[0].passes.emplace_back();
    pass.pass.format = "exfat";
    pass.pass.job.suite = "quickbench";
    pass.cells.push_back(fakes::sample_cell("standard", workload::Access::sequential_write, 64_KiB, 64_MiB, 10));
    const auto told = [&] { return speed_lines(view, 0).back().find(": best second of writing") != std::string::npos; };
    CHECK(told());
    pass.cells[0].evidence.used = workload::CachePolicy::dropped;
    CHECK_FALSE(told());
    pass.cells[0].evidence.used = workload::CachePolicy::direct;
    pass.pass.mounted.emplace().driver = "exfat-fuse";
    CHECK_FALSE(told());
    pass.pass.mounted->driver = "exfat";
    CHECK(told());
    // Nearly all of the time was the final sync.
    pass.cells[0].sync_time = pass.cells[0].elapsed - std::chrono::milliseconds(1500);
    CHECK_FALSE(told());
    pass.cells[0].sync_time = {};
    // The pass in a folder on a FUSE file system has a finding about FUSE.
    pass.pass.mounted.reset();
    measure::Finding limit{.kind = measure::FindingKind::driver_limit, .severity = {}, .detail = "FUSE"};
    pass.findings.push_back(limit);
    CHECK_FALSE(told());
}

TEST_CASE("how fast: a headline figure from a few operations reports their number") {
    store::CampaignView view;
    view.devices.resize(1);
    store::PassView& pass = view.devices[0].passes.emplace_back();
    pass.pass.format = "exfat";
    pass.pass.job.suite = "disktester";
    for (const auto access : {workload::Access::random_read, workload::Access::random_write})
        pass.cells.push_back(fakes::sample_cell("iops", access, 8_KiB, 8_MiB, 1));
    CHECK_THAT(speed_lines(view, 0).front(), !ContainsSubstring("operation"));
    pass.cells[1].operations = 1;
    pass.cells[1].end = workload::CellEnd::time;
    CHECK_THAT(speed_lines(view, 0).front(), ContainsSubstring("; random write from 1 operation, "));
}

TEST_CASE("how fast: a missing headline figure names the missing cell, and the table gives the reason") {
    using workload::Access;
    store::CampaignView view;
    view.devices.resize(1);
    store::PassView& pass = view.devices[0].passes.emplace_back();
    pass.pass.format = "exfat";
    pass.pass.job.suite = "quickbench";
    for (const Access access : {Access::sequential_read, Access::random_write})
        for (Bytes block = 4_KiB; block <= 1_MiB; block = block * 2)
            pass.cells.push_back(fakes::sample_cell("standard", access, block, 8_MiB, 10));
    const auto note = [&] {
        const auto tables = tables_of(view, Figures(view));
        return tables.empty() || tables[0].notes.empty() ? std::string() : tables[0].notes.front();
    };
    CHECK_THAT(speed_lines(view, 0).front(), ContainsSubstring("; random write ") && !ContainsSubstring("no average"));
    CHECK_THAT(note(), !ContainsSubstring("–: "));
    workload::CellResult& empty = pass.cells[10];
    empty.moved = 0_B;
    empty.operations = 0;
    empty.end = workload::CellEnd::time;
    CHECK_THAT(speed_lines(view, 0).front(),
               ContainsSubstring("no average of random write: nothing was measured at 8 KB, "));
    CHECK(note() == "–: random write 8 KB (exFAT): the time limit ended it before the first operation was complete.");
}
