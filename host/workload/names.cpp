// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/names.hpp"

#include <array>
#include <string>
#include <utility>

namespace mediarig::workload {
namespace {

template <class E, std::size_t N>
using Names = std::array<std::pair<E, std::string_view>, N>;

constexpr Names<Access, 4> accesses{{{Access::sequential_read, "seq_read"},
                                     {Access::sequential_write, "seq_write"},
                                     {Access::random_read, "random_read"},
                                     {Access::random_write, "random_write"}}};
constexpr Names<Engine, 2> engines{{{Engine::psync, "psync"}, {Engine::uring, "uring"}}};
constexpr Names<CachePolicy, 3> cache_policies{
    {{CachePolicy::direct, "direct"}, {CachePolicy::dropped, "dropped"}, {CachePolicy::cached, "cached"}}};
constexpr Names<SyncLevel, 3> sync_levels{
    {{SyncLevel::none, "none"}, {SyncLevel::at_end, "at_end"}, {SyncLevel::each_io, "each_io"}}};
constexpr Names<PayloadKind, 3> payload_kinds{
    {{PayloadKind::incompressible, "incompressible"}, {PayloadKind::given, "given"}, {PayloadKind::zeros, "zeros"}}};
constexpr Names<OnIoError, 2> error_policies{{{OnIoError::stop, "stop"}, {OnIoError::go_on, "go_on"}}};
constexpr Names<CellEnd, 4> ends{{{CellEnd::volume, "volume"},
                                  {CellEnd::time, "time"},
                                  {CellEnd::error, "error"},
                                  {CellEnd::cancelled, "cancelled"}}};
constexpr Names<DamageKind, 5> damage_kinds{{{DamageKind::unreadable, "unreadable"},
                                             {DamageKind::flipped, "flipped"},
                                             {DamageKind::misplaced, "misplaced"},
                                             {DamageKind::stale, "stale"},
                                             {DamageKind::foreign, "foreign"}}};
constexpr Names<CapacityVerdict, 4> verdicts{{{CapacityVerdict::good, "good"},
                                              {CapacityVerdict::fake, "fake"},
                                              {CapacityVerdict::damaged, "damaged"},
                                              {CapacityVerdict::inconclusive, "inconclusive"}}};
constexpr Names<FakeKind, 4> fake_kinds{
    {{FakeKind::wrap, "wrap"}, {FakeKind::drop, "drop"}, {FakeKind::garbage, "garbage"}, {FakeKind::errors, "errors"}}};

template <class E, std::size_t N>
std::string_view name_in(const Names<E, N>& names, E value) {
    for (const auto& [candidate, name] : names)
        if (candidate == value) return name;
    return "unknown";
}

template <class E, std::size_t N>
Result<E> value_in(const Names<E, N>& names, std::string_view name) {
    std::string known;
    for (const auto& [value, candidate] : names) {
        if (candidate == name) return value;
        known += known.empty() ? "" : ", ";
        known += candidate;
    }
    return fail(Errc::bad_format, "\"" + std::string(name.substr(0, 40)) + "\" is none of " + known);
}

} // namespace

std::string_view name_of(Access access) {
    return name_in(accesses, access);
}
std::string_view name_of(Engine engine) {
    return name_in(engines, engine);
}
std::string_view name_of(CachePolicy cache) {
    return name_in(cache_policies, cache);
}
std::string_view name_of(SyncLevel sync) {
    return name_in(sync_levels, sync);
}
std::string_view name_of(PayloadKind kind) {
    return name_in(payload_kinds, kind);
}
std::string_view name_of(OnIoError on_error) {
    return name_in(error_policies, on_error);
}
std::string_view name_of(CellEnd end) {
    return name_in(ends, end);
}
std::string_view name_of(DamageKind kind) {
    return name_in(damage_kinds, kind);
}
std::string_view name_of(CapacityVerdict verdict) {
    return name_in(verdicts, verdict);
}
std::string_view name_of(FakeKind kind) {
    return name_in(fake_kinds, kind);
}

Result<Access> access_from(std::string_view name) {
    return value_in(accesses, name);
}
Result<Engine> engine_from(std::string_view name) {
    return value_in(engines, name);
}
Result<CachePolicy> cache_policy_from(std::string_view name) {
    return value_in(cache_policies, name);
}
Result<SyncLevel> sync_level_from(std::string_view name) {
    return value_in(sync_levels, name);
}
Result<PayloadKind> payload_kind_from(std::string_view name) {
    return value_in(payload_kinds, name);
}
Result<OnIoError> on_io_error_from(std::string_view name) {
    return value_in(error_policies, name);
}
Result<CellEnd> cell_end_from(std::string_view name) {
    return value_in(ends, name);
}
Result<DamageKind> damage_kind_from(std::string_view name) {
    return value_in(damage_kinds, name);
}
Result<CapacityVerdict> capacity_verdict_from(std::string_view name) {
    return value_in(verdicts, name);
}
Result<FakeKind> fake_kind_from(std::string_view name) {
    return value_in(fake_kinds, name);
}

} // namespace mediarig::workload
