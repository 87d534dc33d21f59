// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/scan_comparison.hpp"

#include <algorithm>

#include "host/base/text.hpp"

namespace mediarig::workload {
namespace {

bool overlap(const WeakPlace& place, Bytes offset, Bytes length) {
    return place.offset < offset + length && offset < place.offset + place.length;
}

/// The worst state in the range. A scan of samples did not read all of a range.
std::optional<PlaceState> state_in(const ScanReport& scan, Bytes offset, Bytes length) {
    std::optional<PlaceState> worst;
    for (const WeakPlace& place : scan.places)
        if (overlap(place, offset, length)) worst = std::max(worst.value_or(PlaceState::good), place.state);
    if (!worst && scan.whole) worst = PlaceState::good;
    return worst;
}

} // namespace

ScanFault fault_of(std::optional<PlaceState> here, std::optional<PlaceState> there) {
    if (!here || !there) return ScanFault::undecided;
    if (*here != PlaceState::good && *there != PlaceState::good) return ScanFault::medium;
    return *here != PlaceState::good ? ScanFault::this_reader : ScanFault::other_reader;
}

Result<std::vector<ComparedPlace>> compare_scans(const ScanReport& here, const ScanReport& there) {
    if (here.size != there.size)
        return fail(Errc::bad_request, "the other scan is of another medium: it has " + size_text(there.size) + " (" +
                                           std::to_string(there.size.count) + " bytes), this one " +
                                           std::to_string(here.size.count) + " bytes; name a scan of the same medium");
    std::vector<ComparedPlace> places;
    const auto add = [&](const WeakPlace& place) {
        ComparedPlace one{.offset = place.offset, .length = place.length};
        one.here = state_in(here, place.offset, place.length);
        one.there = state_in(there, place.offset, place.length);
        one.fault = fault_of(one.here, one.there);
        places.push_back(one);
    };
    for (const WeakPlace& place : here.places) add(place);
    for (const WeakPlace& place : there.places)
        if (std::ranges::none_of(here.places,
                                 [&](const WeakPlace& each) { return overlap(each, place.offset, place.length); }))
            add(place);
    std::ranges::sort(places, {}, &ComparedPlace::offset);
    return places;
}

} // namespace mediarig::workload
