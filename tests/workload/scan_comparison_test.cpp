// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/scan_comparison.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;

namespace {

using State = std::optional<PlaceState>;

ScanReport scan_of(std::vector<WeakPlace> places, bool whole = true) {
    ScanReport scan;
    scan.size = 64_MiB;
    scan.whole = whole;
    scan.places = std::move(places);
    return scan;
}
WeakPlace weak(Bytes offset, PlaceState state, Bytes length = 4_KiB) {
    return {.offset = offset, .length = length, .state = state, .failed = 5, .took = {}};
}

} // namespace

TEST_CASE("the cause of a weak place follows from its states in both readers") {
    struct Row {
        State here, there;
        ScanFault fault;
    };
    const Row rows[] = {
        {PlaceState::unreadable, PlaceState::unreadable, ScanFault::medium},
        {PlaceState::unreadable, PlaceState::slow, ScanFault::medium},
        {PlaceState::slow, PlaceState::slow, ScanFault::medium},
        {PlaceState::unreadable, PlaceState::good, ScanFault::this_reader},
        {PlaceState::slow, PlaceState::good, ScanFault::this_reader},
        {PlaceState::good, PlaceState::unreadable, ScanFault::other_reader},
        {PlaceState::good, PlaceState::slow, ScanFault::other_reader},
        {PlaceState::unreadable, std::nullopt, ScanFault::undecided},
        {std::nullopt, PlaceState::slow, ScanFault::undecided},
    };
    for (const Row& row : rows) {
        CAPTURE(static_cast<int>(row.fault));
        CHECK(fault_of(row.here, row.there) == row.fault);
    }
}

TEST_CASE("the weak places of two scans are merged in ascending order") {
    const auto places =
        compare_scans(scan_of({weak(1_MiB, PlaceState::unreadable), weak(8_MiB, PlaceState::slow, 1_MiB)}),
                      scan_of({weak(4_MiB, PlaceState::unreadable), weak(8_MiB + 8_KiB, PlaceState::unreadable)}));
    REQUIRE(reason(places) == "success");
    CHECK(*places == std::vector<ComparedPlace>{{.offset = 1_MiB,
                                                 .length = 4_KiB,
                                                 .here = PlaceState::unreadable,
                                                 .there = PlaceState::good,
                                                 .fault = ScanFault::this_reader},
                                                {.offset = 4_MiB,
                                                 .length = 4_KiB,
                                                 .here = PlaceState::good,
                                                 .there = PlaceState::unreadable,
                                                 .fault = ScanFault::other_reader},
                                                {.offset = 8_MiB,
                                                 .length = 1_MiB,
                                                 .here = PlaceState::slow,
                                                 .there = PlaceState::unreadable,
                                                 .fault = ScanFault::medium}});
}

TEST_CASE("a sampled scan decides only its own weak places") {
    const auto places = compare_scans(scan_of({weak(1_MiB, PlaceState::unreadable)}), scan_of({}, false));
    REQUIRE(reason(places) == "success");
    REQUIRE(places->size() == 1);
    CHECK_FALSE(places->front().there);
    CHECK(places->front().fault == ScanFault::undecided);
}

TEST_CASE("scans of different sizes are not compared") {
    ScanReport other = scan_of({});
    other.size = 32_MiB;
    const auto places = compare_scans(scan_of({}), other);
    REQUIRE_FALSE(places);
    CHECK(places.error().code == Errc::bad_request);
    CHECK_THAT(places.error().detail, ContainsSubstring("another medium"));
}
