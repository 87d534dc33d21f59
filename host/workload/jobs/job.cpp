// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/job.hpp"

#include <algorithm>
#include <utility>

#include "host/workload/jobs/blog.hpp"
#include "host/workload/jobs/files.hpp"
#include "host/workload/jobs/job_checks.hpp"
#include "host/workload/jobs/mix.hpp"
#include "host/workload/jobs/probe.hpp"
#include "host/workload/jobs/sweep.hpp"
#include "host/workload/jobs/verify.hpp"

namespace mediarig::workload {
namespace {

/// The parameters of every kind of job.
struct Run {
    const System& system;
    const JobSpec& job;
    const JobTarget& target;
    const std::vector<PreviousCell>& already_done;
    JobControl& control;
    Reporter& reporter;
};

Result<void> run_kind(const SweepJob&, const Run& run, JobOutcome&) {
    return run_sweep(run.system, run.job, run.target, run.already_done, run.control, run.reporter);
}

Result<void> run_kind(const VerifyJob&, const Run& run, JobOutcome& outcome) {
    if (holds(run.already_done, verify_read_id)) return {};
    auto verified = run_verify(run.system, run.job, run.target, run.already_done, run.control, run.reporter);
    if (!verified) return fail(verified.error());
    outcome.verify = std::move(*verified);
    return {};
}

Result<void> run_kind(const MixJob&, const Run& run, JobOutcome&) {
    return run_mix(run.system, run.job, run.target, run.already_done, run.control, run.reporter);
}

Result<void> run_kind(const FilesJob&, const Run& run, JobOutcome&) {
    return run_files(run.system, run.job, run.target, run.control, run.reporter);
}

Result<void> run_kind(const BlogJob&, const Run& run, JobOutcome&) {
    return run_blog(run.system, run.job, run.target, run.control, run.reporter);
}

Result<void> run_kind(const ProbeJob&, const Run& run, JobOutcome& outcome) {
    auto probed = run_probe(run.system, run.job, run.target, run.control, run.reporter);
    if (!probed) return fail(probed.error());
    outcome.verify = std::move(*probed);
    return {};
}

/// The error of a job that was refused after its first write. `refused` means that nothing was written, so it is not
/// the right code then: the device no longer shows the medium that was claimed.
Error after_first_write(Error error, const JobControl& control, Reporter& reporter) {
    if (error.code != Errc::refused || !control.may_write.granted()) return error;
    error = {Errc::no_medium, "the medium was removed or exchanged during the test: " + error.detail};
    reporter.add_job_finding(measure::Finding{.kind = measure::FindingKind::medium_lost,
                                              .severity = measure::Severity::fault,
                                              .detail = error.detail,
                                              .offset = {}});
    return error;
}

Result<JobOutcome> run_on_open_target(const System& system, const JobSpec& job, const JobTarget& target,
                                      const std::vector<PreviousCell>& already_done, JobControl& control,
                                      JobObserver& observer) {
    JobOutcome outcome;
    Reporter reporter(observer, outcome, &system);
    const Run run{system, job, target, already_done, control, reporter};
    if (auto ran = std::visit([&](const auto& kind) { return run_kind(kind, run, outcome); }, job.kind); !ran)
        return fail(after_first_write(ran.error(), control, reporter));
    return outcome;
}

} // namespace

Result<JobOutcome> run_job(const System& system, const JobSpec& job, const JobTarget& target,
                           const std::vector<PreviousCell>& already_done, JobControl& control, JobObserver& observer) {
    if (target.kind == JobTarget::Kind::device && target.device_fd < 0)
        return fail(Errc::bad_request, "a raw test needs an open device");
    if (target.kind == JobTarget::Kind::device || target.directory_fd >= 0)
        return run_on_open_target(system, job, target, already_done, control, observer);
    const auto directory = system.open_directory(target.path);
    if (!directory) return fail(directory.error());
    JobTarget opened = target;
    opened.directory_fd = directory->get();
    return run_on_open_target(system, job, opened, already_done, control, observer);
}

} // namespace mediarig::workload
