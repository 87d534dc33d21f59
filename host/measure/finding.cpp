// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/finding.hpp"

#include <array>

namespace mediarig::measure {
namespace {

struct KindRow {
    FindingKind kind;
    std::string_view name;
};

constexpr std::array kinds{
    KindRow{FindingKind::io_error, "io_error"},
    KindRow{FindingKind::data_damaged, "data_damaged"},
    KindRow{FindingKind::capacity_missing, "capacity_missing"},
    KindRow{FindingKind::direct_refused, "direct_refused"},
    KindRow{FindingKind::cache_suspected, "cache_suspected"},
    KindRow{FindingKind::cache_not_dropped, "cache_not_dropped"},
    KindRow{FindingKind::flush_unavailable, "flush_unavailable"},
    KindRow{FindingKind::misaligned, "misaligned"},
    KindRow{FindingKind::short_transfer, "short_transfer"},
    KindRow{FindingKind::medium_lost, "medium_lost"},
    KindRow{FindingKind::medium_full, "medium_full"},
    KindRow{FindingKind::not_monotone, "not_monotone"},
    KindRow{FindingKind::driver_limit, "driver_limit"},
    KindRow{FindingKind::resumed, "resumed"},
    KindRow{FindingKind::check_failed, "check_failed"},
    KindRow{FindingKind::identity_changed, "identity_changed"},
    KindRow{FindingKind::engine_punted, "engine_punted"},
    KindRow{FindingKind::rate_unstable, "rate_unstable"},
    KindRow{FindingKind::capacity_unclear, "capacity_unclear"},
    KindRow{FindingKind::slow_region, "slow_region"},
};

struct SeverityRow {
    Severity severity;
    std::string_view name;
};

constexpr std::array severities{
    SeverityRow{Severity::note, "note"},
    SeverityRow{Severity::warning, "warning"},
    SeverityRow{Severity::fault, "fault"},
};

} // namespace

std::string_view name_of(FindingKind kind) {
    for (const KindRow& row : kinds)
        if (row.kind == kind) return row.name;
    return "unknown";
}

Result<FindingKind> finding_kind_from(std::string_view name) {
    for (const KindRow& row : kinds)
        if (row.name == name) return row.kind;
    return fail(Errc::bad_format, "unknown kind of finding '" + std::string(name) + "'");
}

std::string_view name_of(Severity severity) {
    for (const SeverityRow& row : severities)
        if (row.severity == severity) return row.name;
    return "unknown";
}

Result<Severity> severity_from(std::string_view name) {
    for (const SeverityRow& row : severities)
        if (row.name == name) return row.severity;
    return fail(Errc::bad_format, "unknown severity '" + std::string(name) + "'");
}

} // namespace mediarig::measure
