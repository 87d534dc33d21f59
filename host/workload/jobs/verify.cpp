// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/verify.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "host/workload/jobs/job_checks.hpp"
#include "host/workload/jobs/verify_passes.hpp"

namespace mediarig::workload {
namespace {

/// Empty for data that no later test can read back: files are removed, and a given payload is not known to it.
std::optional<DataLabel> label_of(const JobSpec& job, const JobTarget& target, const VerifySpan& span) {
    const VerifyJob& verify = *job.as<VerifyJob>();
    if (!span.raw() || verify.written_at == 0 || target.medium_name.empty() ||
        job.payload.kind != PayloadKind::incompressible || span.begin() % DataLabel::every != 0_B)
        return std::nullopt;
    return DataLabel{.medium = target.medium_name,
                     .start = span.begin(),
                     .end = span.begin() + span.size(),
                     .size = span.claimed(),
                     .seed = job.payload.seed,
                     .written = verify.written_at,
                     .generation = verify.generation};
}

} // namespace

Result<VerifyOutcome> run_verify(const System& system, const JobSpec& job, const JobTarget& target,
                                 const std::vector<PreviousCell>& done, JobControl& control, Reporter& reporter) {
    const auto device = system.backing_device(target);
    const auto sectors = device->sectors();
    if (auto sane = check_verify(job, sectors); !sane) return fail(sane.error());
    const Bytes unit = std::max(sectors ? sectors->logical : 512_B, 512_B);
    auto span = VerifySpan::open(system, job, target, unit, reporter);
    if (!span) return fail(span.error());
    auto write_relay = Relay::create(job.as<VerifyJob>()->chunk);
    if (!write_relay) return fail(write_relay.error());
    auto read_relay = Relay::create(job.as<VerifyJob>()->chunk);
    if (!read_relay) return fail(read_relay.error());
    control.bytes_total.store(span->size().count * 2, std::memory_order_relaxed);

    const VerifyProgress before =
        span->raw() ? progress_in(done, job.as<VerifyJob>()->chunk, span->size()) : VerifyProgress{};
    VerifyPasses verify(system.clock(), job, *device, *span, unit, *write_relay, *read_relay, before, control, reporter,
                        label_of(job, target, *span));
    Result<void> result = verify.write_all();
    const bool reads_later = job.as<VerifyJob>()->power_cycle == PowerCycle::due && verify.wrote_without_fault();
    if (result && !reads_later) result = verify.read_all();

    VerifyOutcome outcome;
    if (result) {
        auto taken = reads_later ? verify.take_written() : verify.take_outcome();
        if (taken)
            outcome = std::move(*taken);
        else
            result = fail(taken.error());
    }
    reporter.phase("cleanup");
    const auto removed = span->remove();
    if (!result) return fail(result.error());
    if (!removed) return fail(removed.error());
    return outcome;
}

} // namespace mediarig::workload
