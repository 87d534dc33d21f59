// SPDX-License-Identifier: GPL-3.0-or-later
/// Parses any text as a job or a result, which come from the other end of a link. A parsed one must survive a JSON
/// round trip.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "host/workload/json.hpp"

using namespace mediarig::workload;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto json = nlohmann::json::parse(data, data + size, nullptr, false);
    if (json.is_discarded()) return 0;
    if (const auto job = job_from_json(json); job && job_from_json(to_json(*job)) != *job) std::abort();
    if (const auto result = cell_result_from_json(json)) {
        const auto again = cell_result_from_json(to_json(*result));
        if (!again || again->latency != result->latency || again->series != result->series) std::abort();
    }
    if (const auto outcome = verify_outcome_from_json(json)) {
        const auto again = verify_outcome_from_json(to_json(*outcome));
        if (!again || again->damaged != outcome->damaged) std::abort();
    }
    if (const auto finding = mediarig::measure::finding_from_json(json);
        finding && mediarig::measure::finding_from_json(to_json(*finding)) != *finding)
        std::abort();
    return 0;
}
