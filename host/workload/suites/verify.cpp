// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

constexpr Bytes quick_verify_span = 64_MiB;

Result<workload::JobKind> verify_of(const Suite&, const SuiteRequest& request, Bytes available) {
    if (!request.tables.empty() || !request.accesses.empty() || request.blocks.size() > 1 || request.volume ||
        request.time_limit || request.queue_depth.value_or(1) > 1)
        return fail(Errc::bad_request,
                    "suite verify takes a span, one block size and a payload; it has no tables, accesses, volumes, "
                    "time limits or queues");
    if (request.payload && request.payload->kind != workload::PayloadKind::incompressible &&
        request.payload->kind != workload::PayloadKind::given)
        return fail(Errc::bad_request,
                    "verify needs a payload that differs between positions: incompressible or given");
    workload::VerifyJob verify;
    if (!request.blocks.empty()) verify.chunk = request.blocks.front();
    if (verify.chunk % 512_B != 0_B || verify.chunk > 64_MiB)
        return fail(Errc::bad_request, "verify needs a block of whole 512-byte sectors up to 64 MiB");
    if (request.quick || request.span) {
        auto span = span_for(request, quick_verify_span, verify.chunk, available);
        if (!span) return fail(span.error());
        verify.span = *span;
    }
    return verify;
}

constexpr std::array tables{SuiteTable{.name = "verify", .shape = Shape::capacity, .names = MetricNaming::direction}};

} // namespace

extern const Suite verify;
constexpr Suite verify{.name = "verify", .title = "verify", .tables = tables, .kind_of = verify_of};

} // namespace mediarig::suites
