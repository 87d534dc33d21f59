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

TEST_CASE("a series is consistent with the marks up to its slowest second, and never more") {
    CHECK_THAT(recorder_text(campaign_of(20), 200),
               ContainsSubstring("  marks: consistent with C10, U1, V10 in recording, slowest second 10.0 MB/s\n"));
    store::CampaignView view = campaign_of(20);
    workload::CellResult& cell = view.devices[0].passes[0].cells[0];
    for (const auto& [megabytes, answer] :
         {std::pair{1u, "consistent with none, slowest second 1.0 MB/s"}, std::pair{6u, "consistent with C6, V6 in"},
          std::pair{29u, "consistent with C10, U1, V10 in"}, std::pair{30u, "consistent with U3, V30 in"}}) {
        cell.series[5].moved = {megabytes * 1'000'000u};
        CHECK_THAT(recorder_text(view, 200), ContainsSubstring(answer));
    }
    for (workload::SeriesSample& sample : cell.series) sample.moved = {95'000'000u};
    CHECK_THAT(recorder_text(view, 200), ContainsSubstring("consistent with V90 in recording"));
}

TEST_CASE("a stall contradicts each mark, and the page cache leaves the marks undecided") {
    store::CampaignView view = campaign_of(20);
    workload::CellResult& cell = view.devices[0].passes[0].cells[0];
    cell.cell.block = 1_MiB; // two units of recording
    cell.series[7].worst = 500ms;
    CHECK_THAT(recorder_text(view, 200), ContainsSubstring("consistent with C10"));
    cell.series[7].worst = 501ms;
    CHECK_THAT(recorder_text(view, 200),
               ContainsSubstring("marks: consistent with none, a write took 501 ms, and 500 ms are allowed\n"));
    cell.evidence.used = workload::CachePolicy::dropped;
    CHECK_THAT(recorder_text(view, 200), ContainsSubstring("marks: undecided, the data went through the page cache"));
}

TEST_CASE("a wanted rate is listed with its buffer") {
    CHECK_THAT(recorder_text(campaign_of(20), 200, Rate{50e6}),
               ContainsSubstring("  50.0 MB/s on this medium needs 40.0 MB of buffer\n"));
    CHECK_THAT(recorder_text(campaign_of(20), 200, Rate{60e6}),
               ContainsSubstring("  60.0 MB/s is faster than this medium: no buffer is sufficient\n"));
}

TEST_CASE("a short series or a read gives no requirements of a recorder") {
    CHECK_THAT(recorder_text(campaign_of(9), 200), ContainsSubstring("No pass has ten seconds"));
    CHECK_THAT(recorder_text(campaign_of(20, workload::Access::sequential_read), 200),
               ContainsSubstring("No pass has ten seconds"));
}
