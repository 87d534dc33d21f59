// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/finding.hpp"

#include "host/base/enum_names.hpp"

namespace mediarig::measure {
namespace {

constexpr std::array kinds{
    Name<FindingKind>{FindingKind::io_error, "io_error"},
    Name<FindingKind>{FindingKind::data_damaged, "data_damaged"},
    Name<FindingKind>{FindingKind::capacity_missing, "capacity_missing"},
    Name<FindingKind>{FindingKind::direct_refused, "direct_refused"},
    Name<FindingKind>{FindingKind::cache_suspected, "cache_suspected"},
    Name<FindingKind>{FindingKind::cache_not_dropped, "cache_not_dropped"},
    Name<FindingKind>{FindingKind::flush_unavailable, "flush_unavailable"},
    Name<FindingKind>{FindingKind::misaligned, "misaligned"},
    Name<FindingKind>{FindingKind::short_transfer, "short_transfer"},
    Name<FindingKind>{FindingKind::medium_lost, "medium_lost"},
    Name<FindingKind>{FindingKind::medium_full, "medium_full"},
    Name<FindingKind>{FindingKind::not_monotone, "not_monotone"},
    Name<FindingKind>{FindingKind::driver_limit, "driver_limit"},
    Name<FindingKind>{FindingKind::resumed, "resumed"},
    Name<FindingKind>{FindingKind::check_failed, "check_failed"},
    Name<FindingKind>{FindingKind::identity_changed, "identity_changed"},
    Name<FindingKind>{FindingKind::engine_punted, "engine_punted"},
    Name<FindingKind>{FindingKind::rate_unstable, "rate_unstable"},
    Name<FindingKind>{FindingKind::capacity_unclear, "capacity_unclear"},
    Name<FindingKind>{FindingKind::slow_region, "slow_region"},
    Name<FindingKind>{FindingKind::impossible_rate, "impossible_rate"},
    Name<FindingKind>{FindingKind::processor_bound, "processor_bound"},
    Name<FindingKind>{FindingKind::throttled, "throttled"},
    Name<FindingKind>{FindingKind::position_dependent, "position_dependent"},
    Name<FindingKind>{FindingKind::latency_spikes, "latency_spikes"},
    Name<FindingKind>{FindingKind::too_short, "too_short"},
    Name<FindingKind>{FindingKind::single_pass, "single_pass"},
    Name<FindingKind>{FindingKind::first_pass, "first_pass"},
    Name<FindingKind>{FindingKind::beside_others, "beside_others"},
    Name<FindingKind>{FindingKind::state_drift, "state_drift"},
    Name<FindingKind>{FindingKind::compressible_data, "compressible_data"},
};

constexpr std::array severities{
    Name<Severity>{Severity::note, "note"},
    Name<Severity>{Severity::warning, "warning"},
    Name<Severity>{Severity::fault, "fault"},
};

} // namespace

std::string_view name_of(FindingKind kind) {
    return name_in(kinds, kind);
}
Result<FindingKind> finding_kind_from(std::string_view name) {
    return value_in(kinds, name);
}

std::string_view name_of(Severity severity) {
    return name_in(severities, severity);
}
Result<Severity> severity_from(std::string_view name) {
    return value_in(severities, name);
}

} // namespace mediarig::measure
