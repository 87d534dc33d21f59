// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/job.hpp"

#include <algorithm>
#include <utility>

#include "host/workload/probe.hpp"
#include "host/workload/reporter.hpp"
#include "host/workload/sweep.hpp"
#include "host/workload/system.hpp"
#include "host/workload/verify.hpp"

namespace mediarig::workload {
namespace {

Result<JobOutcome> run_on_open_target(const System& system, const JobSpec& job, const Target& target,
                                      const std::vector<std::string>& already_done, JobControl& control,
                                      JobObserver& observer) {
    JobOutcome outcome;
    Reporter reporter(observer, outcome);
    if (job.sweep) {
        if (auto swept = run_sweep(system, job, target, already_done, control, reporter); !swept)
            return fail(swept.error());
        return outcome;
    }
    if (job.probe) {
        auto probed = run_probe(system, job, target, control, reporter);
        if (!probed) return fail(probed.error());
        outcome.verify = std::move(*probed);
        return outcome;
    }
    if (std::find(already_done.begin(), already_done.end(), "verify.read") != already_done.end()) return outcome;
    auto verified = run_verify(system, job, target, already_done, control, reporter);
    if (!verified) return fail(verified.error());
    outcome.verify = std::move(*verified);
    return outcome;
}

} // namespace

Result<JobOutcome> run_job(const System& system, const JobSpec& job, const Target& target,
                           const std::vector<std::string>& already_done, JobControl& control, JobObserver& observer) {
    if (job.sweep.has_value() + job.verify.has_value() + job.probe.has_value() != 1)
        return fail(Errc::bad_request, "a job is exactly one of a sweep, a verify pass and a probe");
    if (target.kind == Target::Kind::device && target.device_fd < 0)
        return fail(Errc::bad_request, "a raw test needs an open device");
    if (target.kind == Target::Kind::device || target.directory_fd >= 0)
        return run_on_open_target(system, job, target, already_done, control, observer);
    const auto directory = system.open_directory(target.path);
    if (!directory) return fail(directory.error());
    Target opened = target;
    opened.directory_fd = directory->get();
    return run_on_open_target(system, job, opened, already_done, control, observer);
}

} // namespace mediarig::workload
