// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/recorder_text.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace std::chrono_literals;

namespace {

store::CampaignView campaign_of(std::size_t seconds, workload::Access access = workload::Access::sequential_write) {
    workload::CellResult cell;
    cell.cell.id = "verify.write";
    cell.cell.access = access;
    cell.end = workload::CellEnd::volume;
    for (std::size_t i = 0; i < seconds; ++i)
        cell.series.push_back({.length = 1s, .moved = {i == 5 ? 10'000'000u : 60'000'000u}, .operations = 60});
    store::PassView pass;
    pass.cells = {cell};
    store::DeviceView device;
    device.device.name = "card A";
    device.passes = {pass};
    store::CampaignView campaign;
    campaign.devices = {device};
    return campaign;
}

} // namespace

TEST_CASE("the requirements of a recorder contain the rate for each buffer and the buffer of typical recorders") {
    const std::string text = recorder_text(campaign_of(20), 200);
    CHECK_THAT(text, ContainsSubstring("card A, writing: 20 s of sequential writing, 57.5 MB/s in the mean."));
    CHECK_THAT(text, ContainsSubstring("  buffer      0 B      10.0 MB/s\n"));
    CHECK_THAT(text, ContainsSubstring("  buffer  16.0 MB      26.0 MB/s\n"));
    CHECK_THAT(text, ContainsSubstring("dash cam, 1080p (16 Mbit/s) needs a buffer of 0 B\n"));
    CHECK_THAT(text, ContainsSubstring("camera, 4K all-intra (400 Mbit/s) needs a buffer of 40.0 MB\n"));
    CHECK_THAT(text, ContainsSubstring("camera, 4K 60p all-intra (600 Mbit/s) faster than the medium\n"));
}

TEST_CASE("a short series or a read gives no requirements of a recorder") {
    CHECK_THAT(recorder_text(campaign_of(9), 200), ContainsSubstring("No pass has ten seconds"));
    CHECK_THAT(recorder_text(campaign_of(20, workload::Access::sequential_read), 200),
               ContainsSubstring("No pass has ten seconds"));
}
