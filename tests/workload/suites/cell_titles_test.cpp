// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include "host/workload/suites/suite.hpp"
#include "host/workload/titles.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;

TEST_CASE("the cells of each suite have unique titles that consist of words") {
    for (const suites::Suite* suite : suites::all_suites()) {
        CAPTURE(suite->name);
        suites::SuiteRequest request;
        request.name = suite->name;
        const auto job = suites::expand(request, 1024_GiB);
        REQUIRE(job);
        std::map<std::string, std::string> ids; // the id of the cell with each title
        const auto take = [&](const CellSpec& cell) {
            const std::string title = cell_title(cell);
            CAPTURE(cell.id, title);
            CHECK(title.find_first_of("._") == title.npos);
            CHECK(ids.emplace(title + " " + cell.table, cell.id).first->second == cell.id);
        };
        if (const auto* sweep = job->as<SweepJob>())
            for (const CellSpec& cell : sweep->cells) take(cell);
        if (const auto* mix = job->as<MixJob>())
            for (const MixCell& cell : mix->cells) take(cell.cell);
        if (const auto* files = job->as<FilesJob>())
            for (const FileStep& step : files->steps) take(step.cell);
    }
}
