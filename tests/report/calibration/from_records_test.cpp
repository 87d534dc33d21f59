// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/report/calibration/from_records.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::calibration;

namespace {

/// One campaign with one medium in one slot. `second` is its time.
store::CampaignView measured(const std::string& part, const std::string& slot, double rate, int second) {
    store::PassView pass;
    pass.pass.started = store::TimePoint(std::chrono::seconds(second));
    workload::CellResult cell;
    cell.cell.id = "read";
    cell.elapsed = std::chrono::seconds(1);
    cell.moved = Bytes{static_cast<std::uint64_t>(rate * 1e6)};
    pass.cells.push_back(cell);
    store::DeviceView device;
    device.device.key = part;
    device.device.name = "golden";
    device.device.slot = slot;
    device.passes.push_back(std::move(pass));
    store::CampaignView view;
    view.devices.push_back(std::move(device));
    return view;
}

} // namespace

TEST_CASE("media measured in every slot give a crossed study in the order of measurement") {
    std::vector<store::CampaignView> campaigns;
    // Newest first, as listed by a store.
    for (int trial = 2; trial >= 0; --trial)
        for (const char* part : {"B", "A"})
            for (const char* slot : {"2", "1"})
                campaigns.push_back(measured(part, slot, (part[0] - 'A') * 100 + (slot[0] - '0') * 10 + trial, trial));
    campaigns.push_back(measured("A", "1", 999, 9)); // a fourth trial that the others lack
    campaigns.push_back(measured("C", "1", 500, 1)); // never in slot 2
    const auto studied = gage_from(campaigns, "read");
    REQUIRE(reason(studied) == "success");
    CHECK(studied->parts == std::vector<std::string>{"A", "B"});
    CHECK(studied->slots == std::vector<std::string>{"1", "2"});
    CHECK(studied->left_out == std::vector<std::string>{"C: measured in 1 of 2 slots, at least 0 times in each"});
    CHECK(studied->data.trials == 3);
    CHECK(studied->data.at(0, 0, 0) == Approx(10));
    CHECK(studied->data.at(0, 1, 2) == Approx(22));
    CHECK(studied->data.at(1, 0, 1) == Approx(111));
    CHECK(measure::study_gage(studied->data));
}

TEST_CASE("a gage study with too few measurements is refused with their number") {
    CHECK_THAT(reason(gage_from({}, "read")), ContainsSubstring("no campaign measured the cell \"read\" in a slot"));
    const std::vector<store::CampaignView> one{measured("A", "1", 10, 1), measured("A", "1", 11, 2)};
    CHECK_THAT(reason(gage_from(one, "read")),
               ContainsSubstring("1 media were measured at least twice in each of 1 slots"));
}

TEST_CASE("the values of one medium are returned in the order of measurement") {
    const std::vector<store::CampaignView> campaigns{measured("A", "1", 12, 2), measured("A", "2", 11, 1),
                                                     measured("B", "1", 90, 1)};
    const auto values = chart_from(campaigns, "A", "read");
    REQUIRE(reason(values) == "success");
    REQUIRE(values->size() == 2);
    CHECK(values->at(0).value == Approx(11));
    CHECK(values->at(1).value == Approx(12));
    CHECK_THAT(reason(chart_from(campaigns, "C", "read")), ContainsSubstring("on a medium \"C\""));
}
