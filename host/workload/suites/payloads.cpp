// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/measure/counterbalance.hpp"
#include "host/workload/suites/payload_tables.hpp"
#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

// Each read follows the write of the same data, so a time limit, which may end a write early, would mix the data.
constexpr TransferLimits full{64_MiB, std::nullopt};
constexpr TransferLimits quick{8_MiB, std::nullopt};
/// Two pairs of an order and its mirror image.
constexpr std::size_t rounds = 4;

constexpr SuiteTable table(const PayloadTable& payload) {
    return {.name = payload.table,
            .shape = Shape::named_views,
            .names = MetricNaming::table,
            .sizes = {1_MiB, 1_MiB, {}},
            .accesses = sequential_accesses,
            .full = full,
            .quick = quick};
}
constexpr std::array tables{table(payload_tables[0]), table(payload_tables[1]), table(payload_tables[2]),
                            table(payload_tables[3]), table(payload_tables[4])};
static_assert(tables.size() == payload_tables.size());

constexpr Metric rate_of(std::string_view table, Access access) {
    return {.table = table, .access = access, .block = {}, .value = Value::mb_per_s};
}
constexpr std::array headlines{
    Headline{rate_of(reference_payload, Access::sequential_write), "noise write, MB/s", 1},
    Headline{rate_of(reference_payload, Access::sequential_read), "noise read, MB/s", 1},
};

Result<workload::JobKind> balanced(const Suite& suite, const SuiteRequest& request, Bytes available) {
    const bool other_data = request.payload && request.payload->kind != workload::PayloadKind::incompressible;
    if (other_data || request.time_limit || !request.accesses.empty())
        return fail(Errc::bad_request,
                    "suite payloads writes its own data and reads them back: it takes no accesses, no time limit, and "
                    "of a payload only the seed of its noise");
    auto kind = sweep_of(suite, request, available);
    if (!kind) return kind;
    auto& sweep = std::get<workload::SweepJob>(*kind);
    // One write and one read per table.
    const std::vector<workload::CellSpec> once = std::exchange(sweep.cells, {});
    std::size_t round = 0;
    for (const std::vector<std::size_t>& order : measure::counterbalanced(once.size() / 2, rounds)) {
        ++round;
        for (const std::size_t place : order)
            for (const std::size_t access : {std::size_t{0}, std::size_t{1}}) {
                workload::CellSpec cell = once[2 * place + access];
                cell.payload = std::ranges::find(payload_tables, cell.table, &PayloadTable::table)->kind;
                cell.id += fmt::format(".{}", round);
                sweep.cells.push_back(std::move(cell));
            }
    }
    return kind;
}

std::optional<View> by_payload(const DeviceResults& measured) {
    View view{
        .title = "Rates by data",
        .columns = {"Write MB/s", "Read MB/s"},
        .rows = {},
        .notes = {"Means of four rates, in balanced order. Files of cameras and archives are as random as noise."}};
    for (const PayloadTable& payload : payload_tables) {
        View::Row row{std::string(payload.title), {}};
        bool any = false;
        for (const Access access : sequential_accesses) {
            const auto rate = measured.value_of(rate_of(payload.table, access));
            any = any || rate;
            row.cells.push_back(rate ? fmt::format("{:.1f}", *rate) : "–");
        }
        if (any) view.rows.push_back(std::move(row));
    }
    if (view.rows.empty()) return std::nullopt;
    return view;
}

} // namespace

extern const Suite payloads;
constexpr Suite payloads{.name = "payloads",
                         .title = "payloads",
                         .tables = tables,
                         .headlines = headlines,
                         .full_span = 64_MiB,
                         .quick_span = 8_MiB,
                         .kind_of = balanced,
                         .view = by_payload};

} // namespace mediarig::suites
