// SPDX-License-Identifier: GPL-3.0-or-later
/// The requests to a subject in one scenario, and the parameters of each.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "tests/media/claim/scenarios/rng.hpp"

namespace mediarig::claim_scenarios {

enum class RequestKind : std::uint8_t {
    claim,
    discard,
    format_hfs,
    format_exfat,
    format_with_table,
    check_hfs,
    check_exfat,
    mount,
    run_raw,
    run_folder,
    unmount,
    release
};
inline constexpr std::size_t request_kinds = 12;
[[nodiscard]] const char* name_of(RequestKind kind);
[[nodiscard]] const char* name_of_method(RequestKind kind);

struct PlannedRequest {
    int subject{};
    RequestKind kind{};
    std::uint64_t seed{}; ///< seed of the parameters
};
[[nodiscard]] std::vector<PlannedRequest> plan_requests(Rng& rng, bool two_subjects);
/// Parameters of a request. Not for claims.
[[nodiscard]] nlohmann::json params_of(const PlannedRequest& request, std::uint64_t claim, std::uint64_t size);

} // namespace mediarig::claim_scenarios
